/**
 * Compares the rows of a Markdown table before and after a suggestion: the rows and columns that it adds, and the words that it changes in cells.
 * (table-marks.ts draws these changes, and table-words.ts describes those of columns.)
 */
import { Text } from '@codemirror/state'
import type { Edit } from '../../../shared/text/diff.ts'
import { content, isDelimiter, rowOf, type Cell } from '../../editor/table-rows.ts'
import { isRow, tableAround, trimmed } from './hunks.ts'

export interface AddedColumn {
  /** The column of the table before which the new column is. */
  readonly before: number
  /** The text of its cells, from the first line that the suggestion changes. The delimiter row has no cell. */
  readonly cells: readonly string[]
}

export interface AddedRow {
  /** The number of the line that the new row follows, counted from the first line that the suggestion changes. -1 is the line before that one. */
  readonly after: number
  /** The text of its cells in the columns of the table. */
  readonly cells: readonly string[]
  /** The text of its cells in the new columns. */
  readonly added: readonly string[]
}

export interface TableChange {
  /** Changed words of cells, with offsets from the beginning of the first line that the suggestion changes. */
  readonly edits: readonly Edit[]
  readonly columns: readonly AddedColumn[]
  readonly rows: readonly AddedRow[]
  /** The texts of the cells of deleted columns and rows. */
  readonly deletedColumns: readonly (readonly string[])[]
  readonly deletedRows: readonly (readonly string[])[]
  /** The old and the new text of the cells that change in the rows and columns that stay. */
  readonly changedCells: readonly (readonly [old: string, young: string])[]
}

/** Longest rows, in UTF-16 units, and maximum number of pairs of rows or columns that are compared. Larger changes are drawn as text. */
const unitsMax = 200_000
const pairsMax = 40_000
/** Maximum number of rows whose cells show which columns are the same. */
const sampleRows = 300

interface Row {
  /** The number of its line, from 0. */
  readonly line: number
  readonly ranges: readonly Cell[]
  readonly cells: readonly string[]
}

/** Indices before and after the suggestion. One of them is undefined if the row or column is new or deleted. */
type Pair = readonly [old: number | undefined, young: number | undefined]

/** Returns the rows of a table without the delimiter row. Undefined if a line is not a row. */
function rowsIn(text: Text): Row[] | undefined {
  const rows: Row[] = []
  for (let number = 1; number <= text.lines; number++) {
    const line = text.line(number)
    if (!isRow(line.text)) return undefined
    if (isDelimiter(line.text)) continue
    const ranges = rowOf(line).cells.map((cell) => content(text, cell))
    rows.push({ line: number - 1, ranges, cells: ranges.map(({ from, to }) => text.sliceString(from, to)) })
  }
  return rows
}

/** Pairs two lists in order, so that the sum of the scores of all pairs is as large as possible. */
function paired(olds: number, youngs: number, score: (old: number, young: number) => number): Pair[] {
  const width = youngs + 1
  const best = new Float64Array((olds + 1) * width)
  const at = (old: number, young: number): number => best[old * width + young] ?? 0
  const withPair = (old: number, young: number): number => at(old + 1, young + 1) + score(old, young)
  for (let old = olds - 1; old >= 0; old--)
    for (let young = youngs - 1; young >= 0; young--)
      best[old * width + young] = Math.max(at(old + 1, young), at(old, young + 1), withPair(old, young))
  const pairs: Pair[] = []
  let [old, young] = [0, 0]
  while (old < olds || young < youngs) {
    if (old < olds && young < youngs && at(old, young) === withPair(old, young)) pairs.push([old++, young++])
    else if (old < olds && (young === youngs || at(old, young) === at(old + 1, young))) pairs.push([old++, undefined])
    else pairs.push([undefined, young++])
  }
  return pairs
}

const alike = (count: number): Pair[] => Array.from({ length: count }, (_each, at) => [at, at])

/** Compares two cells. Empty cells say little about whether two rows or columns are the same. */
const likeness = (one = '', other = ''): number => (one !== other ? 0 : one === '' ? 0.001 : 1)

const rowLikeness = (old: Row, young: Row): number =>
  old.cells.reduce(
    (sum, cell, at) => sum + (young.cells.includes(cell) ? likeness(cell, cell) : 0) + likeness(cell, young.cells[at]) / 1000,
    0
  )

/** Pairs the rows. `isHead` is true if the first row is the head, which stays the first. Rows that have no cell in common are different rows. */
function rowPairs(olds: readonly Row[], youngs: readonly Row[], isHead: boolean): Pair[] | undefined {
  const like = (old: number, young: number): number => {
    const [one, other] = [olds[old], youngs[young]]
    if (one === undefined || other === undefined) return -1
    if (isHead && (old === 0 || young === 0)) return old === young ? olds.length * one.cells.length + 1 : -1
    return rowLikeness(one, other) || -1
  }
  if (olds.length * youngs.length <= pairsMax) return paired(olds.length, youngs.length, like)
  return olds.length === youngs.length ? alike(olds.length) : undefined
}

/** Pairs the columns of a table by the cells of the rows that stay. */
function columnPairs(olds: readonly Row[], youngs: readonly Row[], rows: readonly Pair[]): Pair[] | undefined {
  const both = rows.flatMap(([old, young]): [Row, Row][] => {
    const [one, other] = [olds[old ?? -1], youngs[young ?? -1]]
    return one === undefined || other === undefined ? [] : [[one, other]]
  })
  const sample = both.slice(0, sampleRows)
  const [before, after] = [olds[0]?.cells.length ?? 0, youngs[0]?.cells.length ?? 0]
  if (before * after * sample.length > pairsMax) return undefined
  return paired(before, after, (old, young) => sample.reduce((sum, [one, other]) => sum + likeness(one.cells[old], other.cells[young]), 0))
}

/** Returns the changes within the cells of a row, or all its words as deleted if there is no such row afterward. */
function editsOf(old: Row, young: Row | undefined, columns: readonly Pair[]): Edit[] {
  return columns.flatMap(([at, then]): Edit[] => {
    if (at === undefined) return []
    const [original, text] = [old.cells[at] ?? '', young?.cells[then ?? -1] ?? '']
    const { from, to } = old.ranges[at] ?? { from: old.ranges.at(-1)?.to ?? 0, to: old.ranges.at(-1)?.to ?? 0 }
    const change = trimmed({ from, to, original, text, fromShown: from, toShown: to })
    if (change === undefined) return []
    return [{ from: change.from, to: change.to, insert: old.ranges[at] === undefined ? ` ${change.text}` : change.text }]
  })
}

/** Returns the changes that a suggestion makes to rows of a table. Undefined if it changes one row only, or anything else. */
export function tableChange(doc: Text, from: number, to: number, insert: string): TableChange | undefined {
  const [first, last] = [doc.lineAt(from), doc.lineAt(to)]
  if ((first.number === last.number && !insert.includes('\n')) || last.to - first.from + insert.length > unitsMax) return undefined
  const old = doc.slice(first.from, last.to)
  const young = old.replace(from - first.from, to - first.from, Text.of(insert.split('\n')))
  const [olds, youngs] = [rowsIn(old), rowsIn(young)]
  const table = olds && youngs && tableAround(doc, from)
  if (olds === undefined || youngs === undefined || table === undefined) return undefined
  // The delimiter row stays.
  if (old.lines - olds.length !== young.lines - youngs.length) return undefined
  const isHead = table.from === first.from && old.lines > 1
  if (isHead && (young.lines < 2 || !isDelimiter(young.line(2).text))) return undefined
  const rows = rowPairs(olds, youngs, isHead)
  const columns = rows && (isHead ? columnPairs(olds, youngs, rows) : [])
  if (rows === undefined || columns === undefined) return undefined
  const columnsOf = (...both: readonly (Row | undefined)[]): readonly Pair[] =>
    isHead ? columns : alike(Math.max(...both.map((row) => row?.cells.length ?? 0)))
  const edits: Edit[] = []
  const added: AddedRow[] = []
  const deletedRows: (readonly string[])[] = []
  const follows = new Map<Row, Row | undefined>()
  const changedCells: (readonly [string, string])[] = []
  let after = -1
  for (const [one, other] of rows) {
    const [before, then] = [olds[one ?? -1], youngs[other ?? -1]]
    const own = columnsOf(before, then)
    if (before !== undefined) {
      after = before.line
      follows.set(before, then)
      edits.push(...editsOf(before, then, own))
      if (then === undefined) deletedRows.push(before.cells)
      else
        for (const [at, now] of own) {
          const [old, young] = [before.cells[at ?? -1] ?? '', then.cells[now ?? -1] ?? '']
          if (at !== undefined && now !== undefined && old !== young) changedCells.push([old, young])
        }
    } else if (then !== undefined) {
      const textsOf = (areNew: boolean): string[] =>
        own.flatMap(([at, now]) => ((at === undefined) === areNew ? [then.cells[now ?? -1] ?? ''] : []))
      added.push({ after, cells: textsOf(false), added: textsOf(true) })
    }
  }
  let before = 0
  const newColumns = columns.flatMap(([at, now]): AddedColumn[] => {
    if (at !== undefined) {
      before = at + 1
      return []
    }
    return [{ before, cells: olds.map((row) => follows.get(row)?.cells[now ?? -1] ?? '') }]
  })
  const deletedColumns = columns.flatMap(([at, now]) =>
    at === undefined || now !== undefined ? [] : [olds.map(({ cells }) => cells[at] ?? '')]
  )
  return { edits, columns: newColumns, rows: added, deletedColumns, deletedRows, changedCells }
}
