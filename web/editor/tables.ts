/** Moving and typing in tables. Rows are parsed line by line when needed, so a table of 20,000 rows is as fast as a table of two. */
import { syntaxTree } from '@codemirror/language'
import { EditorSelection, type ChangeSpec, type EditorState, type TransactionSpec } from '@codemirror/state'
import type { EditorView, Command } from '@codemirror/view'
import { endStep } from './binding.ts'
import { addCell, addOuterBar, cellAt, content, emptyRow, isDelimiter, removeCell, rowOf, type Cell, type Row } from './table-rows.ts'

export interface TablePosition {
  readonly row: Row
  readonly column: number
  /** Line number of the table's first line. `last` is the number of its last line. */
  readonly first: number
  readonly last: number
}

/** Returns the row and column of an offset in its table. The default offset is the caret. */
export function tableAt(state: EditorState, at = state.selection.main.head): TablePosition | undefined {
  const line = state.doc.lineAt(at)
  for (
    let node = syntaxTree(state).resolveInner(line.from + (/^[ \t>]*/.exec(line.text)?.[0].length ?? 0), 1);
    node.parent !== null;
    node = node.parent
  ) {
    if (node.name !== 'Table') continue
    const row = rowOf(line)
    return {
      row,
      column: cellAt(row, at),
      first: state.doc.lineAt(node.from).number,
      last: state.doc.lineAt(Math.min(node.to, state.doc.length)).number
    }
  }
  return undefined
}

/** Returns the nearest place in a cell for an offset before the first bar of a row, or behind the last one. Undefined for any other offset. */
export function intoCell(state: EditorState, at: number): number | undefined {
  const row = tableAt(state, at)?.row
  const [first, last] = [row?.cells[0], row?.cells.at(-1)]
  if (row === undefined || first === undefined || last === undefined || isDelimiter(row.line.text)) return undefined
  return at < first.from ? content(state.doc, first).from : at > last.to ? content(state.doc, last).to : undefined
}

export const isInTable = (state: EditorState): boolean => tableAt(state) !== undefined

export const rowAt = (state: EditorState, number: number): Row => rowOf(state.doc.line(number))

export function* rowsOf(state: EditorState, { first, last }: TablePosition): Generator<Row> {
  for (let number = first; number <= last; number++) yield rowAt(state, number)
}

export function select(view: EditorView, cell: Cell | undefined): void {
  if (cell === undefined) return
  const { from, to } = content(view.state.doc, cell)
  view.state.facet(endStep)(view)
  view.dispatch({ selection: EditorSelection.range(from, to), scrollIntoView: true, userEvent: 'select.cell' })
}

/** Makes a command that runs only in tables, and only if the person may write. */
export const inTable =
  (run: (view: EditorView, position: TablePosition) => boolean): Command =>
  (view) => {
    const position = view.state.readOnly ? undefined : tableAt(view.state)
    return position !== undefined && run(view, position)
  }

export function edit(view: EditorView, spec: TransactionSpec): true {
  view.dispatch({ scrollIntoView: true, userEvent: 'input.table', ...spec })
  return true
}

/** Returns the number of the next line with cells in the direction of `step`. */
function neighbour(state: EditorState, { first, last }: TablePosition, number: number, step: 1 | -1): number | undefined {
  const next = number + step
  if (next < first || next > last) return undefined
  return next === first + 1 && isDelimiter(state.doc.line(next).text)
    ? neighbour(state, { first, last } as TablePosition, next, step)
    : next
}

function appendRow(view: EditorView, position: TablePosition, column: number): true {
  const { state } = view
  const line = state.doc.line(position.last)
  const { lead, cells } = rowAt(state, position.first)
  const insert = `\n${emptyRow(lead, cells.length)}`
  state.facet(endStep)(view)
  return edit(view, { changes: { from: line.to, insert }, selection: { anchor: line.to + 1 + lead.length + 2 + 3 * column } })
}

export const nextCell: Command = inTable((view, position) => {
  const { row, column } = position
  if (column + 1 < row.cells.length && !isDelimiter(row.line.text)) {
    select(view, row.cells[column + 1])
    return true
  }
  const next = neighbour(view.state, position, row.line.number, 1)
  if (next === undefined) return appendRow(view, position, 0)
  select(view, rowAt(view.state, next).cells[0])
  return true
})

export const previousCell: Command = inTable((view, position) => {
  const { row, column } = position
  if (column > 0) {
    select(view, row.cells[column - 1])
    return true
  }
  const next = neighbour(view.state, position, row.line.number, -1)
  if (next !== undefined) select(view, rowAt(view.state, next).cells.at(-1))
  // The caret stays in the first cell. Escape and Tab leave the table.
  return true
})

/** Moves the caret to the end of the cell below. In the last row, it adds a row, or leaves the table if that row is empty. */
export const cellBelow: Command = inTable((view, position) => {
  const { state } = view
  const { row, column, first, last } = position
  const next = neighbour(state, position, row.line.number, 1)
  if (next !== undefined) {
    const below = rowAt(state, next).cells
    enter(view, below[Math.min(column, below.length - 1)])
    return true
  }
  const isEmpty = row.line.number > first + 1 && row.cells.every(({ from, to }) => state.doc.sliceString(from, to).trim() === '')
  if (!isEmpty) return appendRow(view, position, column)
  // Text directly below a table would become a row, so a blank line ends the table.
  const follows = last < state.doc.lines && state.doc.line(last + 1).text.trim() === ''
  const { from, to } = row.line
  return edit(view, { changes: { from, to, insert: follows ? '' : '\n' }, selection: { anchor: from + 1 } })
})

/** Inserts a line break into the cell. */
export const breakInCell: Command = inTable((view) => {
  view.dispatch(view.state.replaceSelection('<br>'), { scrollIntoView: true, userEvent: 'input.table' })
  return true
})

export const addRow = (side: 'above' | 'below'): Command =>
  inTable((view, position) => {
    const { state } = view
    const { lead, cells } = rowAt(state, position.first)
    const number = position.row.line.number
    // A row cannot be inserted above the head, or between the head and the delimiter row.
    const after = Math.max(side === 'above' ? number - 1 : number, position.first + 1)
    const line = state.doc.line(after)
    const row = emptyRow(lead, cells.length)
    return edit(view, {
      changes: { from: line.to, insert: `\n${row}` },
      selection: { anchor: line.to + 1 + lead.length + 2 + 3 * Math.min(position.column, cells.length - 1) }
    })
  })

/** Puts the caret after the text of a cell and selects nothing. */
export function enter(view: EditorView, cell: Cell | undefined): void {
  if (cell === undefined) return
  view.state.facet(endStep)(view)
  view.dispatch({ selection: { anchor: content(view.state.doc, cell).to }, scrollIntoView: true, userEvent: 'select' })
}

/** Changes every row of a table in one step. The caret is placed in the cell `column` of its row. */
export function eachRow(view: EditorView, position: TablePosition, change: (row: Row) => ChangeSpec[], column: number): true {
  const { state } = view
  edit(view, { changes: [...rowsOf(state, position)].flatMap(change) })
  const row = rowAt(view.state, position.row.line.number)
  enter(view, row.cells[Math.max(0, Math.min(column, row.cells.length - 1))])
  return true
}

export const addColumn = (side: 'before' | 'after'): Command =>
  inTable((view, position) => {
    const column = side === 'before' ? position.column : position.column + 1
    return eachRow(view, position, (row) => addCell(row, column), column)
  })

export const deleteColumn: Command = inTable((view, position) => {
  const { doc } = view.state
  const [from, to] = [doc.line(position.first).from, doc.line(position.last).to]
  // Deleting the only column deletes the table.
  if (rowAt(view.state, position.first).cells.length === 1) return edit(view, { changes: { from, to }, selection: { anchor: from } })
  return eachRow(view, position, (row) => [...addOuterBar(row, position.column), ...removeCell(row, position.column)], position.column)
})
