/** Keeps an inserted component in view. */

/** Space kept free above and below the component, in pixels. */
const roomAround = 8

/**
 * Keeps a component in view while it grows, until the person does something. It shows the whole component if it fits, and otherwise its beginning.
 * The focused field always stays visible.
 */
export function keepInView(host: HTMLElement, scroller: HTMLElement): void {
  const over = new AbortController()
  const { signal: ended } = over
  const bring = (element: Element, isWhole: boolean): void => {
    const [seen, { top, bottom }] = [scroller.getBoundingClientRect(), element.getBoundingClientRect()]
    const above = seen.top + roomAround - top
    const below = bottom - (Math.min(seen.bottom, innerHeight) - roomAround)
    // If the element is taller than the window, its beginning is shown.
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
