/** Naming a place of the text by its words, so that the service finds it in a text that others have changed; and finding a named one. */
import { limits } from '../../shared/limits.ts'
import { contextUnits, type Range, wholeCharacters } from '../../shared/text/anchors.ts'
import type { Target } from './waiting.ts'

/** How often words stand in a text, and how many of those stand before an offset. */
function occurrences(text: string, words: string, offset: number): { readonly count: number; readonly before: number } {
  let [count, before] = [0, 0]
  for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + words.length)) {
    count += 1
    if (at < offset) before += 1
  }
  return { count, before }
}

const contexts = [contextUnits, 4 * contextUnits, limits.targetContextUnitsMax]

/** The words of a range with as much of what stands around them as makes them the only ones; else which of several they are. */
function wordsOf(text: string, { from, to }: Range): Target {
  const find = text.slice(from, to)
  let target: Target = { find, prefix: '', suffix: '' }
  for (const units of contexts) {
    const around = wholeCharacters(text, { from: Math.max(0, from - units), to: Math.min(text.length, to + units) })
    // Whole characters may reach beyond what is allowed.
    const prefix = text.slice(around.from, from).slice(-limits.targetContextUnitsMax).toWellFormed()
    const suffix = text.slice(to, around.to).slice(0, limits.targetContextUnitsMax).toWellFormed()
    const { count, before } = occurrences(text, prefix + find + suffix, around.from)
    if (count === 1) return { find, prefix, suffix }
    target = { find, prefix, suffix, occurrence: before + 1 }
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
export function findTarget(text: string, { find, prefix, suffix, occurrence = 1, at }: Target): Range | undefined {
  const words = prefix + find + suffix
  let place = text.indexOf(words)
  for (let left = occurrence; left > 1 && place !== -1; left--) place = text.indexOf(words, place + words.length)
  if (place === -1) return undefined
  const from = place + prefix.length
  const to = from + find.length
  if (at === undefined) return { from, to }
  const point = at === 'after' ? to : from
  return { from: point, to: point }
}
