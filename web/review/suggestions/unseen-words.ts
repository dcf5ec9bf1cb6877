/** Finds the words of a typed suggestion that the person who rejected it could not see yet. */
import type { Range } from '../../../shared/text/targets.ts'

/** Matches a UTF-16 unit of a word. Surrogates count, so that no character is split. */
const ofWord = /[\p{L}\p{N}\p{M}\p{Cs}_]/u
const splitsWord = (text: string, at: number): boolean => ofWord.test(text.charAt(at - 1)) && ofWord.test(text.charAt(at))

/**
 * Returns the range of the typed words that a rejected version lacks, with the whole words at both ends. Spaces before it are part of it, unless
 * `isAfterSpace`. Undefined if the rejected version has all of the text, or if the text is a change in a table, of which a part makes no sense.
 */
export function unseenIn(typed: string, rejected: string, isAfterSpace: boolean): Range | undefined {
  const most = Math.min(typed.length, rejected.length)
  let from = 0
  while (from < most && typed[from] === rejected[from]) from++
  let end = 0
  while (end < most - from && typed[typed.length - 1 - end] === rejected[rejected.length - 1 - end]) end++
  let to = typed.length - end
  if (typed.slice(from, to).trim() === '' || typed.includes('|')) return undefined
  while (splitsWord(typed, from)) from--
  while (splitsWord(typed, to)) to++
  if (isAfterSpace) while (/\s/.test(typed[from] ?? '')) from++
  else while (from > 0 && /\s/.test(typed[from - 1] ?? '')) from--
  return { from, to }
}
