/**
 * Edits within one fence. Every interaction is a list of small edits inside the fence's own lines: ascending, apart, and
 * made so that two people's meet in the text without harm: lines come whole, and a line that is taken away leaves its
 * line end behind, so that what somebody else types into it stays alone on its line.
 */
import { diff, type Edit } from '../text/diff.ts'
import type { Fence, Line, Range } from './fences.ts'

const saysSomething = ({ text }: Line): boolean => text.trim() !== ''

/**
 * New lines before the line of this index; behind the last one when there is none. They go before the next line that is sound, which is what
 * its kind of fence knows: at an empty line, or one that holds but words, something was vacated, and what else is written there at the same
 * time would come to stand on the line with them (Yjs puts both behind what was deleted).
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
  // A fence that is not closed may end without a line end.
  const isOpenEnd = before === undefined && closing === undefined && bodyTo > 0 && source.charAt(bodyTo - 1) !== '\n'
  const insert = isOpenEnd ? `\n${written.join('\n')}` : `${written.join('\n')}\n`
  return [{ from: at, to: at, insert }]
}

/** Takes what a line says, and leaves its line end. */
export const vacate = ({ from, to }: Range): Edit[] => (to > from ? [{ from, to, insert: '' }] : [])

/** Makes a part of a line read otherwise, by the words that differ. */
export const rewrite = ({ source }: Fence, { from, to }: Range, text: string): Edit[] =>
  diff(source.slice(from, to), text).map((edit) => ({ from: edit.from + from, to: edit.to + from, insert: edit.insert }))

/** Puts a text in the place of another as a whole. */
export const replace = ({ source }: Fence, { from, to }: Range, text: string): Edit[] =>
  source.slice(from, to) === text ? [] : [{ from, to, insert: text }]

/** New lines right behind one: for what belongs to it. */
export const insertBehind = ({ prefix }: Fence, { to }: Line, contents: readonly string[]): Edit[] =>
  contents.length === 0 ? [] : [{ from: to, to, insert: contents.map((content) => `\n${(prefix + content).trimEnd()}`).join('') }]

/** Makes the lines behind one read otherwise: line by line, what is more behind the last of them, what is less vacated. */
export const rewriteLines = (fence: Fence, behind: Line, lines: readonly Line[], contents: readonly string[]): Edit[] => [
  ...lines.flatMap((line, index) => {
    const content = contents[index]
    return content === undefined ? vacate(line) : rewrite(fence, line, content)
  }),
  ...insertBehind(fence, lines.at(-1) ?? behind, contents.slice(lines.length))
]

/** The mark with which a line would close the fence. */
const closingLength = (fence: Fence, line: string): number => {
  const char = fence.source.charAt(fence.mark.from)
  const content = line.startsWith(fence.prefix) ? line.slice(fence.prefix.length) : line.trimStart()
  if (/^[ \t]{4}/.test(content)) return 0
  const rest = content.trim()
  return rest.length >= fence.mark.to - fence.mark.from && rest === char.repeat(rest.length) ? rest.length : 0
}

/** Longer marks, when a line of the result would close the fence. */
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
 * The edits of one interaction, in order. They insert text with LF ends.
 * Errors: throws when one reaches out of the fence or two overlap, which is a bug.
 */
export const within = (fence: Fence, edits: readonly Edit[]): readonly Edit[] => {
  const ordered = edits.toSorted((one, other) => one.from - other.from || one.to - other.to)
  ordered.forEach(({ from, to }, index) => {
    const before = ordered[index - 1]?.to ?? fence.bodyFrom
    if (from < before || to < from || to > fence.bodyTo) throw new RangeError(`an edit at ${from}–${to} leaves its fence or meets another`)
  })
  return [...ordered, ...growth(fence, ordered)].toSorted((one, other) => one.from - other.from)
}

/** A text as it may stand on one line. */
export const oneLine = (text: string): string => text.replaceAll(/[\r\n\0]+/g, ' ').trim()

/** The lines of a text that was typed into a field of several lines. */
export const linesOfText = (text: string): string[] =>
  text
    .replaceAll('\0', '')
    .split(/\r\n?|\n/)
    .map((line) => line.trimEnd())

const closer = /^(?:`{3,}|~{3,})$/

/**
 * A line below the first one of a card or message. A line that would close a fence is indented so far that it never does (CommonMark 4.5): longer
 * marks would do as well, but reach others later than lines that rely on them.
 */
export const indentedLine = (line: string): string => (line === '' ? '' : closer.test(line.trim()) ? `    ${line.trim()}` : `  ${line}`)

export const unindentedLine = (line: string): string => {
  const text = line.replace(/^(?: {1,2}|\t)/, '').trimEnd()
  return closer.test(text.trim()) ? text.trim() : text
}
