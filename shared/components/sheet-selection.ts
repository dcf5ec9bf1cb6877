/** The selected cells of a sheet, and how moves change them. Undo changes the text, and the selection stays within the resulting sheet. */
import type { Table } from '../fences/table.ts'
import { limits } from '../limits.ts'
import { type Area, areaBetween, type Axis, isSame, type CellPosition, textAt } from './cell-range.ts'
import type { Moving } from './sheet-keys.ts'

export interface Selection {
  /** The cell with focus. The sheet may have become smaller since the person reached it. `end` is the opposite corner of the selection. */
  readonly from: CellPosition
  readonly end: CellPosition
  /**
   * Set if entire rows or columns are selected: those from the cell with focus to the opposite corner. `all`: all cells are selected, and the cell
   * that had focus keeps it.
   */
  readonly whole: Axis | 'all' | undefined
  /** Index of a new row at the end, which Enter, Tab or an arrow key started. It becomes part of the text when the person writes in it. */
  readonly begunRow: number
  /** Index of a new column at the end, which an arrow key started. It becomes part of the text when the person writes in it. */
  readonly begunColumn: number
  /** The cell in which the caret stayed because the sheet is full. The next typed text must not overwrite this cell. */
  readonly fullAt: CellPosition | undefined
  /** The cell that a run of sideways moves has reached, and the column in which the run began. */
  readonly run: { readonly at: CellPosition; readonly column: number } | undefined
}

const origin: CellPosition = { row: 0, column: 0 }
export const beginSelection: Selection = {
  from: origin,
  end: origin,
  whole: undefined,
  begunRow: -1,
  begunColumn: -1,
  fullAt: undefined,
  run: undefined
}

/** Returns the size in rows and columns, including a new row or column at the end. */
export const sizeOf = (
  { begunRow, begunColumn }: Selection,
  { texts, width }: Table
): { readonly height: number; readonly width: number } => ({
  height: Math.min(Math.max(texts.length, 1) + Number(begunRow === texts.length), limits.sheetRowsMax),
  width: Math.min(Math.max(width, 1) + Number(begunColumn === width), limits.sheetColumnsMax)
})

/** Returns the place, or the nearest place inside the sheet. */
export function inside(selection: Selection, table: Table, { row, column }: CellPosition): CellPosition {
  const { height, width } = sizeOf(selection, table)
  return { row: Math.min(Math.max(0, row), height - 1), column: Math.min(Math.max(0, column), width - 1) }
}

/** Returns the selected cells. */
export function areaOf(selection: Selection, table: Table): Area {
  const { whole, from, end } = selection
  const { height, width } = sizeOf(selection, table)
  const area = areaBetween(inside(selection, table, from), inside(selection, table, end))
  if (whole === undefined) return area
  if (whole === 'all') return { top: 0, bottom: height - 1, first: 0, last: width - 1 }
  return whole === 'row' ? { ...area, first: 0, last: width - 1 } : { ...area, top: 0, bottom: height - 1 }
}

/** Selects a cell that already has focus, or that contains a field with focus. */
export const put = (selection: Selection, place: CellPosition): Selection => ({ ...selection, from: place, end: place, whole: undefined })

/** Returns the selection when the focus moves to a place. A new row or column without text disappears when the focus leaves it. */
const leaveFor = (selection: Selection, { row, column }: CellPosition): Selection => ({
  ...selection,
  whole: undefined,
  fullAt: undefined,
  begunRow: row === selection.begunRow ? row : -1,
  begunColumn: column === selection.begunColumn ? column : -1
})

/** Selects a cell, or a range up to that cell. */
export function go(selection: Selection, table: Table, place: CellPosition, isRange = false): Selection {
  const end = inside(selection, table, place)
  return { ...leaveFor(selection, end), end, ...(!isRange && { from: end }) }
}

/** Selects an entire row or column, which need not exist yet. Its first cell gets focus. */
export function atWhole(selection: Selection, whole: Axis, index: number): Selection {
  const place = { ...origin, [whole]: index }
  return { ...put(leaveFor(selection, place), place), whole }
}

/**
 * Selects an entire row or column. With `isRange`, also selects all rows or columns between it and the other end of the selection. Otherwise its
 * first cell gets focus.
 */
export function goWhole(selection: Selection, table: Table, whole: Axis, index: number, isRange = false): Selection {
  const place = { ...(isRange ? inside(selection, table, selection.from) : origin), [whole]: index }
  return { ...go(selection, table, place, isRange), whole }
}

/** Extends the selection up to a place. Selected rows stay entire rows, and selected columns entire columns. */
export function extend(selection: Selection, table: Table, place: CellPosition): Selection {
  const { whole, end } = selection
  if (whole === undefined || whole === 'all') return go(selection, table, place, true)
  return { ...go(selection, table, { ...end, [whole]: place[whole] }, true), whole }
}

/**
 * Extends the selection to entire rows or columns. If entire rows are already selected, extending the selection to columns selects all cells, and so
 * does extending entire columns to rows.
 */
function widen(selection: Selection, table: Table, whole: Axis): Selection {
  const { height, width } = sizeOf(selection, table)
  if (selection.whole === 'all') return selection
  if (selection.whole === undefined || selection.whole === whole) return { ...selection, whole }
  return go({ ...selection, from: origin }, table, { row: height - 1, column: width - 1 }, true)
}

/** Returns the selection when a cell has received focus without a request by the session. */
export const focusedAt = (selection: Selection, place: CellPosition): Selection =>
  isSame(place, selection.end) ? selection : put(leaveFor(selection, place), place)

/**
 * Moves on after a cell was written. At the end of a row, it moves to the next row. At the end of the sheet, it starts a new row. After a run of
 * sideways moves, a move down returns to the column in which the run began.
 */
export function goOn(selection: Selection, table: Table, place: CellPosition, step: CellPosition, isWritten: boolean): Selection {
  const { width } = sizeOf(selection, table)
  const began = selection.run !== undefined && isSame(place, selection.run.at) ? selection.run.column : place.column
  const lastRow = Math.max(table.texts.length - 1, isWritten || place.row === 0 ? place.row : 0)
  let [row, column] = [place.row + step.row, step.row > 0 ? began : place.column + step.column]
  if (column >= width) [row, column] = [row + 1, 0]
  else if (column < 0 && row > 0) [row, column] = [row - 1, width - 1]
  const run = step.column === 0 ? undefined : { at: { row, column }, column: row === place.row ? began : column }
  const next: Selection = { ...selection, run }
  if (row <= Math.max(lastRow, place.row)) return go(next, table, { row, column })
  // A new row without text does not start another one.
  if (place.row > lastRow) return go(next, table, place)
  if (row < limits.sheetRowsMax) return { ...put(leaveFor(next, { row, column }), { row, column }), begunRow: row }
  return { ...go(next, table, place), fullAt: place }
}

/**
 * An arrow key down in the last row starts a new row, and an arrow key to the right in the last column starts a new column. The next typed text
 * therefore overwrites nothing. A new row or column does not start another one.
 */
function begin(selection: Selection, table: Table, { row, column }: CellPosition): Selection | undefined {
  const { texts, width } = table
  const from = inside(selection, table, selection.end)
  const begunRow = row === texts.length && from.row < row && row < limits.sheetRowsMax
  const begunColumn = column === width && from.column < column && column < limits.sheetColumnsMax
  if (texts.length === 0 || !(begunRow || begunColumn) || !table.mayChange(row, column)) return undefined
  const left = leaveFor(selection, { row, column })
  const begun = { ...left, ...(begunRow && { begunRow: row }), ...(begunColumn && { begunColumn: column }) }
  return put(begun, { row, column })
}

/** Returns the cell to which Ctrl with an arrow key moves. At the edge of the sheet, it is the last cell in the direction of the step. */
function jumpFrom(
  start: CellPosition,
  step: CellPosition,
  { height, width }: ReturnType<typeof sizeOf>,
  isFilled: (place: CellPosition) => boolean
): CellPosition {
  const after = ({ row, column }: CellPosition): CellPosition => ({ row: row + step.row, column: column + step.column })
  const isInSheet = ({ row, column }: CellPosition): boolean => row >= 0 && column >= 0 && row < height && column < width
  let at = start
  const isRun = isFilled(start) && isInSheet(after(start)) && isFilled(after(start))
  while (isInSheet(after(at)) && (!isRun || isFilled(after(at)))) {
    at = after(at)
    if (!isRun && isFilled(at)) break
  }
  return at
}

/** Moves the selection according to a key. `mayBegin`: whether the key may start a new row or column. */
export function move(selection: Selection, table: Table, moving: Moving, mayBegin: boolean): Selection {
  const { height, width } = sizeOf(selection, table)
  const end = inside(selection, table, selection.end)
  const to = (place: CellPosition, isRange: boolean): Selection => (isRange ? extend(selection, table, place) : go(selection, table, place))
  switch (moving.kind) {
    case 'step': {
      const next = { row: end.row + moving.step.row, column: end.column + moving.step.column }
      const begun = mayBegin && !moving.isRange ? begin(selection, table, next) : undefined
      return begun ?? to(next, moving.isRange)
    }
    case 'jump': {
      const isFilled = (place: CellPosition): boolean => textAt(table, place) !== ''
      return to(jumpFrom(end, moving.step, { height, width }, isFilled), moving.isRange)
    }
    case 'home':
      return to({ row: moving.isWhole ? 0 : end.row, column: 0 }, moving.isRange)
    case 'end':
      return to({ row: moving.isWhole ? height - 1 : end.row, column: width - 1 }, moving.isRange)
    case 'whole':
      return widen(selection, table, moving.axis)
    case 'all':
      return { ...go(selection, table, inside(selection, table, selection.from)), whole: 'all' }
  }
}
