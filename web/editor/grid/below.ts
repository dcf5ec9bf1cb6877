/** Prevents text that is typed below a table from becoming a row. */
import type { EditorState, TransactionSpec } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { content } from '../table-rows.ts'
import { rowAt, tableAt } from '../tables.ts'

/**
 * Returns `last` or `other` if a position is after the last cell of a table row, where no renderer shows text. `last` means that the row is the last
 * one of its table.
 */
function isBehindCells(state: EditorState, at: number): 'last' | 'other' | undefined {
  const place = tableAt(state, at)
  if (place === undefined) return undefined
  const { row, first, last } = place
  // A row is incomplete while a person is still typing its bars.
  if (at !== row.line.to || !row.closed || row.cells.length < rowAt(state, first).cells.length) return undefined
  return row.line.number === last ? 'last' : 'other'
}

/**
 * Text that is typed on the blank line below a table, or after its last row, is inserted below the table between blank lines, unless it begins a row.
 * Text that is typed after any other row is inserted into the last cell.
 */
export function belowRows(state: EditorState, at: number, text: string): TransactionSpec | undefined {
  const { doc } = state
  const line = doc.lineAt(at)
  if (state.readOnly || /^[|\s]/.test(text)) return undefined
  const written = { scrollIntoView: true, userEvent: 'input.type' }
  const behind = isBehindCells(state, at)
  const cell = behind === 'other' ? rowAt(state, line.number).cells.at(-1) : undefined
  if (cell !== undefined) {
    const { to } = content(doc, cell)
    return { changes: { from: to, insert: text }, selection: { anchor: to + text.length }, ...written }
  }
  const isBelow = line.text.trim() === '' && line.number > 1 && tableAt(state, doc.line(line.number - 1).from) !== undefined
  if (!isBelow && behind === undefined) return undefined
  const isFollowed = line.number < doc.lines && doc.line(line.number + 1).text.trim() !== ''
  const lead = isBelow ? '\n' : '\n\n'
  return {
    changes: [
      { from: isBelow ? line.from : at, insert: lead },
      { from: at, insert: text },
      { from: line.to, insert: isFollowed ? '\n' : '' }
    ],
    selection: { anchor: at + lead.length + text.length },
    ...written
  }
}

export const typeBelow = EditorView.inputHandler.of((view, from, to, text) => {
  const written = from === to && !view.composing ? belowRows(view.state, from, text) : undefined
  if (written !== undefined) view.dispatch(written)
  return written !== undefined
})
