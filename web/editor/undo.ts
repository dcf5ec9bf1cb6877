/** Undo and redo of changes made on this page. */
import { undoDepth } from '@codemirror/commands'
import type { EditorView } from '@codemirror/view'
import { yUndoManagerKeymap } from 'y-codemirror.next'
import { ownUndo, undoSteps } from './binding.ts'

// The binding exports its commands only as key bindings, so each is found by its key.
const undoBy = (key: string) => yUndoManagerKeymap.find((binding) => binding.key === key)?.run ?? (() => false)
const [undo, redo] = [undoBy('Mod-z'), undoBy('Mod-Shift-z')]

/** Undoes the last step of this page. */
export const undoIn = (view: EditorView): boolean => (view.state.facet(ownUndo)?.undo ?? undo)(view)

/** Redoes the last undone step. */
export const redoIn = (view: EditorView): boolean => (view.state.facet(ownUndo)?.redo ?? redo)(view)

/** Returns the number of steps that undo can take back now. */
export const stepsOf = ({ state }: EditorView): number => (state.facet(ownUndo) === undefined ? state.facet(undoSteps)() : undoDepth(state))
