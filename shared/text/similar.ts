/** Finds lines that a caller may have meant when text is not found, for example because it was quoted from memory or from an earlier version. */
import type { Range } from './targets.ts'
import type { Source } from './resolution.ts'

export interface SimilarLine {
  /** Line number, counted from 1. */
  readonly line: number
  /** The beginning of the line. */
  readonly text: string
}

/** Longest text that is searched, in UTF-16 units. The limit keeps callers from making the service search for a long time. */
const searchedUnitsMax = 200_000
const soughtUnitsMax = 200
const shownUnitsMax = 120
const shownLinesMax = 3

/** Fraction of the trigrams in the wanted text that a line must contain, from 0 to 1. */
const shareMin = 0.4

/** Number of units that are shown before the match in a line that is too long to show in full. */
const leadUnits = 40

/** Returns the nonblank lines of a range, at most 3. */
export const linesAround = ({ text, lines }: Pick<Source, 'text' | 'lines'>, { from, to }: Range): readonly SimilarLine[] => {
  const found: SimilarLine[] = []
  const last = lines.at(Math.max(from, to - 1))
  for (let line = lines.at(from); line <= last && found.length < shownLinesMax; line++) {
    const whole = lines.range(line) as Range
    const start = whole.to - whole.from <= shownUnitsMax ? whole.from : Math.max(whole.from, from - leadUnits)
    const shown = text.slice(start, Math.min(whole.to, start + shownUnitsMax)).toWellFormed()
    if (shown.trim() !== '') found.push({ line, text: shown })
  }
  return found
}

/**
 * Returns the current lines of a change, and the lines most similar to the words, without duplicates. Returns at most 3 lines. Even if the change
 * is long, one of them is a similar line.
 */
export const linesNow = (source: Pick<Source, 'text' | 'lines'>, changed: Range, words: string): readonly SimilarLine[] => {
  const there = linesAround(source, changed)
  const all = [...there.slice(0, shownLinesMax - 1), ...similarLines(source.text, words), ...there]
  return all.filter(({ line }, index) => all.findIndex((known) => known.line === line) === index).slice(0, shownLinesMax)
}

const plain = (text: string): string => text.toLowerCase().replaceAll(/\s+/g, ' ').trim()

const trigrams = (text: string): Set<string> => {
  const found = new Set<string>()
  for (let at = 0; at + 3 <= text.length; at++) found.add(text.slice(at, at + 3))
  return found
}

/** Returns the lines that share the most trigrams with the first line of the words, at most 3. */
export const similarLines = (text: string, words: string): readonly SimilarLine[] => {
  const [first = ''] = words.trim().split('\n')
  const sought = [...trigrams(plain(first.slice(0, soughtUnitsMax)))]
  if (sought.length === 0 || text.length > searchedUnitsMax) return []
  return text
    .split('\n')
    .map((line, index) => {
      const there = trigrams(plain(line))
      return { line: index + 1, text: line, share: sought.filter((group) => there.has(group)).length / sought.length }
    })
    .filter(({ share }) => share >= shareMin)
    .toSorted((one, other) => other.share - one.share || one.line - other.line)
    .slice(0, shownLinesMax)
    .map(({ line, text: whole }) => ({ line, text: whole.slice(0, shownUnitsMax).toWellFormed() }))
}
