/** Keys in a table: the up and down arrows within a cell and between rows, and Home and End within a cell. */
import { EditorSelection, type SelectionRange } from '@codemirror/state'
import type { Command, EditorView } from '@codemirror/view'
import { content, isDelimiter, rowOf } from '../table-rows.ts'
import { tableAt, type TablePosition } from '../tables.ts'
import { cellElement, placeInCell } from '../table-geometry.ts'

const select = (view: EditorView, range: SelectionRange, extend: boolean): true => {
  const { anchor } = view.state.selection.main
  const next = extend ? EditorSelection.range(anchor, range.head, range.goalColumn) : range
  view.dispatch({ selection: EditorSelection.create([next]), scrollIntoView: true, userEvent: 'select' })
  return true
}

/** Returns the range of the text in the cell at a position. */
function contentAt(view: EditorView, { row, column }: TablePosition) {
  const cell = row.cells[column]
  return cell === undefined ? undefined : content(view.state.doc, cell)
}

/** Returns the number of the next line above or below that has cells. */
function nextRow(view: EditorView, position: TablePosition, step: 1 | -1): number | undefined {
  let number = position.row.line.number + step
  if (number === position.first + 1 && isDelimiter(view.state.doc.line(number).text)) number += step
  return number < position.first || number > position.last ? undefined : number
}

export const vertical =
  (step: 1 | -1, extend: boolean): Command =>
  (view) => {
    const { main } = view.state.selection
    const position = tableAt(view.state, main.head)
    const own = position === undefined ? undefined : contentAt(view, position)
    const element = cellElement(view, main.head)
    const caret = view.coordsAtPos(main.head)
    if (position === undefined || own === undefined || element === null || caret === null) return false
    const origin = view.contentDOM.getBoundingClientRect().left
    const goal = main.goalColumn ?? caret.left - origin
    const x = origin + goal
    const to = (at: number): true => select(view, EditorSelection.cursor(at, step < 0 ? 1 : -1, undefined, goal), extend)
    // The arrow first moves to another line of the same cell, and only then to another row.
    const inner = { element, content: own, lacking: false, column: position.column }
    const height = caret.bottom - caret.top
    const within = placeInCell(view, inner, { x, y: (step > 0 ? caret.bottom : caret.top) + step * height * 0.75 })
    const there = view.coordsAtPos(within)
    if (there !== null && (step > 0 ? there.top > caret.top + height / 2 : there.top < caret.top - height / 2)) return to(within)
    const number = nextRow(view, position, step)
    if (number === undefined) {
      const beyond = (step < 0 ? position.first : position.last) + step
      if (beyond < 1 || beyond > view.state.doc.lines) return true
      const line = view.state.doc.line(beyond)
      const edge = view.coordsAtPos(step < 0 ? line.to : line.from)
      return to(edge === null ? line.from : view.posAtCoords({ x, y: (edge.top + edge.bottom) / 2 }, false))
    }
    const row = rowOf(view.state.doc.line(number))
    const column = Math.min(position.column, row.cells.length - 1)
    const cell = row.cells[column]
    if (cell === undefined) return false
    const target = content(view.state.doc, cell)
    const box = cellElement(view, target.from)
    // A row outside the window has not been drawn.
    if (box === null) return to(target.from)
    const y = step > 0 ? box.getBoundingClientRect().top : box.getBoundingClientRect().bottom
    return to(placeInCell(view, { element: box, content: target, lacking: false, column }, { x, y }))
  }

/** Creates the commands for Home and End, which move to the ends of a cell. */
export const toEdge =
  (forward: boolean, extend: boolean): Command =>
  (view) => {
    const position = tableAt(view.state)
    const own = position === undefined ? undefined : contentAt(view, position)
    if (own === undefined || cellElement(view, view.state.selection.main.head) === null) return false
    return select(view, EditorSelection.cursor(forward ? own.to : own.from), extend)
  }
