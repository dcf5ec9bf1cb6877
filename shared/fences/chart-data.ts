/**
 * The data inside a chart, as an editable table. Changing a cell replaces only the source of that cell, in both CSV and JSON. Row 0 names the
 * columns.
 */
import { bodyRows, type Chart, isProblem, valueOf } from './chart.ts'
import { insertLines, within } from './edits.ts'
import { jsonTable } from './json-table.ts'
import { type Sheet, writtenCell } from './sheet.ts'
import { csvRows } from './csv.ts'
import { tableOf } from './sheet-edits.ts'
import type { CellChange, Table } from './table.ts'

const csvTable = ({ fence, body }: Chart): Table => {
  const found = csvRows(fence.lines, body)
  const width = Math.max(0, ...found.rows.map(({ cells }) => cells.length))
  const sheet: Sheet = { fence, ...found, dashes: undefined, sides: [], notes: [], width }
  const table = tableOf(sheet)
  // The row that names the columns cannot be deleted.
  return { ...table, deleteRow: (at, count) => (at > 0 ? table.deleteRow(at, count) : []) }
}

/** Returns a table for a chart without data. Its heading has a name for the labels and one for the numbers. */
const emptyTable = ({ fence }: Chart): Table => {
  const { lines } = fence
  const begin = (rows: readonly string[]) => {
    const gap = (lines.at(-1)?.text ?? '').trim() === '' ? [] : ['']
    return within(fence, insertLines(fence, lines.length, [...gap, ...rows]))
  }
  const written = (changes: readonly CellChange[]): string[] => {
    const [height, width] = [Math.max(0, ...changes.map(({ row }) => row)) + 1, Math.max(1, ...changes.map(({ column }) => column)) + 1]
    return Array.from({ length: height }, (_row, row) =>
      Array.from({ length: width }, (_cell, column) => {
        const text = changes.find((each) => each.row === row && each.column === column)?.text ?? ''
        return writtenCell({ delimiter: ',' }, text, row)
      }).join(',')
    )
  }
  return {
    fence,
    texts: [['', '']],
    width: 2,
    sides: [],
    mayChange: () => true,
    setCells: (changes) => (changes.every(({ text }) => text.trim() === '') ? [] : begin(written(changes))),
    insertRow: () => begin([',', ',']),
    insertColumn: () => begin([',,']),
    deleteRow: () => [],
    deleteColumn: () => [],
    moveRow: () => [],
    moveColumn: () => [],
    sortRows: () => []
  }
}

/** Returns the table of the data inside a chart; undefined if the data is elsewhere or cannot be read. */
export const chartTableOf = (chart: Chart): Table | undefined => {
  const rows = bodyRows(chart)
  if (rows !== undefined && isProblem(rows)) return undefined
  if (rows === undefined) return valueOf(chart, 'data') === undefined ? emptyTable(chart) : undefined
  const isJson = chart.fence.lines
    .slice(chart.body)
    .find(({ text }) => text.trim() !== '')
    ?.text.trimStart()
    .startsWith('[')
  return isJson === true ? jsonTable(chart.fence, chart.body, rows) : csvTable(chart)
}
