/** Computes all sheets of the document together, for components and for programs that read values. */
import type { Edit } from '../text/diff.ts'
import { applyEdits } from '../text/diff.ts'
import type { Rows } from './chart.ts'
import { type Fence, fencesOf } from './fences.ts'
import { createWorkbook, type Workbook } from './formula/workbook.ts'
import { parseSheet, type Sheet, textsOf, writtenCell } from './sheet.ts'

export interface DocumentSheets {
  /** The fences of the text, in document order. */
  readonly fences: readonly Fence[]
  readonly sheets: readonly Sheet[]
  readonly workbook: Workbook
  /** Returns the index of the sheet that begins on a line, counted from 0; -1 if there is none. */
  indexOnLine(line: number): number
  /** Returns the displayed values of the sheet with this id; undefined if there is no such sheet. */
  rowsOf(id: string): Rows | undefined
  /** The ids of the sheets, in document order. */
  readonly ids: readonly string[]
}

const shownRows = (sheet: Sheet, workbook: Workbook, index: number): Rows =>
  sheet.rows.map(({ cells }, row) => cells.map(({ text }, column) => (text.startsWith('=') ? workbook.textAt(index, row, column) : text)))

/** Computes the sheets of some fences. `now` is the time for `TODAY`, in milliseconds since 1970. */
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

/** Replaces the formulas in the document's sheets with their displayed values. Everything else stays unchanged, and so do the line numbers. */
export const withValues = (text: string, now: number): string => {
  // Few documents contain a sheet, and the others need no parsing.
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
