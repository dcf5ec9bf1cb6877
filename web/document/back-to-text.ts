/** Returns the focus to the text when a dialog closes that was opened from it by mouse: the person was in the text, not at the pressed button. */
import { effect, untracked } from '@preact/signals'
import type { Editor } from '../editor/setup/editor.ts'
import type { Page } from '../commands/page.ts'

/** The elements that a press may use on its way from the text to a dialog. */
const onTheWay = '.top-bar, .toolbar, dialog, [popover]'

/** Starts to watch; returns a function that stops it. */
export function backToText({ dialog, mode }: Page, { view }: Editor): () => void {
  let isFromText = false
  const pressed = ({ target, pointerType }: PointerEvent): void => {
    const isOnTheWay = target instanceof Element && target.closest(onTheWay) !== null
    isFromText = isOnTheWay && pointerType !== 'touch' && (isFromText || view.hasFocus)
  }
  // A person who went on to a button with the keyboard returns to that button.
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
