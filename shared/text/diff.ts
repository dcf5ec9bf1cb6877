/**
 * Computes the differences between two versions as minimal edits, and moves edits past other changes. Lines are compared with Myers' algorithm
 * (`common-lines.ts`) inside the part that differs, and words are compared within a hunk. The edits touch only the text that differs.
 */
import { commonRuns } from './common-lines.ts'

/** Replaces the text from `from` to `to` with `insert`. */
export interface Edit {
  readonly from: number
  readonly to: number
  readonly insert: string
}

// If the lines or words that occur in both texts differ by more edits than this, the entire middle part is replaced. An exact result is not worth the
// time, which grows with the square of the number of edits while the server waits.
const editLengthMax = 1000
const wordEditLengthMax = 200

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

// Comparing slices is many times faster than comparing units one by one.
const sliceUnits = 2048

/** Returns the length of the common prefix. It never ends inside a surrogate pair, because Yjs would replace half a pair with U+FFFD. */
const commonPrefix = (one: string, other: string): number => {
  const end = Math.min(one.length, other.length)
  let at = 0
  while (at + sliceUnits <= end && one.slice(at, at + sliceUnits) === other.slice(at, at + sliceUnits)) at += sliceUnits
  while (at < end && one.charCodeAt(at) === other.charCodeAt(at)) at++
  return at > 0 && isHighSurrogate(one.charCodeAt(at - 1)) ? at - 1 : at
}

const commonSuffix = (one: string, other: string, lengthMax: number): number => {
  let length = 0
  const sliceOf = (text: string): string => text.slice(text.length - length - sliceUnits, text.length - length)
  while (length + sliceUnits <= lengthMax && sliceOf(one) === sliceOf(other)) length += sliceUnits
  while (length < lengthMax && one.charCodeAt(one.length - 1 - length) === other.charCodeAt(other.length - 1 - length)) length++
  return length > 0 && isLowSurrogate(one.charCodeAt(one.length - length)) ? length - 1 : length
}

/** Splits text into lines with their line endings, so that joining them gives the text again. */
export const splitLines = (text: string): string[] => text.match(/[^\n]+\n?|\n/g) ?? []

/** A run of changed lines. `at` is the first line in the old text, counted from 0. */
export interface LineChange {
  readonly at: number
  readonly removed: readonly string[]
  readonly added: readonly string[]
}

/**
 * Returns the changed runs of lines, ascending and not adjacent. Joining the unchanged and the added lines gives `after`. If the lists differ by
 * more than `lengthMax` edits, it is one run.
 */
export const lineChanges = (before: readonly string[], after: readonly string[], lengthMax = editLengthMax): LineChange[] => {
  const changes: LineChange[] = []
  let old = 0
  let young = 0
  const end = { old: before.length, young: after.length, length: 0 }
  for (const run of [...(commonRuns(before, after, lengthMax) ?? []), end]) {
    const removed = before.slice(old, run.old)
    const added = after.slice(young, run.young)
    if (removed.length + added.length > 0) changes.push({ at: old, removed, added })
    old = run.old + run.length
    young = run.young + run.length
  }
  return changes
}

// Only scripts that put spaces between words have letters in this sense.
const isLetter = (unit: number): boolean => unit < 0x2e80 && /[\p{L}\p{M}\p{N}]/u.test(String.fromCharCode(unit))
const isSpace = (unit: number): boolean => /\s/.test(String.fromCharCode(unit))

const lettersMax = 64

/** Returns the number of consecutive units of a kind, before (`step` -1) or after (`step` 1) an offset. The result is at most 64. */
const countAt = (text: string, at: number, step: 1 | -1, isCounted: (unit: number) => boolean): number => {
  let count = 0
  for (let unit = step === 1 ? at : at - 1; count < lettersMax && unit >= 0 && unit < text.length; unit += step, count++)
    if (!isCounted(text.charCodeAt(unit))) break
  return count
}

const lettersAt = (text: string, at: number, step: 1 | -1): number => countAt(text, at, step, isLetter)

/** Returns the run of characters other than whitespace on one side of an offset. */
const wordAt = (text: string, at: number, step: 1 | -1): string => {
  const count = countAt(text, at, step, (unit) => !isSpace(unit))
  return step === 1 ? text.slice(at, at + count) : text.slice(at - count, at)
}

/**
 * Longest run without whitespace that counts as a word, in UTF-16 units. A longer run is an address, or a sentence in a script without spaces. For
 * such runs, only adjacent letters are compared.
 */
const wordUnitsMax = 24

/** Returns the number of significant characters in a word. Punctuation and Markdown marks do not count. */
const solidCount = (text: string): number => Array.from(text.replaceAll(/[!-/:-@[-`{-~]/g, '')).length

/** Whether different words share the text `kept` by chance: it is at most half of at least one of the words. */
const isChance = (kept: string, words: readonly string[]): boolean =>
  /[^\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\P{L}]|\p{N}/u.test(kept) &&
  words.every(({ length }) => length <= wordUnitsMax) &&
  words.some((word) => solidCount(kept) * 2 <= solidCount(word))

interface Spared {
  readonly head: number
  readonly tail: number
}

/** Returns the number of common letters at the ends of a change that match by chance. */
const lettersByChance = (head: number, tail: number, changes: readonly string[]): Spared => {
  const longest = (step: 1 | -1): number => Math.max(...changes.map((text) => lettersAt(text, step === 1 ? 0 : text.length, step)))
  if (changes.every((text) => lettersAt(text, 0, 1) === text.length)) {
    const little = head + tail <= Math.max(...changes.map(({ length }) => length))
    return little ? { head, tail } : { head: 0, tail: 0 }
  }
  return { head: head <= longest(1) ? head : 0, tail: tail <= longest(-1) ? tail : 0 }
}

/** Returns how much of the words at the ends of a change matches by chance. `given` is the part that consists of adjacent letters. */
const wordsByChance = (before: string, after: string, given: Spared, changes: readonly string[]): Spared => {
  const [lead, trail] = [before.slice(0, before.length - given.head), after.slice(given.tail)]
  const whole = { head: before.length, tail: after.length }
  if (changes.every((text) => !/\s/.test(text))) {
    const words = changes.map((text) => before + text + after)
    return isChance(lead + trail, words) ? whole : given
  }
  const first = changes.map((text) => before + wordAt(text, 0, 1))
  const last = changes.map((text) => wordAt(text, text.length, -1) + after)
  return { head: isChance(lead, first) ? whole.head : given.head, tail: isChance(trail, last) ? whole.tail : given.tail }
}

/**
 * Returns the number of units at the ends of a change that two different words share by chance: at most half of either word. If the units were kept,
 * anchors on the old word would be tied to a fragment of the new one.
 */
const sparedByChance = (removed: string, insert: string, start: number, end: number): Spared => {
  const stop = removed.length - end
  const changes = [removed.slice(start, stop), insert.slice(start, insert.length - end)]
  const letters = lettersByChance(lettersAt(removed, start, -1), lettersAt(removed, stop, 1), changes)
  return wordsByChance(wordAt(removed, start, -1), wordAt(removed, stop, 1), letters, changes)
}

const trimmed = (from: number, removed: string, insert: string): Edit | undefined => {
  if (removed === insert) return undefined
  const prefix = commonPrefix(removed, insert)
  const suffix = commonSuffix(removed, insert, Math.min(removed.length, insert.length) - prefix)
  const { head, tail } = sparedByChance(removed, insert, prefix, suffix)
  const [start, end] = [prefix - head, suffix - tail]
  return { from: from + start, to: from + removed.length - end, insert: insert.slice(start, insert.length - end) }
}

// `lastIndexOf` treats -1 as 0.
export const lineStart = (text: string, at: number): number => (at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1)

/** Returns the part that differs, extended to entire lines. */
export const differingLines = (before: string, after: string): { from: number; old: string; young: string } => {
  const prefix = commonPrefix(before, after)
  const from = lineStart(before, prefix)
  const suffix = commonSuffix(before, after, Math.min(before.length, after.length) - prefix)
  // The first line break inside the common suffix ends the last line that may differ.
  const lineEnd = before.indexOf('\n', before.length - suffix)
  const keep = lineEnd === -1 ? 0 : before.length - lineEnd - 1
  return { from, old: before.slice(from, before.length - keep), young: after.slice(from, after.length - keep) }
}

// A block is a line with the empty lines after it. Separate empty lines would match anywhere and separate their neighbors.
const blocksOf = (text: string): string[] => text.match(/[^\n]+\n*|\n+/g) ?? []
// For the same reason, a word includes the whitespace after it.
const wordsOf = (text: string): string[] => text.match(/\S+\s*|\s+/g) ?? []

/** Returns the edits that turn `removed`, which begins at `from`, into `added`. They replace only the parts that differ. */
const editsBetween = (
  from: number,
  removed: string,
  added: string,
  split: (text: string) => string[],
  lengthMax: number,
  within: (from: number, removed: string, added: string) => Edit[]
): Edit[] => {
  const pieces = split(removed)
  let offset = from
  let piece = 0
  return lineChanges(pieces, split(added), lengthMax).flatMap((change) => {
    for (; piece < change.at; piece++) offset += pieces[piece]?.length ?? 0
    return within(offset, change.removed.join(''), change.added.join(''))
  })
}

const wordEdits = (from: number, removed: string, added: string): Edit[] =>
  editsBetween(from, removed, added, wordsOf, wordEditLengthMax, (at, old, young) => [trimmed(at, old, young) ?? []].flat())

/** Returns the edits that turn `before` into `after`, ascending and non-overlapping. Offsets are in UTF-16 units of `before` (as Y.Text counts). */
export const diff = (before: string, after: string): readonly Edit[] => {
  if (before === after) return []
  const { from, old, young } = differingLines(before, after)
  return editsBetween(from, old, young, blocksOf, editLengthMax, wordEdits)
}

/** Returns `before` with the edits applied. Their offsets refer to `before`. */
export const applyEdits = (before: string, edits: readonly Edit[]): string => {
  const parts: string[] = []
  let at = 0
  for (const edit of edits) {
    parts.push(before.slice(at, edit.from), edit.insert)
    at = edit.to
  }
  parts.push(before.slice(at))
  return parts.join('')
}

/** Returns the part that differs as a single exact edit. It is used for two versions of text that somebody is typing. */
export const coarseDiff = (before: string, after: string): readonly Edit[] => {
  if (before === after) return []
  const from = commonPrefix(before, after)
  const suffix = commonSuffix(before, after, Math.min(before.length, after.length) - from)
  return [{ from, to: before.length - suffix, insert: after.slice(from, after.length - suffix) }]
}

/** Returns the part that differs as a single edit of entire words. It is the fallback if a finer difference would take too long. */
export const coarseWordDiff = (before: string, after: string): readonly Edit[] => [trimmed(0, before, after) ?? []].flat()

/** Combines edits without changing their result. If there are more than `countMax`, the closest edits are joined. */
export const coarsened = (edits: readonly Edit[], before: string, countMax: number): readonly Edit[] => {
  if (edits.length <= countMax) return edits
  const gaps = edits.slice(1).map(({ from }, index) => from - (edits[index] as Edit).to)
  const widest = new Set([...gaps.keys()].toSorted((one, other) => (gaps[other] ?? 0) - (gaps[one] ?? 0)).slice(0, countMax - 1))
  const result: Edit[] = []
  let start = 0
  for (let index = 0; index < edits.length; index++) {
    if (index + 1 < edits.length && !widest.has(index)) continue
    const { from } = edits[start] as Edit
    const { to } = edits[index] as Edit
    result.push({ from, to, insert: applyEdits(before.slice(from, to), moved(edits.slice(start, index + 1), -from)) })
    start = index + 1
  }
  return result
}

/** Returns a range's position after edits. It is the range of the first edit that touches the text, or otherwise the shifted range. */
export const changeIn = ({ from, to }: Pick<Edit, 'from' | 'to'>, edits: readonly Edit[]): Pick<Edit, 'from' | 'to'> => {
  let shift = 0
  for (const edit of edits) {
    if (edit.from > to) break
    if (edit.to >= from) return { from: edit.from + shift, to: edit.from + shift + edit.insert.length }
    shift += edit.insert.length - (edit.to - edit.from)
  }
  return { from: from + shift, to: to + shift }
}

export const moved = (edits: readonly Edit[], by: number): Edit[] =>
  edits.map(({ from, to, insert }) => ({ from: from + by, to: to + by, insert }))

/** Divides edits by their position relative to a later change: before it, touching it, or after it. */
const dividedBy = (
  edits: readonly Edit[],
  { from, to }: Edit
): { readonly ahead: Edit[]; readonly within: Edit[]; readonly behind: Edit[] } => ({
  ahead: edits.filter((edit) => edit.to < from),
  within: edits.filter((edit) => edit.to >= from && edit.from <= to),
  behind: edits.filter((edit) => edit.from > to)
})

/**
 * Moves edits past later changes, so that both are kept. The offsets of each change refer to the text after the previous ones. Returns undefined if an
 * edit and a change touch.
 */
export const followed = (edits: readonly Edit[], changes: readonly Edit[]): readonly Edit[] | undefined => {
  let result = edits
  for (const change of changes) {
    const { ahead, within, behind } = dividedBy(result, change)
    if (within.length > 0) return undefined
    result = [...ahead, ...moved(behind, change.insert.length - (change.to - change.from))]
  }
  return result
}

/** Returns the edits that turn `now` into the result of applying `edits` to `before`. They undo all other changes made in between. */
export const rebased = (edits: readonly Edit[], before: string, now: string): readonly Edit[] => {
  const [change] = coarseDiff(before, now)
  if (change === undefined) return edits
  const shift = now.length - before.length
  const { ahead, within, behind } = dividedBy(edits, change)
  const from = Math.min(change.from, within[0]?.from ?? change.from)
  const to = Math.max(change.to, within.at(-1)?.to ?? change.to)
  const insert = applyEdits(before.slice(from, to), moved(within, -from))
  const [middle] = coarseWordDiff(now.slice(from, to + shift), insert)
  return [...ahead, ...(middle === undefined ? [] : moved([middle], from)), ...moved(behind, shift)]
}
