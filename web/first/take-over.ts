/** The text that came with the page (server/http/first): it is read until the page shows the same in its place. */

const first = (): HTMLElement | null => document.getElementById('first')

/** Whether it is still read: nothing that is drawn below it is seen. */
export const isCovered = (): boolean => first() !== null

/** The still text in the place of the reading view. */
export const coveringText = (): ParentNode | undefined => first()?.querySelector('.still-reading')?.shadowRoot ?? undefined

/** Its title goes once the page has a bar of its own. */
export const leaveBar = (): void => first()?.querySelector('.still-bar')?.remove()

/** To be called when the text is drawn: who has scrolled meanwhile stays where he is. */
export function takeOver(scroller?: HTMLElement): void {
  const element = first()
  if (element === null) return
  const scrolled = element.querySelector('.still-scroller, .still-reading')?.scrollTop ?? 0
  element.remove()
  if (scroller !== undefined && scrolled > 0) scroller.scrollTop = scrolled
}
