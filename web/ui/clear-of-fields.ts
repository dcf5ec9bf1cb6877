/** Moves the messages at the bottom left to the top of the page while they would cover the field that has the focus. */

const isField = (element: Element | undefined): element is Element => element?.matches('input, textarea, select') === true

const overlap = (one: DOMRect, other: DOMRect): boolean =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom

/** Starts watching the focus and the messages. Returns a function that stops it. */
export function keepClearOfFields(): () => void {
  const place = (): void => {
    let focused = document.activeElement ?? undefined
    while (focused?.shadowRoot?.activeElement != null) focused = focused.shadowRoot.activeElement
    // A message must not move while the person presses its button.
    if (focused?.closest('.toasts') != null) return
    for (const messages of document.querySelectorAll('.toasts')) {
      messages.classList.remove('at-top')
      const isCovered = isField(focused) && overlap(messages.getBoundingClientRect(), focused.getBoundingClientRect())
      messages.classList.toggle('at-top', isCovered)
    }
  }
  const stop = new AbortController()
  addEventListener('focusin', place, stop)
  const messages = new MutationObserver(place)
  for (const element of document.querySelectorAll('.toasts')) messages.observe(element, { childList: true })
  return () => {
    stop.abort()
    messages.disconnect()
  }
}
