/** Cells and rectangles of cells: their positions, their names and their text. */
import { lettersOfColumn } from '../fences/formula/parse.ts'
import { formatTsv } from '../fences/sheet-edits.ts'
import type { Table } from '../fences/table.ts'

/** The position of a cell in a sheet. Both indices count from 0. */
export interface CellPosition {
  readonly row: number
  readonly column: number
}

/** The direction of a change or selection: rows or columns. */
export type Axis = 'row' | 'column'

export const isSame = (one: CellPosition, other: CellPosition | undefined): boolean => one.row === other?.row && one.column === other.column
export const nameOf = ({ row, column }: CellPosition): string => `${lettersOfColumn(column)}${row + 1}`
export const textAt = ({ texts }: Pick<Table, 'texts'>, { row, column }: CellPosition): string => texts[row]?.[column] ?? ''

/** A rectangle of cells between two corners, including both. */
export interface Area {
  readonly top: number
  readonly bottom: number
  readonly first: number
  readonly last: number
}

export const areaBetween = (one: CellPosition, other: CellPosition): Area => ({
  top: Math.min(one.row, other.row),
  bottom: Math.max(one.row, other.row),
  first: Math.min(one.column, other.column),
  last: Math.max(one.column, other.column)
})

/** Returns two opposite corners of an area. */
export const cornersOf = ({ top, bottom, first, last }: Area): { readonly one: CellPosition; readonly other: CellPosition } => ({
  one: { row: top, column: first },
  other: { row: bottom, column: last }
})

/** Returns the result of `of` for each cell in an area, row by row. */
export const rowsIn = <T>({ top, bottom, first, last }: Area, of: (place: CellPosition) => T): T[][] =>
  Array.from({ length: bottom - top + 1 }, (_row, down) =>
    Array.from({ length: last - first + 1 }, (_cell, across) => of({ row: top + down, column: first + across }))
  )

/** A range of cells in one sheet of the document. */
export interface CellRange {
  /** Index of the sheet in the text. */
  readonly sheet: number
  /** One corner of the range. `other` is the opposite corner. */
  readonly one: CellPosition
  readonly other: CellPosition
}

export const rangeName = ({ one, other }: Pick<CellRange, 'one' | 'other'>): string => {
  const { top, bottom, first, last } = areaBetween(one, other)
  const [corner, opposite] = [nameOf({ row: top, column: first }), nameOf({ row: bottom, column: last })]
  return corner === opposite ? corner : `${corner}:${opposite}`
}

/** Returns the cells of an area in the format that the clipboard uses. */
export const copied = (area: Area, of: (place: CellPosition) => string): string => formatTsv(rowsIn(area, of))
