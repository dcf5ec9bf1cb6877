/** Undo and redo of the steps of this page. */
import type { EditorView } from '@codemirror/view'
import { ownUndo, textSteps } from './binding.ts'

/** Undoes the last step of this page. Returns false if there is nothing to undo. */
export const undoIn = ({ state }: EditorView): boolean => state.facet(ownUndo)?.undo() ?? state.facet(textSteps)?.undo() != null

/** Redoes the last undone step. */
export const redoIn = ({ state }: EditorView): boolean => state.facet(ownUndo)?.redo() ?? state.facet(textSteps)?.redo() != null

/** Returns a number that grows with each new step. When undo takes back a step, it is the number from before that step. */
export const lastStepOf = ({ state }: EditorView): number => state.facet(ownUndo)?.last() ?? state.facet(textSteps)?.undoStack.length ?? 0
