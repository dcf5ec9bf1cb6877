/**
 * Table commands that do not change the text of cells: moving, sorting, alignment and the deletion of rows. None of them affects where the next
 * typed character is inserted, so they can load after the editor.
 */
import type { ChangeSpec, EditorState } from '@codemirror/state'
import { type Command, Direction, type EditorView } from '@codemirror/view'
import { isSuggesting } from './binding.ts'
import { chosenCells } from './chosen-cells.ts'
import { longestRun, sortedOrder } from './table-order.ts'
import { alignCell, alignmentOf, content, moveCell, rowOf, type Alignment, type Cell } from './table-rows.ts'
import { eachRow, edit, enter, inTable, rowAt, type TablePosition } from './tables.ts'

/** Moves the row of the caret to the position of another one, by line number. The head cannot move. Returns false if the row does not move. */
export function moveRowTo(view: EditorView, position: TablePosition, to: number): boolean {
  const { doc, selection } = view.state
  const { line } = position.row
  const { number } = line
  const body = position.first + 2
  if (number === to || Math.min(number, to) < body || Math.max(number, to) > position.last) return false
  // For a move by one line, the neighbor is moved, so that the row that a person is editing stays in place.
  if (Math.abs(number - to) === 1) {
    const other = doc.line(to)
    const changes =
      to < number
        ? [
            { from: other.from, to: line.from },
            { from: line.to, insert: `\n${other.text}` }
          ]
        : [
            { from: line.from, insert: `${other.text}\n` },
            { from: line.to, to: other.to }
          ]
    return edit(view, { changes })
  }
  const target = doc.line(to)
  const isUp = to < number
  const at = isUp ? target.from - 1 : target.to
  return edit(view, {
    // The caret stays in its row.
    selection: { anchor: selection.main.head + at - (isUp ? line.from - 1 : line.to) },
    changes: [
      { from: line.from - 1, to: line.to },
      { from: at, insert: `\n${line.text}` }
    ]
  })
}

/** Creates a command that swaps the current row with its neighbor. The head cannot move. */
export const moveRow = (step: 1 | -1): Command => inTable((view, position) => moveRowTo(view, position, position.row.line.number + step))

/**
 * Returns the range whose deletion removes the rows from the line `top` to the line `bottom`. It reaches from one cell to another, so that words that
 * others type in the rows at the same time stay in a cell. Suggestions delete whole lines, which are easier to read.
 */
function rangeOf(state: EditorState, { first, last }: TablePosition, top: number, bottom: number): Cell {
  const [{ line, cells }, end] = [rowAt(state, top), rowAt(state, bottom)]
  const whole = { from: line.from - 1, to: end.line.to }
  if (isSuggesting(state)) return whole
  if (top > first + 2) {
    const above = rowAt(state, top - 1)
    const [from, to] = [above.cells.at(-1)?.to ?? line.from - 1, end.cells.at(-1)?.to ?? end.line.to]
    return state.sliceDoc(from, above.line.to) === state.sliceDoc(to, end.line.to) ? { from, to } : whole
  }
  // Words at the end of the delimiter row would end the table. If no row stays, the rows therefore leave an empty line.
  const below = bottom < last ? rowAt(state, bottom + 1) : undefined
  const [from, to] = [cells[0]?.from ?? line.from, below?.cells[0]?.from ?? end.line.to]
  const isAlike = below !== undefined && state.sliceDoc(line.from, from) === state.sliceDoc(below.line.from, to)
  return isAlike ? { from, to } : { from: line.from, to: below === undefined ? end.line.to : end.line.to + 1 }
}

/** Deletes the row of the caret, or the rows with selected cells, except for the head. */
export const deleteRow: Command = inTable((view, position) => {
  const { state } = view
  const { first, column, row } = position
  const { number } = row.line
  const chosen = chosenCells(state)
  const [top, bottom] = [Math.max(chosen?.top ?? number, first + (chosen ? 2 : 0)), chosen?.bottom ?? number]
  if (Math.min(top, bottom) <= first + 1) return false
  const target = rowAt(state, top - 1 > first + 1 ? top - 1 : first)
  const cell = target.cells[column] ?? { from: target.line.from, to: target.line.from }
  return edit(view, { changes: rangeOf(state, position, top, bottom), selection: { anchor: content(state.doc, cell).from } })
})

/** Moves a column to the position of another one. */
export function moveColumnTo(view: EditorView, position: TablePosition, column: number, to: number): boolean {
  if (column === to || Math.min(column, to) < 0 || Math.max(column, to) >= rowAt(view.state, position.first).cells.length) return false
  return eachRow(view, position, (row) => moveCell(view.state.doc, row, column, to), to)
}

/** Returns the step to the next column on the right (1) or left (-1) of the caret's column. The columns of a table may run from right to left. */
export const columnStep = (view: EditorView, side: 1 | -1): number =>
  view.textDirectionAt(view.state.selection.main.head) === Direction.RTL ? -side : side

/** Creates a command that moves the column of the caret to the right (1) or left (-1). */
export const moveColumn = (side: 1 | -1): Command =>
  inTable((view, position) => moveColumnTo(view, position, position.column, position.column + columnStep(view, side)))

/** The alignment that follows each alignment: left, center, right, none, and left again. */
const nextAlignment: Readonly<Record<Alignment, Alignment>> = { none: 'left', left: 'center', center: 'right', right: 'none' }

function align(view: EditorView, position: TablePosition, next: (now: Alignment) => Alignment): boolean {
  const { doc } = view.state
  const cell = rowAt(view.state, position.first + 1).cells[position.column]
  if (cell === undefined) return false
  return edit(view, { changes: alignCell(doc, cell, next(alignmentOf(doc.sliceString(cell.from, cell.to).trim()))) })
}

export const alignColumn: Command = inTable((view, position) => align(view, position, (now) => nextAlignment[now]))

export const alignColumnTo = (alignment: Alignment): Command => inTable((view, position) => align(view, position, () => alignment))

/** Sorts the rows by the caret's column. The caret stays in its row, and the head stays first. Rows that are already in order do not change. */
export const sortRows = (descending: boolean): Command =>
  inTable((view, position) => {
    const { doc } = view.state
    const start = position.first + 2
    const rows = Array.from({ length: Math.max(0, position.last - start + 1) }, (_, at) => rowOf(doc.line(start + at)))
    const texts = rows.map(({ cells }) => {
      const cell = cells[position.column]
      return cell === undefined ? '' : doc.sliceString(cell.from, cell.to).trim()
    })
    const order = sortedOrder(texts, descending)
    const kept = longestRun(order)
    const changes: ChangeSpec[] = []
    let above = doc.line(position.first + 1)
    for (const index of order) {
      const { line } = rows[index] ?? { line: above }
      if (kept.has(index)) above = line
      else changes.push({ from: above.to, insert: `\n${line.text}` }, { from: line.from - 1, to: line.to })
    }
    if (changes.length === 0) return true
    const own = position.row.line.number - start
    edit(view, { changes })
    const number = own < 0 ? position.first : start + order.indexOf(own)
    enter(view, rowAt(view.state, number).cells[position.column])
    return true
  })
