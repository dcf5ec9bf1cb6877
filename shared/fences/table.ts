/**
 * Cells in the form that a grid shows and changes: those of a sheet, or of the data within a chart. Rows and columns are counted from 0, row 0 is
 * the heading.
 */
import type { Edit } from '../text/diff.ts'
import type { Fence } from './fences.ts'
import type { Scalar } from './formula/values.ts'
import type { Side } from './sheet.ts'

type Edits = readonly Edit[]

export interface CellChange {
  readonly row: number
  readonly column: number
  readonly text: string
}

/** Turns a change into edits of its source text, within the fence; none if the change is impossible. */
export interface Table {
  readonly fence: Fence
  readonly texts: readonly (readonly string[])[]
  /** Columns of the widest row. */
  readonly width: number
  readonly sides: readonly Side[]
  /** Whether a cell holds a text, a number or nothing; nested JSON can only be changed in the source. */
  mayChange(row: number, column: number): boolean
  /** Missing rows and columns are added, within the limits. */
  setCells(changes: readonly CellChange[]): Edits
  /** Inserts an empty row, or column, before the one with this index. */
  insertRow(at: number): Edits
  insertColumn(at: number): Edits
  deleteRow(at: number): Edits
  deleteColumn(at: number): Edits
  /** Sorts the rows below the heading by the values of a column. */
  sortRows(column: number, descending: boolean, valueAt: (row: number, column: number) => Scalar): Edits
  /** Pads the cells in the source so that columns line up; undefined for a source without aligned columns. */
  align?(): Edits
}

/** The order of rows sorted by a column: the heading stays, empty cells come last in both directions. */
export const sortedOrder = (
  count: number,
  descending: boolean,
  valueOf: (row: number) => Scalar,
  compare: (one: Scalar, other: Scalar) => number
): number[] =>
  Array.from({ length: Math.max(0, count - 1) }, (_row, index) => index + 1).toSorted((one, other) => {
    const [left, right] = [valueOf(one), valueOf(other)]
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    return (descending ? -1 : 1) * compare(left, right)
  })
