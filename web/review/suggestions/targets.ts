/**
 * Describes a place in the text by its words, so that the service finds it even if others have changed the text. Also finds a place by its
 * description.
 */
import { limits } from '../../../shared/limits.ts'
import { contextUnits, type Range, splitsPair, wholeCharacters } from '../../../shared/text/targets.ts'
import { occurrences } from '../../../shared/text/search.ts'
import type { Target } from '../outbox/entry.ts'

/** Yields the places of words with their context. As in the service, matches do not overlap. */
function* placesOf(text: string, { find, prefix, suffix }: Target): Generator<number> {
  let end = 0
  for (const at of occurrences(text, prefix + find + suffix)) {
    const from = at + prefix.length
    if (from < end) continue
    end = from + find.length
    yield from
  }
}

const contexts = [contextUnits, 4 * contextUnits, limits.targetContextUnitsMax]

/** Returns the words of a range with enough context to be unique. If no context is enough, the description says which occurrence it is. */
function wordsOf(text: string, { from, to }: Range): Target {
  const find = text.slice(from, to)
  let target: Target = { find, prefix: '', suffix: '' }
  for (const units of contexts) {
    const [start, end] = [Math.max(0, from - units), Math.min(text.length, to + units)]
    const prefix = text.slice(splitsPair(text, start) ? start + 1 : start, from)
    const suffix = text.slice(to, splitsPair(text, end) ? end - 1 : end)
    target = { find, prefix, suffix }
    let [count, before] = [0, 0]
    for (const place of placesOf(text, target)) {
      count += 1
      if (place < from) before += 1
      // More context may make the words unique. With the longest context, the function counts all occurrences up to this one.
      if (count > 1 && (units !== contexts.at(-1) || place >= from)) break
    }
    if (count === 1) return target
    target = { ...target, occurrence: before + 1 }
  }
  return target
}

/** Describes a range of the text. Null if the document has no text. */
export function targetOf(text: string, range: Range): Target | null {
  const { from, to } = wholeCharacters(text, range)
  if (from < to) return wordsOf(text, { from, to })
  if (text === '') return null
  const isAtStart = from === 0
  const context = isAtStart ? { from: 0, to: contextUnits } : { from: Math.max(0, from - contextUnits), to: from }
  const words = wholeCharacters(text, { from: context.from, to: Math.min(context.to, text.length) })
  return { ...wordsOf(text, words), at: isAtStart ? 'before' : 'after' }
}

/**
 * Distance from the reported place within which words are searched for, in UTF-16 units. It covers the text that people type before a response
 * arrives.
 */
const nearUnits = 4000

/** Text that can be read in pieces. */
export interface Pieces {
  readonly length: number
  sliceString(from: number, to?: number): string
}

/** Finds words that the service reported at a range, in text that may be newer. If they are not near that range, returns the range itself. */
export function near(text: Pieces, range: Range, words: string): Range {
  const from = Math.min(range.from, text.length)
  const to = Math.min(range.to, text.length)
  if (words === '' || text.sliceString(from, to) === words) return { from, to }
  const start = Math.max(0, from - nearUnits)
  const part = text.sliceString(start, Math.min(text.length, to + nearUnits))
  const places = [part.lastIndexOf(words, from - start), part.indexOf(words, from - start)].filter((at) => at !== -1)
  const [best] = places.toSorted((one, other) => Math.abs(one + start - from) - Math.abs(other + start - from))
  return best === undefined ? { from, to } : { from: best + start, to: best + start + words.length }
}

/** Finds the range that a target describes. Without `occurrence`, it is the first match. Undefined if there is no such match. */
export function findTarget(text: string, target: Target): Range | undefined {
  const { find, occurrence = 1, at } = target
  let left = occurrence
  for (const from of placesOf(text, target)) {
    if (--left > 0) continue
    const to = from + find.length
    if (at === undefined) return { from, to }
    const point = at === 'after' ? to : from
    return { from: point, to: point }
  }
  return undefined
}
