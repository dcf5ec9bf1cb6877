/**
 * Decides whether text that survived when the document was replaced is still the anchored text. A comparison keeps characters by chance: if two
 * versions have only a number in common, it keeps the number. The context therefore decides.
 */
import { contextUnits, type Range } from './targets.ts'
import type { Edit } from './diff.ts'
import { occurrences } from './search.ts'

// In scripts without spaces between words, each character counts as a word.
const words = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]|[\p{L}\p{N}\p{M}]+/gu
const isInWord = (unit: string | undefined): boolean => unit !== undefined && /[\p{L}\p{N}\p{M}]/u.test(unit)

/** The context is gone if fewer than one in this many units of the surrounding words remain. */
const keptPart = 4

/** Length of a run, including the text itself, that does not match by chance, in UTF-16 units. */
const runUnitsMin = 24

/** A single change of fewer units than this next to the text does not remove its identifying context. */
const smallUnits = 8

/** Number of units of words around the text that distinguish it from the same text elsewhere. */
const tellingUnits = 16

/**
 * Maximum number of units that are searched to find out whether text occurs more than once. If more would be needed, the text counts as occurring
 * once.
 */
const countedUnitsMax = 64_000_000

interface Around {
  /** Number of units of the words that were around the text. `kept` is the number of units that remain. */
  readonly total: number
  readonly kept: number
  /** The range of the text together with the unchanged text directly around it. */
  readonly run: Range
  /** Number of edits that touch the text or its context. */
  readonly edits: number
}

const around = (before: string, after: string, edits: readonly Edit[], shifts: readonly number[], range: Range): Around => {
  const [from, to] = [Math.max(0, range.from - contextUnits), Math.min(before.length, range.to + contextUnits)]
  let [low, high] = [0, edits.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((edits[middle] as Edit).to < from) low = middle + 1
    else high = middle
  }
  const first = low
  let run = { from, to }
  let end = first
  for (let edit = edits[end]; edit !== undefined && edit.from <= to; edit = edits[++end]) {
    if (edit.to <= range.from) run = { from: Math.max(from, edit.to), to: run.to }
    else if (edit.from >= range.to) run = { from: run.from, to: Math.min(run.to, edit.from) }
  }
  let [total, kept] = [0, 0]
  const count = (side: Range): void => {
    let index = first
    for (const { 0: word, index: at } of before.slice(side.from, side.to).matchAll(words)) {
      const start = side.from + at
      const stop = start + word.length
      total += word.length
      while (index < end && (edits[index] as Edit).to <= start) index++
      const next = edits[index]
      if (next !== undefined && index < end && next.from < stop) continue
      const shift = shifts[index] ?? 0
      const grew = (old: number, young: number): boolean => !isInWord(before[old]) && isInWord(after[young])
      if (!grew(start - 1, start + shift - 1) && !grew(stop, stop + shift)) kept += word.length
    }
  }
  if (end > first) {
    count({ from, to: range.from })
    count({ from: range.to, to })
  }
  return { total, kept, run, edits: end - first }
}

/** Returns the number of occurrences of the text in other text. 2 means two or more. */
const countOf = (text: string, sought: string): number => {
  let count = 0
  for (const _at of occurrences(text, sought)) if (++count > 1) break
  return count
}

/**
 * Returns a function that decides whether the edits from `before` to `after` removed the context of a range in `before`. In that case, the text that
 * remains in the range may be different text. The result is also true if the edits inserted the same text elsewhere and nothing distinguishes the
 * two.
 */
export const surroundingsTaken = (before: string, after: string, edits: readonly Edit[]): ((range: Range) => boolean) => {
  let sum = 0
  const shifts = [0, ...edits.map(({ from, to, insert }) => (sum += insert.length - (to - from)))]
  let budget = countedUnitsMax
  const isDoubled = (run: Range): boolean => {
    const sought = before.slice(run.from, run.to)
    if (sought === '' || (budget -= before.length + after.length) < 0) return false
    return countOf(after, sought) > 1 && countOf(before, sought) === 1
  }
  return (range) => {
    const { total, kept, run, edits: count } = around(before, after, edits, shifts, range)
    if (count === 0) return false
    const isSmall = count === 1 && total - kept < smallUnits
    if (kept * keptPart < total && run.to - run.from < runUnitsMin && !isSmall) return true
    return kept < tellingUnits && isDoubled(run)
  }
}
