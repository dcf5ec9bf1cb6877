/** Finds a word in words as people type it: its letters in order, better at the beginnings of words and side by side. */

const plain = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()

/** How well `query` fits `text`: higher is better, 0 not at all. */
export function fit(query: string, text: string): number {
  const wanted = plain(query).replaceAll(/\s+/g, '')
  const words = plain(text)
  if (wanted === '') return 1
  const whole = words.indexOf(plain(query).trim())
  if (whole >= 0) return 1000 - whole + (whole === 0 || words[whole - 1] === ' ' ? 500 : 0)
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

/** What fits `query`, the best first; `names` gives the words of each, the ones that count most first. */
export const best = <T>(query: string, all: readonly T[], names: (each: T) => readonly string[]): T[] =>
  all
    .map((each) => ({ each, score: Math.max(...names(each).map((name, rank) => fit(query, name) / (rank + 1))) }))
    .filter(({ score }) => score >= 1)
    .toSorted((one, other) => other.score - one.score)
    .map(({ each }) => each)
