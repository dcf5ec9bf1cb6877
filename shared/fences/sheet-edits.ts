/**
 * The actions that people can take in a sheet. Rows and columns are counted from 0 in the parsed sheet, and row 0 is the heading. Changing a cell
 * replaces only the source of that cell. When rows or columns are inserted, deleted or moved, this sheet's formulas still name the same cells.
 * `followChange` rewrites the formulas in other sheets of the document, each within its own fence.
 */
import { limits } from '../limits.ts'
import type { Edit } from '../text/diff.ts'
import type { Line } from './fences.ts'
import { insertLines, replace, rewrite, vacate, within } from './edits.ts'
import { referencesIn } from './formula/parse.ts'
import { type Change, formulaAfter, formulaInRow, movedTo } from './formula/rewrite.ts'
import { compare, type Scalar } from './formula/values.ts'
import { type Sheet, textsOf, writtenCell } from './sheet.ts'
import { type Cell, type Row } from './rows.ts'
import { type CellChange, isMove, sortedOrder, type Table } from './table.ts'

type Edits = readonly Edit[]

const isFormula = (text: string): boolean => text.startsWith('=')

/** Returns the source of a new row. */
const writtenRow = (sheet: Sheet, texts: readonly string[], row: number): string => {
  const cells = texts.map((text) => writtenCell(sheet, text, row))
  if (sheet.delimiter === undefined) return `| ${cells.join(' | ')} |`
  // A CSV record must not be an empty line.
  return cells.join(sheet.delimiter).trim() === '' && cells.length < 2 ? '""' : cells.join(sheet.delimiter)
}

/** Returns the edits that add cells after the last cell of a row. */
const appended = ({ delimiter }: Sheet, { line, cells }: Row, written: readonly string[]): Edit[] => {
  if (written.length === 0) return []
  const at = line.from + line.text.trimEnd().length
  const isEmpty = cells.length === 0
  if (delimiter !== undefined) return [{ from: at, to: at, insert: (isEmpty ? '' : delimiter) + written.join(delimiter) }]
  const bar = line.text.trimEnd().endsWith('|') ? '' : ' |'
  return [{ from: at, to: at, insert: `${bar} ${written.join(' | ')} |` }]
}

const changeRow = (sheet: Sheet, row: Row, at: number, changes: ReadonlyMap<number, string>): Edit[] => {
  const { cells } = row
  const last = Math.max(...changes.keys())
  const more = Array.from({ length: Math.max(0, last + 1 - cells.length) }, (_cell, index) =>
    writtenCell(sheet, changes.get(cells.length + index) ?? '', at)
  )
  const own = [...changes].flatMap(([column, text]): Edit[] => {
    const cell = cells[column]
    if (cell === undefined) return []
    const written = writtenCell(sheet, text, at)
    // A CSV row with a single empty cell would be an empty line.
    const isLone = sheet.delimiter !== undefined && cells.length === 1 && written === ''
    return text.trim() === cell.text ? [] : replace(sheet.fence, cell, isLone ? '""' : written)
  })
  return [...own, ...appended(sheet, row, more)]
}

/** Returns the line before which a row is inserted to get this index. It is never between the heading and its dashes. */
const lineBefore = ({ rows, dashes, fence }: Sheet, row: number): number =>
  rows[row]?.index ?? Math.max(rows.at(-1)?.index ?? fence.lines.length - 1, dashes?.index ?? -1) + 1

/** Returns a function that decides whether a row may be inserted before a line. */
const isRowOf =
  ({ delimiter }: Sheet) =>
  ({ text }: Line): boolean =>
    text.includes(delimiter ?? '|')

/** Sets several cells at once. Missing rows and columns are added, within the limits. */
export const setCells = (sheet: Sheet, changes: readonly CellChange[]): Edits => {
  const { fence, rows } = sheet
  const byRow = new Map<number, Map<number, string>>()
  for (const { row, column, text } of changes) {
    if (row < 0 || column < 0 || row >= limits.sheetRowsMax || column >= limits.sheetColumnsMax) continue
    byRow.set(row, (byRow.get(row) ?? new Map<number, string>()).set(column, text))
  }
  const own = [...byRow].flatMap(([at, cells]) => (rows[at] === undefined ? [] : changeRow(sheet, rows[at], at, cells)))
  const last = Math.max(rows.length - 1, ...byRow.keys())
  const added = Array.from({ length: last + 1 - rows.length }, (_row, index) => {
    const cells = byRow.get(rows.length + index) ?? new Map<number, string>()
    const width = Math.max(1, sheet.width, ...[...cells.keys()].map((column) => column + 1))
    const texts = Array.from({ length: width }, (_cell, column) => cells.get(column) ?? '')
    return writtenRow(sheet, texts, rows.length + index)
  })
  return within(fence, [...own, ...insertLines(fence, lineBefore(sheet, rows.length), added, isRowOf(sheet))])
}

export const setCell = (sheet: Sheet, row: number, column: number, text: string): Edits => setCells(sheet, [{ row, column, text }])

/** Returns the edits that update the formulas in some rows after a change. The change is in this sheet, unless `isOf` selects another sheet. */
const following = (
  sheet: Sheet,
  change: Change,
  isLeft: (row: number, column: number) => boolean,
  isOf?: (id: string | undefined) => boolean
): Edit[] =>
  sheet.rows.flatMap(({ cells }, row) =>
    cells.flatMap((cell, column) => {
      if (!isFormula(cell.text) || !isLeft(row, column)) return []
      const now = formulaAfter(cell.text, change, isOf ?? isOwn(sheet), isOf === undefined ? { row, column } : undefined)
      return now === cell.text ? [] : replace(sheet.fence, cell, writtenCell(sheet, now, row))
    })
  )

const isOwn =
  ({ fence }: Sheet) =>
  (id: string | undefined): boolean =>
    id === undefined || id === fence.id

/** Returns the edits to another sheet in the document after rows or columns of the sheet with this id changed. */
export const followChange = (other: Sheet, id: string, change: Change): Edits =>
  within(
    other.fence,
    following(
      other,
      change,
      () => true,
      (named) => named === id
    )
  )

/** Returns the first row that may be deleted or pushed down. A heading with dashes always stays in its place. */
const firstFree = ({ dashes }: Sheet): number => (dashes === undefined ? 0 : 1)

/** Inserts an empty row before the row with this index. */
export const insertRow = (sheet: Sheet, at: number): Edits => {
  const { fence, rows } = sheet
  if (at < firstFree(sheet) || at > rows.length || rows.length >= limits.sheetRowsMax) return []
  const texts = Array.from({ length: Math.max(1, sheet.width) }, () => '')
  return within(fence, [
    ...insertLines(fence, lineBefore(sheet, at), [writtenRow(sheet, texts, at)], isRowOf(sheet)),
    ...following(sheet, { axis: 'row', kind: 'insert', at, count: 1 }, () => true)
  ])
}

/** Whether an index is outside the rows or columns that a change deletes or moves. */
const isOutside = (from: number, count: number, index: number): boolean => index < from || index >= from + count

export const deleteRow = (sheet: Sheet, at: number, count = 1): Edits => {
  const gone = sheet.rows.slice(at, at + count)
  if (at < firstFree(sheet) || gone.length < count) return []
  const change = { axis: 'row', kind: 'delete', at, count } as const
  return within(sheet.fence, [...gone.flatMap(({ line }) => vacate(line)), ...following(sheet, change, (row) => isOutside(at, count, row))])
}

/** Returns the source of a row with new text in some of its cells. The source between the cells stays unchanged. */
const lineWith = ({ delimiter }: Sheet, { line, cells }: Row, row: number, textOf: (cell: Cell) => string): string => {
  let text = ''
  let at = 0
  for (const cell of cells) {
    const now = textOf(cell)
    if (now === cell.text) continue
    text += line.text.slice(at, cell.from - line.from) + writtenCell({ delimiter }, now, row)
    at = cell.to - line.from
  }
  return text + line.text.slice(at)
}

/** Puts some rows before the row that currently has the index `to`. The heading always stays first. */
export const moveRow = (sheet: Sheet, from: number, to: number, count = 1): Edits => {
  const { fence, rows } = sheet
  if (from < 1 || to < 1 || !isMove(from, to, count, rows.length)) return []
  const change = { axis: 'row', kind: 'move', from, count, to } as const
  const taken = rows.slice(from, from + count)
  const texts = taken.map((row) =>
    lineWith(sheet, row, to, (cell) => (isFormula(cell.text) ? formulaAfter(cell.text, change, isOwn(sheet)) : cell.text))
  )
  return within(fence, [
    ...taken.flatMap(({ line }) => vacate(line)),
    ...insertLines(fence, lineBefore(sheet, to), texts, isRowOf(sheet)),
    ...following(sheet, change, (row) => isOutside(from, count, row))
  ])
}

const isBarAt = ({ fence }: Sheet, at: number, { line }: Row): boolean => at >= line.from && at < line.to && fence.source.charAt(at) === '|'

const withColumn = (sheet: Sheet, row: Row, at: number, content: string): Edit[] => {
  const cell = row.cells[at]
  if (cell === undefined) return at === row.cells.length ? appended(sheet, row, [content]) : []
  const from = cell.area.from
  if (sheet.delimiter !== undefined) return [{ from, to: from, insert: content + sheet.delimiter }]
  // A row need not begin with a bar, but a row whose first cell is empty must.
  return [{ from, to: from, insert: `${isBarAt(sheet, from - 1, row) ? '' : '|'} ${content} |` }]
}

/** Inserts an empty column before the column with this index. */
export const insertColumn = (sheet: Sheet, at: number): Edits => {
  const { rows, dashes } = sheet
  if (at < 0 || at > sheet.width || sheet.width >= limits.sheetColumnsMax) return []
  return within(sheet.fence, [
    ...rows.flatMap((row) => withColumn(sheet, row, at, '')),
    ...(dashes === undefined ? [] : withColumn(sheet, dashes, at, '---')),
    ...following(sheet, { axis: 'column', kind: 'insert', at, count: 1 }, () => true)
  ])
}

const withoutColumns = (sheet: Sheet, row: Row, at: number, count: number): Edit[] => {
  const gone = row.cells.slice(at, at + count)
  const [first, last] = [gone[0], gone.at(-1)]
  if (first === undefined || last === undefined) return []
  if (row.cells.length === gone.length)
    return replace(sheet.fence, { from: first.from, to: last.to }, sheet.delimiter === undefined ? '' : '""')
  const [from, to] = [first.area.from, last.area.to]
  if (sheet.delimiter !== undefined)
    return at + gone.length < row.cells.length ? [{ from, to: to + 1, insert: '' }] : [{ from: from - 1, to, insert: '' }]
  // One bar must remain on either side of the other cells.
  const isBetween = isBarAt(sheet, from - 1, row) && isBarAt(sheet, to, row)
  return [{ from, to: isBetween ? to + 1 : to, insert: '' }]
}

/** Deletes some columns, unless none would be left. */
export const deleteColumn = (sheet: Sheet, at: number, count = 1): Edits => {
  const { rows, dashes, width } = sheet
  if (at < 0 || at + count > width || count >= width) return []
  const change = { axis: 'column', kind: 'delete', at, count } as const
  return within(sheet.fence, [
    ...rows.flatMap((row) => withoutColumns(sheet, row, at, count)),
    ...(dashes === undefined ? [] : withoutColumns(sheet, dashes, at, count)),
    ...following(sheet, change, (_row, column) => isOutside(at, count, column))
  ])
}

/**
 * Puts some columns before the column that currently has the index `to`. The edits rewrite every row, also one with the same text in all cells: its
 * mark shows that it follows the move. They move each cell together with its whitespace.
 */
export const moveColumn = (sheet: Sheet, from: number, to: number, count = 1): Edits => {
  const { fence, rows, dashes, width, delimiter } = sheet
  if (!isMove(from, to, count, width)) return []
  const change = { axis: 'column', kind: 'move', from, count, to } as const
  const written = (row: Row, at: number): Edit[] => {
    const areas = Array.from({ length: Math.max(row.cells.length, Math.min(width, Math.max(from + count, to))) }, (_area, column) => {
      const cell = row.cells[column]
      if (cell === undefined) return row === dashes ? ' --- ' : delimiter === undefined ? '   ' : ''
      const now = isFormula(cell.text) ? formulaAfter(cell.text, change, isOwn(sheet)) : cell.text
      const middle = now === cell.text ? fence.source.slice(cell.from, cell.to) : writtenCell(sheet, now, at)
      return fence.source.slice(cell.area.from, cell.from) + middle + fence.source.slice(cell.to, cell.area.to)
    })
    areas.splice(movedTo(change), 0, ...areas.splice(from, count))
    const { from: begin, to: end } = row.line
    return [{ from: begin, to: end, insert: delimiter === undefined ? `|${areas.join('|')}|` : areas.join(delimiter) }]
  }
  return within(fence, [...rows.flatMap(written), ...(dashes === undefined ? [] : written(dashes, 1))])
}

/**
 * Returns the number of rows before the totals at the end. A total has a formula with a range from the first row to a row above it. Rows below it may
 * be empty or compute with rows above them.
 */
function rowsBeforeTotals(sheet: Sheet): number {
  const { rows } = sheet
  const isHere = isOwn(sheet)
  let count = rows.length
  for (const [at, { cells }] of [...rows.entries()].slice(1).toReversed()) {
    const written = cells.filter(({ text }) => text !== '')
    const ranges = written
      .filter(({ text }) => isFormula(text))
      .flatMap(({ text }) => referencesIn(text))
      .filter((each) => isHere(each.sheet))
      .map(({ first, last = first }) => ({ from: Math.min(first.row, last.row), to: Math.max(first.row, last.row) }))
    if (ranges.some(({ from, to }) => from <= 1 && to > from && to < at)) count = at
    else if (written.length > 0 && (ranges.length === 0 || ranges.some(({ to }) => to >= at))) break
  }
  return count
}

/** Sorts the rows below the heading by the values of a column, in one edit. Empty cells come last in both directions. Totals stay at the end. */
export const sortRows = (sheet: Sheet, column: number, descending: boolean, valueAt: (row: number, column: number) => Scalar): Edits => {
  const { fence, rows } = sheet
  const order = sortedOrder(rowsBeforeTotals(sheet), descending, (row) => valueAt(row, column), compare)
  return within(
    fence,
    order.flatMap((from, index) => {
      const [source, target] = [rows[from], rows[index + 1]]
      if (source === undefined || target === undefined || from === index + 1) return []
      const text = lineWith(sheet, source, index + 1, (cell) =>
        isFormula(cell.text) ? formulaInRow(cell.text, from, index + 1) : cell.text
      )
      return replace(fence, target.line, text)
    })
  )
}

/** Pads the cells of a table so that its bars line up. Runs only on request, because it changes every line. */
export const alignColumns = (sheet: Sheet): Edits => {
  const { fence, rows, dashes, width, sides, delimiter } = sheet
  if (delimiter !== undefined) return []
  const texts = rows.map(({ cells }) => cells.map(({ from, to }) => fence.source.slice(from, to)))
  const widths = Array.from({ length: width }, (_column, column) =>
    Math.max(3, ...texts.map((row) => Array.from(row[column] ?? '').length))
  )
  const padded = (text: string, column: number): string => {
    const space = (widths[column] ?? 3) - Array.from(text).length
    const before = sides[column] === 'right' ? space : sides[column] === 'center' ? Math.floor(space / 2) : 0
    return ' '.repeat(before) + text + ' '.repeat(space - before)
  }
  const dashed = (column: number): string => {
    const side = sides[column]
    const [before, after] = [side === 'left' || side === 'center' ? ':' : '', side === 'right' || side === 'center' ? ':' : '']
    return before + '-'.repeat((widths[column] ?? 3) - before.length - after.length) + after
  }
  const lineOf = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return within(fence, [
    ...rows.flatMap(({ line }, row) => rewrite(fence, line, lineOf((texts[row] ?? []).map(padded)))),
    ...(dashes === undefined ? [] : replace(fence, dashes.line, lineOf(widths.map((_width, column) => dashed(column)))))
  ])
}

// ——— the clipboard ———

/** Returns the offset after the closing quote of a quoted cell; undefined if the cell is not quoted. */
const quoteEnd = (text: string, at: number): number | undefined => {
  if (text[at] !== '"') return undefined
  let end = text.indexOf('"', at + 1)
  while (end !== -1 && text[end + 1] === '"') end = text.indexOf('"', end + 2)
  return end !== -1 && /^[\t\r\n]?$/.test(text.charAt(end + 1)) ? end + 1 : undefined
}

const cellBreak = /[\t\r\n]/g

const cellEnd = (text: string, at: number): number => {
  const end = quoteEnd(text, at)
  if (end !== undefined) return end
  cellBreak.lastIndex = at
  return cellBreak.exec(text)?.index ?? text.length
}

/**
 * Parses the clipboard format of spreadsheets. Cells are separated by tabs and rows by line breaks. Cells that contain a tab or line break are
 * quoted.
 */
export const parseTsv = (text: string): string[][] => {
  const rows: string[][] = [[]]
  for (let at = 0; at <= text.length;) {
    const end = cellEnd(text, at)
    const cell = text.slice(at, end)
    rows.at(-1)?.push(end === quoteEnd(text, at) ? cell.slice(1, -1).replaceAll('""', '"') : cell)
    if (end < text.length && text[end] !== '\t') rows.push([])
    at = end + (text.startsWith('\r\n', end) ? 2 : 1)
  }
  // A line break after the last row does not begin another row.
  return rows.at(-1)?.every((cell) => cell === '') === true && rows.length > 1 ? rows.slice(0, -1) : rows
}

export const formatTsv = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => row.map((cell) => (/[\t\r\n]|^"/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join('\t')).join('\n')

// ——— the grid ———

/** Returns the table that the component's grid uses to show and change a sheet. */
export const tableOf = (sheet: Sheet): Table => ({
  fence: sheet.fence,
  texts: textsOf(sheet),
  width: sheet.width,
  sides: sheet.sides,
  mayChange: () => true,
  setCells: (changes) => setCells(sheet, changes),
  insertRow: (at) => insertRow(sheet, at),
  insertColumn: (at) => insertColumn(sheet, at),
  deleteRow: (at, count) => deleteRow(sheet, at, count),
  deleteColumn: (at, count) => deleteColumn(sheet, at, count),
  moveRow: (from, to, count) => moveRow(sheet, from, to, count),
  moveColumn: (from, to, count) => moveColumn(sheet, from, to, count),
  sortRows: (column, descending, valueAt) => sortRows(sheet, column, descending, valueAt),
  ...(sheet.delimiter === undefined ? { align: () => alignColumns(sheet) } : {})
})
