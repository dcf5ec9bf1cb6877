/** Lets the undo key take back a step of a person who may only comment, because such a person has no undo command. */
import { lastStepOf } from '../../editor/undo.ts'
import { modals } from '../../ui/toast.tsx'
import type { View } from '../../view/view.ts'

let forgetLast = (): void => undefined

const isUndo = ({ ctrlKey, metaKey, shiftKey, altKey, key }: KeyboardEvent): boolean =>
  (ctrlKey || metaKey) && !altKey && !shiftKey && key.toLowerCase() === 'z'

/** Calls `run` when the undo key is pressed and no newer step has been made. Only the newest step has the key. */
export function takeUndoKey({ editor }: View, run: () => void): void {
  const view = editor.value?.view
  forgetLast()
  if (view === undefined) return
  const steps = lastStepOf(view)
  const press = (event: KeyboardEvent): void => {
    if (!isUndo(event) || modals.peek() > 0) return
    const [target] = event.composedPath()
    const isElsewhere = !view.hasFocus && target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null
    if (isElsewhere || view !== editor.value?.view || lastStepOf(view) > steps) return
    event.preventDefault()
    event.stopPropagation()
    forgetLast()
    run()
  }
  forgetLast = () => removeEventListener('keydown', press, true)
  addEventListener('keydown', press, true)
}
