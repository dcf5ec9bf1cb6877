/** The text that came with the page (server/http/first). It stays visible until the page shows the same text in its place. */

const first = (): HTMLElement | null => document.getElementById('first')

/** Whether the server's text is still visible. Until it is removed, it hides everything below it. */
export const isCovered = (): boolean => first() !== null

/** Returns the text that the server rendered for the reading view. */
export const coveringText = (): ParentNode | undefined => first()?.querySelector('.still-reading')?.shadowRoot ?? undefined

/** Removes the title of the server's text once the page has a top bar. */
export const leaveBar = (): void => first()?.querySelector('.still-bar')?.remove()

/** Removes the text once the page has drawn its own. If the person has since scrolled, the scroll position is kept. */
export function takeOver(scroller?: HTMLElement): void {
  const element = first()
  if (element === null) return
  const scrolled = element.querySelector('.still-scroller, .still-reading')?.scrollTop ?? 0
  element.remove()
  if (scroller !== undefined && scrolled > 0) scroller.scrollTop = scrolled
}
