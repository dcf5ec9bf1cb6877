/** Undo and redo of changes made on this page. */
import type { EditorView } from '@codemirror/view'
import { yUndoManagerKeymap } from 'y-codemirror.next'
import { ownUndo, undoSteps } from './binding.ts'

// The binding exports its commands only as key bindings, so each is found by its key.
const undoBy = (key: string) => yUndoManagerKeymap.find((binding) => binding.key === key)?.run ?? (() => false)
const [undo, redo] = [undoBy('Mod-z'), undoBy('Mod-Shift-z')]

/** Undoes the last step of this page. Returns false if there is nothing to undo. */
export function undoIn(view: EditorView): boolean {
  const own = view.state.facet(ownUndo)
  if (own !== undefined) return own.undo(view)
  const { doc } = view.state
  undo(view)
  // The undo command of the binding returns true even if it did nothing.
  return view.state.doc !== doc
}

/** Redoes the last undone step. */
export const redoIn = (view: EditorView): boolean => (view.state.facet(ownUndo)?.redo ?? redo)(view)

/** Returns the number of steps that undo can take back now. */
export const stepsOf = (view: EditorView): number => view.state.facet(ownUndo)?.steps(view) ?? view.state.facet(undoSteps)()
