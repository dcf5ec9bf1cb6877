/** Ids, secrets and tokens: their formats, and how they are distinguished. */
import { limits } from './limits.ts'
import { afterFrontMatter } from './text/front-matter.ts'
import { atxOf, withoutFootnotes, withoutTargets } from './text/scan.ts'

/** Document ids: URL-safe, 12–22 characters. */
export const documentIdPattern = /^[A-Za-z0-9_-]{12,22}$/

/** Share keys: 24 random bytes in base64url. */
export const shareKeyPattern = /^[A-Za-z0-9_-]{32}$/

/** Returns a path with the secret of a link hidden (`DELETE …/shares/{secret}`), for logs and answers. */
export const hideShareSecret = (path: string): string => path.replace(/(\/shares\/)[A-Za-z0-9_-]{32}(?![A-Za-z0-9_-])/g, '$1[redacted]')

export const isDocumentId = (text: string): boolean => documentIdPattern.test(text)

/**
 * Returns the stored and displayed form of a name: one line, no characters that control text or its direction, at most `charsMax` UTF-16 units; ''
 * if nothing is left.
 */
export const plainName = (text: string, charsMax: number): string =>
  text
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, charsMax)
    .toWellFormed()

/** Name of the only root of a live document (docs/protocol.md). */
export const textRootName = 'content'

/** Path of the WebSocket endpoint. */
export const collabPath = '/collab'

/** How far into a text the first heading is searched, in UTF-16 units and in lines. */
export const headingUnitsMax = 20_000
const headingLinesMax = 200

/** A heading as plain text: links by their text, without marks of emphasis and code. A name that consists only of marks stays. */
export const plainHeading = (heading: string): string =>
  withoutTargets(withoutFootnotes(heading))
    // An escaped character means itself.
    .replace(/\\([!-/:-@[-`{-~])|\*\*|__|~~|`|\*/g, '$1')
    .trim() || heading

/** The first heading of a Markdown text, outside code and without marks, or undefined; only the beginning of the text is read. */
export const firstHeading = (content: string): string | undefined => {
  let fence: string | undefined
  const lines = content.slice(0, headingUnitsMax).split('\n', headingLinesMax)
  for (const line of lines.slice(afterFrontMatter(lines))) {
    const mark = /^ {0,3}(```+|~~~+)/.exec(line)?.[1]
    if (mark !== undefined) fence = fence === undefined ? mark.slice(0, 3) : mark.startsWith(fence) ? undefined : fence
    if (fence !== undefined) continue
    const title = atxOf(line)?.title ?? ''
    if (title !== '') return plainHeading(title)
  }
  return undefined
}

/** A one-line YAML value, without its quotes and the comment after it; '' for any other value. */
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

/** The cookie of the language that a person chose on the pages (BCP 47), so that pages without script use it too. */
export const languageCookie = 'agmd-language'

/** The title that a text sets, and the fallbacks for it; only the beginning of the text is read. */
export interface TextTitle {
  /** `title:` of the front matter. */
  readonly set: string | undefined
  /** Its first heading. */
  readonly heading: string | undefined
  /** Its first nonblank line of words. */
  readonly line: string | undefined
}

/** Marks at the beginning of a line that give its kind: list, task, quote. */
const lineMarks = /^(?:[-*+>]|\d{1,9}[.)]|\[[ xX>]\])[ \t]+/

/** How much of a first line serves as the title, and how much of it is read. */
const firstLineCharsMax = 80
const firstLineUnitsMax = 400

const firstWords = (lines: readonly string[]): string | undefined => {
  for (const line of lines) {
    let words = line.trim().slice(0, firstLineUnitsMax)
    for (let marks = 0; marks < 4 && lineMarks.test(words); marks++) words = words.replace(lineMarks, '')
    const shown = plainHeading(words)
    // Fences, rules, tables, pictures and HTML are not words.
    if (/^(?:```|~~~|[|<!$])/.test(words)) return undefined
    if (/[\p{L}\p{N}]/u.test(shown)) return plainName(shown, firstLineCharsMax)
  }
  return undefined
}

const beginningOf = (content: string): string[] => content.slice(0, headingUnitsMax).split('\n', headingLinesMax)

/** Returns the value of a front matter setting; '' for none, and for a value that is not plain. */
const settingIn = (frontMatter: readonly string[], name: string, charsMax: number): string => {
  const entry = frontMatter.find((line) => line.startsWith(`${name}:`))
  return entry === undefined ? '' : plainName(plainValue(entry.slice(name.length + 1)), charsMax)
}

/** Longest value of `breaks:` that is read. */
const breaksCharsMax = 10

/** Returns `author:` of the front matter of a text; undefined if there is none. */
export const authorIn = (content: string): string | undefined => {
  const lines = beginningOf(content)
  return settingIn(lines.slice(0, afterFrontMatter(lines)), 'author', limits.authorCharsMax) || undefined
}

/** Whether line breaks within paragraphs are shown: yes, unless the front matter says `breaks: false`. */
export const breaksIn = (content: string): boolean => {
  const lines = beginningOf(content)
  return settingIn(lines.slice(0, afterFrontMatter(lines)), 'breaks', breaksCharsMax).toLowerCase() !== 'false'
}

/** The title of a Markdown text. */
export const titleIn = (content: string): TextTitle => {
  const lines = beginningOf(content)
  const after = afterFrontMatter(lines)
  const set = settingIn(lines.slice(0, after), 'title', limits.titleCharsMax)
  return { set: set || undefined, heading: firstHeading(content), line: firstWords(lines.slice(after)) }
}

/** Returns the title of a document: front matter, the given title, its first heading, its first line. Undefined if it has none of these. */
export const titleOfText = ({ set, heading, line }: TextTitle, given: string | null): string | undefined => set ?? given ?? heading ?? line
