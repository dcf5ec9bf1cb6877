/** Finds the words that a comment without a selection is on. */
import type { EditorState } from '@codemirror/state'
import type { Range } from '../../../shared/text/targets.ts'
import { content } from '../../editor/table-rows.ts'
import { tableAt } from '../../editor/tables.ts'

/** Returns the range of the words in the cell at the caret. In an empty cell, or outside tables, returns the range of the line. */
export function wordsAtCaret(state: EditorState): Range {
  const { row, column = 0 } = tableAt(state) ?? {}
  const cell = row?.cells[column]
  const words = cell && content(state.doc, cell)
  return words === undefined || words.from === words.to ? state.doc.lineAt(state.selection.main.head) : words
}
