/** The formats of ids, keys and tokens, and the names and titles of documents. */
import { limits } from './limits.ts'
import { afterFrontMatter } from './text/front-matter.ts'
import { atxOf, withoutFootnotes, withoutTargets } from './text/scan.ts'
import { calloutMarker } from './markdown/callouts.ts'

/** Pattern of document ids: 12–22 URL-safe characters. */
export const documentIdPattern = /^[A-Za-z0-9_-]{12,22}$/

/** Pattern of share keys: 24 random bytes in base64url. */
export const shareKeyPattern = /^[A-Za-z0-9_-]{32}$/

/** Returns a path without a link's secret (`DELETE …/shares/{secret}`), for logs and responses. */
export const hideShareSecret = (path: string): string => path.replace(/(\/shares\/)[A-Za-z0-9_-]{32}(?![A-Za-z0-9_-])/g, '$1[redacted]')

export const isDocumentId = (text: string): boolean => documentIdPattern.test(text)

/**
 * Returns a name in the form that is stored and displayed: one line, without control characters or characters that change the text direction, and at
 * most `charsMax` UTF-16 units. The result is '' if no characters are left.
 */
export const plainName = (text: string, charsMax: number): string =>
  text
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, charsMax)
    .toWellFormed()

/** Name of the only root type in a live document (docs/protocol.md). */
export const textRootName = 'content'

/** Path of the WebSocket endpoint. */
export const collabPath = '/collab'

/** How much of the text is searched for the first heading, in UTF-16 units and in lines. */
export const headingUnitsMax = 20_000
const headingLinesMax = 200

/**
 * Returns a heading as plain text. A link becomes its text, and the marks of emphasis, highlights and code are removed. A name that consists only of
 * marks stays.
 */
export const plainHeading = (heading: string): string =>
  withoutTargets(withoutFootnotes(heading))
    .replace(/(?<!\\)==([^\s=](?:[^=]*[^\s=])?)==/g, '$1')
    // An escaped character represents itself.
    .replace(/\\([!-/:-@[-`{-~])|\*\*|__|~~|`|\*/g, '$1')
    .trim() || heading

/** Returns a one-line YAML value without its quotes and without a comment after it; '' for any other value. */
const plainValue = (value: string): string => {
  const text = value.trim()
  const quote = text[0]
  if (quote === '"' || quote === "'") {
    const end = text.indexOf(quote, 1)
    return end === -1 ? '' : text.slice(1, end).trim()
  }
  if (/^[[{|>&*!#]/.test(text)) return ''
  const comment = text.indexOf(' #')
  return (comment === -1 ? text : text.slice(0, comment)).trim()
}

/** Name of the cookie with the language that a person chose on the pages (BCP 47). Pages without scripts read it too. */
export const languageCookie = 'agmd-language'

/** The title that the text sets, and the fallbacks for it. Only the beginning of the text is read. */
export interface TextTitle {
  /** The value of `title:` in the front matter. */
  readonly set: string | undefined
  /** The first heading of the text, if it is of level 1 or no words come before it. */
  readonly heading: string | undefined
  /** The first line of the text that contains words. */
  readonly line: string | undefined
}

/** Marks at the beginning of a line that make it a list item, a task or a quote. */
const lineMarks = /^(?:[-*+>]|\d{1,9}[.)]|\[[ xX>]\])[ \t]+/

/** How many characters of the first line the title may have, and how many are read. */
const firstLineCharsMax = 80
const firstLineUnitsMax = 400

const firstWords = (lines: readonly string[]): string | undefined => {
  for (const line of lines) {
    let words = line.trim().slice(0, firstLineUnitsMax)
    for (let marks = 0; marks < 4 && lineMarks.test(words); marks++) words = words.replace(lineMarks, '')
    words = words.replace(calloutMarker, '$2')
    const shown = plainHeading(words)
    // Fences, thematic breaks, tables, pictures and HTML cannot serve as a title.
    if (/^(?:```|~~~|[|<!$])/.test(words)) return undefined
    if (/[\p{L}\p{N}]/u.test(shown)) return plainName(shown, firstLineCharsMax)
  }
  return undefined
}

const beginningOf = (content: string): string[] => content.slice(0, headingUnitsMax).split('\n', headingLinesMax)

/**
 * Returns the heading that names the document, without marks: the first one outside code. Below other words, only a heading of level 1 names it, so
 * that the first section that somebody adds does not rename the document. Returns undefined if no heading names it. `lines` are the lines after the
 * front matter.
 */
const titleHeading = (lines: readonly string[]): string | undefined => {
  let fence: string | undefined
  for (const [index, line] of lines.entries()) {
    const mark = /^ {0,3}(```+|~~~+)/.exec(line)?.[1]
    if (mark !== undefined) fence = fence === undefined ? mark.slice(0, 3) : mark.startsWith(fence) ? undefined : fence
    if (fence !== undefined) continue
    const { level, title = '' } = atxOf(line) ?? {}
    if (title !== '') return level === 1 || firstWords(lines.slice(0, index)) === undefined ? plainHeading(title) : undefined
  }
  return undefined
}

/** Returns the value of a setting in the front matter; '' if it is missing or not a plain value. */
const settingIn = (frontMatter: readonly string[], name: string, charsMax: number): string => {
  const entry = frontMatter.find((line) => line.startsWith(`${name}:`))
  return entry === undefined ? '' : plainName(plainValue(entry.slice(name.length + 1)), charsMax)
}

/** Longest value of `breaks:` that is read, in UTF-16 units. */
const breaksUnitsMax = 10

/** Returns the value of a setting in the front matter of the text; '' if it is missing or not a plain value. */
export const settingOf = (content: string, name: string, charsMax: number): string => {
  const lines = beginningOf(content)
  return settingIn(lines.slice(0, afterFrontMatter(lines)), name, charsMax)
}

/** Returns the value of `author:` in the front matter of the text, or undefined if it is missing or empty. */
export const authorIn = (content: string): string | undefined => settingOf(content, 'author', limits.authorUnitsMax) || undefined

/** Whether line breaks within paragraphs are shown. They are, unless the front matter contains `breaks: false`. */
export const breaksIn = (content: string): boolean => settingOf(content, 'breaks', breaksUnitsMax).toLowerCase() !== 'false'

/** Returns the title that Markdown text sets, and its fallbacks. */
export const titleIn = (content: string): TextTitle => {
  const lines = beginningOf(content)
  const after = afterFrontMatter(lines)
  const set = settingIn(lines.slice(0, after), 'title', limits.titleUnitsMax)
  const text = lines.slice(after)
  return { set: set || undefined, heading: titleHeading(text), line: firstWords(text) }
}

/**
 * Returns the title of a document: the title in the front matter, the given title, the first heading or the first line, in this order. Returns
 * undefined if there is none.
 */
export const titleOfText = ({ set, heading, line }: TextTitle, given: string | null): string | undefined => set ?? given ?? heading ?? line

/** Whether a guest without a name is stored under this name, which consists of "Guest" and the guest's number in the document. */
export const isGuestNumber = (name: string | null | undefined): boolean => /^Guest \d+$/.test(name ?? '')
