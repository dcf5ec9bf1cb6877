/** Converts rows of cells to a Markdown table and back. It also reads cells in the format of spreadsheets. */
import { Text } from '@codemirror/state'
import { isDelimiter, rowOf } from '../table-rows.ts'

/** Makes text fit into a table cell: on one line, without tabs, and with escaped bars. */
export const escapeCell = (text: string): string =>
  text
    .trim()
    .replaceAll(/\\?\|/g, '\\|')
    .replaceAll(/\s+/g, (space) => (space.includes('\n') ? '<br>' : space))
    .replaceAll('\t', ' ')

/** Returns a Markdown table with the given rows. The first row is the head, and short rows are filled with empty cells. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const columns = rows.reduce((most, row) => Math.max(most, row.length), 1)
  const line = (cells: readonly string[]): string =>
    `| ${Array.from({ length: columns }, (_, at) => escapeCell(cells[at] ?? '')).join(' | ')} |`
  const [head = [], ...body] = rows
  return [line(head), `| ${Array.from({ length: columns }, () => '---').join(' | ')} |`, ...body.map(line)].join('\n')
}

/** Returns the rows of a Markdown table without the delimiter row. Undefined if the text is anything else. */
export function tableRows(markdown: string): string[][] | undefined {
  const doc = Text.of(markdown.trim().split('\n'))
  const rows = Array.from({ length: doc.lines }, (_, at) => rowOf(doc.line(at + 1)))
  if (rows.length < 2 || !rows.every(({ line }) => line.text.startsWith('|')) || !isDelimiter(rows[1]?.line.text ?? '')) return undefined
  return rows.toSpliced(1, 1).map(({ cells }) => cells.map(({ from, to }) => doc.sliceString(from, to).trim()))
}

/** Matches a cell and the tab, line break or end after it. */
export const tabbedCell = /(?:"((?:[^"]|"")*)"(?=\t|\n|$)|([^\t\n]*))(\t|\n|$)/y

/**
 * Returns the rows of separated values (RFC 4180). Quoted cells may contain delimiters, quotes and line breaks. `cell` matches a cell and the delimiter
 * after it.
 */
export function separatedRows(text: string, cell: RegExp): string[][] {
  const rows: string[][] = [[]]
  cell.lastIndex = 0
  while (cell.lastIndex < text.length) {
    const [, quoted, plain = '', end] = cell.exec(text) ?? []
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? plain)
    if (end === '\n' && cell.lastIndex < text.length) rows.push([])
  }
  return rows
}

/**
 * Returns the rows of tab-separated text, as spreadsheets copy it. Quoted cells may contain tabs and line breaks. Undefined if the text is not a
 * table, unless it is known to have cells.
 */
export function tabbedRows(text: string, areCells = false): string[][] | undefined {
  if (!areCells && !text.includes('\t')) return undefined
  const rows = separatedRows(text, tabbedCell)
  const columns = rows[0]?.length ?? 0
  // Indented text contains tabs too, so all rows of a table must have the same number of cells.
  const areLikely = columns > 1 && rows.every((row) => row.length === columns) && rows.some((row) => (row[0] ?? '').trim() !== '')
  return areCells || areLikely ? rows : undefined
}
