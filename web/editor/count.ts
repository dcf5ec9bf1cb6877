/** Counts the words and characters of the text. */
import type { Text } from '@codemirror/state'
import { onceFor } from '../../shared/once-for.ts'

/** Marks of formats inside a word, as in `**Fri**day`, do not divide it. */
const word = /[\p{L}\p{N}]+(?:(?:['’_-]|[*~=`]+)[\p{L}\p{N}]+)*/gu
/** Matches characters of scripts without spaces. Each one counts as a word, as in word processors. */
const ideograph = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu

/** Matches quote marks, list markers with their check boxes, and the info string of a fence. */
const lineMarks = /^[ \t>]{0,40}(?:(?:[-*+]|\d{1,9}[.)])[ \t]{1,4}(?:\[[ xX]\](?=[ \t]|$))?|(?:`{3,}|~{3,})[^`\n]{0,200}$)/
/** Matches `](address "title")`. For a picture, it also matches the alternative text, which is visible only if the picture is missing. */
const target = /(?:!\[[^[\]\n]{0,500})?\]\((?:<[^<>\n]{0,2000}>|(?:[^()\n]|\([^()\n]{0,500}\)){0,2000})\)/g
/** Matches an address in the text, which counts as one word. */
const address = /(?:https?:\/\/|www\.)[!-;=?-{}~]+/gi

export function countWords(text: string): number {
  const alone = text.match(ideograph)?.length ?? 0
  return alone + (text.replace(ideograph, ' ').match(word)?.length ?? 0)
}

function countPart(text: Text): number {
  if (text.children !== null) return text.children.reduce((sum, child) => sum + countDocument(child), 0)
  let sum = 0
  for (const line of text.iterLines()) sum += countWords(line.replace(lineMarks, ' ').replace(target, ' ').replace(address, 'x'))
  return sum
}

/**
 * Counts the words of the editor's text. The time depends on how much changed since the last call: the parts of the text are immutable, and an edit
 * reuses most of them.
 */
export const countDocument: (text: Text) => number = onceFor(countPart)

/**
 * Longest text whose grapheme clusters are counted, in UTF-16 units. Longer text is counted in code points, because a million clusters would take
 * half a second.
 */
const clustersUnitsMax = 200_000

/** Counts characters as people do (grapheme clusters), without line breaks. */
export function countCharacters(text: Text): number {
  if (text.length > clustersUnitsMax) {
    let sum = 0
    for (const line of text.iterLines()) for (const _ of line) sum++
    return sum
  }
  const segments = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  let sum = 0
  for (const line of text.iterLines()) for (const _ of segments.segment(line)) sum++
  return sum
}
