/**
 * Decides whether a replacement may change text that matches its request only approximately, for example because of Markdown marks,
 * whitespace or links. Comments may be attached to such text, but a replacement must not remove half a pair of marks, an address or a table
 * cell.
 */
import type { Range } from './targets.ts'

const marks = '*_~=`'
const isMark = (character: string | undefined): boolean => character !== undefined && character !== '' && marks.includes(character)

/** Whether all marks and brackets in the text are in pairs. Escaped ones count as text. */
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

/** Maximum number of marks by which a range grows on either side: `***` and a backtick. */
const growMax = 4

const grownTo = (text: string, { from, to }: Range, left: boolean, right: boolean): Range => {
  let [start, end] = [from, to]
  while (left && from - start < growMax && isMark(text[start - 1])) start--
  while (right && end - to < growMax && isMark(text[end])) end++
  return { from: start, to: end }
}

const barsIn = (text: string): number => text.replaceAll(/\\[^]/g, '').split('|').length - 1

/** Matches a line ending followed by a marker that makes the next line a separate block. */
const startsBlock = /\n[ \t]*(?:[-+*>#|]|\d{1,9}[.)])/

const paragraphsIn = (text: string): number => text.split(/\n[ \t]*\n/).length

/** Whether a range begins in a heading and extends beyond that heading. */
const leavesHeading = (text: string, { from, to }: Range): boolean => {
  const start = text.lastIndexOf('\n', from - 1) + 1
  return text.slice(from, to).includes('\n') && /^ {0,3}#{1,6}[ \t]/.test(text.slice(start, to))
}

/** Whether a replacement removes only text that the caller named. It must not remove an address, the beginning or end of a block, or a cell. */
const isHarmless = (text: string, range: Range, replacement: string): boolean => {
  const source = text.slice(range.from, range.to)
  if (source.includes('](') || startsBlock.test(source) || leavesHeading(text, range)) return false
  return barsIn(source) === barsIn(replacement) && paragraphsIn(source) <= paragraphsIn(replacement)
}

/**
 * Returns the range that a replacement may cover. It is extended over adjacent marks until they are in pairs. Returns undefined if the replacement
 * would remove more than the named text. The caller must then name the text exactly.
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
