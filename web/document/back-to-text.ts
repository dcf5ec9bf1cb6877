/** Gives the text the focus back when a dialog closes that was opened from it by mouse: the button that was pressed is not where one was. */
import { effect, untracked } from '@preact/signals'
import type { Editor } from '../editor/setup/editor.ts'
import type { Page } from '../commands/page.ts'

/** The parts that a press may go through on its way from the text to a dialog. */
const onTheWay = '.top-bar, .toolbar, dialog, [popover]'

/** Starts to watch; returns its stop. */
export function backToText({ dialog, mode }: Page, { view }: Editor): () => void {
  let isFromText = false
  const pressed = ({ target, pointerType }: PointerEvent): void => {
    const isOnTheWay = target instanceof Element && target.closest(onTheWay) !== null
    isFromText = isOnTheWay && pointerType !== 'touch' && (isFromText || view.hasFocus)
  }
  // A person who goes on to a button by key comes back to it.
  const keyed = ({ key, target }: KeyboardEvent): void => {
    if (key === 'Tab' && target instanceof Element && target.closest('dialog') === null) isFromText = false
  }
  const stop = effect(() => {
    if (dialog.value !== undefined || !isFromText || untracked(() => mode.value) === 'read') return
    isFromText = false
    const { activeElement, body } = document
    // An action in the dialog may have taken the focus elsewhere.
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
