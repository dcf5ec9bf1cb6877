/**
 * Moves the messages at the bottom left to the top of the page while they would cover the field that has the focus, or its
 * buttons.
 */

const isField = (element: Element | undefined): element is Element => element?.matches('input, textarea, select') === true

const overlap = (one: DOMRect, other: DOMRect): boolean =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom

/** Starts watching the focus and the messages. Returns a function that stops it. */
export function keepClearOfFields(): () => void {
  const move = (): void => {
    let focused = document.activeElement ?? undefined
    while (focused?.shadowRoot?.activeElement != null) focused = focused.shadowRoot.activeElement
    // A message must not move while the person presses its button.
    if (focused?.closest('.toasts') != null) return
    for (const messages of document.querySelectorAll('.toasts')) {
      messages.classList.remove('at-top')
      if (messages.childElementCount === 0) continue
      // The buttons of the field belong to it.
      const place = isField(focused) ? (focused.closest('form, .card') ?? focused) : undefined
      const isCovered = place !== undefined && overlap(messages.getBoundingClientRect(), place.getBoundingClientRect())
      messages.classList.toggle('at-top', isCovered)
    }
  }
  let frame = 0
  const moveLater = (): void => {
    cancelAnimationFrame(frame)
    frame = requestAnimationFrame(move)
  }
  const stop = new AbortController()
  addEventListener('focusin', move, stop)
  // The first letter adds buttons to a form, and further ones make it higher.
  addEventListener('input', moveLater, stop)
  // The on-screen keyboard moves the field and the messages.
  for (const kind of ['resize', 'scroll']) visualViewport?.addEventListener(kind, moveLater, stop)
  const messages = new MutationObserver(move)
  for (const element of document.querySelectorAll('.toasts')) messages.observe(element, { childList: true })
  return () => {
    stop.abort()
    cancelAnimationFrame(frame)
    messages.disconnect()
  }
}
