/**
 * Resolves operations on words, sections and lines to ranges of the text and their replacements. Each operation refers to the text that its sender has
 * read. server/domain/text/edits.ts handles later changes.
 */
import { findWords, missedPlace, type Range, type Words } from './targets.ts'
import { replaceable } from './inexact.ts'
import type { Section } from './outline.ts'
import { isSame, sectionOf, shortened, type Source } from './resolution.ts'
import { isUnresolved, type Resolution, type Resolutions, type Resolved, type Unresolved } from './resolved.ts'
import { runEnd, skipBlanks, withoutEnd, withoutEnds } from './scan.ts'
import { resolveStructured, type Structured } from './structured.ts'

/** The fields that select one match when the same words occur more than once. */
type Which = Omit<Words, 'find'>

export type Operation =
  | ({ readonly op: 'replace'; readonly find: string; readonly with: string } & Which)
  | ({ readonly op: 'delete'; readonly find: string } & Which)
  /**
   * Inserts text within a line, directly next to words, or as blocks at the start or end of the document. Exactly one of `after`, `before` and `at`
   * is given.
   */
  | ({
      readonly op: 'insert'
      readonly markdown: string
      readonly after?: string | undefined
      readonly before?: string | undefined
      readonly at?: 'start' | 'end' | undefined
    } & Which)
  | { readonly op: 'append'; readonly markdown: string; readonly section?: string | undefined; readonly occurrence?: number | undefined }
  | { readonly op: 'replace_section'; readonly section: string; readonly markdown: string; readonly occurrence?: number | undefined }
  | { readonly op: 'replace_lines'; readonly from: number; readonly to: number; readonly markdown: string }
  | { readonly op: 'set_document'; readonly markdown: string }
  | Structured

/** Whether the operation names its place by a number. If other people have since inserted text above, the number means another line or row. */
export const isByNumber = (operation: Operation): boolean =>
  operation.op === 'replace_lines' ||
  (operation.op === 'set_cell' && (typeof operation.row === 'number' || typeof operation.column === 'number'))

const words = ({ text }: Source, target: Words): Range | Unresolved => {
  const found = findWords(text, target)
  if (found === undefined) {
    const missed = missedPlace(text, target)
    if (missed !== undefined) return { code: 'target_not_found', ...missed }
    return {
      code: 'target_not_found',
      message: `The text does not contain ${JSON.stringify(shortened(target.find))}.`,
      sought: target.find
    }
  }
  if ('range' in found) return found.range
  const { candidates } = found
  return {
    code: 'target_ambiguous',
    message: `The text contains ${JSON.stringify(shortened(target.find))} ${candidates.length} times or more.`,
    candidates
  }
}

// ——— blocks ———

/** Whether a line continues the block above it, so that an empty line between them would split that block. */
const continuesBlock = (above: string, below: string): boolean =>
  [/^\s*(?:[-*+]|\d{1,9}[.)])[ \t]/, /^\s*>/, /^\s*\|/].some((kind) => kind.test(above) && kind.test(below))

const firstLine = (text: string): string => text.slice(0, text.indexOf('\n') === -1 ? text.length : text.indexOf('\n'))
const lastLine = (text: string): string => text.slice(text.lastIndexOf('\n') + 1)

/** Inserts Markdown as separate blocks between two lines, with the empty lines that separate it from its neighbors. */
const blocksAt = (text: string, at: number, markdown: string): Resolved => {
  const block = withoutEnds(markdown, '\n')
  if (block === '') return { from: at, to: at, insert: '' }
  const before = text.slice(0, at)
  const after = text.slice(at)
  const apart = (above: string, below: string): string => (continuesBlock(above, below) ? '\n' : '\n\n')
  const bare = withoutEnd(before, '\n')
  const there = before.length - bare.length
  const lead = bare === '' ? '' : '\n'.repeat(Math.max(0, apart(lastLine(bare), firstLine(block)).length - there))
  const next = after.slice(runEnd(after, '\n', 0))
  const gap = after.length - next.length
  const tail = next === '' ? (gap > 0 ? '' : '\n') : '\n'.repeat(Math.max(0, apart(lastLine(block), firstLine(next)).length - gap))
  return { from: at, to: at, insert: lead + block + tail }
}

/**
 * Returns the offset for text that is appended to a range. It is after the line ending of the last nonblank line, because somebody may be typing on that
 * line.
 */
const endOfText = (text: string, { from, to }: Range): number => {
  const bare = text.slice(from, to).trimEnd()
  if (bare === '') return from
  const blank = /^[^\S\n]*/.exec(text.slice(from + bare.length, to))?.[0] ?? ''
  const end = from + bare.length + blank.length
  return text[end] === '\n' ? end + 1 : end
}

const replaceSection = (source: Source, section: Section, markdown: string): Resolved => {
  const { text } = source
  const marks = markdown.trimStart()
  const level = runEnd(marks, '#', 0)
  const own = level === section.level && skipBlanks(marks, level) > level
  const from = own ? section.from : section.bodyFrom
  const to = Math.max(from, endOfText(text, { from, to: section.to }))
  const placed = blocksAt(text.slice(0, from) + text.slice(to), from, markdown)
  return { from, to, insert: placed.insert }
}

const replaceLines = ({ text, lines }: Source, first: number, last: number, markdown: string): Resolution => {
  const [start, end] = [lines.range(first), lines.range(last)]
  if (start === undefined || end === undefined || last < first)
    return { code: 'target_not_found', message: `The text has lines 1 to ${lines.count}, not ${first} to ${last}.` }
  if (markdown !== '') return { from: start.from, to: end.to, insert: markdown.replace(/\n$/, '') }
  // If the lines are replaced with nothing, their line break is removed as well.
  return end.to < text.length
    ? { from: start.from, to: end.to + 1, insert: '' }
    : { from: Math.max(0, start.from - 1), to: end.to, insert: '' }
}

/** Appends blocks to a range, which is a section or the document. */
export const append = ({ text }: Source, range: Range, markdown: string): Resolved => blocksAt(text, endOfText(text, range), markdown)

const insert = (source: Source, operation: Extract<Operation, { op: 'insert' }>): Resolution => {
  const { text } = source
  const { markdown, after, before, at, ...which } = operation
  const find = after ?? before
  if (find === undefined) return at === 'start' ? blocksAt(text, 0, markdown) : append(source, { from: 0, to: text.length }, markdown)
  const found = words(source, { find, ...which })
  if (isUnresolved(found)) return found
  return { ...insertionAt(text, operation, found), neighbor: found }
}

/** Returns where and how to insert text next to words. A row or list item that is inserted next to another one becomes a separate line. */
export const insertionAt = (
  text: string,
  { after, markdown }: Pick<Extract<Operation, { op: 'insert' }>, 'after' | 'markdown'>,
  found: Range
): Resolved => {
  const isBefore = after === undefined
  const place = isBefore ? found.from : found.to
  const line = lineAround(text, place)
  if (!continuesBlock(text.slice(line.from, line.to), firstLine(markdown))) return { from: place, to: place, insert: markdown }
  const bare = withoutEnds(markdown, '\n')
  return isBefore ? { from: line.from, to: line.from, insert: `${bare}\n` } : { from: line.to, to: line.to, insert: `\n${bare}` }
}

const lineAround = (text: string, at: number): Range => {
  const end = text.indexOf('\n', at)
  return { from: text.lastIndexOf('\n', at - 1) + 1, to: end === -1 ? text.length : end }
}

const replaceWords = (source: Source, target: Words, insert: string): Resolution => {
  const { text } = source
  const found = words(source, target)
  if (isUnresolved(found)) return found
  const matched = text.slice(found.from, found.to)
  if (isSame(matched, target.find)) return { ...found, insert, ...(matched !== target.find && { matched }) }
  const range = replaceable(text, found, insert)
  if (range !== undefined) return { ...range, insert, matched: text.slice(range.from, range.to) }
  const message = `${JSON.stringify(shortened(target.find))} occurs in the text together with markup, links, cells or lines that this edit would break.`
  return { code: 'target_not_found', message, source: matched.slice(0, sourceUnitsMax).toWellFormed() }
}

/** Longest excerpt of the Markdown in an error, in UTF-16 units. */
const sourceUnitsMax = 2000

/** Returns an operation's changes to the text. There are several if the operation replaces every match. */
export const resolve = (source: Source, operation: Operation): Resolutions => {
  const { text } = source
  switch (operation.op) {
    case 'replace':
    case 'delete':
      return replaceWords(source, operation, operation.op === 'replace' ? operation.with : '')
    case 'insert':
      return insert(source, operation)
    case 'append': {
      if (operation.section === undefined) return append(source, { from: 0, to: text.length }, operation.markdown)
      const section = sectionOf(source, operation.section, operation.occurrence)
      return isUnresolved(section) ? section : append(source, section, operation.markdown)
    }
    case 'replace_section': {
      const section = sectionOf(source, operation.section, operation.occurrence)
      return isUnresolved(section) ? section : replaceSection(source, section, operation.markdown)
    }
    case 'replace_lines':
      return replaceLines(source, operation.from, operation.to, operation.markdown)
    case 'set_document':
      return { from: 0, to: text.length, insert: operation.markdown }
    default:
      return resolveStructured(source, operation)
  }
}
