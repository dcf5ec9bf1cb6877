/** Splits the difference of two texts into proposed changes: by words, sentences, paragraphs or sections. */
import type { Range } from './anchors.ts'
import { applyEdits, type Edit } from './diff.ts'
import { outlineOf } from './outline.ts'

export const granularities = ['word', 'sentence', 'paragraph', 'section'] as const
export type Granularity = (typeof granularities)[number]

// A mark that ends a sentence, with closing marks and the space after it; scripts without spaces need no space.
const sentenceEnd = /[.!?…]["'”’»)\]*_]*\s|[。！？]["'”’」』）]*|\n/g
const blankLine = /\n[ \t]*\n/g

// A run of letters and digits, of space, or one other character; in scripts without spaces each character is a word.
const wordStart =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{N}\p{M}_])+|\s+|[^]/gu

const startsOf = (text: string, granularity: Granularity): number[] => {
  if (granularity === 'word') return Array.from(text.matchAll(wordStart), ({ index }) => index)
  if (granularity === 'section') return outlineOf(text).map(({ from }) => from)
  const ends = text.matchAll(granularity === 'sentence' ? sentenceEnd : blankLine)
  return Array.from(ends, ({ 0: end, index }) => index + end.length)
}

/** The bounds of the units of a text, without the space between them; ascending, from 0 to its length. */
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
 * Widens edits of `before` to replacements of whole units of both texts and joins those within one unit. Like the input, they are ascending and
 * non-overlapping.
 */
export const parted = (before: string, edits: readonly Edit[], granularity: Granularity): readonly Edit[] => {
  const after = applyEdits(before, edits)
  const [old, young] = [[...boundsOf(before, granularity)], boundsOf(after, granularity)]
  const parts: Edit[] = []
  let [next, shift, open, opening] = [0, 0, 0, 0]
  // Between two edits the texts are equal: at a bound of both, one part may end and another begin.
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

/** Joins an insertion to a part that it touches: otherwise its place would depend on which of the two is decided first. */
const joined = (parts: Edit[], part: Edit): void => {
  const last = parts.at(-1)
  const touches = last !== undefined && last.to === part.from && (last.from === last.to || part.from === part.to)
  if (touches) parts[parts.length - 1] = { from: last.from, to: part.to, insert: last.insert + part.insert }
  else parts.push(part)
}
