/** Marks where a person moved characters, or cut and pasted them, so that anchors follow them (carried.ts). */
import type * as Y from 'yjs'
import { type Carried, lengthOf } from './carried.ts'
import { itemAt } from './items.ts'
import { putBetween, putMark } from './moved-lines.ts'

/** The most marks of one change. */
const marksMax = 200

/** The greatest distance, in UTF-16 units, that one mark encodes. */
const shiftMax = 10_000

/** A mark before the items of a run and of its new place. Marks within a line would hide from the service which text belongs to it. */
interface Mark {
  readonly old: Y.Item
  readonly now: Y.Item
  readonly length: number
}

const markOf = (store: Y.Doc['store'], { from, to }: Carried): Mark | undefined => {
  const [old, now] = [itemAt(store, from), itemAt(store, to)]
  if (old === undefined || now === undefined) return undefined
  const shift = to.clock - now.id.clock - (from.clock - old.id.clock)
  return Math.abs(shift) > shiftMax ? undefined : { old, now, length: lengthOf(shift) }
}

/** Adds marks in a transaction of its own, after the characters were inserted. Its origin is not that of a step, so undo does not contain it. */
export const markCarried = (text: Y.Text, runs: readonly Carried[]): void => {
  const { doc } = text
  if (doc === null) return
  doc.transact((transaction) => {
    let last: Mark | undefined
    for (const run of runs.slice(0, marksMax)) {
      const mark = markOf(doc.store, run)
      // Several runs may be in one item.
      if (mark === undefined || (last?.old === mark.old && last.now === mark.now && last.length === mark.length)) continue
      last = mark
      const { old, now, length } = mark
      // Otherwise, Yjs would merge the item with text that was typed right after it, once that text is deleted.
      const { right } = old
      if (right?.id.client === old.id.client && right.id.clock === old.id.clock + old.length) putBetween(transaction, text, old, right, 1)
      const half = putMark(transaction, text, old.id, 1)
      putMark(transaction, text, now.id, length)
      if (half !== undefined) putMark(transaction, text, half, 1)
    }
  }, markCarried)
}
