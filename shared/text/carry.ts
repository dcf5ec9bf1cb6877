/** Marks where a person moved characters, or cut and pasted them, so that anchors follow them (carried.ts). */
import * as Y from 'yjs'
import type { Carried } from './carried.ts'
import { itemAt } from './items.ts'
import { putBetween, putMark, splitAt } from './moved-lines.ts'

/** The most marks of one change. */
const marksMax = 200

/** Adds marks in a transaction of its own, after the characters were inserted. Its origin is not that of a step, so undo does not contain it. */
export const markCarried = (text: Y.Text, runs: readonly Carried[]): void => {
  const { doc } = text
  if (doc === null) return
  doc.transact((transaction) => {
    for (const { from, to, length } of runs.slice(0, marksMax)) {
      const last = Y.createID(from.client, from.clock + length - 1)
      splitAt(transaction, Y.createID(from.client, from.clock + length))
      const end = itemAt(doc.store, last)
      if (end === undefined || itemAt(doc.store, to) === undefined) continue
      putBetween(transaction, text, end, end.right, 1)
      const half = putMark(transaction, text, from, 1)
      putMark(transaction, text, to, 3)
      if (half !== undefined) putMark(transaction, text, half, 1)
    }
  }, markCarried)
}
