/**
 * Edits within one fence. Every interaction is a list of small edits inside the fence's own lines, ascending and non-overlapping. Concurrent edits of
 * two people merge without damage, because lines are inserted as a unit and a removed line leaves its line break. If somebody else is typing in the
 * removed line, that text stays on a separate line.
 */
import { diff, type Edit } from '../text/diff.ts'
import type { Fence, Line, Range } from './fences.ts'

const saysSomething = ({ text }: Line): boolean => text.trim() !== ''

/**
 * Inserts lines before the line with this index, or after the last line if there is none. The actual place is before the next line that `isSound`
 * accepts. An empty line, or a line with plain text, may be the rest of a removed line. If somebody else typed there at the same time, Yjs would put
 * both insertions after the deleted text, and thus on the same line.
 */
export const insertLines = (
  { source, lines, prefix, bodyTo, closing }: Fence,
  index: number,
  contents: readonly string[],
  isSound: (line: Line) => boolean = saysSomething
): Edit[] => {
  if (contents.length === 0) return []
  const written = contents.map((content) => (prefix + content).trimEnd())
  const before = lines.slice(index).find(isSound)
  const at = before?.start ?? bodyTo
  // A fence that is not closed may end without a line break.
  const isOpenEnd = before === undefined && closing === undefined && bodyTo > 0 && source.charAt(bodyTo - 1) !== '\n'
  const insert = isOpenEnd ? `\n${written.join('\n')}` : `${written.join('\n')}\n`
  return [{ from: at, to: at, insert }]
}

/** Deletes the text of a line but not its line break. */
export const vacate = ({ from, to }: Range): Edit[] => (to > from ? [{ from, to, insert: '' }] : [])

/** Rewrites part of a line. Only the words that differ are replaced. */
export const rewrite = ({ source }: Fence, { from, to }: Range, text: string): Edit[] =>
  diff(source.slice(from, to), text).map((edit) => ({ from: edit.from + from, to: edit.to + from, insert: edit.insert }))

/** Replaces a range with a single edit, without a diff. */
export const replace = ({ source }: Fence, { from, to }: Range, text: string): Edit[] =>
  source.slice(from, to) === text ? [] : [{ from, to, insert: text }]

/** Inserts lines directly after a line to which they belong, such as a card's details. */
export const insertAfter = ({ prefix }: Fence, { to }: Line, contents: readonly string[]): Edit[] =>
  contents.length === 0 ? [] : [{ from: to, to, insert: contents.map((content) => `\n${(prefix + content).trimEnd()}`).join('') }]

/** Rewrites the lines after a line, one by one. Additional lines are inserted after the last one. Surplus lines are emptied. */
export const rewriteLines = (fence: Fence, behind: Line, lines: readonly Line[], contents: readonly string[]): Edit[] => [
  ...lines.flatMap((line, index) => {
    const content = contents[index]
    return content === undefined ? vacate(line) : rewrite(fence, line, content)
  }),
  ...insertAfter(fence, lines.at(-1) ?? behind, contents.slice(lines.length))
]

/** Returns the length of the closing mark on a line that would close the fence; 0 if the line would not close it. */
const closingLength = (fence: Fence, line: string): number => {
  const char = fence.source.charAt(fence.mark.from)
  const content = line.startsWith(fence.prefix) ? line.slice(fence.prefix.length) : line.trimStart()
  if (/^[ \t]{4}/.test(content)) return 0
  const rest = content.trim()
  return rest.length >= fence.mark.to - fence.mark.from && rest === char.repeat(rest.length) ? rest.length : 0
}

/** Returns edits that lengthen the marks of the fence if a line of the result would close it. */
const growth = (fence: Fence, edits: readonly Edit[]): Edit[] => {
  const { source, mark, closing, bodyFrom, bodyTo } = fence
  if (mark.to === mark.from) return []
  const char = source.charAt(mark.from)
  if (!edits.some(({ insert }) => insert.includes(char))) return []
  const parts: string[] = []
  let at = bodyFrom
  for (const edit of edits) {
    parts.push(source.slice(at, edit.from), edit.insert)
    at = edit.to
  }
  const lines = [...parts, source.slice(at, bodyTo)].join('').split('\n')
  const longest = lines.reduce((most, line) => Math.max(most, closingLength(fence, line)), 0)
  if (longest === 0) return []
  const more = char.repeat(longest + 1 - (mark.to - mark.from))
  return [mark, closing].flatMap((range) => (range === undefined ? [] : [{ from: range.to, to: range.to, insert: more }]))
}

/**
 * Returns all edits of one interaction, in order. They insert LF line endings. Throws if an edit is outside the fence or two edits overlap, which would
 * be a bug.
 */
export const within = (fence: Fence, edits: readonly Edit[]): readonly Edit[] => {
  const ordered = edits.toSorted((one, other) => one.from - other.from || one.to - other.to)
  ordered.forEach(({ from, to }, index) => {
    const before = ordered[index - 1]?.to ?? fence.bodyFrom
    if (from < before || to < from || to > fence.bodyTo) throw new RangeError(`an edit at ${from}–${to} leaves its fence or meets another`)
  })
  return [...ordered, ...growth(fence, ordered)].toSorted((one, other) => one.from - other.from)
}

/** Returns text in a form that fits on one line. */
export const oneLine = (text: string): string => text.replaceAll(/[\r\n\0]+/g, ' ').trim()

/** Returns the lines of the text that was typed into a multi-line field. */
export const linesOfText = (text: string): string[] =>
  text
    .replaceAll('\0', '')
    .split(/\r\n?|\n/)
    .map((line) => line.trimEnd())

const closer = /^(?:`{3,}|~{3,})$/

/**
 * Returns the source of a line below the first line of a card or message. A line that would close a fence is indented far enough to prevent that
 * (CommonMark 4.5). Longer fence marks would also work, but other people might receive them later than the lines that need them.
 */
export const indentedLine = (line: string): string => (line === '' ? '' : closer.test(line.trim()) ? `    ${line.trim()}` : `  ${line}`)

export const unindentedLine = (line: string): string => {
  const text = line.replace(/^(?: {1,2}|\t)/, '').trimEnd()
  return closer.test(text.trim()) ? text.trim() : text
}
