/** Matches a query against a text: its characters in order, better at the beginnings of words and next to each other. */

const plain = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()

/**
 * Returns how well `query` matches `text`: higher is better, 0 is no match. The beginning of the text counts more than that of a later word, that
 * more than the middle of one, and characters in order count least.
 */
export function fit(query: string, text: string): number {
  const wanted = plain(query).replaceAll(/\s+/g, '')
  const words = plain(text)
  if (wanted === '') return 1
  const whole = plain(query).trim()
  if (words.startsWith(whole)) return 4000 - words.length
  const wordStart = words.indexOf(` ${whole}`)
  if (wordStart >= 0) return 3000 - wordStart
  const within = words.indexOf(whole)
  if (within >= 0) return 1000 - within
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

/** Returns the entries that match `query`, the best first; `names` returns the names of each, the most important ones first. */
export const best = <T>(query: string, all: readonly T[], names: (each: T) => readonly string[]): T[] =>
  all
    .map((each) => ({ each, score: Math.max(...names(each).map((name, rank) => fit(query, name) / (rank + 1))) }))
    .filter(({ score }) => score >= 1)
    .toSorted((one, other) => other.score - one.score)
    .map(({ each }) => each)
