/** The sheets of a text, computed together: what components and readers of values share. */
import type { Edit } from '../text/diff.ts'
import { applyEdits } from '../text/diff.ts'
import type { Rows } from './chart.ts'
import { type Fence, fencesOf } from './fences.ts'
import { createWorkbook, type Workbook } from './formula/workbook.ts'
import { parseSheet, type Sheet, textsOf, writtenCell } from './sheet.ts'

export interface DocumentSheets {
  /** The fences of the text, in their order. */
  readonly fences: readonly Fence[]
  readonly sheets: readonly Sheet[]
  readonly workbook: Workbook
  /** Index of the sheet that begins on a line, counted from 0; -1: none. */
  indexOnLine(line: number): number
  /** The shown values of a sheet with this id; undefined: there is none. */
  rowsOf(id: string): Rows | undefined
  /** The ids of sheets, in their order. */
  readonly ids: readonly string[]
}

const shownRows = (sheet: Sheet, workbook: Workbook, index: number): Rows =>
  sheet.rows.map(({ cells }, row) => cells.map(({ text }, column) => (text.startsWith('=') ? workbook.textAt(index, row, column) : text)))

/** `now`: milliseconds since 1970, for `TODAY`. */
export const documentSheets = (fences: readonly Fence[], now: number): DocumentSheets => {
  const sheets = fences.filter(({ kind }) => kind === 'sheet').map(parseSheet)
  const workbook = createWorkbook(
    sheets.map((sheet) => ({ id: sheet.fence.id, rows: textsOf(sheet) })),
    now
  )
  return {
    fences,
    sheets,
    workbook,
    ids: sheets.flatMap(({ fence }) => (fence.id === undefined ? [] : [fence.id])),
    indexOnLine: (line) => sheets.findIndex(({ fence }) => fence.line === line),
    rowsOf(id) {
      const index = sheets.findIndex(({ fence }) => fence.id === id)
      const sheet = sheets[index]
      return sheet && shownRows(sheet, workbook, index)
    }
  }
}

/** A text with the formulas of its sheets replaced by what they show; everything else, and every line, stays where it is. */
export const withValues = (text: string, now: number): string => {
  // Few texts hold a sheet: the others are spared the walk.
  if (!/(?:```|~~~)[ \t]*sheet/.test(text)) return text
  const { sheets, workbook } = documentSheets(fencesOf(text), now)
  const edits = sheets.flatMap((sheet, index): Edit[] =>
    sheet.rows.flatMap(({ cells }, row) =>
      cells.flatMap(({ from, to, text: cell }, column) =>
        cell.startsWith('=') ? [{ from, to, insert: writtenCell(sheet, workbook.textAt(index, row, column), row) }] : []
      )
    )
  )
  return applyEdits(text, edits)
}
