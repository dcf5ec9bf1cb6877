/** Finds a part of a component again after other people have changed the component. */

const wordsIn = (text: string): Set<string> => new Set(text.match(/[\p{L}\p{N}]+/gu))

/** Returns the fraction of the words in `one` that are also in `other`, from 0 to 1. */
const likeness = (one: string, other: string): number => {
  const [words, others] = [wordsIn(one), wordsIn(other)]
  return words.size === 0 ? 0 : [...words].filter((word) => others.has(word)).length / words.size
}

/** Minimum likeness at which text counts as a changed version of another, even if it has moved. */
const likenessMin = 0.5

/**
 * Returns the index of a part after a change. Parts are identified by their text, so the result is the nearest part with the same text. If there is
 * none, a new part in the same place or a part with similar text counts as the changed part. Returns undefined if the part was removed.
 */
export function followPart(
  before: readonly string[],
  index: number,
  now: readonly string[],
  mayBe: (at: number) => boolean = () => true
): number | undefined {
  const part = before[index] ?? ''
  const same = now.flatMap((each, at) => (each === part ? [at] : []))
  if (same.length > 0) return same.reduce((best, at) => (Math.abs(at - index) < Math.abs(best - index) ? at : best))
  const known = new Set(before)
  let found: { readonly at: number; readonly score: number } | undefined
  now.forEach((each, at) => {
    if (known.has(each) || !mayBe(at)) return
    const neighbors = Number(now[at - 1] === before[index - 1]) + Number(now[at + 1] === before[index + 1])
    const alike = likeness(part, each)
    const score = alike + neighbors / 4
    if ((neighbors > 0 || alike >= likenessMin) && (found === undefined || score > found.score)) found = { at, score }
  })
  return found?.at
}
