/** Lines that somebody may have meant whose words are not there: for who quotes from memory. */

export interface SimilarLine {
  /** Counted from 1. */
  readonly line: number
  /** Its beginning. */
  readonly text: string
}

/** Longer texts are not searched: nobody may make the service search for long. In UTF-16 units. */
const searchedUnitsMax = 200_000
const soughtUnitsMax = 200
const shownUnitsMax = 120
const shownLinesMax = 3

/** How much of the words a line must have. */
const shareMin = 0.4

const plain = (text: string): string => text.toLowerCase().replaceAll(/\s+/g, ' ').trim()

const trigrams = (text: string): Set<string> => {
  const found = new Set<string>()
  for (let at = 0; at + 3 <= text.length; at++) found.add(text.slice(at, at + 3))
  return found
}

/** The lines that share most groups of three letters with the first line of the words; at most 3. */
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
