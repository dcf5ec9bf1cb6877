/** Converts files of comma- or tab-separated values to Markdown tables. */
import { delimiterOf } from '../../../shared/fences/csv.ts'
import { markdownTable, separatedRows, tabbedCell } from './table-text.ts'

const cells = {
  '\t': tabbedCell,
  ',': /(?:"((?:[^"]|"")*)"(?=,|\n|$)|([^,\n]*))(,|\n|$)/y,
  ';': /(?:"((?:[^"]|"")*)"(?=;|\n|$)|([^;\n]*))(;|\n|$)/y
}

/** Longest file that becomes a table, in UTF-16 units, and the maximum size of the table. */
const tableUnitsMax = 500_000
const tableCellsMax = 20_000

/** Returns the Markdown table of separated values. Undefined if it would be too large. */
export function separatedTable(text: string, isTabbed: boolean): string | undefined {
  if (text.length > tableUnitsMax) return undefined
  const delimiter = isTabbed ? '\t' : delimiterOf(/.*/.exec(text.trimStart())?.[0] ?? '')
  const rows = separatedRows(text, cells[delimiter]).filter((row) => row.some((cell) => cell.trim() !== ''))
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 0)
  if (rows.length * columns > tableCellsMax) return undefined
  return rows.length === 0 ? '' : markdownTable(rows)
}
