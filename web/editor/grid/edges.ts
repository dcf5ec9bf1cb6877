/**
 * Keeps the caret inside the cells of a table. A caret before the first bar of a row would look as if it were in the first cell.
 * (type-in-cell.ts moves text that is typed next to the bars.)
 */
import { EditorSelection, EditorState, Prec, type Extension } from '@codemirror/state'
import { keymap, type Command } from '@codemirror/view'
import { cellElement } from '../table-geometry.ts'
import { content, isDelimiter, type Cell } from '../table-rows.ts'
import { rowAt, tableAt, type TablePosition } from '../tables.ts'

/** Returns the position of an offset before the first bar of a row, with the first cell. Undefined for any other offset. */
function beforeBar(state: EditorState, at: number): { readonly position: TablePosition; readonly cell: Cell } | undefined {
  const position = tableAt(state, at)
  const cell = position?.row.cells[0]
  if (position === undefined || cell === undefined || at >= cell.from) return undefined
  return position.row.line.number === position.first + 1 && isDelimiter(position.row.line.text) ? undefined : { position, cell }
}

/** Returns the nearest position for a caret that moves to `at`: in the first cell or, if it moves backward, at the end of the cell or line before. */
export function caretPlace(state: EditorState, at: number, isForward: boolean): number {
  const found = beforeBar(state, at)
  if (found === undefined) return at
  const { position, cell } = found
  const { number } = position.row.line
  if (isForward || number === 1) return content(state.doc, cell).from
  if (number === position.first) return state.doc.line(number - 1).to
  const above = rowAt(state, number === position.first + 2 ? position.first : number - 1).cells.at(-1)
  return above === undefined ? at : content(state.doc, above).to
}

const keepInCells = EditorState.transactionFilter.of((transaction) => {
  const { docChanged, startState, selection } = transaction
  if (docChanged || selection === undefined || !selection.main.empty || selection.ranges.length > 1) return transaction
  if (!transaction.isUserEvent('select') || transaction.isUserEvent('select.pointer')) return transaction
  const { head } = selection.main
  const position = caretPlace(startState, head, head > startState.selection.main.head)
  return position === head ? transaction : [transaction, { selection: EditorSelection.cursor(position) }]
})

/** In the first row of a document that begins with a table, adds a line above the table. There is no other way to write above it. */
const addLineAbove: Command = (view) => {
  const { state } = view
  const { head, empty } = state.selection.main
  const position = state.readOnly || !empty ? undefined : tableAt(state, head)
  const cell = cellElement(view, head)
  const caret = view.coordsAtPos(head)
  if (position?.row.line.number !== 1 || cell === null || caret === null) return false
  // On a lower line of a cell that wraps, the key moves within the cell.
  if (caret.top - cell.getBoundingClientRect().top > caret.bottom - caret.top) return false
  view.dispatch({ changes: { from: 0, insert: '\n\n' }, selection: { anchor: 0 }, scrollIntoView: true, userEvent: 'input.table' })
  return true
}

export const cellEdges: Extension = [keepInCells, Prec.highest(keymap.of([{ key: 'ArrowUp', run: addLineAbove }]))]
