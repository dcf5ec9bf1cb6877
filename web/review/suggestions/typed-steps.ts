/** The undo steps of the changes that are still being typed in suggesting mode, with their times. */
import { redo, redoDepth, undo, undoDepth } from '@codemirror/commands'
import type { Transaction } from '@codemirror/state'
import type { EditorView, ViewUpdate } from '@codemirror/view'
import type { Steps } from '../../editor/binding.ts'
import type { UndoOrder } from '../../editor/undo-order.ts'

/** Whether a person has typed, deleted or moved text. */
const isTyped = (transaction: Transaction): boolean =>
  transaction.docChanged && (transaction.isUserEvent('input') || transaction.isUserEvent('delete') || transaction.isUserEvent('move'))

export interface TypedSteps extends Steps {
  /** Returns the time of the last step that is still in the editor, or was sent from it. */
  last(): number
  /** Called with each update of the editor while suggesting is on. */
  follow(update: ViewUpdate): void
}

export function openTypedSteps(view: EditorView, order: Pick<UndoOrder, 'typed' | 'now'>): TypedSteps {
  let made: readonly number[] = []
  let undone: readonly number[] = []
  let last = 0
  const timeOf = ({ docChanged, transactions }: ViewUpdate): number => {
    if (transactions.some(isTyped)) return order.typed()
    // A new history begins with the changes that are left in the editor.
    return docChanged ? order.now() : last
  }
  return {
    madeAt: () => made[undoDepth(view.state) - 1],
    undoneAt: () => undone[redoDepth(view.state) - 1],
    undo: () => undo(view),
    redo: () => redo(view),
    last: () => last,
    follow(update) {
      const [depth, depthBack] = [undoDepth(update.state), redoDepth(update.state)]
      const at = timeOf(update)
      const isUndo = depthBack > undone.length
      undone = isUndo ? [...undone, at] : undone.slice(0, depthBack)
      // The history forgets its first steps when it is full.
      const kept = isUndo ? made.slice(0, depth) : made.slice(Math.max(0, made.length - depth))
      made = depth > kept.length ? [...kept, at] : kept
      last = made.at(-1) ?? last
    }
  }
}
