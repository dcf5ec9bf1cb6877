/**
 * Finding text again that a replacement of the document took out and put back elsewhere: moved, wrapped anew, restored. It is found only
 * where nothing else can be meant: what stood once before stands once now, alone or together with what stood beside it.
 */
import type { Range } from './anchors.ts'
import type { Edit } from './diff.ts'
import { fold, type Folded } from './fold.ts'

/** Text that lost its place. */
export interface Lost {
  readonly quote: string
  /** What stood directly before and after it when it was last there. */
  readonly prefix: string
  readonly suffix: string
  /** Whether it stood in the text before the replacement; false: it was lost earlier. */
  readonly standing: boolean
}

// Fewer units than this are found everywhere by chance.
const tellingUnits = 8

/** What may be looked for, the most telling first. A place between two characters is told by both its sides only. */
const patternsOf = ({ quote, prefix, suffix }: Lost): string[] => {
  if (quote === '') return (prefix + suffix).trim().length >= tellingUnits ? [prefix + suffix] : []
  const besides = [...(prefix.length >= tellingUnits ? [prefix + quote] : []), ...(suffix.length >= tellingUnits ? [quote + suffix] : [])]
  return [...new Set([prefix + quote + suffix, ...besides, quote])].filter((pattern) => pattern.trim().length >= tellingUnits)
}

/** A pattern, how often it stands in a text (2 stands for more), and where it stands last. */
interface Count {
  readonly pattern: string
  count: number
  at: number
}

/** Units compared at most while counting: beyond that the patterns count as standing more than once. */
const comparedUnitsMax = 16_000_000
const base = 0x01000193

const hashStep = (hash: number, unit: number): number => (Math.imul(hash, base) + unit) | 0

/** Patterns by the hash of their first `size` units. */
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
 * Counts patterns of at least `size` units in one pass, by a rolling hash of their first `size` units. Answers the work left; below 0 it
 * ended too early, and what was counted means nothing.
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
      // Twice is enough to know.
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

/** How often patterns stand in a text. Takes time in proportion to the text, however many they are. */
const countAll = (text: string, patterns: readonly string[]): Count[] => {
  // Not a Map by pattern: long strings of one length have one hash in V8.
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

/** Tells whether a range of the new text holds anything that the edits brought: what they left alone is another's text. */
const isNew = (edits: readonly Edit[]): ((range: Range) => boolean) => {
  let shift = 0
  const inserted: Range[] = []
  for (const { from, to, insert } of edits) {
    if (insert !== '') inserted.push({ from: from + shift, to: from + shift + insert.length })
    shift += insert.length - (to - from)
  }
  // What touches new text with nothing of its own is new as well.
  return (range) =>
    inserted.some(({ from, to }) => (range.from === range.to ? from <= range.to && to >= range.from : from < range.to && to > range.from))
}

/** The places of those that can be told for certain, in the text `after`. */
const search = (lost: readonly Lost[], before: string, after: string): (Range | undefined)[] => {
  const owners = lost.flatMap((each) => patternsOf(each).map((pattern) => ({ each, pattern })))
  const now = countAll(
    after,
    owners.map(({ pattern }) => pattern)
  )
  const once = owners.flatMap(({ each }, index) => (now[index]?.count === 1 ? [{ each, count: now[index] }] : []))
  const then = countAll(
    before,
    once.map(({ count }) => count.pattern)
  )
  const places = new Map<Lost, Range>()
  for (const [index, { each, count }] of once.entries()) {
    const { quote, prefix, standing } = each
    if (places.has(each) || then[index]?.count !== (standing ? 1 : 0)) continue
    const withPrefix = quote === '' || (count.pattern !== quote && count.pattern.startsWith(prefix + quote))
    const from = count.at + (withPrefix ? prefix.length : 0)
    places.set(each, { from, to: from + quote.length })
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

/**
 * Where lost texts stand after a replacement: exactly as they were, else without regard to white space and Markdown marks. Undefined where
 * that is not certain. `edits` lead from `before` to `after`.
 */
export const findAgain = (lost: readonly Lost[], before: string, after: string, edits: readonly Edit[]): readonly (Range | undefined)[] => {
  if (lost.length === 0 || edits.every(({ insert }) => insert === '')) return lost.map(() => undefined)
  const fresh = isNew(edits)
  const certain = (range: Range | undefined): Range | undefined => (range !== undefined && fresh(range) ? range : undefined)
  const found = search(lost, before, after).map(certain)
  // White space alone folds to nothing, and would be found between any two words.
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
