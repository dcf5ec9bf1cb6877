/** Orders of the cells in rows of a sheet. A move of a column puts the cells of each row into another order. */
import { limits } from '../limits.ts'

/** Matches the bar between two cells. */
export const cellBar = /(?<!\\)\|/

/** For each column of a row, its index in another row. Columns that are not in the list have the same index. */
export type Order = readonly number[]

/** A row before and after a move of a column. */
export interface TwoRows {
  readonly old: string
  readonly young: string
}

/** Returns the cells of a row, without the text before its first bar and behind its last one. */
export const cellsOf = (row: string): string[] => row.split(cellBar).slice(1, -1)

/** Returns the text by which a cell is recognized. A move of columns adjusts formulas. */
export const wordsOf = (cell = ''): string => (cell.trim().startsWith('=') ? '=' : cell.trim())

/**
 * Returns the order that explains most cells of some rows. Columns with the same cells keep their order. All columns do if there are more than a sheet
 * may have.
 */
export const orderOf = (rows: readonly TwoRows[]): Order => {
  const cells = rows.map(({ old, young }) => [cellsOf(old), cellsOf(young)] as const)
  const width = cells.flat().reduce((most, { length }) => Math.max(most, length), 0)
  if (width > limits.sheetColumnsMax) return []
  const columns = Array.from({ length: width }, (_column, index) => index)
  const likeness = (from: number, to: number): number =>
    cells.reduce((count, [old, young]) => count + Number(wordsOf(old[from]) === wordsOf(young[to])), 0)
  const pairs = columns.flatMap((from) => columns.map((to) => ({ from, to, likeness: likeness(from, to) })))
  const order: number[] = []
  const taken = new Set<number>()
  for (const { from, to } of pairs.toSorted((one, other) => other.likeness - one.likeness)) {
    if (order[from] !== undefined || taken.has(to)) continue
    order[from] = to
    taken.add(to)
  }
  return order
}

const lengthOf = (...orders: readonly Order[]): number => Math.max(...orders.map(({ length }) => length))
export const composed = (first: Order, second: Order): Order =>
  Array.from({ length: lengthOf(first, second) }, (_column, at) => second[first[at] ?? at] ?? first[at] ?? at)
export const inverse = (order: Order): Order => order.map((_to, at) => order.indexOf(at))

/** Returns a row with its cells in another order. A row that ends before a moved column has empty cells there. */
export const reordered = (row: string, order: Order): string => {
  const last = order.findLastIndex((to, from) => to !== from)
  if (last === -1 || !row.startsWith('|') || !row.trimEnd().endsWith('|')) return row
  const cells = cellsOf(row)
  const from = inverse(order)
  const now = Array.from({ length: Math.max(cells.length, last + 1) }, (_cell, at) => cells[from[at] ?? at] ?? '   ')
  return `|${now.join('|')}|${row.slice(row.trimEnd().length)}`
}
