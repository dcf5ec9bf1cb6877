/**
 * The orders of the columns in rows of a sheet. A move of a column rewrites each row at its place. The same cell then has another index in the old and
 * in the new row. Cells of one row may have the same text, so all rows of a sheet are compared.
 */
import type * as Y from 'yjs'
import { fencesOf } from '../../shared/fences/fences.ts'
import { itemAt } from '../../shared/text/items.ts'
import { copiesOf, type deletedLines, isNew, isRewrite, type MovedLine } from '../../shared/text/moved-lines.ts'
import { cellBar, indexOf, isLive, joined, keyOf, lineFrom } from './line-parts.ts'
import type { LineChange } from './moved-line-edits.ts'

/** The most rows whose order is kept. */
const rowsMax = 2000
/** The longest text in which sheets are looked for, in UTF-16 units. In longer text, all rows count as one sheet. */
const textUnitsMax = 128 * 1024

/** For each column of a row, its index in another row. Columns that are not in the list have the same index. */
type Order = readonly number[]

/** A row before and after a change. */
interface Row {
  readonly from: Y.ID
  readonly to: Y.ID
  readonly old: string
  readonly young: string
  /** Whether the row is still on its line. */
  readonly isInPlace: boolean
}

/** Returns the cells of a row, without the text before its first bar and behind its last one. */
const cellsOf = (row: string): string[] => row.split(cellBar).slice(1, -1)

/** Returns the text by which a cell is recognized. A move of columns adjusts formulas. */
const wordsOf = (cell = ''): string => (cell.trim().startsWith('=') ? '=' : cell.trim())

/** Whether two rows have the same cells in the same order. */
const areSame = ({ old, young }: Row): boolean => {
  const [before, now] = [cellsOf(old), cellsOf(young)]
  return before.length === now.length && before.every((cell, index) => wordsOf(cell) === wordsOf(now[index]))
}

/** Returns the order that explains most cells of some rows. Columns with the same cells keep their order. */
const orderOf = (rows: readonly Row[]): Order => {
  const cells = rows.map(({ old, young }) => [cellsOf(old), cellsOf(young)] as const)
  const width = cells.flat().reduce((most, { length }) => Math.max(most, length), 0)
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
const composed = (first: Order, second: Order): Order =>
  Array.from({ length: lengthOf(first, second) }, (_column, at) => second[first[at] ?? at] ?? first[at] ?? at)
const inverse = (order: Order): Order => order.map((_to, at) => order.indexOf(at))

/** Returns a row with its cells in another order. A row that ends before a moved column has empty cells there. */
export const reordered = (row: string, order: Order): string => {
  const last = order.findLastIndex((to, from) => to !== from)
  if (last === -1 || !row.startsWith('|') || !row.trimEnd().endsWith('|')) return row
  const cells = cellsOf(row)
  const from = inverse(order)
  const now = Array.from({ length: Math.max(cells.length, last + 1) }, (_cell, at) => cells[from[at] ?? at] ?? '   ')
  return `|${now.join('|')}|${row.slice(row.trimEnd().length)}`
}

/** Returns a change of a row for a copy whose cells are in another order. */
export const inOrder = ({ base, changed, blind }: LineChange, order: Order): LineChange => ({
  base: reordered(base, order),
  changed: reordered(changed, order),
  blind: blind && { base: reordered(blind.base, order), changed: reordered(blind.changed, order) }
})

/** Text whose lines have marks. */
export interface MarkedText {
  readonly ydoc: Y.Doc
  snapshot(): { readonly content: string }
}

export interface ColumnOrders {
  /** Notes the rows that a transaction moved or rewrote. */
  note(transaction: Y.Transaction, moves: readonly MovedLine[], deleted: ReturnType<typeof deletedLines>): void
  /** Returns the index that each column of a row has in another copy of the row. */
  between(from: Y.ID, to: Y.ID): Order
}

export const createColumnOrders = (openDoc: MarkedText): ColumnOrders => {
  const { ydoc } = openDoc
  const { store } = ydoc
  /** The orders of rows, relative to the first known copy of each row. */
  const known = new Map<string, Order>()

  const add = (from: Y.ID, to: Y.ID, order: Order): void => {
    const before = known.get(keyOf(from)) ?? []
    known.set(keyOf(from), before).set(keyOf(to), composed(before, order))
    for (const key of known.keys()) if (known.size > rowsMax) known.delete(key)
  }

  /** Returns a row before and after a transaction that inserted its copy `to`. */
  const rowAfter = (transaction: Y.Transaction, { from, to }: MovedLine, old: string): Row | undefined => {
    const item = itemAt(store, to)
    if (item === undefined || !isLive(item) || !isNew(transaction, item)) return undefined
    const young = joined(lineFrom(store, to, isLive).pieces.filter(({ id }) => id.client === to.client))
    return { from, to, old, young, isInPlace: isRewrite(store, { from, to }) }
  }

  /** Groups rows by their sheet, and by the people who wrote them. */
  const bySheet = (rows: readonly Row[]): Row[][] => {
    const { content } = openDoc.snapshot()
    const fences = content.length > textUnitsMax ? [] : fencesOf(content)
    const groups = new Map<string, Row[]>()
    for (const row of rows) {
      const at = indexOf(ydoc, row.to) ?? -1
      const key = `${row.to.client} ${fences.findIndex(({ bodyFrom, bodyTo }) => bodyFrom <= at && at <= bodyTo)}`
      groups.set(key, [...(groups.get(key) ?? []), row])
    }
    return [...groups.values()]
  }

  return {
    note(transaction, moves, deleted) {
      const texts = new Map(deleted.flatMap(({ first, text }) => (text.startsWith('|') ? [[keyOf(first), text] as const] : [])))
      const rows = moves.flatMap(({ from }) => {
        const text = texts.get(keyOf(from))
        return text === undefined ? [] : copiesOf(store, from).flatMap((to) => rowAfter(transaction, { from, to }, text) ?? [])
      })
      for (const group of rows.length === 0 ? [] : bySheet(rows)) {
        const order = orderOf(group.filter(({ isInPlace }) => isInPlace))
        for (const row of group) add(row.from, row.to, row.isInPlace || !areSame(row) ? order : [])
      }
    },
    between: (from, to) => composed(inverse(known.get(keyOf(from)) ?? []), known.get(keyOf(to)) ?? [])
  }
}
