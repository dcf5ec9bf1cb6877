/** Copies of cells: pasted ones, and those that fill a selection. Formulas are adjusted to the position of the copy. */
import { formulaCopied } from '../fences/formula/rewrite.ts'
import { parseTsv } from '../fences/sheet-edits.ts'
import type { CellChange, Table } from '../fences/table.ts'
import { limits } from '../limits.ts'
import { type Area, type Axis, type CellPosition, rowsIn, textAt } from './cell-range.ts'
import { pastedNumber } from './typed-number.ts'

/** Returns the text that a cell has when it is copied to another position. */
const copyOf = (text: string, from: CellPosition, to: CellPosition): string =>
  text.startsWith('=') ? formulaCopied(text, { row: to.row - from.row, column: to.column - from.column }) : text

/** Text that is being pasted, in the clipboard format of spreadsheets. */
export interface Pasted {
  readonly text: string
  /** The position of the first copied cell; undefined for cells that were cut and for text from another program. */
  readonly copiedFrom?: CellPosition | undefined
  /** Whether the text comes from another program. */
  readonly isForeign?: boolean
}

/** The size of pasted text, and how much of it fits within the limits. */
export interface PasteSize {
  readonly rows: number
  readonly rowsFit: number
  readonly columns: number
  readonly columnsFit: number
}

/** Returns how many times the copied rows or columns fit into the selected ones. If they do not fit exactly, they are pasted once. */
const timesIn = (selected: number, copied: number): number => (selected % copied === 0 ? selected / copied : 1)

/** Returns the cells that a paste changes. Pasting begins in the first selected cell, and repeats the text if it fills the selection exactly. */
export function pasting(
  { top, bottom, first, last }: Area,
  { text: tsv, copiedFrom, isForeign = false }: Pasted,
  { index, hasDecimalComma }: { readonly index: number; readonly hasDecimalComma: boolean }
): { readonly size: PasteSize; readonly cells: readonly CellChange[] } {
  const texts = parseTsv(tsv)
  const [rows, columns] = [texts.length, texts.reduce((width, { length }) => Math.max(width, length), 0)]
  const [down, across] = [timesIn(bottom - top + 1, rows), timesIn(last - first + 1, columns)]
  const textIn = (text: string, { row, column }: CellPosition, place: CellPosition): string => {
    if (isForeign) return hasDecimalComma ? pastedNumber(text) : text
    // In chart data, every value is plain text.
    if (copiedFrom === undefined || index < 0) return text
    return copyOf(text, { row: copiedFrom.row + row, column: copiedFrom.column + column }, place)
  }
  const cells = texts.flatMap((line, row) =>
    line.flatMap((text, column) =>
      rowsIn({ top: 0, bottom: down - 1, first: 0, last: across - 1 }, (times): CellChange => {
        const place = { row: top + times.row * rows + row, column: first + times.column * columns + column }
        return { ...place, text: textIn(text, { row, column }, place) }
      }).flat()
    )
  )
  const [rowsFit, columnsFit] = [Math.min(rows, limits.sheetRowsMax - top), Math.min(columns, limits.sheetColumnsMax - first)]
  return { size: { rows, rowsFit, columns, columnsFit }, cells }
}

/**
 * Returns the index of the row or column that fills a selection: the first selected one, or the row above a selection of one row. Returns undefined if
 * there is nothing to fill. A single column is not filled from its left, because the same key reloads the page.
 */
function filledFrom({ top, bottom, first, last }: Area, axis: Axis): number | undefined {
  if (axis === 'column') return first < last ? first : undefined
  if (top < bottom) return top
  return top > 0 ? top - 1 : undefined
}

/**
 * Returns the cells that change when the first selected row fills the others, or the first column does. Returns undefined if there is nothing to
 * fill. `isAdjusted`: formulas are adjusted to their position.
 */
export function filling(table: Table, area: Area, axis: Axis, isAdjusted: boolean): readonly CellChange[] | undefined {
  const index = filledFrom(area, axis)
  if (index === undefined) return undefined
  return rowsIn(area, (place) => {
    const from = { ...place, [axis]: index }
    const text = textAt(table, from)
    return { ...place, text: isAdjusted ? copyOf(text, from, place) : text }
  })
    .flat()
    .filter((change) => change.text !== textAt(table, change))
}
