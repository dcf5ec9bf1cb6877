/**
 * The `sheet` fence: a grid of text and formulas.
 *
 *     sheet = note* (table | csv)
 *     table = row NL [dashes NL] (row NL)*         row: ["|"] cell ("|" cell)* ["|"];  "\|" is a bar within a cell
 *     csv   = record (NL record)*                  if the first nonblank line has no bar; `,`, `;` or tab, quotes doubled
 *
 * Row 1 is the heading, and cells are named A1, B1 and so on. The line of dashes sets the alignment of the columns and is not a row. A cell that
 * begins with `=` is a formula: the text stores the formula, and its value is computed. Empty lines have no meaning. Lines without a bar in a table
 * are notes.
 */
import type { Fence, Line } from './fences.ts'
import { csvRows } from './csv.ts'
import { type Cell, type Row, trimmed } from './rows.ts'

export type Side = 'left' | 'center' | 'right' | undefined

export interface Sheet {
  readonly fence: Fence
  /** The separator between the cells of a CSV; undefined in a table. */
  readonly delimiter: ',' | ';' | '\t' | undefined
  readonly rows: readonly Row[]
  /** The line of dashes, if there is one. */
  readonly dashes: Row | undefined
  readonly sides: readonly Side[]
  readonly notes: readonly { readonly line: Line; readonly index: number }[]
  /** Number of columns in the widest row. */
  readonly width: number
}

const barsOf = (text: string): number[] => {
  const bars: number[] = []
  for (let at = text.indexOf('|'); at !== -1; at = text.indexOf('|', at + 1)) if (text.charAt(at - 1) !== '\\') bars.push(at)
  return bars
}

const unescapeBars = (text: string): string => (text.includes('\\|') ? text.replaceAll('\\|', '|') : text)

const tableCells = (line: Line): Cell[] => {
  const bars = barsOf(line.text)
  const starts = [...(line.text.slice(0, bars[0]).trim() === '' ? [] : [-1]), ...bars]
  return starts.flatMap((start, index) => {
    const end = starts[index + 1] ?? line.text.length
    const cell = trimmed(line, start + 1, end)
    // There is no cell after the last bar, unless text follows the bar.
    return cell.text === '' && index === starts.length - 1 ? [] : [{ ...cell, text: unescapeBars(cell.text) }]
  })
}

const dash = /^:?-+:?$/
const isDashes = ({ cells }: Row): boolean => cells.length > 0 && cells.every(({ text }) => dash.test(text))
const sideOf = ({ text }: Cell): Side =>
  /^:-*:$/.test(text) ? 'center' : text.endsWith(':') ? 'right' : text.startsWith(':') ? 'left' : undefined

export const parseSheet = (fence: Fence): Sheet => {
  const { lines } = fence
  const spoken = lines.filter(({ text }) => text.trim() !== '')
  const widthOf = (rows: readonly Row[]): number => rows.reduce((width, { cells }) => Math.max(width, cells.length), 0)
  if (spoken[0] !== undefined && !spoken[0].text.includes('|')) {
    const { rows, delimiter } = csvRows(lines)
    return { fence, delimiter, rows, dashes: undefined, sides: [], notes: [], width: widthOf(rows) }
  }
  const said = lines.flatMap((line, index) => (line.text.trim() === '' ? [] : [{ line, index }]))
  const notes = said.filter(({ line }) => !line.text.includes('|'))
  const rows = said.flatMap(({ line, index }): Row[] => (line.text.includes('|') ? [{ line, index, cells: tableCells(line) }] : []))
  const dashes = rows[1] !== undefined && isDashes(rows[1]) ? rows[1] : undefined
  const kept = dashes === undefined ? rows : rows.toSpliced(1, 1)
  return { fence, delimiter: undefined, rows: kept, dashes, sides: dashes?.cells.map(sideOf) ?? [], notes, width: widthOf(kept) }
}

/** Returns the text of the cells, row by row. */
export const textsOf = ({ rows }: Sheet): string[][] => rows.map(({ cells }) => cells.map(({ text }) => text))

/**
 * Returns the source of text in a cell of this sheet: on one line, with bars and quotes escaped. A bar in the first row of a CSV would turn the CSV
 * into a table, so it becomes a broken bar.
 */
export const writtenCell = ({ delimiter }: Pick<Sheet, 'delimiter'>, text: string, row: number): string => {
  const line = text.replaceAll(/[\r\n\0]+/g, ' ').trim()
  if (delimiter === undefined) return line.replaceAll('|', '\\|').replace(/\\$/, '\\ ')
  const safe = row === 0 ? line.replaceAll('|', '¦') : line
  return safe.includes(delimiter) || safe.includes('"') ? `"${safe.replaceAll('"', '""')}"` : safe
}
