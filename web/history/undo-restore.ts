/** Lets the undo key undo a restore, as the button of its notice does, and the redo key repeat it. */
import { endStep } from '../editor/binding.ts'
import { stepsOf } from '../editor/undo.ts'
import { modals } from '../ui/toast.tsx'
import type { View } from '../view/view.ts'

let forgetLast = (): void => undefined

/** Whether a key undoes, or redoes. Undefined for other keys. */
function meaningOf({ ctrlKey, metaKey, shiftKey, altKey, key }: KeyboardEvent): 'undo' | 'redo' | undefined {
  if (!(ctrlKey || metaKey) || altKey) return undefined
  if (key.toLowerCase() === 'z') return shiftKey ? 'redo' : 'undo'
  return key.toLowerCase() === 'y' && !shiftKey ? 'redo' : undefined
}

/**
 * Calls `run` when the undo or redo key is pressed and nothing has been typed since the restore or its undo. Typed text is undone first, and after
 * typing there is nothing to redo. Returns a function that restores the key's usual effect. Only the newest restore has the keys.
 */
export function takeKey({ editor }: View, meaning: 'undo' | 'redo', run: () => void): () => void {
  const view = editor.value?.view
  forgetLast()
  if (view === undefined) return () => undefined
  // Text typed from now on belongs to a new undo step.
  view.state.facet(endStep)(view)
  const steps = stepsOf(view)
  const press = (event: KeyboardEvent): void => {
    if (meaningOf(event) !== meaning || modals.peek() > 0) return
    const [target] = event.composedPath()
    const isElsewhere = !view.hasFocus && target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null
    const isOvertaken = meaning === 'undo' ? stepsOf(view) > steps : stepsOf(view) !== steps
    if (isElsewhere || view !== editor.value?.view || isOvertaken) return
    event.preventDefault()
    event.stopPropagation()
    run()
  }
  const forget = (): void => removeEventListener('keydown', press, true)
  addEventListener('keydown', press, true)
  forgetLast = forget
  return forget
}
