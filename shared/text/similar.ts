/** Finds lines that a caller may have meant with words that are not in the text: quoted from memory, or from an earlier version. */
import type { Range } from './anchors.ts'
import type { Source } from './resolution.ts'

export interface SimilarLine {
  /** Counted from 1. */
  readonly line: number
  /** Its beginning. */
  readonly text: string
}

/** Longer texts are not searched, so that nobody can make the service search for long. In UTF-16 units. */
const searchedUnitsMax = 200_000
const soughtUnitsMax = 200
const shownUnitsMax = 120
const shownLinesMax = 3

/** The share of the words that a line must contain. */
const shareMin = 0.4

/** In a line too long to show, the units shown before the place. */
const leadUnits = 40

/** The nonblank lines of a range; at most 3. */
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

/** The present lines of a change, and those most like the words, each once; at most 3, including a similar one if the change is long. */
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

/** The lines that share the most trigrams with the first line of the words; at most 3. */
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
