/** An inserted component comes into view. */

/** Room that is left above and below what is brought into view, in pixels. */
const roomAround = 8

/**
 * Keeps a component in view as it grows, part by part, until the person does something: all of it where there is room, else its beginning, and
 * in any case the field that waits for words.
 */
export function keepInView(host: HTMLElement, scroller: HTMLElement): void {
  const over = new AbortController()
  const { signal: ended } = over
  const bring = (element: Element, isWhole: boolean): void => {
    const [seen, { top, bottom }] = [scroller.getBoundingClientRect(), element.getBoundingClientRect()]
    const above = seen.top + roomAround - top
    const below = bottom - (Math.min(seen.bottom, innerHeight) - roomAround)
    // An element larger than the window is seen from its beginning.
    if (above > 0 || (isWhole && below > -above)) scroller.scrollTop -= above
    else if (below > 0) scroller.scrollTop += below
  }
  const follow = (): void => {
    if (!host.isConnected) return
    bring(host, true)
    const field = host.shadowRoot?.activeElement
    if (field != null) bring(field, false)
  }
  const sizes = new ResizeObserver(follow)
  sizes.observe(host)
  ended.addEventListener('abort', () => sizes.disconnect())
  for (const kind of ['keydown', 'pointerdown', 'wheel', 'touchmove'])
    addEventListener(kind, () => over.abort(), { capture: true, passive: true, signal: ended })
}
