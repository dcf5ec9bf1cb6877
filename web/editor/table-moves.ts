/**
 * Table commands that do not change the text of cells: moving, sorting, alignment and the deletion of rows. None of them affects where the next
 * typed character is inserted, so they can load after the editor.
 */
import type { ChangeSpec, EditorState } from '@codemirror/state'
import type { Command, EditorView } from '@codemirror/view'
import { ownUndo } from './binding.ts'
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
 * Returns the range whose deletion removes a row. It reaches from one cell to another, so that words that others type in the row at the same time stay
 * in a cell. Suggestions delete the whole line, which is easier to read.
 */
function rangeOf(state: EditorState, { row, first, last }: TablePosition): Cell {
  const { line, cells } = row
  const whole = { from: line.from - 1, to: line.to }
  if (state.facet(ownUndo) !== undefined) return whole
  if (line.number > first + 2) {
    const above = rowAt(state, line.number - 1)
    const [from, to] = [above.cells.at(-1)?.to ?? line.from - 1, cells.at(-1)?.to ?? line.to]
    return state.sliceDoc(from, above.line.to) === state.sliceDoc(to, line.to) ? { from, to } : whole
  }
  // Words at the end of the delimiter row would end the table. The only row therefore leaves an empty line.
  const below = line.number < last ? rowAt(state, line.number + 1) : undefined
  const [from, to] = [cells[0]?.from ?? line.from, below?.cells[0]?.from ?? line.to]
  const isAlike = below !== undefined && state.sliceDoc(line.from, from) === state.sliceDoc(below.line.from, to)
  return isAlike ? { from, to } : { from: line.from, to: below === undefined ? line.to : line.to + 1 }
}

/** Deletes the row of the caret, except for the head. */
export const deleteRow: Command = inTable((view, position) => {
  const { state } = view
  const { first, column, row } = position
  const { number } = row.line
  if (number <= first + 1) return false
  const target = rowAt(state, number - 1 > first + 1 ? number - 1 : first)
  const cell = target.cells[column] ?? { from: target.line.from, to: target.line.from }
  return edit(view, { changes: rangeOf(state, position), selection: { anchor: content(state.doc, cell).from } })
})

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
