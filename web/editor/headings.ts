/** The headings of the text, with the ids that they have in the reading view and on the published page. */
import type { Text } from '@codemirror/state'
import { frontMatterEnd } from './front-matter.ts'
import { slugOf } from '../../shared/markdown/slug.ts'
import { atxOf, withoutTargets } from '../../shared/text/scan.ts'

export interface Heading {
  /** Level of the heading, 1–6. */
  readonly level: number
  /** The text of the heading without marks. */
  readonly text: string
  readonly id: string
  /** Start of the line with the heading, in UTF-16 units. */
  readonly at: number
}

/** Maximum number of headings in the outline. */
const headingsMax = 2000

/** Returns the end of the construct that a mark opens, or undefined if it opens none. `from` is the position after the mark. */
type Closer = (text: string, mark: string, from: number) => number | undefined

const closeOfPair: Closer = (text, mark, from) => {
  const close = text.indexOf(mark, from + 1)
  return close === -1 ? undefined : close
}

const isLetter = (text: string, at: number): boolean => /^[\p{L}\p{N}]/u.test(text.slice(at, at + 2))
const isBehindLetter = (text: string, at: number): boolean => /[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, at - 2), at))

const closeOfSingle: Closer = (text, mark, from) => {
  let close = text.indexOf(mark, from + 1)
  while (close !== -1 && isLetter(text, close + 1)) close = text.indexOf(mark, close + 1)
  return close === -1 ? undefined : close
}

/** Removes the marks that open and close a construct. */
const withoutMarks = (text: string, marks: RegExp, opens: (at: number) => boolean, closeOf: Closer): string => {
  const parts: string[] = []
  // A mark that is unclosed at one position is also unclosed at every later position.
  const unclosed = new Set<string>()
  let [kept, end] = [0, 0]
  for (const { 0: mark, index } of text.matchAll(marks)) {
    const from = index + mark.length
    if (index < end || unclosed.has(mark) || !/\S/.test(text.charAt(from)) || !opens(index)) continue
    const close = closeOf(text, mark, from)
    if (close === undefined) unclosed.add(mark)
    else {
      parts.push(text.slice(kept, index), text.slice(from, close))
      kept = end = close + mark.length
    }
  }
  return parts.join('') + text.slice(kept)
}

const withoutEmphasis = (text: string): string => {
  const paired = withoutMarks(text, /\*\*|__|~~|`+/g, () => true, closeOfPair)
  return withoutMarks(paired, /[*_]/g, (at) => !isBehindLetter(paired, at), closeOfSingle)
}

/** Removes the marks of emphasis, code and links, and the backslashes of escapes. */
const plain = (text: string): string =>
  withoutEmphasis(withoutTargets(text))
    .replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')
    .trim()

/** Returns the headings in document order. Headings inside fenced code do not count. */
export function headingsOf(doc: Text): Heading[] {
  const found: Heading[] = []
  const taken = new Map<string, number>()
  let fence = ''
  let above = ''
  let at = 0
  const add = (level: number, source: string, start: number): void => {
    const text = plain(source)
    const slug = slugOf(text) || 'section'
    const times = taken.get(slug) ?? 0
    taken.set(slug, times + 1)
    const id = times === 0 ? slug : `${slug}-${times}`
    if (times > 0) taken.set(id, (taken.get(id) ?? 0) + 1)
    found.push({ level, text, id, at: start })
  }
  const front = frontMatterEnd(doc)
  for (const line of doc.iterLines()) {
    if (front > 0 && at <= front) {
      at += line.length + 1
      continue
    }
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? ''
    if (fence !== '') {
      if (mark.startsWith(fence) && line.trim() === mark) fence = ''
    } else if (mark !== '') fence = mark
    else {
      const heading = atxOf(line)
      const under = /^ {0,3}(=+|-+)[ \t]*$/.exec(line)
      if (heading !== undefined) add(heading.level, heading.title, at)
      else if (under !== null && above !== '') add(under[1]?.startsWith('=') === true ? 1 : 2, above, at - above.length - 1)
    }
    // A line above dashes is a heading only if it is plain text.
    above = fence === '' && /^ {0,3}[^\s#>|`~+*-]/.test(line) ? line : ''
    at += line.length + 1
    if (found.length === headingsMax) break
  }
  return found
}
