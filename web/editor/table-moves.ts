/**
 * Table commands that do not change the text of cells: moving, sorting and alignment. None of them affects where the next typed character is
 * inserted, so they can load after the editor.
 */
import type { ChangeSpec } from '@codemirror/state'
import type { Command, EditorView } from '@codemirror/view'
import { longestRun, sortedOrder } from './table-order.ts'
import { alignCell, alignmentOf, moveCell, rowOf, type Alignment } from './table-rows.ts'
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

/** Moves a column to the position of another one. */
export function moveColumnTo(view: EditorView, position: TablePosition, column: number, to: number): boolean {
  if (column === to || Math.min(column, to) < 0 || Math.max(column, to) >= rowAt(view.state, position.first).cells.length) return false
  return eachRow(view, position, (row) => moveCell(view.state.doc, row, column, to), to)
}

export const moveColumn = (step: 1 | -1): Command =>
  inTable((view, position) => moveColumnTo(view, position, position.column, position.column + step))

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
