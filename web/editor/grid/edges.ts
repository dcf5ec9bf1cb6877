/**
 * Keeps the caret inside the cells of a table. A caret before the first bar of a row would look as if it were in the first cell.
 * (type-in-cell.ts moves text that is typed next to the bars.)
 */
import { EditorSelection, EditorState, Prec, type Extension } from '@codemirror/state'
import { keymap, type Command } from '@codemirror/view'
import { cellElement } from '../table-geometry.ts'
import { content, isDelimiter, type Cell } from '../table-rows.ts'
import { rowAt, tableAt, type Place } from '../tables.ts'

/** Returns the place of a position before the first bar of a row, with the first cell. Undefined for any other position. */
function beforeBar(state: EditorState, at: number): { readonly place: Place; readonly cell: Cell } | undefined {
  const place = tableAt(state, at)
  const cell = place?.row.cells[0]
  if (place === undefined || cell === undefined || at >= cell.from) return undefined
  return place.row.line.number === place.first + 1 && isDelimiter(place.row.line.text) ? undefined : { place, cell }
}

/** Returns the nearest position for a caret that moves to `at`: in the first cell or, if it moves backward, at the end of the cell or line before. */
export function caretPlace(state: EditorState, at: number, isForward: boolean): number {
  const found = beforeBar(state, at)
  if (found === undefined) return at
  const { place, cell } = found
  const { number } = place.row.line
  if (isForward || number === 1) return content(state.doc, cell).from
  if (number === place.first) return state.doc.line(number - 1).to
  const above = rowAt(state, number === place.first + 2 ? place.first : number - 1).cells.at(-1)
  return above === undefined ? at : content(state.doc, above).to
}

const keepInCells = EditorState.transactionFilter.of((transaction) => {
  const { docChanged, startState, selection } = transaction
  if (docChanged || selection === undefined || !selection.main.empty || selection.ranges.length > 1) return transaction
  if (!transaction.isUserEvent('select') || transaction.isUserEvent('select.pointer')) return transaction
  const { head } = selection.main
  const place = caretPlace(startState, head, head > startState.selection.main.head)
  return place === head ? transaction : [transaction, { selection: EditorSelection.cursor(place) }]
})

/** In the first row of a document that begins with a table, adds a line above the table. There is no other way to write above it. */
const addLineAbove: Command = (view) => {
  const { state } = view
  const { head, empty } = state.selection.main
  const place = state.readOnly || !empty ? undefined : tableAt(state, head)
  const cell = cellElement(view, head)
  const caret = view.coordsAtPos(head)
  if (place?.row.line.number !== 1 || cell === null || caret === null) return false
  // On a lower line of a cell that wraps, the key moves within the cell.
  if (caret.top - cell.getBoundingClientRect().top > caret.bottom - caret.top) return false
  view.dispatch({ changes: { from: 0, insert: '\n\n' }, selection: { anchor: 0 }, scrollIntoView: true, userEvent: 'input.table' })
  return true
}

export const cellEdges: Extension = [keepInCells, Prec.highest(keymap.of([{ key: 'ArrowUp', run: addLineAbove }]))]
