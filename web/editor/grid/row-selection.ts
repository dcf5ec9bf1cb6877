/**
 * Rows that are selected by their handles, and tables whose cells are all selected. The Delete and Backspace keys delete them. If cells are selected in
 * any other way, the keys only empty them (grids.ts).
 */
import { EditorSelection, type EditorState, Prec, StateField, type Extension } from '@codemirror/state'
import { keymap, type Command, type EditorView } from '@codemirror/view'
import { chosenCells, type Chosen } from '../chosen-cells.ts'
import { deleteRow } from '../table-moves.ts'
import { content } from '../table-rows.ts'
import { edit, rowAt, tableAt } from '../tables.ts'

/** The event of a selection that a handle makes. */
const byHandle = 'select.rows'

/** Whether a handle made the selection. Shift and the arrow keys may have extended it since. */
const isByHandle = StateField.define<boolean>({
  create: () => false,
  update(value, transaction) {
    const { selection, startState } = transaction
    if (selection === undefined) return value
    return transaction.isUserEvent(byHandle) || (value && selection.main.anchor === startState.selection.main.anchor)
  }
})

/** Selects the row with a line number. If `extend` is true, selects also the rows between this row and the selection. */
export function selectRow(view: EditorView, number: number, extend: boolean): void {
  const { state } = view
  const { cells } = rowAt(state, number)
  const [first, last] = [cells[0], cells.at(-1)]
  if (first === undefined || last === undefined) return
  // The caret is in the first cell, from which the commands of rows continue.
  const anchor = extend ? state.selection.main.anchor : content(state.doc, last).to
  view.dispatch({ selection: EditorSelection.range(anchor, content(state.doc, first).from), userEvent: byHandle })
}

const hasAllColumns = (state: EditorState, { top, bottom, left, right }: Chosen): boolean =>
  left === 0 && [top, bottom].every((number) => rowAt(state, number).cells.length <= right + 1)

/** Deletes the rows that were selected by their handles. The header row stays, so its cells are only emptied. */
const deleteRows: Command = (view) => {
  const { state } = view
  if (state.readOnly || state.selection.main.empty || !state.field(isByHandle)) return false
  const chosen = chosenCells(state)
  return (chosen === undefined || hasAllColumns(state, chosen)) && deleteRow(view)
}

/** Deletes a table if all its cells are selected. */
const deleteTable: Command = (view) => {
  const { state } = view
  const chosen = state.readOnly ? undefined : chosenCells(state)
  const table = chosen && tableAt(state)
  if (table === undefined || chosen?.top !== table.first || chosen.bottom !== table.last || !hasAllColumns(state, chosen)) return false
  const [from, to] = [state.doc.line(table.first).from, state.doc.line(table.last).to]
  return edit(view, { changes: { from, to }, selection: { anchor: from } })
}

export const rowSelection: Extension = [
  isByHandle,
  Prec.highest(
    keymap.of([
      { key: 'Backspace', run: (view) => deleteTable(view) || deleteRows(view) },
      { key: 'Delete', run: deleteRows }
    ])
  )
]
