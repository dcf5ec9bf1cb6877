/**
 * Reads and changes rows of Markdown tables as text: cells between bars, with any spacing. No function changes the spacing of other cells,
 * except on request.
 */
import type { ChangeSpec, Line, Text } from '@codemirror/state'
import { runEnd, trimBlanks } from '../../shared/text/scan.ts'

/** The text between two bars, including spaces. */
export interface Cell {
  readonly from: number
  readonly to: number
}

export interface Row {
  readonly line: Line
  /** Quote marks and indentation before the row. */
  readonly lead: string
  readonly cells: readonly Cell[]
  /** Whether a bar ends the row. */
  readonly closed: boolean
}

export function rowOf(line: Line): Row {
  const { text, from } = line
  const lead = /^[ \t>]*/.exec(text)?.[0] ?? ''
  const end = text.trimEnd().length
  const cells: Cell[] = []
  let start = text[lead.length] === '|' ? lead.length + 1 : lead.length
  let closed = false
  for (let at = start; at < end; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '|') {
      cells.push({ from: from + start, to: from + at })
      start = at + 1
      closed = at === end - 1
    }
  }
  // Without a bar, the cell ends with its line. A caret after trailing spaces is therefore in the cell.
  if (!closed) cells.push({ from: from + start, to: line.to })
  return { line, lead, cells, closed }
}

export const isDelimiter = (text: string): boolean => {
  const from = runEnd(text, ' \t>', 0)
  const to = trimBlanks(text, from)
  const cells = text.slice(text[from] === '|' ? from + 1 : from, text[to - 1] === '|' && to - 1 > from ? to - 1 : to)
  return cells.split('|').every((cell) => /^[ \t]*:?-+:?[ \t]*$/.test(cell))
}

/** Returns the range of a cell's text. For an empty cell, it is an empty range after one space. */
export function content(doc: Text, { from, to }: Cell): Cell {
  const text = doc.sliceString(from, to)
  const left = text.length - text.trimStart().length
  if (left === text.length) return { from: Math.min(from + 1, to), to: Math.min(from + 1, to) }
  return { from: from + left, to: from + text.trimEnd().length }
}

/** Returns the index of the cell that contains a position or has it at its edge. */
export function cellAt({ cells }: Row, position: number): number {
  const found = cells.findIndex(({ to }) => position <= to)
  return found < 0 ? cells.length - 1 : found
}

export const emptyRow = (lead: string, columns: number): string => `${lead}|${'  |'.repeat(columns)}`

/**
 * Inserts an empty cell before the cell `column`, or after the last cell. In the delimiter row, the cell contains dashes. A row that ends before
 * `column` does not change.
 */
export function addCell(row: Row, column: number): ChangeSpec[] {
  const filling = isDelimiter(row.line.text) ? ' --- ' : '  '
  const cell = row.cells[column]
  // A row that begins without a bar needs one before its new first cell.
  const isOpen = cell !== undefined && cell.from > row.line.from + row.lead.length
  if (cell !== undefined) return [{ from: cell.from, insert: isOpen ? `${filling}|` : `|${filling}|` }]
  const last = row.cells.at(-1)
  if (last === undefined || column > row.cells.length) return []
  return row.closed ? [{ from: last.to + 1, insert: `${filling}|` }] : [{ from: last.to, insert: ` |${filling}|` }]
}

/** Adds cells after the last cell. */
export function addCells(row: Row, texts: readonly string[]): ChangeSpec[] {
  const last = row.cells.at(-1)
  if (last === undefined || texts.length === 0) return []
  const insert = texts.map((text) => (text === '' ? '  |' : ` ${text} |`)).join('')
  return [row.closed ? { from: last.to + 1, insert } : { from: last.to, insert: ` |${insert}` }]
}

/**
 * Removes a cell and one of its bars: the bar before the last cell, or else the bar after the cell. Words that others type in the cell at the same
 * time therefore stay in a cell next to it.
 */
export function removeCell(row: Row, column: number): ChangeSpec[] {
  const cell = row.cells[column]
  if (cell === undefined) return []
  const isLast = column === row.cells.length - 1
  if (isLast && column > 0) return [{ from: cell.from - 1, to: cell.to }]
  return [{ from: cell.from, to: isLast && !row.closed ? cell.to : cell.to + 1 }]
}

/**
 * Adds an outer bar to a row that would lose its only bar with the cell `column`. A head without a bar would be a heading, and the parser wants a bar
 * after the dashes of a delimiter row.
 */
export function addOuterBar({ line, lead, cells, closed }: Row, column: number): ChangeSpec[] {
  const [first, last] = cells
  const isDashes = isDelimiter(line.text)
  if (first === undefined || last === undefined || cells.length > 2 || closed) return []
  if (first.from > line.from + lead.length && !isDashes) return []
  return [column === 0 || isDashes ? { from: last.to, insert: ' |' } : { from: first.from, insert: '| ' }]
}

/** Moves a cell beyond the end of its row. The missing cells in between are added. */
function moveBeyond(row: Row, column: number, to: number, text: string): ChangeSpec[] {
  const lacking = Array.from({ length: to + 1 - row.cells.length }, () => '')
  return [...removeCell(row, column), ...(text === '' ? [] : addCells(row, [...lacking, text]))]
}

/**
 * Moves a cell, with one of its bars, to the place of another cell in its row. Other cells do not change, even if the row ends before one of the two
 * places.
 */
export function moveCell(doc: Text, row: Row, column: number, to: number): ChangeSpec[] {
  const [cell, target] = [row.cells[column], row.cells[to]]
  if (column === to || (cell === undefined && target === undefined)) return []
  if (cell === undefined) return addCell(row, to)
  const text = doc.sliceString(cell.from, cell.to)
  if (target === undefined) return isDelimiter(row.line.text) ? [] : moveBeyond(row, column, to, text.trim())
  return to < column
    ? [
        { from: target.from, insert: `${text}|` },
        { from: cell.from - 1, to: cell.to }
      ]
    : [
        { from: cell.from, to: cell.to + 1 },
        { from: target.to, insert: `|${text}` }
      ]
}

export type Alignment = 'left' | 'center' | 'right' | 'none'

/** Returns the alignment that the text of a delimiter cell sets. */
export const alignmentOf = (text: string): Alignment =>
  text.startsWith(':') ? (text.endsWith(':') ? 'center' : 'left') : text.endsWith(':') ? 'right' : 'none'

/** Sets the alignment of a delimiter cell and keeps its width. */
export function alignCell(doc: Text, cell: Cell, alignment: Alignment): ChangeSpec {
  const { from, to } = content(doc, cell)
  const left = alignment === 'left' || alignment === 'center' ? ':' : ''
  const right = alignment === 'right' || alignment === 'center' ? ':' : ''
  const dashes = '-'.repeat(Math.max(3, to - from) - left.length - right.length)
  return { from, to, insert: left + dashes + right }
}
