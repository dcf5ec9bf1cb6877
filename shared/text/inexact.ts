/**
 * Replaces words that differ in the text from the request: with marks between them, other white space, or a link around them. Annotations may be on
 * such words. A replacement must not remove half a pair of marks, an address or a cell.
 */
import type { Range } from './anchors.ts'

const marks = '*_~=`'
const isMark = (character: string | undefined): boolean => character !== undefined && character !== '' && marks.includes(character)

/** Whether all marks and brackets in the text are in pairs; escaped ones count as words. */
const isBalanced = (text: string): boolean => {
  const runs = new Map<string, number>()
  let open = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ''
    if (character === '\\') {
      at++
      continue
    }
    if (character === '[') open++
    if (character === ']' && --open < 0) return false
    if (!isMark(character)) continue
    let end = at + 1
    while (text[end] === character) end++
    const run = text.slice(at, end)
    runs.set(run, (runs.get(run) ?? 0) + 1)
    at = end - 1
  }
  return open === 0 && [...runs.values()].every((count) => count % 2 === 0)
}

/** Widest run of marks that a range grows over: `***` and a backtick more. */
const growMax = 4

const grownTo = (text: string, { from, to }: Range, left: boolean, right: boolean): Range => {
  let [start, end] = [from, to]
  while (left && from - start < growMax && isMark(text[start - 1])) start--
  while (right && end - to < growMax && isMark(text[end])) end++
  return { from: start, to: end }
}

const barsIn = (text: string): number => text.replaceAll(/\\[^]/g, '').split('|').length - 1

/** Line ends with a following marker that makes the next line a separate block. */
const startsBlock = /\n[ \t]*(?:[-+*>#|]|\d{1,9}[.)])/

const paragraphsIn = (text: string): number => text.split(/\n[ \t]*\n/).length

/** Whether a range extends beyond the heading that it begins in. */
const leavesHeading = (text: string, { from, to }: Range): boolean => {
  const start = text.lastIndexOf('\n', from - 1) + 1
  return text.slice(from, to).includes('\n') && /^ {0,3}#{1,6}[ \t]/.test(text.slice(start, to))
}

/** Whether a replacement removes nothing that the caller did not name: an address, the beginning or end of a block, a cell. */
const isHarmless = (text: string, range: Range, replacement: string): boolean => {
  const source = text.slice(range.from, range.to)
  if (source.includes('](') || startsBlock.test(source) || leavesHeading(text, range)) return false
  return barsIn(source) === barsIn(replacement) && paragraphsIn(source) <= paragraphsIn(replacement)
}

/**
 * The range that a replacement of words may cover: it grows over adjacent marks until they are in pairs. Undefined: it would remove more than the
 * words, so the caller must name them exactly.
 */
export const replaceable = (text: string, range: Range, replacement: string): Range | undefined => {
  const ways = [
    range,
    ...(
      [
        [true, false],
        [false, true],
        [true, true]
      ] as const
    ).map(([left, right]) => grownTo(text, range, left, right))
  ]
  const found = ways.find(({ from, to }) => isBalanced(text.slice(from, to)))
  return found !== undefined && isHarmless(text, found, replacement) ? found : undefined
}
