/**
 * Returns the focus to the text when a dialog that was opened from the text with the mouse closes. The person was working in the text, not at the button.
 */
import { effect, untracked } from '@preact/signals'
import type { Editor } from '../editor/setup/editor.ts'
import type { Page } from '../commands/page.ts'

/** Elements that a person may press on the way from the text to a dialog. */
const onTheWay = '.top-bar, .toolbar, dialog, [popover]'

/** Starts watching the focus. Returns a function that stops it. */
export function backToText({ dialog, mode }: Page, { view }: Editor): () => void {
  let isFromText = false
  const pressed = ({ target, pointerType }: PointerEvent): void => {
    const isOnTheWay = target instanceof Element && target.closest(onTheWay) !== null
    isFromText = isOnTheWay && pointerType !== 'touch' && (isFromText || view.hasFocus)
  }
  // If the person used the keyboard to reach a button, the focus returns to that button.
  const keyed = ({ key, target }: KeyboardEvent): void => {
    if (key === 'Tab' && target instanceof Element && target.closest('dialog') === null) isFromText = false
  }
  const stop = effect(() => {
    if (dialog.value !== undefined || !isFromText || untracked(() => mode.value) === 'read') return
    isFromText = false
    const { activeElement, body } = document
    // An action in the dialog may have moved the focus elsewhere.
    if (activeElement === null || activeElement === body || activeElement.closest(onTheWay) !== null) view.focus()
  })
  addEventListener('pointerdown', pressed, { capture: true })
  addEventListener('keydown', keyed, { capture: true })
  return () => {
    stop()
    removeEventListener('pointerdown', pressed, { capture: true })
    removeEventListener('keydown', keyed, { capture: true })
  }
}
