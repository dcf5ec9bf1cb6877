/**
 * The orders of the columns in rows of a sheet. A move of a column rewrites each row at its place. The same cell then has another index in the old and
 * in the new row. Cells of one row may have the same text, so all rows of a sheet are compared.
 */
import type * as Y from 'yjs'
import { cellsOf, composed, inverse, type Order, orderOf, reordered, type TwoRows, wordsOf } from '../../shared/fences/column-order.ts'
import { fencesOf } from '../../shared/fences/fences.ts'
import { itemAt } from '../../shared/text/items.ts'
import { copiesOf, type deletedLines, isNew, isRewrite, type MovedLine } from '../../shared/text/moved-lines.ts'
import { indexOf, isLive, joined, keyOf, lineFrom } from './line-parts.ts'
import type { LineChange } from './moved-line-edits.ts'

/** The most rows whose order is kept. */
const rowsMax = 2000
/** The longest text in which sheets are looked for, in UTF-16 units. In longer text, all rows count as one sheet. */
const textUnitsMax = 128 * 1024

/** A row before and after a change. */
interface Row extends TwoRows {
  readonly from: Y.ID
  readonly to: Y.ID
  /** Whether the row is still on its line. */
  readonly isInPlace: boolean
}

/** Whether two rows have the same cells in the same order. */
const areSame = ({ old, young }: Row): boolean => {
  const [before, now] = [cellsOf(old), cellsOf(young)]
  return before.length === now.length && before.every((cell, index) => wordsOf(cell) === wordsOf(now[index]))
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
