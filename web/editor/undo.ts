/** Undo and redo of what was done on this page. */
import type { EditorView } from '@codemirror/view'
import { yUndoManagerKeymap } from 'y-codemirror.next'
import { ownUndo } from './binding.ts'

// The binding names its commands by their keys alone.
const undoBy = (key: string) => yUndoManagerKeymap.find((binding) => binding.key === key)?.run ?? (() => false)
const [undo, redo] = [undoBy('Mod-z'), undoBy('Mod-Shift-z')]

/** Takes the last step back that was made on this page. */
export const undoIn = (view: EditorView): boolean => (view.state.facet(ownUndo)?.undo ?? undo)(view)

/** Does again what was taken back. */
export const redoIn = (view: EditorView): boolean => (view.state.facet(ownUndo)?.redo ?? redo)(view)
