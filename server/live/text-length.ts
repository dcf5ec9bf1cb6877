/**
 * Computes the length that the text will have after an update, before the update is applied. The length is computed from the update and the Yjs
 * store, because a copy would need as much memory as the document itself.
 */
import * as Y from 'yjs'
import { textRootName } from '../../shared/names.ts'
import type { ParsedUpdate, Span } from './update-check.ts'

/** Merges spans into a list without overlaps, in the order of clients and clocks. */
const united = (spans: readonly Span[]): Span[] => {
  const result: Span[] = []
  for (const span of spans.toSorted((one, other) => one.client - other.client || one.from - other.from)) {
    const last = result.at(-1)
    if (last === undefined || last.client !== span.client || span.from > last.to) result.push(span)
    else if (span.to > last.to) result[result.length - 1] = { ...last, to: span.to }
  }
  return result
}

/** Returns how many units of a stored span are part of the text. */
const standing = (structs: readonly (Y.Item | Y.GC)[], from: number, to: number): number => {
  let units = 0
  for (let index = Y.findIndexSS(structs as (Y.Item | Y.GC)[], from); index < structs.length; index++) {
    const struct = structs[index] as Y.Item | Y.GC
    const { clock } = struct.id
    if (clock >= to) break
    if (struct instanceof Y.Item && !struct.deleted && struct.countable)
      units += Math.min(to, clock + struct.length) - Math.max(from, clock)
  }
  return units
}

/** Counts the units that two lists of merged spans have in common. */
const inBoth = (one: readonly Span[], other: readonly Span[]): number => {
  let units = 0
  for (let left = 0, right = 0; left < one.length && right < other.length;) {
    const [mine, theirs] = [one[left] as Span, other[right] as Span]
    if (mine.client === theirs.client) units += Math.max(0, Math.min(mine.to, theirs.to) - Math.max(mine.from, theirs.from))
    const mineEndsFirst = mine.client < theirs.client || (mine.client === theirs.client && mine.to <= theirs.to)
    if (mineEndsFirst) left++
    else right++
  }
  return units
}

const unitsOf = (spans: readonly Span[]): number => spans.reduce((sum, { from, to }) => sum + to - from, 0)

/**
 * Returns the length of the text after an update, in units. It takes into account text that the update inserts as already deleted, and text that it
 * deletes.
 */
export const lengthAfter = (ydoc: Y.Doc, { texts, deletions }: ParsedUpdate): number => {
  const { store } = ydoc
  const known = (client: number): number => Y.getState(store, client)
  const gone = united(deletions)
  const fresh = united(
    texts.map((span) => ({ ...span, from: Math.max(span.from, known(span.client)) })).filter(({ from, to }) => from < to)
  )
  const removed = gone.map(({ client, from, to }) => {
    const end = Math.min(to, known(client))
    return from < end ? standing(store.clients.get(client) ?? [], from, end) : 0
  })
  const added = unitsOf(fresh) - inBoth(fresh, gone)
  return ydoc.getText(textRootName).length + added - removed.reduce((sum, units) => sum + units, 0)
}
