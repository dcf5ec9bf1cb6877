/**
 * Pins tie a comment or a suggestion to its text. A pin stores its characters (characters.ts), and its words with their context. The words find the
 * text again when a replacement of the document removed the characters and put the words elsewhere.
 */
import type * as Y from 'yjs'
import { contextOf, type Range } from './anchors.ts'
import { locate, type Place, placesOf } from './characters.ts'
import type { Edit } from './diff.ts'
import { findAgain, findAround, findReturned, findTelling, type Lost } from './repin.ts'
import { surroundingsTaken } from './surroundings.ts'

export interface Pin {
  /** Null: a replacement removed the text and did not put it back. */
  readonly place: Place | null
  /** The words, equal to the characters of `place` unit for unit. */
  readonly quote: string
  readonly prefix: string
  readonly suffix: string
}

/** Returns pins on ranges of the current text, which is `content`. */
export const pinsAt = (text: Y.Text, content: string, ranges: readonly Range[]): Pin[] =>
  placesOf(text, content, ranges).map((place, index) => {
    const range = ranges[index] as Range
    return { place, quote: content.slice(range.from, range.to), ...contextOf(content, range) }
  })

/** Returns the current ranges of pins in the text `content`; undefined for a pin whose text is gone. */
export const locatePins = (text: Y.Text, content: string, pins: readonly Pin[]): (Range | undefined)[] => {
  const placed = pins.flatMap(({ place, quote }, index) => (place === null ? [] : [{ place, quote, index }]))
  const found = locate(text, content, placed)
  const ranges = Array.from<Range | undefined>({ length: pins.length })
  placed.forEach(({ index }, position) => (ranges[index] = found[position]))
  return ranges
}

/** An unchanged run of this many units is the same text, even if much around it is gone. */
const runUnitsMin = 16

/**
 * Whether enough of a range is left after the edits to be the same text: half of it, or a long run. Characters that a difference spares by chance do
 * not suffice.
 */
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

/** A pin whose text changed. */
interface Sought extends Lost {
  readonly index: number
}

/** A pin whose text or identifying context was changed by the edits. */
interface Disturbed {
  readonly index: number
  /** The text of the pin's range before the edits. */
  readonly quote: string
  readonly was: Range
  readonly is: Range | undefined
}

interface Replacement {
  readonly before: string
  readonly after: string
  /** The applied edits from one text to the other. */
  readonly edits: readonly Edit[]
  /** Whether the edits come from a comparison of the texts, so that they spare characters by chance; false: somebody named the place of each. */
  readonly isCompared: boolean
}

interface Settled {
  /** The changed pins to store, by index. */
  readonly changed: ReadonlyMap<number, Pin>
  /** Returns the current ranges of all pins; undefined for a pin whose text is gone. */
  readonly ranges: readonly (Range | undefined)[]
}

/** Ranges after edits; undefined for ranges that an edit touches. */
const shifted = (edits: readonly Edit[]): ((range: Range) => Range | undefined) => {
  let sum = 0
  const shifts = [0, ...edits.map(({ from, to, insert }) => (sum += insert.length - (to - from)))]
  return ({ from, to }) => {
    let [low, high] = [0, edits.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((edits[middle] as Edit).to < from) low = middle + 1
      else high = middle
    }
    const next = edits[low]
    const shift = shifts[low] ?? 0
    return next !== undefined && next.from <= to ? undefined : { from: from + shift, to: to + shift }
  }
}

const deletesWithin = ({ from, to }: Range, edits: readonly Edit[]): boolean =>
  edits.some((edit) => edit.from < to && edit.to > from && edit.to > edit.from)

/**
 * Updates pins after a replacement of the document. `stood` has their previous ranges. A pin whose text moved follows it. A pin with almost no text
 * left becomes lost instead of moving to other text.
 */
export const pinsAfter = (
  text: Y.Text,
  pins: readonly Pin[],
  stood: readonly (Range | undefined)[],
  { before, after, edits, isCompared }: Replacement
): Settled => {
  const shift = shifted(edits)
  const ranges = pins.map(({ quote }, index) => {
    const was = stood[index]
    // A point between two characters is tied to them, and they may have moved.
    const isWhole = was !== undefined && quote !== '' && was.to - was.from === quote.length && before.startsWith(quote, was.from)
    return isWhole ? shift(was) : undefined
  })
  // Only touched and incomplete pins can be in another place than the one to which the edits moved them.
  const unsure = [...pins.keys()].filter((index) => ranges[index] === undefined)
  const located = locatePins(
    text,
    after,
    unsure.map((index) => pins[index] as Pin)
  )
  unsure.forEach((index, position) => (ranges[index] = located[position]))

  const lost: Sought[] = []
  const disturbed: Disturbed[] = []
  const isTaken = isCompared ? surroundingsTaken(before, after, edits) : () => false
  const taken = new Set(
    [...pins.keys()].filter((index) => ranges[index] !== undefined && stood[index] !== undefined && isTaken(stood[index]))
  )
  for (const index of new Set([...unsure, ...taken])) {
    const [pin, was, is] = [pins[index] as Pin, stood[index], ranges[index]]
    if (was === undefined) {
      if (is === undefined) lost.push({ ...pin, standing: false, index })
      continue
    }
    const quote = before.slice(was.from, was.to)
    if (is === undefined || taken.has(index) || after.slice(is.from, is.to) !== quote) disturbed.push({ index, quote, was, is })
  }

  const again: { readonly range: Range; readonly index: number }[] = []
  const telling = findTelling(
    disturbed.map(({ quote }) => quote),
    before,
    after
  )
  for (const [position, { index, quote, was, is }] of disturbed.entries()) {
    const found = telling[position]
    if (found !== undefined) {
      if (found.from !== is?.from || found.to !== is.to) again.push({ range: found, index })
      continue
    }
    const hasGrown = is !== undefined && quote !== '' && !deletesWithin(was, edits)
    if (hasGrown && !taken.has(index)) continue
    // Characters left in place count more than the same words elsewhere.
    if (is === undefined || taken.has(index) || !isKept(was, edits)) lost.push({ quote, ...contextOf(before, was), standing: true, index })
    else {
      const range = findAround(after, quote, is)
      if (range !== undefined) again.push({ range, index })
    }
  }
  findAgain(lost, before, after, edits).forEach((range, position) => {
    if (range !== undefined) again.push({ range, index: (lost[position] as Sought).index })
  })

  const changed = new Map<number, Pin>()
  for (const { quote, prefix, suffix, standing, index } of lost) {
    ranges[index] = undefined
    // The last context identifies the text when it returns.
    if (standing) changed.set(index, { place: null, quote, prefix, suffix })
  }
  const fresh = pinsAt(
    text,
    after,
    again.map(({ range }) => range)
  )
  again.forEach(({ range, index }, position) => {
    changed.set(index, fresh[position] as Pin)
    ranges[index] = range
  })
  return { changed, ranges }
}

/**
 * Pins whose lost text has returned, by index, with their ranges: undoing a deletion creates new characters. `ranges` has the ranges of the pins in
 * the text `content`. Takes bounded time.
 */
export const pinsReturned = (
  text: Y.Text,
  content: string,
  pins: readonly Pin[],
  ranges: readonly (Range | undefined)[]
): ReadonlyMap<number, { readonly pin: Pin; readonly range: Range }> => {
  const isThere = (quote: string, range: Range | undefined): boolean =>
    range !== undefined && (quote === '' || content.slice(range.from, range.to) === quote)
  const gone = [...pins.keys()].filter((index) => !isThere((pins[index] as Pin).quote, ranges[index]))
  const found = findReturned(
    gone.map((index) => ({ ...(pins[index] as Pin), left: ranges[index] })),
    content
  )
  const back = gone.flatMap((index, position) => {
    const range = found[position]
    return range === undefined ? [] : [{ index, range }]
  })
  const fresh = pinsAt(
    text,
    content,
    back.map(({ range }) => range)
  )
  return new Map(back.map(({ index, range }, position) => [index, { pin: fresh[position] as Pin, range }]))
}
