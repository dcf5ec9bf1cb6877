/**
 * Pins: what ties a comment or a suggestion to its text. A pin knows its characters (characters.ts), and the words with what stood around
 * them, to find them again when a replacement of the document took the characters out and put the words back elsewhere.
 */
import type * as Y from 'yjs'
import { contextOf, type Range } from './anchors.ts'
import { locate, type Place, placesOf } from './characters.ts'
import type { Edit } from './diff.ts'
import { findAgain, type Lost } from './repin.ts'

export interface Pin {
  /** Null: a replacement took the text out and did not put it back. */
  readonly place: Place | null
  /** The words; those of the characters of `place`, unit for unit. */
  readonly quote: string
  readonly prefix: string
  readonly suffix: string
}

/** Pins on ranges of the present text, which is `content`. */
export const pinsAt = (text: Y.Text, content: string, ranges: readonly Range[]): Pin[] =>
  placesOf(text, content, ranges).map((place, index) => {
    const range = ranges[index] as Range
    return { place, quote: content.slice(range.from, range.to), ...contextOf(content, range) }
  })

/** Where pins are now, in the text `content`; undefined: their text is gone. */
export const locatePins = (text: Y.Text, content: string, pins: readonly Pin[]): (Range | undefined)[] => {
  const placed = pins.flatMap(({ place, quote }, index) => (place === null ? [] : [{ place, quote, index }]))
  const found = locate(text, content, placed)
  const ranges = Array.from<Range | undefined>({ length: pins.length })
  placed.forEach(({ index }, position) => (ranges[index] = found[position]))
  return ranges
}

/** A run of this many units that a replacement left alone is the same text, however much around it went. */
const runUnitsMin = 16

/** Whether enough of a range is left after the edits to be the same text: half of it, or a long run. What a difference spares by chance is not. */
const isKept = ({ from, to }: Range, edits: readonly Edit[]): boolean => {
  let at = from
  let kept = 0
  let longest = 0
  const keep = (until: number): void => {
    kept += Math.max(0, until - at)
    longest = Math.max(longest, until - at)
  }
  for (const edit of edits) {
    if (edit.to <= from || edit.from >= to) continue
    keep(edit.from)
    at = Math.max(at, edit.to)
  }
  keep(to)
  return kept * 2 >= to - from || longest >= runUnitsMin
}

const covers = (one: Range, other: Range): boolean => one.from <= other.from && one.to >= other.to

/** A pin whose text changed. */
interface Sought extends Lost {
  /** Where enough of it is left. */
  readonly kept: Range | undefined
  readonly index: number
}

interface Replacement {
  readonly before: string
  readonly after: string
  /** Lead from one to the other, and were applied. */
  readonly edits: readonly Edit[]
}

/**
 * What becomes of pins when a replacement of the document took text away: those to be kept instead, by index. `stood` says where they were
 * before. A pin whose text is elsewhere now goes there; one of which next to nothing is left is lost rather than put on other text.
 */
export const pinsAfter = (
  text: Y.Text,
  pins: readonly Pin[],
  stood: readonly (Range | undefined)[],
  { before, after, edits }: Replacement
): ReadonlyMap<number, Pin> => {
  const now = locatePins(text, after, pins)
  const sought = pins.flatMap((pin, index): Sought[] => {
    const [was, is] = [stood[index], now[index]]
    if (was === undefined) return is === undefined ? [{ ...pin, standing: false, kept: undefined, index }] : []
    const quote = before.slice(was.from, was.to)
    if (is !== undefined && after.slice(is.from, is.to) === quote) return []
    return [{ quote, ...contextOf(before, was), standing: true, kept: isKept(was, edits) ? is : undefined, index }]
  })
  const again = findAgain(sought, before, after, edits).flatMap((range, position) => {
    const { kept, index } = sought[position] as Sought
    // What is left in its place counts more than the same words elsewhere.
    return range === undefined || (kept !== undefined && !covers(range, kept)) ? [] : [{ range, index }]
  })
  const fresh = pinsAt(
    text,
    after,
    again.map(({ range }) => range)
  )
  const changed = new Map<number, Pin>()
  for (const { quote, prefix, suffix, standing, kept, index } of sought)
    // What stood around it last is what will tell it when it comes back.
    if (standing && kept === undefined) changed.set(index, { place: null, quote, prefix, suffix })
  again.forEach(({ index }, position) => changed.set(index, fresh[position] as Pin))
  return changed
}
