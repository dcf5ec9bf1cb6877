/**
 * Identifies characters in the text. Yjs gives each typed character an id (client, clock) that never changes, no matter what other people edit. A place
 * stores the ids of its characters. Its current range contains the characters that remain.
 *
 * A pair of relative positions would not be sufficient: if everything between them were replaced, they would point at the new text.
 */
import * as Y from 'yjs'
import { type Range, splitsPair } from './targets.ts'
import { lastAt } from '../last-at.ts'
import { createFollower, type Follower } from './carried.ts'

export type CharacterId = readonly [client: number, clock: number]

export interface CharacterPosition {
  /** Client, clock and length of each run of characters, in the order of the text. It is empty for a place between two characters. */
  readonly spans: readonly number[]
  /**
   * The character directly before the place when it was created; null at the beginning of the text. `right` is the character directly after it, or
   * null at the end.
   */
  readonly left: CharacterId | null
  readonly right: CharacterId | null
  /** The neighbors that must still exist, for a place between two characters. */
  readonly needs: 'left' | 'right' | 'both'
}

/** A place with its text at the time it was created. */
export interface Quoted {
  readonly place: CharacterPosition
  readonly quote: string
}

interface Run {
  readonly item: Y.Item
  /** Offset of the item in the text. */
  readonly at: number
}

const startOf = (text: Y.Text): Y.Item | null => (text as unknown as { readonly _start: Y.Item | null })._start

/** Returns the items that contain text, in order. */
const runsOf = (text: Y.Text): Run[] => {
  const runs: Run[] = []
  let at = 0
  for (let item = startOf(text); item !== null; item = item.right) {
    if (item.deleted || !item.countable) continue
    runs.push({ item, at })
    at += item.length
  }
  return runs
}

/** Returns the index of the run that contains the character at an offset. */
const runAt = (runs: readonly Run[], offset: number): number => lastAt(runs, ({ at }) => at, offset)

const idAt = (runs: readonly Run[], offset: number, length: number): CharacterId | null => {
  if (offset < 0 || offset >= length) return null
  const { item, at } = runs[runAt(runs, offset)] as Run
  return [item.id.client, item.id.clock + offset - at]
}

const spansOf = (runs: readonly Run[], { from, to }: Range): number[] => {
  const spans: number[] = []
  for (let index = runAt(runs, from); from < to && index < runs.length; index++) {
    const { item, at } = runs[index] as Run
    if (at >= to) break
    const [start, end] = [Math.max(from, at), Math.min(to, at + item.length)]
    const clock = item.id.clock + start - at
    const [client, since, length] = spans.slice(-3)
    if (client === item.id.client && (since ?? 0) + (length ?? 0) === clock) spans[spans.length - 1] = (length ?? 0) + end - start
    else spans.push(item.id.client, clock, end - start)
  }
  return spans
}

// A place at the end of a line belongs to the text before it. A place at the beginning of a line belongs to the text after it, and a place within a
// line to both.
const needsAt = (content: string, at: number): CharacterPosition['needs'] => {
  if (at === content.length) return 'left'
  if (at === 0 || content[at - 1] === '\n') return 'right'
  return content[at] === '\n' ? 'left' : 'both'
}

/** Returns the places for ranges of the current text, which is `content`. Walks the text once, regardless of the number of ranges. */
export const placesOf = (text: Y.Text, content: string, ranges: readonly Range[]): CharacterPosition[] => {
  if (ranges.length === 0) return []
  const runs = runsOf(text)
  return ranges.map((range) => ({
    spans: spansOf(runs, range),
    left: idAt(runs, range.from - 1, content.length),
    right: idAt(runs, range.to, content.length),
    needs: needsAt(content, range.from)
  }))
}

// ——— from places to offsets ———

type Structs = readonly (Y.Item | Y.GC)[]

/** A character found in the Yjs document. If it was deleted, its position in the document remains. */
interface Held {
  readonly item: Y.Item
  readonly offset: number
}

const structsOf = (text: Y.Text, client: number): Structs => text.doc?.store.clients.get(client) ?? []

const clockAfter = (structs: Structs): number => {
  const last = structs.at(-1)
  return last === undefined ? 0 : last.id.clock + last.length
}

const find = (text: Y.Text, [client, clock]: CharacterId): Held | undefined => {
  const structs = structsOf(text, client)
  if (clock >= clockAfter(structs)) return undefined
  const item = structs[Y.findIndexSS(structs as (Y.Item | Y.GC)[], clock)]
  return item instanceof Y.Item ? { item, offset: clock - item.id.clock } : undefined
}

/** A run of remaining characters of a place, inside one item. */
interface Piece extends Held {
  readonly length: number
  /** Offset of these characters in the quote. */
  readonly quoteAt: number
}

/** Yields the remaining characters of one run, in reverse order if `back`. */
function* piecesOfSpan(text: Y.Text, span: readonly [number, number, number], quoteAt: number, back: boolean): Generator<Piece> {
  const [client, clock, length] = span
  const structs = structsOf(text, client)
  const end = Math.min(clock + length, clockAfter(structs))
  if (clock >= end) return
  const step = back ? -1 : 1
  for (let index = Y.findIndexSS(structs as (Y.Item | Y.GC)[], back ? end - 1 : clock); ; index += step) {
    const item = structs[index]
    if (item === undefined || item.id.clock >= end || item.id.clock + item.length <= clock) return
    if (!(item instanceof Y.Item) || item.deleted) continue
    const from = Math.max(clock, item.id.clock)
    const to = Math.min(end, item.id.clock + item.length)
    yield { item, offset: from - item.id.clock, length: to - from, quoteAt: quoteAt + from - clock }
  }
}

/** Yields the remaining characters of a place in the order of the text, or in reverse order if `back`. */
function* piecesOf(text: Y.Text, { place: { spans }, quote }: Quoted, back: boolean): Generator<Piece> {
  let quoteAt = back ? quote.length : 0
  for (let at = back ? spans.length - 3 : 0; at >= 0 && at < spans.length; at += back ? -3 : 3) {
    const length = spans[at + 2] ?? 0
    if (back) quoteAt -= length
    yield* piecesOfSpan(text, [spans[at] ?? 0, spans[at + 1] ?? 0, length], quoteAt, back)
    if (!back) quoteAt += length
  }
}

interface Ends {
  readonly first: Held
  readonly last: Held
}

/**
 * Returns a pattern for the characters of a quote that count as text: letters and digits. If the quote has none, all characters except whitespace
 * count. If it consists of whitespace, all characters count.
 */
const solidOf = (quote: string): RegExp => [/[\p{L}\p{N}]/u, /\S/u].find((solid) => solid.test(quote)) ?? /[^]/u

/** Returns the offset of the last unit of the last solid character; -1 if there is none. */
const lastSolid = (text: string, solid: RegExp): number => {
  for (let end = text.length; end > 0;) {
    const start = splitsPair(text, end - 1) ? end - 2 : end - 1
    if (solid.test(text.slice(start, end))) return end - 1
    end = start
  }
  return -1
}

/**
 * Returns the outermost remaining characters. Whitespace and marks count only at the very edge of the quote. Without this rule, a comment on a
 * deleted word would stay on the space after that word.
 */
const endsOf = (text: Y.Text, quoted: Quoted): Ends | undefined => {
  const { quote } = quoted
  const solid = solidOf(quote)
  const partOf = ({ quoteAt, length }: Piece): string => quote.slice(quoteAt, quoteAt + length)
  const heldAt = ({ item, offset }: Piece, at: number): Held => ({ item, offset: offset + at })
  let first: Held | undefined
  for (const piece of piecesOf(text, quoted, false)) {
    if (piece.quoteAt === 0) first = heldAt(piece, 0)
    const at = partOf(piece).search(solid)
    if (at === -1) continue
    first ??= heldAt(piece, at)
    for (const other of piecesOf(text, quoted, true)) {
      const end = other.quoteAt + other.length === quote.length ? other.length - 1 : lastSolid(partOf(other), solid)
      if (end !== -1) return { first, last: heldAt(other, end) }
    }
  }
  return undefined
}

/** A place with the data needed to convert it to offsets. */
interface Sought {
  readonly quoted: Quoted
  readonly ends: Ends | undefined
  /** Where undo may have restored the characters. They count only if they are the whole quote. */
  readonly restored: Ends | undefined
  readonly left: Held | undefined
  readonly right: Held | undefined
}

/** Sets the offsets of items in the text. A deleted item gets the offset of the gap that it left. */
const offsetsOf = (text: Y.Text, items: Map<Y.Item, number>): void => {
  let at = 0
  let left = items.size
  for (let item = startOf(text); item !== null && left > 0; item = item.right) {
    if (items.has(item)) {
      items.set(item, at)
      left--
    }
    if (!item.deleted && item.countable) at += item.length
  }
}

const isThere = (held: Held | undefined): boolean => held !== undefined && !held.item.deleted

interface Sides {
  readonly place: CharacterPosition
  readonly left: Held | undefined
  readonly right: Held | undefined
  /** Returns the offset before or after a neighbor. A deleted neighbor has the offset of the gap that it left. */
  readonly offsetOf: (held: Held, isAfter: boolean) => number
}

/** Returns the original neighbors of each place; undefined if one is no longer known. Walks the text once. */
const sidesOf = (text: Y.Text, places: readonly (CharacterPosition | null)[]): (Sides | undefined)[] => {
  const items = new Map<Y.Item, number>()
  const held = (id: CharacterId | null): Held | undefined => {
    const found = id === null ? undefined : find(text, id)
    if (found !== undefined) items.set(found.item, 0)
    return found
  }
  const sides = places.map((place) => place && { place, left: held(place.left), right: held(place.right) })
  offsetsOf(text, items)
  const offsetOf = ({ item, offset }: Held, isAfter: boolean): number =>
    (items.get(item) ?? 0) + (item.deleted ? 0 : offset + (isAfter ? 1 : 0))
  return sides.map((side) => {
    if (side === null) return undefined
    const { place, left, right } = side
    const isUnknown = (place.left !== null && left === undefined) || (place.right !== null && right === undefined)
    return isUnknown ? undefined : { ...side, offsetOf }
  })
}

/** Returns the text between the original neighbors of each place; undefined if a neighbor is no longer known. Walks the text once. */
export const gapsOf = (text: Y.Text, length: number, places: readonly (CharacterPosition | null)[]): (Range | undefined)[] =>
  sidesOf(text, places).map((sides) => {
    if (sides === undefined) return undefined
    const { left, right, offsetOf } = sides
    const [from, to] = [left === undefined ? 0 : offsetOf(left, true), right === undefined ? length : offsetOf(right, false)]
    return { from: Math.min(from, to), to: Math.max(from, to) }
  })

/** Returns the offset of each place next to the original neighbor that remains; undefined if none remains. Walks the text once. */
export const edgesOf = (text: Y.Text, places: readonly (CharacterPosition | null)[]): (number | undefined)[] =>
  sidesOf(text, places).map((sides) => {
    if (sides === undefined) return undefined
    const { left, right, offsetOf } = sides
    if (left?.item.deleted === false) return offsetOf(left, true)
    return right?.item.deleted === false ? offsetOf(right, false) : undefined
  })

/** Returns the outermost characters at the places to which a person moved them, if they were deleted. */
const endsMoved = (text: Y.Text, { place, quote }: Quoted, follower: Follower | undefined): Ends | undefined =>
  follower && endsOf(text, { quote, place: { ...place, spans: follower.spans(place.spans, quote) } })

/** Returns a neighbor of a place between two characters, at the place to which a person moved it if it was deleted. */
const neighborNow = (text: Y.Text, id: CharacterId | null, isPoint: boolean, follower: Follower | undefined): Held | undefined => {
  const held = id === null ? undefined : find(text, id)
  if (!isPoint || held?.item.deleted !== true || id === null) return held
  const now = follower?.character({ client: id[0], clock: id[1] })
  return (now && find(text, [now.client, now.clock])) ?? held
}

/**
 * Returns where each place is now in the text `content`. If some of its characters were deleted, the range covers those that remain. If all were
 * deleted, the range is that of the same characters at their new place, if a person moved them or an undo restored them, and else undefined. The
 * function walks the text once.
 */
export const locate = (text: Y.Text, content: string, quoted: readonly Quoted[]): (Range | undefined)[] => {
  const items = new Map<Y.Item, number>()
  const [follower, restorer] = [false, true].map((restored) => (text.doc === null ? undefined : createFollower(text.doc.store, restored)))
  const note = (held: Held | undefined): Held | undefined => {
    if (held !== undefined) items.set(held.item, 0)
    return held
  }
  const sought = quoted.map((each): Sought => {
    const { place } = each
    const isPoint = place.spans.length === 0
    const ends = isPoint ? undefined : (endsOf(text, each) ?? endsMoved(text, each, follower))
    const restored = isPoint || ends !== undefined ? undefined : endsMoved(text, each, restorer)
    for (const held of [ends?.first, ends?.last, restored?.first, restored?.last]) note(held)
    const left = note(neighborNow(text, place.left, isPoint, follower))
    return { quoted: each, ends, restored, left, right: note(neighborNow(text, place.right, isPoint, follower)) }
  })
  offsetsOf(text, items)
  const before = ({ item, offset }: Held): number => (items.get(item) ?? 0) + (item.deleted ? 0 : offset)
  const after = (held: Held): number => before(held) + (held.item.deleted ? 0 : 1)

  const rangeOf = (ends: Ends | undefined): Range | undefined => ends && { from: before(ends.first), to: after(ends.last) }

  return sought.map(({ quoted: { place, quote }, ends, restored, left, right }) => {
    if (place.spans.length === 0) return between(place, left, right)
    const range = rangeOf(ends)
    const exact = [range, rangeOf(restored)].find((each) => each !== undefined && content.slice(each.from, each.to) === quote)
    return exact ?? again(place, quote, left, right) ?? range
  })

  /** Finds the quote between its original neighbors. The quote counts as found only if the text matches exactly. */
  function again(place: CharacterPosition, quote: string, left: Held | undefined, right: Held | undefined): Range | undefined {
    if ((place.left !== null && left === undefined) || (place.right !== null && right === undefined)) return undefined
    const from = left === undefined ? 0 : after(left)
    const to = right === undefined ? content.length : before(right)
    return to - from === quote.length && content.startsWith(quote, from) ? { from, to } : undefined
  }

  function between(place: CharacterPosition, left: Held | undefined, right: Held | undefined): Range | undefined {
    if (place.left === null && place.right === null) return content === '' ? { from: 0, to: 0 } : undefined
    const leftThere = place.left === null || isThere(left)
    const rightThere = place.right === null || isThere(right)
    if ((place.needs !== 'right' && !leftThere) || (place.needs !== 'left' && !rightThere)) return undefined
    const at = place.needs === 'right' ? (right === undefined ? content.length : before(right)) : left === undefined ? 0 : after(left)
    return { from: at, to: at }
  }
}
