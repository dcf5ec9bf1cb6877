/** Closes the card at a link or a picture when the focus leaves the text. */
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
