/** The text that came with the page (server/http/first). It stays until the page shows the same text in its place. */

const first = (): HTMLElement | null => document.getElementById('first')

/** Whether that text is still shown, so that it hides everything below it. */
export const isCovered = (): boolean => first() !== null

/** The text that stands in for the reading view. */
export const coveringText = (): ParentNode | undefined => first()?.querySelector('.still-reading')?.shadowRoot ?? undefined

/** Removes its title once the page has its own bar. */
export const leaveBar = (): void => first()?.querySelector('.still-bar')?.remove()

/** Removes it once the page has drawn the text, and keeps the position of a person who has scrolled meanwhile. */
export function takeOver(scroller?: HTMLElement): void {
  const element = first()
  if (element === null) return
  const scrolled = element.querySelector('.still-scroller, .still-reading')?.scrollTop ?? 0
  element.remove()
  if (scroller !== undefined && scrolled > 0) scroller.scrollTop = scrolled
}
