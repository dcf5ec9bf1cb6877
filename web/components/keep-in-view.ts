/** Brings an inserted component into view. */

/** Space that stays free above and below it, in pixels. */
const roomAround = 8

/**
 * Keeps a component in view as it grows part by part, until the person does something. Shows all of it if it fits, otherwise its beginning, and
 * always the field that waits for input.
 */
export function keepInView(host: HTMLElement, scroller: HTMLElement): void {
  const over = new AbortController()
  const { signal: ended } = over
  const bring = (element: Element, isWhole: boolean): void => {
    const [seen, { top, bottom }] = [scroller.getBoundingClientRect(), element.getBoundingClientRect()]
    const above = seen.top + roomAround - top
    const below = bottom - (Math.min(seen.bottom, innerHeight) - roomAround)
    // An element larger than the window is shown from its beginning.
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
