/** Treats a selection from one cell of a table to another as the rectangle of cells between them, without the bars. */
import type { ChangeSpec, EditorState } from '@codemirror/state'
import { content, rowOf, type Cell, type Row } from './table-rows.ts'
import { tableAt } from './tables.ts'

/** A rectangle of cells, by line and column numbers, with both ends included. */
export interface Chosen {
  readonly top: number
  readonly bottom: number
  readonly left: number
  readonly right: number
  /** Number of the table's first line. */
  readonly first: number
}

/** Returns the selected cells. Undefined if the selection is text within one cell, or outside tables. */
export function chosenCells(state: EditorState): Chosen | undefined {
  const { main, ranges } = state.selection
  if (main.empty || ranges.length > 1) return undefined
  const anchor = tableAt(state, main.anchor)
  const head = anchor === undefined ? undefined : tableAt(state, main.head)
  if (anchor === undefined || head === undefined || anchor.first !== head.first) return undefined
  // A selection of the entire table, with its bars and line breaks, is text.
  if (main.from <= state.doc.line(anchor.first).from && main.to >= state.doc.line(anchor.last).to) return undefined
  const [one, other] = [anchor.row.line.number, head.row.line.number]
  if (one === other && anchor.column === head.column) return undefined
  return {
    top: Math.min(one, other),
    bottom: Math.max(one, other),
    left: Math.min(anchor.column, head.column),
    right: Math.max(anchor.column, head.column),
    first: anchor.first
  }
}

/** Returns the selected cells row by row. The delimiter row has no cells. */
export function chosenRows(state: EditorState, { top, bottom, left, right, first }: Chosen): Cell[][] {
  const rows: Cell[][] = []
  for (let number = top; number <= bottom; number++) {
    if (number === first + 1) continue
    const row: Row = rowOf(state.doc.line(number))
    rows.push(row.cells.slice(left, right + 1).map((cell) => content(state.doc, cell)))
  }
  return rows
}

/** Empties the selected cells and puts `text` into the first one. */
export function emptied(state: EditorState, chosen: Chosen, text = ''): { readonly changes: ChangeSpec[]; readonly at: number } {
  const [first, ...others] = chosenRows(state, chosen).flat()
  const changes = others.filter(({ from, to }) => from < to)
  if (first === undefined) return { changes, at: state.selection.main.from }
  return { changes: [{ ...first, insert: text }, ...changes], at: first.from + text.length }
}
