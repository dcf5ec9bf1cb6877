/** Finds the text that a target names, by its words, its line or its offsets. Offsets are in UTF-16 units, and lines count from 1. */
import { fold, isAccent } from './fold.ts'
import { occurrences } from './search.ts'

export interface Range {
  readonly from: number
  readonly to: number
}

/** A range that a target might mean, with its context. (anchors.ts follows ranges through edits.) */
export interface Candidate extends Range {
  readonly line: number
  readonly before: string
  readonly after: string
}

export type Found = { readonly range: Range } | { readonly candidates: readonly Candidate[] } | undefined

export interface Words {
  readonly find: string
  /** The text directly before the target. `suffix` is the text directly after it. */
  readonly prefix?: string | undefined
  readonly suffix?: string | undefined
  /** Number of the target among several matches, counted from 1. */
  readonly occurrence?: number | undefined
  /** The line on which the target begins. */
  readonly line?: number | undefined
}

/** Number of UTF-16 units of context that are stored with a quote (docs/api.md, Comments and suggestions). */
export const contextUnits = 32

const candidatesMax = 20

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

/** Whether the offset is inside a surrogate pair. */
export const splitsPair = (text: string, at: number): boolean =>
  at > 0 && at < text.length && isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at))

/** Whether the offset is between a letter and its combining mark. */
const splitsLetter = (text: string, at: number): boolean =>
  at > 0 && at < text.length && isAccent(text.charCodeAt(at)) && !/\s/.test(text[at - 1] ?? '')

/** Returns the range, extended to entire characters with their combining marks. */
export const wholeCharacters = (text: string, { from, to }: Range): Range => {
  const splits = (at: number): boolean => splitsPair(text, at) || splitsLetter(text, at)
  let [start, end] = [from, to]
  while (splits(start)) start--
  while (splits(end)) end++
  return { from: start, to: from === to ? start : end }
}

/** Returns the text before and after a range: at most 32 units each, and only entire characters. */
export const contextOf = (text: string, { from, to }: Range): { prefix: string; suffix: string } => {
  const start = Math.max(0, from - contextUnits)
  const end = Math.min(text.length, to + contextUnits)
  return {
    prefix: text.slice(splitsPair(text, start) ? start + 1 : start, from),
    suffix: text.slice(to, splitsPair(text, end) ? end - 1 : end)
  }
}

/** The starts of the lines in the text. They are computed once and then queried many times. */
export interface Lines {
  /** Returns the line that contains an offset. */
  at(offset: number): number
  /** Returns the range of a line without its line ending; undefined if there is no such line. */
  range(line: number): Range | undefined
  readonly count: number
}

const lineFeed = 10

/** Returns the line that contains an offset, counted from 1. */
export const lineAt = (text: string, offset: number): number => {
  let line = 1
  for (let at = 0; at < offset; at++) if (text.charCodeAt(at) === lineFeed) line++
  return line
}

/** Returns the starts of the lines. The lines are counted first, because an array that grows takes several times the time and memory. */
const startsOf = (text: string): Int32Array => {
  const starts = new Int32Array(lineAt(text, text.length))
  let line = 1
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) === lineFeed) starts[line++] = at + 1
  return starts
}

export const linesOf = (text: string): Lines => {
  const starts = startsOf(text)
  return {
    count: starts.length,
    at(offset) {
      let [low, high] = [0, starts.length]
      while (high - low > 1) {
        const middle = (low + high) >> 1
        if ((starts[middle] ?? 0) <= offset) low = middle
        else high = middle
      }
      return low + 1
    },
    range(line) {
      const from = starts[line - 1]
      if (from === undefined) return undefined
      const next = starts[line]
      return { from, to: next === undefined ? text.length : next - 1 }
    }
  }
}

/** Whether a range starts or ends inside a letter. A match must not separate a letter from its accent. */
export const partsLetter = (text: string, { from, to }: Range): boolean => splitsLetter(text, from) || splitsLetter(text, to)

/** Returns non-overlapping matches of the words, at most `limit`. */
const ranges = (text: string, words: Words, within: Range, limit: number): Range[] => {
  const { find, prefix = '', suffix = '' } = words
  const found: Range[] = []
  for (const at of occurrences(text, prefix + find + suffix)) {
    const from = at + prefix.length
    if (from > within.to) break
    if (from < Math.max(within.from, found.at(-1)?.to ?? 0)) continue
    const range = { from, to: from + find.length }
    if (partsLetter(text, range)) continue
    found.push(range)
    if (found.length === limit) break
  }
  return found
}

/** Returns the end of the letter that ends at `to`, including accents that follow as separate units. */
const withAccents = (text: string, to: number): number => {
  let end = to
  while (end < text.length && isAccent(text.charCodeAt(end))) end++
  return end
}

/** Like `ranges`, but ignores whitespace and Markdown marks. */
const foldedRanges = (text: string, words: Words, within: Range, limit: number): Range[] => {
  const folded = fold(text)
  const find = fold(words.find).text
  if (find === '') return []
  // Folds the context next to the words. The space between them is kept, because folding removes space at the ends of the text.
  const contextAt = (context: string | undefined, end: 'start' | 'end'): string => {
    const { text: bare } = fold(context ?? '')
    if (bare === '') return ''
    return end === 'end' ? bare + (/\s$/.test(context ?? '') ? ' ' : '') : (/^\s/.test(context ?? '') ? ' ' : '') + bare
  }
  const source = (at: number): number => folded.at[at] ?? text.length
  const all = { find, prefix: contextAt(words.prefix, 'end'), suffix: contextAt(words.suffix, 'start') }
  return ranges(folded.text, all, { from: 0, to: folded.text.length }, Number.POSITIVE_INFINITY)
    .map(({ from, to }) => ({ from: source(from), to: withAccents(text, source(to - 1) + 1) }))
    .filter(({ from }) => from >= within.from && from <= within.to)
    .slice(0, limit)
}

/**
 * Finds words in the text: exactly, or otherwise ignoring whitespace and Markdown marks. Returns undefined if the words do not occur. If
 * they occur several times and nothing identifies the intended match, the result contains the candidates, at most 20.
 */
export const findWords = (text: string, words: Words): Found => {
  const lines = linesOf(text)
  const within = words.line === undefined ? { from: 0, to: text.length } : lines.range(words.line)
  if (within === undefined || words.find === '') return undefined
  const limit = words.occurrence ?? candidatesMax
  const exact = ranges(text, words, within, limit)
  const found = exact.length > 0 ? exact : foldedRanges(text, words, within, limit)
  if (words.occurrence !== undefined) return one(found[words.occurrence - 1])
  if (found.length < 2) return one(found[0])
  return { candidates: found.map((range) => candidate(text, lines, range)) }
}

/** Returns the matches of the words on any line, at most 20. */
const placesOf = (text: string, { find, prefix, suffix }: Words): readonly Candidate[] => {
  const found = findWords(text, { find, prefix, suffix })
  if (found === undefined) return []
  return 'candidates' in found ? found.candidates : [candidate(text, linesOf(text), found.range)]
}

/**
 * Reports where words occur if they are not on the given line, or occur fewer times than the given number. Returns undefined if they do not occur at
 * all, or if neither a line nor a number was given.
 */
export const missedPlace = (
  text: string,
  { find, prefix, suffix, line, occurrence }: Words
): { readonly message: string; readonly candidates: readonly Candidate[] } | undefined => {
  if (line === undefined && occurrence === undefined) return undefined
  const candidates = placesOf(text, { find, prefix, suffix })
  if (candidates.length === 0) return undefined
  const beginning = line === undefined ? candidates : candidates.filter((each) => each.line === line)
  if (beginning.length === 0) {
    const lines = [...new Set(candidates.map((each) => each.line))].join(', ')
    return { message: `This text does not begin on line ${line}, but on ${lines}.`, candidates }
  }
  const times = beginning.length === 1 ? 'once' : `${beginning.length} times`
  const counted = candidates.length === candidatesMax ? `fewer than ${occurrence} times` : times
  const where = line === undefined ? 'in the document' : `on line ${line}`
  return { message: `This text occurs ${counted} ${where}, so there is no occurrence ${occurrence}.`, candidates: beginning }
}

const one = (range: Range | undefined): Found => range && { range }

const candidate = (text: string, lines: Lines, range: Range): Candidate => {
  const { prefix, suffix } = contextOf(text, range)
  return { ...range, line: lines.at(range.from), before: prefix, after: suffix }
}
