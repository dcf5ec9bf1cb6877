/** Notices that the focus leaves the card at a link or a picture. */
import type { Extension, StateEffectType, StateField } from '@codemirror/state'
import { ViewPlugin } from '@codemirror/view'

/** Moving the focus out of the text closes the card, unless the focus moves into the card. `field` contains the open card. */
export const hideOnLeaving = (field: StateField<unknown>, hide: StateEffectType<null>): Extension =>
  ViewPlugin.define((view) => {
    const left = (): void =>
      void setTimeout(() => {
        if (view.dom.contains(document.activeElement) || view.state.field(field, false) == null) return
        view.dispatch({ effects: hide.of(null) })
      })
    view.dom.addEventListener('focusout', left)
    return { destroy: () => view.dom.removeEventListener('focusout', left) }
  })

/** Calls `leave` once the focus has left an element and no pointer is pressed, because a pressed element must not move. Returns a function that stops this. */
export function onLeaving(element: HTMLElement, leave: () => void): () => void {
  let isPressed = false
  let wasLeft = false
  const listening = new AbortController()
  const check = (): void =>
    void setTimeout(() => {
      // If the whole window loses the focus, the element keeps it within the page.
      if (wasLeft && !isPressed && !element.contains(document.activeElement)) leave()
    })
  for (const kind of ['pointerdown', 'pointerup', 'pointercancel'])
    addEventListener(
      kind,
      ({ type }) => {
        isPressed = type === 'pointerdown'
        check()
      },
      { capture: true, signal: listening.signal }
    )
  element.addEventListener('focusout', () => {
    wasLeft = true
    check()
  })
  return () => listening.abort()
}
