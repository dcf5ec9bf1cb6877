/**
 * Finds text that was removed and inserted elsewhere when the document was replaced, for example because it was moved, rewrapped or restored. A match
 * must be unambiguous: the text, alone or with its context, occurred once before and occurs once now.
 */
import { contextUnits, type Range } from './targets.ts'
import type { Edit } from './diff.ts'
import { fold, type Folded } from './fold.ts'
import { itemMarker } from './moved-lines.ts'
import { occurrences } from './search.ts'

/** Text whose place in the document was lost. */
export interface Lost {
  readonly quote: string
  /** The text directly before the lost text when it was last in the document. `suffix` is the text directly after it. */
  readonly prefix: string
  readonly suffix: string
  /** Whether the text was in the document before the replacement; false if it was lost earlier. */
  readonly standing: boolean
}

// Text with fewer units than this can occur anywhere by chance.
export const tellingUnits = 8

// Text without its context matches by chance more often, so it must be longer.
const aloneUnits = 16

/** Text to search for, and the offset of the quote in it. */
interface Pattern {
  readonly pattern: string
  readonly quoteAt: number
}

/** Returns the part of a line's beginning that a move does not change: the end of the marker of a card or list item, and the text after it. */
const afterMarker = (inLine: string): string | undefined => {
  const start = inLine.trimStart()
  const marker = itemMarker.exec(start)?.[0].trimEnd()
  // A card has a letter before the bracket, which depends on its column.
  return marker === undefined ? undefined : start.slice(marker.endsWith(']') ? marker.length - 1 : marker.length)
}

/**
 * Returns the patterns to search for, most specific first. A place between two characters needs the text on both sides. The lines of the quote are
 * enough, because people move whole lines.
 */
const patternsOf = ({ quote, prefix, suffix }: Lost): Pattern[] => {
  const inLine = prefix.slice(prefix.lastIndexOf('\n') + 1)
  const lineEnd = suffix.indexOf('\n')
  const restOfLine = lineEnd === -1 ? suffix : suffix.slice(0, lineEnd)
  const patterns: Pattern[] = [
    { pattern: prefix + quote + suffix, quoteAt: prefix.length },
    { pattern: inLine + quote + restOfLine, quoteAt: inLine.length }
  ]
  const inItem = afterMarker(inLine)
  if (inItem !== undefined) patterns.push({ pattern: inItem + quote + restOfLine + (lineEnd === -1 ? '' : '\n'), quoteAt: inItem.length })
  if (quote !== '') {
    if (prefix.length >= tellingUnits) patterns.push({ pattern: prefix + quote, quoteAt: prefix.length })
    if (suffix.length >= tellingUnits) patterns.push({ pattern: quote + suffix, quoteAt: 0 })
    if (quote.trim().length >= aloneUnits) patterns.push({ pattern: quote, quoteAt: 0 })
  }
  const known = new Set<string>()
  return patterns.filter(({ pattern }) => {
    const isNew = !known.has(pattern) && pattern.trim().length >= tellingUnits
    known.add(pattern)
    return isNew
  })
}

/** A pattern, the number of its occurrences in the text (2 means two or more), and the offset of the last occurrence. */
interface Count {
  readonly pattern: string
  count: number
  at: number
}

/** Maximum number of units that are compared while counting. If more would be needed, the patterns count as occurring more than once. */
const comparedUnitsMax = 16_000_000
const base = 0x01000193

const hashStep = (hash: number, unit: number): number => (Math.imul(hash, base) + unit) | 0

/** Returns patterns by the hash of their first `size` units. */
const bucketsOf = (counts: readonly Count[], size: number): Map<number, Count[]> => {
  const buckets = new Map<number, Count[]>()
  for (const each of counts) {
    let hash = 0
    for (let at = 0; at < size; at++) hash = hashStep(hash, each.pattern.charCodeAt(at))
    const bucket = buckets.get(hash)
    if (bucket === undefined) buckets.set(hash, [each])
    else bucket.push(each)
  }
  return buckets
}

/**
 * Counts patterns of at least `size` units in one pass, with a rolling hash of their first `size` units. Returns the remaining budget. If it is below
 * 0, counting stopped early and the counts are invalid.
 */
const countBySize = (text: string, counts: readonly Count[], size: number, budget: number): number => {
  const buckets = bucketsOf(counts, size)
  const seen = new Uint8Array(1 << 16)
  for (const hash of buckets.keys()) seen[hash & 0xffff] = 1
  let top = 1
  for (let count = 1; count < size; count++) top = Math.imul(top, base)
  const compare = (at: number, bucket: Count[]): void => {
    for (let index = bucket.length - 1; index >= 0; index--) {
      const each = bucket[index] as Count
      budget -= each.pattern.length
      if (!text.startsWith(each.pattern, at)) continue
      each.at = at
      // It is enough to know that a pattern occurs twice.
      if (++each.count > 1) bucket.splice(index, 1)
    }
  }
  let hash = 0
  for (let at = 0; at < text.length && budget >= 0; at++) {
    if (at >= size) hash = (hash - Math.imul(text.charCodeAt(at - size), top)) | 0
    hash = hashStep(hash, text.charCodeAt(at))
    const bucket = at + 1 < size || seen[hash & 0xffff] === 0 ? undefined : buckets.get(hash)
    if (bucket !== undefined) compare(at + 1 - size, bucket)
  }
  return budget
}

const sizes = [32, tellingUnits] as const

/** Counts the occurrences of patterns in the text. The time is linear in the text, regardless of the number of patterns. */
const countAll = (text: string, patterns: readonly string[]): Count[] => {
  // A Map by pattern would be slow, because in V8 all long strings of the same length have the same hash.
  const counts = patterns.map((pattern): Count => ({ pattern, count: 0, at: -1 }))
  let budget = comparedUnitsMax
  let longer = Number.POSITIVE_INFINITY
  for (const size of sizes) {
    const group = counts.filter(({ pattern: { length } }) => length >= size && length < longer)
    budget = countBySize(text, group, size, budget)
    if (budget < 0) for (const each of group) each.count = 2
    longer = size
  }
  return counts
}

/**
 * Returns the ranges in `after` of quotes that are unique without their context: at least 16 units long, once in `before` and once in `after`. The
 * range of any other quote is undefined. The time is linear in the text, regardless of the number of quotes.
 */
export const findTelling = (quotes: readonly string[], before: string, after: string): readonly (Range | undefined)[] => {
  const telling = [...quotes.keys()].filter((index) => (quotes[index] ?? '').trim().length >= aloneUnits)
  const ranges = quotes.map((): Range | undefined => undefined)
  if (telling.length === 0) return ranges
  const patterns = telling.map((index) => quotes[index] ?? '')
  const then = countAll(before, patterns)
  for (const [position, { pattern, count, at }] of countAll(after, patterns).entries())
    if (count === 1 && then[position]?.count === 1) ranges[telling[position] ?? -1] = { from: at, to: at + pattern.length }
  return ranges
}

/** Returns the ranges that the edits inserted, in the new text. */
const insertedRanges = (edits: readonly Edit[]): Range[] => {
  let shift = 0
  const inserted: Range[] = []
  for (const { from, to, insert } of edits) {
    if (insert !== '') inserted.push({ from: from + shift, to: from + shift + insert.length })
    shift += insert.length - (to - from)
  }
  return inserted
}

/**
 * Returns a function that decides whether a range of the new text contains inserted text. A range without inserted text belongs to another
 * annotation.
 */
const isNew = (edits: readonly Edit[]): ((range: Range) => boolean) => {
  const inserted = insertedRanges(edits)
  // An empty range that touches new text counts as new, too.
  return (range) =>
    inserted.some(({ from, to }) => (range.from === range.to ? from <= range.to && to >= range.from : from < range.to && to > range.from))
}

/** Returns the ranges in `after` of the passages that can be identified with certainty; undefined for all others. */
const search = (lost: readonly Lost[], before: string, after: string): (Range | undefined)[] => {
  const owners = lost.flatMap((each) => patternsOf(each).map((pattern) => ({ each, ...pattern })))
  const now = countAll(
    after,
    owners.map(({ pattern }) => pattern)
  )
  const once = owners.flatMap(({ each, quoteAt }, index) => (now[index]?.count === 1 ? [{ each, quoteAt, count: now[index] }] : []))
  const then = countAll(
    before,
    once.map(({ count }) => count.pattern)
  )
  const places = new Map<Lost, Range>()
  for (const [index, { each, quoteAt, count }] of once.entries()) {
    if (places.has(each) || then[index]?.count !== (each.standing ? 1 : 0)) continue
    const from = count.at + quoteAt
    places.set(each, { from, to: from + each.quote.length })
  }
  return lost.map((each) => places.get(each))
}

const foldedLost = ({ quote, prefix, suffix, standing }: Lost): Lost => ({
  quote: fold(quote).text,
  prefix: prefix === '' ? '' : fold(`${prefix}x`).text.slice(0, -1),
  suffix: suffix === '' ? '' : fold(`x${suffix}`).text.slice(1),
  standing
})

const unfolded = (folded: Folded, { from, to }: Range): Range => ({ from: folded.at[from] ?? 0, to: (folded.at[to - 1] ?? 0) + 1 })

const covers = (one: Range, other: Range): boolean => one.from <= other.from && one.to >= other.to

/** Returns the only occurrence of the text that covers a range; undefined if there is none or there are several. */
const covering = (text: string, quote: string, range: Range): Range | undefined => {
  const found = [...occurrences(text, quote)].map((from) => ({ from, to: from + quote.length })).filter((each) => covers(each, range))
  return found.length === 1 ? found[0] : undefined
}

/** Number of units to search on either side of the remaining text, in addition to twice the text's length. */
const aroundUnits = 64

/** Returns the range of the complete text; `kept` is the part of it that remains. The match is exact, or ignores whitespace and Markdown marks. */
export const findAround = (text: string, quote: string, kept: Range): Range | undefined => {
  const start = Math.max(0, kept.from - 2 * quote.length - aroundUnits)
  const window = text.slice(start, kept.to + 2 * quote.length + aroundUnits)
  const inWindow = { from: kept.from - start, to: kept.to - start }
  const moved = ({ from, to }: Range): Range => ({ from: from + start, to: to + start })
  const exact = covering(window, quote, inWindow)
  if (exact !== undefined) return moved(exact)
  const folded = fold(window)
  const bare = fold(quote).text
  if (bare === '') return undefined
  const found = [...occurrences(folded.text, bare)]
    .map((from) => unfolded(folded, { from, to: from + bare.length }))
    .filter((each) => covers(each, inWindow))
  return found.length === 1 ? moved(found[0] as Range) : undefined
}

/** Maximum number of units that are searched to find the lost passages that may be in the inserted text. */
const siftedUnitsMax = 2_000_000

/** Whether a lost passage occurs in the inserted text, exactly or ignoring whitespace and Markdown marks. */
const standsIn = (after: string, inserted: readonly Range[], { quote, prefix, suffix }: Lost): boolean => {
  const sought = quote === '' ? prefix + suffix : quote
  const bare = fold(sought).text
  return inserted.some(({ from, to }) => {
    const reach = 2 * sought.length + aroundUnits
    const start = Math.max(0, from - reach)
    const window = after.slice(start, to + reach)
    const near = quote === '' ? 1 : 0
    const touches = (range: Range): boolean => range.from + start < to + near && range.to + start > from - near
    for (const at of occurrences(window, sought)) if (touches({ from: at, to: at + sought.length })) return true
    if (bare === '') return false
    const folded = fold(window)
    for (const at of occurrences(folded.text, bare)) if (touches(unfolded(folded, { from: at, to: at + bare.length }))) return true
    return false
  })
}

/** Returns the lost passages that may be in the inserted text. Searching the entire text for the others would be useless. */
const sift = (lost: readonly Lost[], after: string, inserted: readonly Range[]): readonly Lost[] => {
  const brought = inserted.reduce((sum, { from, to }) => sum + to - from, 0)
  const around = lost.reduce((sum, { quote, prefix, suffix }) => sum + 4 * (prefix.length + quote.length + suffix.length + aroundUnits), 0)
  if (lost.length * brought + inserted.length * around > siftedUnitsMax) return lost
  return lost.filter((each) => standsIn(after, inserted, each))
}

/**
 * Returns the positions of lost passages after a replacement. Exact matches are preferred to matches that ignore whitespace and Markdown marks. A
 * position that is not certain is undefined. `edits` turn `before` into `after`.
 */
export const findAgain = (all: readonly Lost[], before: string, after: string, edits: readonly Edit[]): readonly (Range | undefined)[] => {
  const none = all.map(() => undefined)
  if (all.length === 0 || edits.every(({ insert }) => insert === '')) return none
  const lost = sift(all, after, insertedRanges(edits))
  if (lost.length === 0) return none
  const ranges = new Map(findEverywhere(lost, before, after, edits).map((range, index) => [lost[index] as Lost, range]))
  return all.map((each) => ranges.get(each))
}

const findEverywhere = (lost: readonly Lost[], before: string, after: string, edits: readonly Edit[]): readonly (Range | undefined)[] => {
  const fresh = isNew(edits)
  const certain = (range: Range | undefined): Range | undefined => (range !== undefined && fresh(range) ? range : undefined)
  const found = search(lost, before, after).map(certain)
  // Whitespace alone folds to nothing, which would be found between any two words.
  const missing = lost.flatMap((each, index) => (found[index] === undefined && each.quote.trim() !== '' ? [{ each, index }] : []))
  if (missing.length === 0) return found
  const folded = fold(after)
  const again = search(
    missing.map(({ each }) => foldedLost(each)),
    fold(before).text,
    folded.text
  )
  for (const [position, { index }] of missing.entries()) {
    const range = again[position]
    if (range !== undefined) found[index] = certain(unfolded(folded, range))
  }
  return found
}

/** Returns the range that differs between two texts, in the second one. */
const changedRange = (before: string, after: string): Range => {
  const most = Math.min(before.length, after.length)
  let from = 0
  while (from < most && before.charCodeAt(from) === after.charCodeAt(from)) from++
  let end = 0
  while (end < most - from && before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)) end++
  return { from, to: after.length - end }
}

/** Extends a range to whole lines. */
const wholeLines = (text: string, { from, to }: Range): Range => {
  const end = text.indexOf('\n', to)
  return { from: from === 0 ? 0 : text.lastIndexOf('\n', from - 1) + 1, to: end === -1 ? text.length : end }
}

/**
 * Returns the positions of lost passages that somebody moved, for example with a block, or cut and pasted. A position that is not certain is undefined.
 * Each passage must have been in `before` once, or not at all if it was lost earlier, and must be once in the lines of `after` that are new.
 */
export const findMoved = (lost: readonly Lost[], before: string, after: string): readonly (Range | undefined)[] => {
  const none = lost.map(() => undefined)
  if (lost.length === 0) return none
  const changed = changedRange(before, after)
  // Single letters are typed, and nothing is moved by them.
  if (changed.to - changed.from < tellingUnits) return none
  // A moved line can begin or end like its new neighbors.
  const lines = wholeLines(after, changed)
  return search(lost, before, after).map((range) => (range !== undefined && covers(lines, range) ? range : undefined))
}

/** Text that is gone or incomplete. */
interface Gone extends Omit<Lost, 'standing'> {
  /** The remaining part of the text. */
  readonly left: Range | undefined
}

/**
 * Returns the new positions of lost passages that have returned. Each must occur once, in exactly its last context, and contain its remaining
 * characters. The time is proportional to the text, regardless of the number of lost passages.
 */
export const findReturned = (gone: readonly Gone[], content: string): readonly (Range | undefined)[] => {
  if (gone.length === 0) return []
  const counts = countAll(
    content,
    gone.map(({ quote, prefix, suffix }) => prefix + quote + suffix)
  )
  return gone.map(({ quote, prefix, left }, index) => {
    const { pattern, count, at } = counts[index] as Count
    if (count !== 1 || pattern.trim().length < tellingUnits) return undefined
    // A short pattern means that the context ended at the beginning and the end of the document, so the pattern must be the entire text.
    if (pattern.length < contextUnits && pattern !== content) return undefined
    const range = { from: at + prefix.length, to: at + prefix.length + quote.length }
    return left === undefined || covers(range, left) ? range : undefined
  })
}
