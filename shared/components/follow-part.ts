/** Finds a part of a component again after others changed it. */

const wordsIn = (text: string): Set<string> => new Set(text.match(/[\p{L}\p{N}]+/gu))

/** Returns the share of the words of one text that another text also has, 0 to 1. */
const likeness = (one: string, other: string): number => {
  const [words, others] = [wordsIn(one), wordsIn(other)]
  return words.size === 0 ? 0 : [...words].filter((word) => others.has(word)).length / words.size
}

/** Minimum likeness at which a text counts as a changed version of another, even if it has moved. */
const likenessMin = 0.5

/**
 * Returns the index of a part after a change, among parts identified by their text: the nearest with the same text. Otherwise a new part in its
 * place, or one with a similar text, counts as the changed part. Undefined if the part was removed.
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
    const beside = Number(now[at - 1] === before[index - 1]) + Number(now[at + 1] === before[index + 1])
    const alike = likeness(part, each)
    const score = alike + beside / 4
    if ((beside > 0 || alike >= likenessMin) && (found === undefined || score > found.score)) found = { at, score }
  })
  return found?.at
}
