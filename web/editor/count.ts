/** Words of a text, for the status line. */
import type { Text } from '@codemirror/state'
import { onceFor } from '../../shared/once-for.ts'

const word = /[\p{L}\p{N}]+(?:['’_-][\p{L}\p{N}]+)*/gu
/** Scripts written without spaces: each character counts, as word processors do. */
const ideograph = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/gu

/** Quote marks, the marker of an item and its check box; the info string of a fence. */
const lineMarks = /^[ \t>]{0,40}(?:(?:[-*+]|\d{1,9}[.)])[ \t]{1,4}(?:\[[ xX]\](?=[ \t]|$))?|(?:`{3,}|~{3,})[^`\n]{0,200}$)/
/** `](address "title")`, and for a picture also its alternative text, which shows only where the picture is missing. */
const target = /(?:!\[[^[\]\n]{0,500})?\]\((?:<[^<>\n]{0,2000}>|[^()\n]{0,2000})\)/g

export function countWords(text: string): number {
  const alone = text.match(ideograph)?.length ?? 0
  return alone + (text.replace(ideograph, ' ').match(word)?.length ?? 0)
}

function countPart(text: Text): number {
  if (text.children !== null) return text.children.reduce((sum, child) => sum + countDocument(child), 0)
  let sum = 0
  for (const line of text.iterLines()) sum += countWords(line.replace(lineMarks, ' ').replace(target, ' '))
  return sum
}

/**
 * Counts the words of an editor's text. It takes time in proportion to the changes since the last call: the parts of a text are immutable, and most
 * of them are reused from one edit to the next.
 */
export const countDocument: (text: Text) => number = onceFor(countPart)

/** Longer texts are counted in code points: counting a million clusters takes half a second. */
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
