/**
 * Cells in the form that a grid shows and changes. They belong to a sheet, or to the data inside a chart. Rows and columns are counted from 0, and
 * row 0 is the heading.
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

/** A table whose functions turn a change into edits of its source, within the fence. They return no edits if the change is impossible. */
export interface Table {
  readonly fence: Fence
  readonly texts: readonly (readonly string[])[]
  /** Number of columns in the widest row. */
  readonly width: number
  readonly sides: readonly Side[]
  /** Whether a cell is empty or contains text or a number. Nested JSON can only be changed in the source. */
  mayChange(row: number, column: number): boolean
  /** Sets several cells. Missing rows and columns are added, within the limits. */
  setCells(changes: readonly CellChange[]): Edits
  /** Inserts an empty row before the row with this index. */
  insertRow(at: number): Edits
  insertColumn(at: number): Edits
  /** Deletes `count` rows (default 1), beginning with the row that has the index `at`. */
  deleteRow(at: number, count?: number): Edits
  deleteColumn(at: number, count?: number): Edits
  /** Puts `count` rows (default 1) before the row that currently has the index `to`. The heading stays first. */
  moveRow(from: number, to: number, count?: number): Edits
  moveColumn(from: number, to: number, count?: number): Edits
  /** Sorts the rows below the heading by the values of a column. Rows with totals stay at the end. */
  sortRows(column: number, descending: boolean, valueAt: (row: number, column: number) => Scalar): Edits
  /** Pads the cells in the source so that columns line up. Absent if the source cannot have aligned columns. */
  align?(): Edits
}

/** Whether `count` rows or columns can be moved before the index `to`: all of them exist, and the move would change their position. */
export const isMove = (from: number, to: number, count: number, size: number): boolean =>
  count > 0 && from >= 0 && from + count <= size && to >= 0 && to <= size && (to < from || to > from + count)

/** Returns the order of rows sorted by a column. The heading stays first, and empty cells come last in both directions. */
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
