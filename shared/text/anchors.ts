/**
 * The anchors of comments and suggestions, and how they follow their text. An anchor has the ids of its characters (characters.ts), and its text with
 * the context. Replacing the document may remove the characters and insert the same text elsewhere. The stored text is then used to find the new
 * place (reanchor.ts).
 */
import type * as Y from 'yjs'
import { contextOf, type Range } from './targets.ts'
import { edgesOf, locate, type CharacterPosition, placesOf } from './characters.ts'
import type { Edit } from './diff.ts'
import { findAgain, findAround, findMoved, findReturned, findTelling, type Lost } from './reanchor.ts'
import { surroundingsTaken } from './surroundings.ts'

export interface Anchor {
  /** The place of the anchor; null if the text was removed when the document was replaced, and was not inserted again. */
  readonly place: CharacterPosition | null
  /** The text of the anchor. It equals the characters of `place` unit for unit. */
  readonly quote: string
  readonly prefix: string
  readonly suffix: string
}

/** Returns anchors for ranges of the current text, which is `content`. */
export const anchorsAt = (text: Y.Text, content: string, ranges: readonly Range[]): Anchor[] =>
  placesOf(text, content, ranges).map((place, index) => {
    const range = ranges[index] as Range
    return { place, quote: content.slice(range.from, range.to), ...contextOf(content, range) }
  })

/** Returns the current ranges of anchors in the text `content`. The range of an anchor without text is undefined. */
export const locateAnchors = (text: Y.Text, content: string, anchors: readonly Anchor[]): (Range | undefined)[] => {
  const placed = anchors.flatMap(({ place, quote }, index) => (place === null ? [] : [{ place, quote, index }]))
  const found = locate(text, content, placed)
  const ranges = Array.from<Range | undefined>({ length: anchors.length })
  placed.forEach(({ index }, position) => (ranges[index] = found[position]))
  return ranges
}

/** Returns the end of the line that contains an offset. */
const lineEndAfter = (content: string, at: number): number => {
  const end = content.indexOf('\n', at)
  return end === -1 ? content.length : end
}

/**
 * Returns where text is to be inserted if its anchor is at `range`. New lines after a line are inserted at the end of that line, even if others have
 * since typed there. Otherwise, the typed text would become part of the new lines.
 */
export const insertionRange = (content: string, range: Range, { place }: Anchor, inserted: string): Range => {
  if (place?.needs !== 'left' || range.from !== range.to || !inserted.startsWith('\n')) return range
  const end = lineEndAfter(content, range.to)
  return { from: end, to: end }
}

/** An unchanged run of this many units counts as the same text, even if much of the surrounding text is gone. */
const runUnitsMin = 16

/**
 * Whether enough of a range remains after the edits to count as the same text. At least half of the range or a long run must remain, because single
 * characters often survive a comparison by chance.
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

/** An anchor that must be searched for, because its text changed. */
interface Sought extends Lost {
  readonly index: number
}

/** An anchor whose text or identifying context was changed by the edits. */
interface Disturbed {
  readonly index: number
  /** The text of the anchor's range before the edits. */
  readonly quote: string
  readonly was: Range
  readonly is: Range | undefined
}

interface Replacement {
  readonly before: string
  readonly after: string
  /** The edits that turned `before` into `after`. */
  readonly edits: readonly Edit[]
  /**
   * Whether the edits come from comparing two versions. Such edits keep some characters by chance. If false, a caller named the place of each edit.
   */
  readonly isCompared: boolean
}

interface Settled {
  /** The changed anchors to store, by index. */
  readonly changed: ReadonlyMap<number, Anchor>
  /** The current ranges of all anchors. The range of an anchor without text is undefined. */
  readonly ranges: readonly (Range | undefined)[]
}

/** Returns a function that gives a range after edits; undefined if an edit touches the range. */
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
 * Updates anchors after the document is replaced. `stood` contains their previous ranges. If the text of an anchor moved, the anchor follows it. If
 * almost none of an anchor's text is left, the anchor becomes lost instead of moving to other text.
 */
export const anchorsAfter = (
  text: Y.Text,
  anchors: readonly Anchor[],
  stood: readonly (Range | undefined)[],
  { before, after, edits, isCompared }: Replacement
): Settled => {
  const shift = shifted(edits)
  const ranges = anchors.map(({ quote }, index) => {
    const was = stood[index]
    // An anchor between two characters depends on these characters, which may have moved.
    const isWhole = was !== undefined && quote !== '' && was.to - was.from === quote.length && before.startsWith(quote, was.from)
    return isWhole ? shift(was) : undefined
  })
  // All other anchors are exactly where the edits moved them. Only touched and incomplete anchors can be elsewhere.
  const unsure = [...anchors.keys()].filter((index) => ranges[index] === undefined)
  const located = locateAnchors(
    text,
    after,
    unsure.map((index) => anchors[index] as Anchor)
  )
  unsure.forEach((index, position) => (ranges[index] = located[position]))

  const lost: Sought[] = []
  const disturbed: Disturbed[] = []
  const isTaken = isCompared ? surroundingsTaken(before, after, edits) : () => false
  const taken = new Set(
    [...anchors.keys()].filter((index) => ranges[index] !== undefined && stood[index] !== undefined && isTaken(stood[index]))
  )
  for (const index of new Set([...unsure, ...taken])) {
    const [anchor, was, is] = [anchors[index] as Anchor, stood[index], ranges[index]]
    if (was === undefined) {
      if (is === undefined) lost.push({ ...anchor, standing: false, index })
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
    // Characters that stayed in place are preferred to the same text elsewhere.
    if (is === undefined || taken.has(index) || !isKept(was, edits)) lost.push({ quote, ...contextOf(before, was), standing: true, index })
    else {
      const range = findAround(after, quote, is)
      if (range !== undefined) again.push({ range, index })
    }
  }
  findAgain(lost, before, after, edits).forEach((range, position) => {
    if (range !== undefined) again.push({ range, index: (lost[position] as Sought).index })
  })

  const changed = new Map<number, Anchor>()
  for (const { quote, prefix, suffix, standing, index } of lost) {
    ranges[index] = undefined
    // The anchor keeps its last known context, so that the text can be found if it returns.
    if (standing) changed.set(index, { place: null, quote, prefix, suffix })
  }
  const fresh = anchorsAt(
    text,
    after,
    again.map(({ range }) => range)
  )
  again.forEach(({ range, index }, position) => {
    changed.set(index, fresh[position] as Anchor)
    ranges[index] = range
  })
  return { changed, ranges }
}

/**
 * Returns anchors whose lost text has returned, by index, with their ranges. This happens because undoing a deletion creates new characters. `ranges`
 * contains the ranges of the anchors in the text `content`. The time is bounded.
 */
export const anchorsReturned = (
  text: Y.Text,
  content: string,
  anchors: readonly Anchor[],
  ranges: readonly (Range | undefined)[]
): ReadonlyMap<number, { readonly anchor: Anchor; readonly range: Range }> => {
  const isThere = (quote: string, range: Range | undefined): boolean =>
    range !== undefined && (quote === '' || content.slice(range.from, range.to) === quote)
  const gone = [...anchors.keys()].filter((index) => !isThere((anchors[index] as Anchor).quote, ranges[index]))
  const found = findReturned(
    gone.map((index) => ({ ...(anchors[index] as Anchor), left: ranges[index] })),
    content
  )
  return anchorsFound(text, content, gone, found)
}

/** Maximum length of the part of a line, before or after an offset, that is compared, in UTF-16 units. */
const partUnitsMax = 1000

/** Returns the part of a line before an offset. Undefined if it is too long. */
const lineBefore = (content: string, at: number): string | undefined => {
  const start = Math.max(0, at - partUnitsMax)
  const text = content.slice(start, at)
  const lineBreak = text.lastIndexOf('\n')
  return lineBreak === -1 && start > 0 ? undefined : text.slice(lineBreak + 1)
}

/** Returns the part of a line after an offset. Undefined if it is too long. */
const lineAfter = (content: string, at: number): string | undefined => {
  const text = content.slice(at, at + partUnitsMax)
  const lineBreak = text.indexOf('\n')
  return lineBreak === -1 && at + partUnitsMax < content.length ? undefined : text.slice(0, lineBreak === -1 ? undefined : lineBreak)
}

/** Matches the marker at the beginning of a list item. */
const itemMarker = /^[ \t]*(?:[-*+]|\d+[.)])[ \t]+/

const word = /[\p{L}\p{N}]/u

/** Whether a word at one end of a string is still there, or at least half of the string. A single letter can be there by chance. */
const isEdgeKept = (before: string, now: string, isEnd: boolean): boolean => {
  const at = (text: string, index: number): string => text.at(isEnd ? -1 - index : index) ?? ''
  const hasWord = (units: number): boolean => word.test(isEnd ? before.slice(before.length - units) : before.slice(0, units))
  const most = Math.min(before.length, now.length)
  let kept = 0
  while (kept < most && at(now, kept) === at(before, kept)) kept++
  let whole = kept
  if (word.test(at(before, kept))) while (whole > 0 && word.test(at(before, whole - 1))) whole--
  return hasWord(whole) || (hasWord(kept) && kept * 2 >= before.length)
}

/**
 * Whether words of a line are still there. `was` is an offset in the line before, and `at` its offset now. A part of the line that is too long to compare
 * counts as kept.
 */
const isLineKept = (before: string, was: number, content: string, at: number): boolean => {
  const [startBefore, start] = [lineBefore(before, was), lineBefore(content, at)]
  const [endBefore, end] = [lineAfter(before, was), lineAfter(content, at)]
  if (startBefore === undefined || start === undefined || endBefore === undefined || end === undefined) return true
  return isEdgeKept(startBefore.replace(itemMarker, ''), start.replace(itemMarker, ''), false) || isEdgeKept(endBefore, end, true)
}

/**
 * Returns anchors between two characters that lost one of them, by index, with their ranges. They stay in their line as long as words of it remain.
 * `stood` and `now` have the ranges in `before` and in `content`.
 */
export const anchorsBeside = (
  text: Y.Text,
  before: string,
  content: string,
  anchors: readonly Anchor[],
  stood: readonly (Range | undefined)[],
  now: readonly (Range | undefined)[]
): ReadonlyMap<number, { readonly anchor: Anchor; readonly range: Range }> => {
  const lost = [...anchors.keys()].filter((index) => anchors[index]?.quote === '' && stood[index] !== undefined && now[index] === undefined)
  if (lost.length === 0) return new Map()
  const edges = edgesOf(
    text,
    lost.map((index) => anchors[index]?.place ?? null)
  )
  const found = lost.map((index, position) => {
    const [was, at] = [stood[index]?.from ?? 0, edges[position]]
    return at !== undefined && isLineKept(before, was, content, at) ? { from: at, to: at } : undefined
  })
  return anchorsFound(text, content, lost, found)
}

/** Returns new anchors for the ranges that were found, with the ranges, by index. */
const anchorsFound = (
  text: Y.Text,
  content: string,
  indexes: readonly number[],
  found: readonly (Range | undefined)[]
): ReadonlyMap<number, { readonly anchor: Anchor; readonly range: Range }> => {
  const back = indexes.flatMap((index, position) => {
    const range = found[position]
    return range === undefined ? [] : [{ index, range }]
  })
  const fresh = anchorsAt(
    text,
    content,
    back.map(({ range }) => range)
  )
  return new Map(back.map(({ index, range }, position) => [index, { anchor: fresh[position] as Anchor, range }]))
}

/**
 * Returns anchors whose text was moved by typing, by index, with their ranges. `anchors` have their last context. An anchor with `standing` had its text
 * in `before`. The time is bounded.
 */
export const anchorsMoved = (
  text: Y.Text,
  before: string,
  content: string,
  anchors: readonly (Pick<Anchor, 'quote' | 'prefix' | 'suffix'> & { readonly standing: boolean })[]
): ReadonlyMap<number, { readonly anchor: Anchor; readonly range: Range }> =>
  anchorsFound(text, content, [...anchors.keys()], findMoved(anchors, before, content))
