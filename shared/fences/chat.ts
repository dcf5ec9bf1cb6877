/**
 * The `chat` fence: a sequence of messages.
 *
 *     message = "[" instant "] @" name ":" text NL ("  " text NL)*       instant: ISO 8601, in UTC
 *     day     = "---" [date] NL
 *     import  = "{{" header "|" body ["|" subtext] "}}" NL               Obsidian Chat View 2; and its older form:
 *             | ("<" | ">" | "^") header "|" body ["|" subtext] NL       read, never written
 *
 * Empty lines between indented lines are part of the message. Other empty lines have no meaning. Any other line is a note. Names are unverified,
 * because writers choose their own names.
 */
import { limits } from '../limits.ts'
import type { Edit } from '../text/diff.ts'
import { breaksLine, runEnd, skipBlanks, trimBlanks } from '../text/scan.ts'
import { indentedLine, insertLines, linesOfText, replace, rewrite, rewriteLines, unindentedLine, vacate, within } from './edits.ts'
import type { Fence, Line, Range } from './fences.ts'

export interface Message {
  readonly kind: 'message'
  /** Index of the first line within the fence. */
  readonly index: number
  readonly lines: readonly Line[]
  readonly author: string
  /** The time as it is written: ISO 8601 in our own messages, any text in messages from Chat View; '' if there is none. */
  readonly at: string
  /** The time in milliseconds since 1970; undefined if unknown. */
  readonly time: number | undefined
  readonly text: string
  /** The range of the text on the first line. */
  readonly body: Range
  /** Whether the message has the format of another program, so that it cannot be edited here. */
  readonly imported: boolean
}

export interface Divider {
  readonly kind: 'day'
  readonly index: number
  readonly line: Line
  readonly text: string
}

export interface ChatNote {
  readonly kind: 'note'
  readonly index: number
  readonly line: Line
}

export interface Chat {
  readonly fence: Fence
  readonly entries: readonly (Message | Divider | ChatNote)[]
}

const messageStart = /^\[([^\]\n]*)\][ \t]+@([^:]*):[ \t]?/
/** Matches the beginning of a message up to the end of its author. The group is the part before the author. */
const authorPlace = /^(\[[^\]\n]*\][ \t]+@)[^:]*/
const viewForm = /^\{\{(.*)\}\}[ \t]*$/
const indentation = /^(?: {2}|\t)/

/** Returns the text after `---`; undefined if the line does not begin with it. */
const dayOf = (text: string): string | undefined => {
  if (!text.startsWith('---') || breaksLine(text)) return undefined
  const from = skipBlanks(text, runEnd(text, '-', 0))
  return text.slice(from, trimBlanks(text, from))
}

/** Returns the text after the sign at the beginning of a line in the older form of Chat View; undefined for other lines. */
const oldViewOf = (text: string): string | undefined => {
  const from = skipBlanks(text, 1)
  const bar = text.indexOf('|', from)
  const isOld = /^[<>^][ \t]/.test(text) && bar !== -1 && (bar > from || from > 2) && !breaksLine(text.slice(bar))
  return isOld ? text.slice(from) : undefined
}

const instant = (text: string): number | undefined => {
  const iso = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/.test(text)
  const time = iso
    ? Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/.test(text) || !/[T ]/.test(text) ? text.replace(' ', 'T') : `${text.replace(' ', 'T')}Z`)
    : Number.NaN
  return Number.isNaN(time) ? undefined : time
}

const continuation = (lines: readonly Line[], first: number): Line[] => {
  let end = first
  for (let index = first; index < lines.length; index++) {
    const text = lines[index]?.text ?? ''
    if (text.trim() === '') continue
    if (!indentation.test(text)) break
    end = index + 1
  }
  return lines.slice(first, end)
}

const importedOf = (line: Line, index: number, written: string): Message => {
  const [author = '', text = '', at = ''] = written.split('|').map((part) => part.trim())
  return {
    kind: 'message',
    index,
    lines: [line],
    author,
    at,
    time: instant(at),
    text,
    body: { from: line.from, to: line.to },
    imported: true
  }
}

const messageOf = (line: Line, index: number, rest: readonly Line[], [start, at = '', author = '']: readonly string[]): Message => {
  const from = start?.length ?? 0
  const more = rest.map(({ text }) => unindentedLine(text))
  return {
    kind: 'message',
    index,
    lines: [line, ...rest],
    author: author.trim(),
    at: at.trim(),
    time: instant(at.trim()),
    text: [line.text.slice(from).trimEnd(), ...more].join('\n'),
    body: { from: line.from + from, to: line.to },
    imported: false
  }
}

export const parseChat = (fence: Fence): Chat => {
  const entries: (Message | Divider | ChatNote)[] = []
  const { lines } = fence
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] as Line
    const start = messageStart.exec(line.text)
    const day = dayOf(line.text)
    const view = viewForm.exec(line.text)?.[1] ?? oldViewOf(line.text)
    if (start !== null) {
      const rest = continuation(lines, index + 1)
      entries.push(messageOf(line, index, rest, start))
      index += rest.length
    } else if (day !== undefined) entries.push({ kind: 'day', index, line, text: day })
    else if (view !== undefined) entries.push(importedOf(line, index, view))
    else if (line.text.trim() !== '') entries.push({ kind: 'note', index, line })
  }
  return { fence, entries }
}

/** Formats a message's time for the source, in UTC and without seconds. */
export const formatInstant = (milliseconds: number): string => `${new Date(milliseconds).toISOString().slice(0, 16)}Z`

/** Returns a name in the form that messages use. */
export const plainAuthor = (name: string): string =>
  name
    .replaceAll(/[\s\0:]+/g, ' ')
    .trim()
    .slice(0, limits.authorUnitsMax) || 'guest'

/** Splits text into the lines of a message, without empty lines at both ends. */
const written = (text: string): string[] => {
  const [first = '', ...rest] = linesOfText(text.trim())
  return [first, ...rest.map(indentedLine)]
}

export interface NewMessage {
  readonly author: string
  /** The time in milliseconds since 1970. */
  readonly time: number
  readonly text: string
}

/** Adds a message at the end. Two messages that are sent at the same time both stay intact. Blank text changes nothing. */
export const appendMessage = ({ fence }: Chat, { author, time, text }: NewMessage): readonly Edit[] => {
  const [first = '', ...rest] = written(text)
  if (first === '') return []
  return within(fence, insertLines(fence, fence.lines.length, [`[${formatInstant(time)}] @${plainAuthor(author)}: ${first}`, ...rest]))
}

/** Puts a deleted message back where it was, with its time and author. */
export const restoreMessage = ({ fence }: Chat, { index, lines }: Message): readonly Edit[] =>
  within(
    fence,
    insertLines(
      fence,
      index,
      lines.map(({ text }) => text)
    )
  )

/** Changes only a message's author. */
export const signMessage = ({ fence }: Chat, { lines: [line], imported }: Message, author: string): readonly Edit[] => {
  const name = line === undefined || imported ? undefined : authorPlace.exec(line.text)
  if (line === undefined || name == null) return []
  const from = line.from + (name[1] ?? '').length
  return within(fence, replace(fence, { from, to: line.from + name[0].length }, plainAuthor(author)))
}

/** Changes only a message's text. Blank text removes the message. The caller must check that the person may change it. */
export const editMessage = ({ fence }: Chat, message: Message, text: string): readonly Edit[] => {
  const [first = '', ...rest] = written(text)
  const [line, ...below] = message.lines
  if (line === undefined || message.imported) return []
  if (first === '') return within(fence, message.lines.flatMap(vacate))
  return within(fence, [...rewrite(fence, message.body, first), ...rewriteLines(fence, line, below, rest)])
}
