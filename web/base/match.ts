/** Matches a query against text. The characters must appear in order; those at the beginnings of words or next to each other score higher. */

const plain = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()

/**
 * Scores how well `query` matches `text`: higher is better, 0 is no match. A match at the beginning of the text scores highest, then one at the
 * beginning of a word, then one inside a word. Scattered characters score lowest. Without `isLoose`, they are no match.
 */
export function fit(query: string, text: string, isLoose = true): number {
  const wanted = plain(query).replaceAll(/\s+/g, '')
  const words = plain(text)
  if (wanted === '') return 1
  const whole = plain(query).trim()
  // Text that is exactly the query scores highest, even as the fourth name of an entry.
  if (words === whole) return 20_000
  if (words.startsWith(whole)) return 4000 - words.length
  const wordStart = words.indexOf(` ${whole}`)
  if (wordStart >= 0) return 3000 - wordStart
  const within = words.indexOf(whole)
  // A word that begins with the query scores higher, even in the fourth name of an entry.
  if (within >= 0) return 500 - within
  if (!isLoose) return 0
  let score = 0
  let at = -1
  for (const letter of wanted) {
    const next = words.indexOf(letter, at + 1)
    if (next < 0) return 0
    score += next === at + 1 ? 8 : next === 0 || words[next - 1] === ' ' ? 6 : 1
    at = next
  }
  return score
}

/**
 * Returns the entries that match `query`, best first. `names` returns the names of an entry, most important first. Scattered characters match only
 * the first name.
 */
export const best = <T>(query: string, all: readonly T[], names: (each: T) => readonly string[]): T[] =>
  all
    .map((each) => ({ each, score: Math.max(...names(each).map((name, rank) => fit(query, name, rank === 0) / (rank + 1))) }))
    .filter(({ score }) => score >= 1)
    .toSorted((one, other) => other.score - one.score)
    .map(({ each }) => each)
