/** Naming a place of the text by its words, so that the service finds it in a text that others have changed; and finding a named one. */
import { limits } from '../../../shared/limits.ts'
import { contextUnits, type Range, splitsPair, wholeCharacters } from '../../../shared/text/anchors.ts'
import { occurrences } from '../../../shared/text/search.ts'
import type { Target } from '../outbox/waiting.ts'

/** Where words stand with what is around them, as the service counts them: apart from each other. */
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

/** The words of a range with as much of what stands around them as makes them the only ones; else which of several they are. */
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
      // More context may tell; the last time all are counted up to this one.
      if (count > 1 && (units !== contexts.at(-1) || place >= from)) break
    }
    if (count === 1) return target
    target = { ...target, occurrence: before + 1 }
  }
  return target
}

/** Names a range of the text; `null` when there is no text to name it by. */
export function targetOf(text: string, range: Range): Target | null {
  const { from, to } = wholeCharacters(text, range)
  if (from < to) return wordsOf(text, { from, to })
  if (text === '') return null
  const isAtStart = from === 0
  const beside = isAtStart ? { from: 0, to: contextUnits } : { from: Math.max(0, from - contextUnits), to: from }
  const words = wholeCharacters(text, { from: beside.from, to: Math.min(beside.to, text.length) })
  return { ...wordsOf(text, words), at: isAtStart ? 'before' : 'after' }
}

/** How far from where the service saw them words are looked for, in UTF-16 units: as much as people write while an answer is on its way. */
const nearUnits = 4000

/** Text that can be read in pieces. */
export interface Pieces {
  readonly length: number
  sliceString(from: number, to?: number): string
}

/** Where words that the service saw at a range are in a text that may be ahead of it; the range itself when they are not near. */
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

/** Where a named range is; undefined when its words are not there, or in several places. */
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
