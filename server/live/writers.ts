/**
 * Tells whether one page alone has changed the text. Such a page knew all of it when it changed it, so no change of it has to be brought to another
 * place. Without this, undo and redo of one person could look like changes by somebody who did not know of a move.
 */
import * as Y from 'yjs'

export interface Writers {
  /** Notes the first update of a page since it connected, before it is applied. `vector` is the state vector that the page sent when it connected. */
  arrived(vector: Uint8Array): void
  /** Notes a transaction by a page, or by the service. Call it after the transaction. */
  wrote(writer: unknown, transaction: Y.Transaction): void
  /** Whether the last writer knew all of the text, because nobody else wrote. */
  isAlone(): boolean
  /** Returns a number for the page that made the last change, as long as it is connected; undefined if it was none, or several. */
  last(): number | undefined
}

/** `isHere` returns whether a page is still connected. A page that connects later receives what it wrote. */
export const createWriters = (store: Y.Doc['store'], isHere: (writer: unknown) => boolean): Writers => {
  /** At most two. */
  const writers = new Set<unknown>()
  const numbers = new WeakMap<object, number>()
  let count = 0
  let last: number | undefined
  let isBehind = false
  /** Whether a page changed the text without a connection while others did so too. */
  let isApart = false
  return {
    arrived(vector) {
      if (![...writers].some(isHere)) writers.clear()
      const clocks = Y.decodeStateVector(vector)
      isBehind = [...store.clients.keys()].some((client) => Y.getState(store, client) > (clocks.get(client) ?? 0))
    },
    wrote(writer, { deleteSet, beforeState, afterState }) {
      const isChange = deleteSet.clients.size > 0 || [...afterState].some(([client, clock]) => clock > (beforeState.get(client) ?? 0))
      if (isChange && writers.size < 2) writers.add(writer)
      if (typeof writer === 'object' && writer !== null && !numbers.has(writer)) numbers.set(writer, ++count)
      last = typeof writer === 'object' && writer !== null ? numbers.get(writer) : undefined
      isApart ||= isChange && isBehind
      isBehind = false
    },
    isAlone: () => writers.size < 2 && !isApart,
    last: () => last
  }
}
