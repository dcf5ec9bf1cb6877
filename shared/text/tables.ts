/**
 * Finds tables in Markdown text by section, heading cells or number, or by a sheet's id. A change replaces one cell or adds one line. Everything else
 * stays unchanged.
 */
import { type Fence, fencesOf } from '../fences/fences.ts'
import { parseSheet, type Sheet, writtenCell } from '../fences/sheet.ts'
import { setCells } from '../fences/sheet-edits.ts'
import type { Range } from './targets.ts'
import { applyEdits, type Edit } from './diff.ts'
import type { Resolved } from './resolved.ts'
import { type ProseLine, proseLines } from './prose.ts'
import { runEnd, skipBlanks, trimBlanks } from './scan.ts'

export interface Cell extends Range {
  /** The trimmed text of the cell, with unescaped bars. */
  readonly text: string
}

/** A row, which is a line of the text. */
export interface TableRow extends Range {
  readonly cells: readonly Cell[]
}

export interface TextTable {
  readonly heading: TableRow
  /** The rows below the heading. */
  readonly rows: readonly TableRow[]
  /** The line after which a new row is inserted. */
  readonly last: TableRow
  /** The sheet, if the table is a sheet. */
  readonly sheet: Sheet | undefined
}

const backslash = 92
const bar = 124

const cellOf = ({ from, text }: ProseLine, start: number, end: number): Cell => {
  const first = skipBlanks(text, start, end)
  const [left, right] = first === end ? [Math.min(start + 1, end), Math.min(start + 1, end)] : [first, trimBlanks(text, first, end)]
  return { from: from + left, to: from + right, text: text.slice(left, right).replaceAll('\\|', '|') }
}

const rowOf = (line: ProseLine): TableRow => {
  const { text, from, to } = line
  const lead = runEnd(text, ' \t>', 0)
  const end = trimBlanks(text, lead)
  const cells: Cell[] = []
  let start = text.charCodeAt(lead) === bar ? lead + 1 : lead
  for (let at = start; at < end; at++) {
    if (text.charCodeAt(at) === backslash) at++
    else if (text.charCodeAt(at) === bar) {
      cells.push(cellOf(line, start, at))
      start = at + 1
    }
  }
  if (start < end) cells.push(cellOf(line, start, end))
  return { from, to, cells }
}

const isDelimiter = ({ cells }: TableRow): boolean => cells.length > 0 && cells.every(({ text }) => /^:?-+:?$/.test(text))

const endsTable = ({ text, isCode }: ProseLine): boolean => isCode || !text.includes('|')

const markdownTables = (lines: readonly ProseLine[]): TextTable[] => {
  const tables: TextTable[] = []
  for (let index = 0; index + 1 < lines.length; index++) {
    const [head, dashes] = [lines[index] as ProseLine, lines[index + 1] as ProseLine]
    if (endsTable(head) || dashes.isCode || !dashes.text.includes('-')) continue
    const [heading, delimiter] = [rowOf(head), rowOf(dashes)]
    if (!isDelimiter(delimiter) || delimiter.cells.length !== heading.cells.length) continue
    const rows: TableRow[] = []
    for (index += 2; index < lines.length && !endsTable(lines[index] as ProseLine); index++) rows.push(rowOf(lines[index] as ProseLine))
    tables.push({ heading, rows, last: rows.at(-1) ?? delimiter, sheet: undefined })
    index--
  }
  return tables
}

const sheetTable = (fence: Fence): TextTable[] => {
  const sheet = parseSheet(fence)
  const rows = sheet.rows.map(({ line, cells }) => ({ from: line.from, to: line.to, cells }))
  const [heading, ...others] = rows
  return heading === undefined ? [] : [{ heading, rows: others, last: others.at(-1) ?? heading, sheet }]
}

/** Returns the tables in the text, in order and including sheets. */
export const tablesOf = (text: string): TextTable[] =>
  [...markdownTables(proseLines(text)), ...fencesOf(text).flatMap((fence) => (fence.kind === 'sheet' ? sheetTable(fence) : []))].toSorted(
    (one, other) => one.heading.from - other.heading.from
  )

/** Combines edits into a single change to one range. */
const asOne = (text: string, edits: readonly Edit[]): Resolved | undefined => {
  const [first, last] = [edits[0], edits.at(-1)]
  if (first === undefined || last === undefined) return undefined
  const { from } = first
  const { to } = last
  const insert = applyEdits(
    text.slice(from, to),
    edits.map((edit) => ({ ...edit, from: edit.from - from, to: edit.to - from }))
  )
  return { from, to, insert }
}

/** Returns the source of a cell. A backslash before a bar, or at the end, would escape that bar, so it is written as a character reference. */
const written = (text: string): string => writtenCell({ delimiter: undefined }, text.trimEnd().replaceAll(/\\(?=\||$)/g, '&#92;'), 1)

/** Returns the change that adds a row at the end, with the same bars as the row above. Returns undefined if the sheet is full. */
export const rowAdded = (text: string, { heading, rows, last, sheet }: TextTable, cells: readonly string[]): Resolved | undefined => {
  if (sheet !== undefined) {
    const changes = cells.map((cell, column) => ({ row: rows.length + 1, column, text: cell }))
    const change = asOne(text, setCells(sheet, changes))
    return change && { ...change, neighbor: heading }
  }
  const line = text.slice(last.from, last.to)
  const lead = line.slice(0, runEnd(line, ' \t>', 0))
  const texts = heading.cells.map((_cell, column) => written(cells[column] ?? ''))
  const isOpen = line.charCodeAt(lead.length) !== bar && texts[0] !== ''
  const row = isOpen ? texts.join(' | ') : `| ${texts.join(' | ')} |`
  return { from: last.to, to: last.to, insert: `\n${lead}${row}`, neighbor: heading }
}

/**
 * Returns the change that sets the text of a cell. It adds cells that the row lacks. `row` counts from 0 below the heading, and -1 is the heading.
 */
export const cellSet = (text: string, table: TextTable, row: number, column: number, value: string): Resolved => {
  const line = (row < 0 ? table.heading : table.rows[row]) as TableRow
  const cell = line.cells[column]
  if (table.sheet !== undefined) {
    const change = asOne(text, setCells(table.sheet, [{ row: row + 1, column, text: value }]))
    return { ...(change ?? { from: line.from, to: line.from, insert: '' }), neighbor: line }
  }
  if (cell !== undefined) {
    const insert = cell.from === cell.to && text[cell.from] === '|' ? `${written(value)} ` : written(value)
    return {
      from: cell.from,
      to: cell.to,
      insert,
      neighbor: { from: Math.max(line.from, cell.from - 1), to: Math.min(line.to, cell.to + 1) }
    }
  }
  const end = trimBlanks(text, line.from, line.to)
  const missing = Array.from({ length: column - line.cells.length }, () => '')
  const open = text.charCodeAt(end - 1) === bar ? '' : ' |'
  return { from: end, to: end, insert: `${open} ${[...missing, written(value)].join(' | ')} |`, neighbor: line }
}
