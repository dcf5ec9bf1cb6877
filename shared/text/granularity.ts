/** Splits the difference between two versions into suggested changes: by words, sentences, paragraphs or sections. */
import type { Range } from './targets.ts'
import { applyEdits, type Edit } from './diff.ts'
import { outlineOf } from './outline.ts'

export const granularities = ['word', 'sentence', 'paragraph', 'section'] as const
export type Granularity = (typeof granularities)[number]

// The end of a sentence: its mark, closing marks and the space after them. Scripts without spaces need no space.
const sentenceEnd = /[.!?…]["'”’»)\]*_]*\s|[。！？]["'”’」』）]*|\n/g
const blankLine = /\n[ \t]*\n/g

// A word is a run of letters and digits, a run of whitespace, or a single other character. In scripts without spaces, each character is a word.
const wordStart =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{N}\p{M}_])+|\s+|[^]/gu

const startsOf = (text: string, granularity: Granularity): number[] => {
  if (granularity === 'word') return Array.from(text.matchAll(wordStart), ({ index }) => index)
  if (granularity === 'section') return outlineOf(text).map(({ from }) => from)
  const ends = text.matchAll(granularity === 'sentence' ? sentenceEnd : blankLine)
  return Array.from(ends, ({ 0: end, index }) => index + end.length)
}

/** Returns the bounds of the units in the text, ascending from 0 to the text's length. The space between units belongs to none of them. */
const boundsOf = (text: string, granularity: Granularity): Set<number> => {
  const bounds = new Set([0])
  let last = 0
  for (const start of [...startsOf(text, granularity), text.length]) {
    let end = start
    while (granularity !== 'word' && end > last && /\s/.test(text[end - 1] ?? '')) end--
    bounds.add(end).add(start)
    last = start
  }
  return bounds
}

/**
 * Extends edits of `before` to replacements of entire units in both texts, and joins the edits within one unit. Like the input, the result is
 * ascending and non-overlapping.
 */
export const parted = (before: string, edits: readonly Edit[], granularity: Granularity): readonly Edit[] => {
  const after = applyEdits(before, edits)
  const [old, young] = [[...boundsOf(before, granularity)], boundsOf(after, granularity)]
  const parts: Edit[] = []
  let [next, shift, open, opening] = [0, 0, 0, 0]
  // Between two edits the texts are equal. At a bound that both texts share, one part may end and another begin.
  for (let index = 0; index <= edits.length; index++) {
    const [previous, edit] = [edits[index - 1], edits[index]]
    const gap: Range = { from: previous?.to ?? 0, to: edit?.from ?? before.length }
    if (previous !== undefined) shift += previous.insert.length - (previous.to - previous.from)
    while (next < old.length && (old[next] as number) < gap.from) next++
    let [first, last]: (number | undefined)[] = []
    for (let at = next; at < old.length && (old[at] as number) <= gap.to; at++) {
      const bound = old[at] as number
      if (!young.has(bound + shift)) continue
      first ??= bound
      last = bound
    }
    if (first === undefined || last === undefined) continue
    if (previous !== undefined) joined(parts, { from: open, to: first, insert: after.slice(opening, first + shift) })
    open = last
    opening = last + shift
  }
  return parts
}

/** Joins an insertion to an adjacent part. Otherwise, its position would depend on the order in which the two are decided. */
const joined = (parts: Edit[], part: Edit): void => {
  const last = parts.at(-1)
  const touches = last !== undefined && last.to === part.from && (last.from === last.to || part.from === part.to)
  if (touches) parts[parts.length - 1] = { from: last.from, to: part.to, insert: last.insert + part.insert }
  else parts.push(part)
}
