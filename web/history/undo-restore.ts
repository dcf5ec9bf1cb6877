/** Lets the undo key undo a restore, as the button of its notice does. */
import { endStep } from '../editor/binding.ts'
import { stepsOf } from '../editor/undo.ts'
import { modals } from '../ui/toast.tsx'
import type { View } from '../view/view.ts'

let forgetLast = (): void => undefined

/**
 * Calls `undo` when the undo key is pressed and nothing has been typed since the restore. Typed text is undone first. Returns a function that
 * restores the key's usual effect. Only the newest restore can be undone with the key.
 */
export function undoByKey({ editor }: View, undo: () => void): () => void {
  const view = editor.value?.view
  forgetLast()
  if (view === undefined) return () => undefined
  // Text typed from now on belongs to a new undo step.
  view.state.facet(endStep)(view)
  const steps = stepsOf(view)
  const press = (event: KeyboardEvent): void => {
    const { ctrlKey, metaKey, shiftKey, altKey, key } = event
    if (!(ctrlKey || metaKey) || shiftKey || altKey || key.toLowerCase() !== 'z' || modals.peek() > 0) return
    const [target] = event.composedPath()
    const isElsewhere = !view.hasFocus && target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null
    if (isElsewhere || view !== editor.value?.view || stepsOf(view) > steps) return
    event.preventDefault()
    event.stopPropagation()
    undo()
  }
  const forget = (): void => removeEventListener('keydown', press, true)
  addEventListener('keydown', press, true)
  forgetLast = forget
  return forget
}
