/** The headings in Markdown text and the sections below them (CommonMark: ATX and setext headings, outside code). */
import { plainHeading } from '../names.ts'
import { afterFrontMatter } from './front-matter.ts'
import { atxOf, breaksLine, runEnd, skipBlanks } from './scan.ts'

export interface Section {
  /** Level of the heading, 1 to 6. */
  readonly level: number
  /** The displayed title, without marks. */
  readonly title: string
  /** Line of the heading, counted from 1. */
  readonly line: number
  /** Offset of the heading, in UTF-16 units. */
  readonly from: number
  /** Offset of the text below the heading. */
  readonly bodyFrom: number
  /** Offset of the next heading of this or a higher level, or the end of the text. */
  readonly to: number
}

interface Heading {
  readonly level: number
  readonly title: string
  readonly line: number
  readonly from: number
  readonly bodyFrom: number
}

const fenceUnitsMin = 3
const indentMax = 3

/** Returns the fence marks at the start of a line, and their end; undefined if there are none. */
const marksOf = (line: string): { readonly marks: string; readonly end: number } | undefined => {
  const from = runEnd(line, ' ', 0)
  const mark = line.charAt(from)
  const end = mark === '`' || mark === '~' ? runEnd(line, mark, from) : from
  return from <= indentMax && end - from >= fenceUnitsMin ? { marks: line.slice(from, end), end } : undefined
}

/** Returns the marks of a line that opens a fence; undefined if the line does not open one. */
export const openedBy = (line: string): string | undefined => {
  const found = marksOf(line)
  return found === undefined || (found.marks.startsWith('`') && line.includes('`', found.end)) ? undefined : found.marks
}

/** Whether a line closes the fence that these marks opened. */
export const closes = (line: string, fence: string): boolean => {
  const found = marksOf(line)
  return found !== undefined && skipBlanks(line, found.end) === line.length && found.marks.startsWith(fence)
}

/** Returns the heading level that an underline gives to the paragraph above it; undefined if the line is not an underline. */
const underlineOf = (line: string): number | undefined => {
  const mark = /^ {0,3}(=+|-+)[ \t]*$/.exec(line)?.[1]
  return mark === undefined ? undefined : mark.startsWith('=') ? 1 : 2
}

/** Whether a line can be part of a paragraph, and therefore of a setext heading. */
const isParagraph = (line: string): boolean =>
  line.trim() !== '' && !/^(?: {4}|\t| {0,3}(?:[>#|]|[-*+][ \t]|\d{1,9}[.)][ \t]|<))/.test(line)

const headingsOf = (text: string): Heading[] => {
  const lines = text.split('\n')
  const headings: Heading[] = []
  const start = afterFrontMatter(lines)
  let fence: string | undefined
  let offset = 0
  let above = ''
  lines.forEach((line, index) => {
    const from = offset
    const bodyFrom = Math.min(text.length, (offset += line.length + 1))
    if (index < start) return
    if (fence !== undefined) {
      if (closes(line, fence)) fence = undefined
      above = ''
      return
    }
    fence = openedBy(line)
    const atx = fence === undefined ? atxOf(line) : undefined
    const underline = underlineOf(line)
    if (atx !== undefined) headings.push({ level: atx.level, title: plainHeading(atx.title), line: index + 1, from, bodyFrom })
    else if (underline !== undefined && isParagraph(above))
      headings.push({ level: underline, title: plainHeading(above.trim()), line: index, from: from - above.length - 1, bodyFrom })
    above = fence === undefined && atx === undefined && underline === undefined ? line : ''
  })
  return headings
}

/** Returns the headings in document order, each with the end of its section. */
export const outlineOf = (text: string): Section[] => {
  const headings = headingsOf(text)
  const ends: number[] = []
  const open: number[] = []
  headings.forEach(({ level, from }, index) => {
    while (open.length > 0 && (headings[open.at(-1) ?? 0]?.level ?? 0) >= level) ends[open.pop() ?? 0] = from
    open.push(index)
  })
  return headings.map((heading, index) => ({ ...heading, to: ends[index] ?? text.length }))
}

/** Returns the level given by the marks of a name, and the name without these marks. */
const levelOf = (name: string): { readonly marked: number | undefined; readonly bare: string } => {
  const text = name.trimStart()
  const marked = runEnd(text, '#', 0)
  const title = text.slice(marked)
  const bare = title.trimStart()
  const isMarked = marked > 0 && marked <= 6 && bare.length < title.length && !breaksLine(bare)
  return isMarked ? { marked, bare } : { marked: undefined, bare: name }
}

const folded = (title: string): string => title.normalize('NFC').replaceAll(/\s+/g, ' ').trim().toLowerCase()

/** Whether a path matches some titles. The last title must be equal, and every outer title must occur above it, in order. */
const leadsTo = (titles: readonly string[], path: readonly string[]): boolean => {
  let at = titles.length - 1
  if (titles[at] !== path.at(-1)) return false
  return path
    .slice(0, -1)
    .toReversed()
    .every((part) => {
      do at -= 1
      while (at >= 0 && titles[at] !== part)
      return at >= 0
    })
}

/**
 * Returns the sections that a path names, by their own titles and the titles of their parents. A path has at most six titles, the number of heading
 * levels.
 */
const sectionsAt = (outline: readonly Section[], path: readonly string[], plain: (title: string) => string): ReadonlySet<Section> => {
  const open: { readonly to: number; readonly title: string }[] = []
  const found = new Set<Section>()
  for (const section of outline) {
    while (open.length > 0 && (open.at(-1)?.to ?? 0) <= section.from) open.pop()
    open.push({ to: section.to, title: plain(section.title) })
    const titles = open.map(({ title }) => title)
    if (leadsTo(titles, path)) found.add(section)
  }
  return found
}

/**
 * Returns the sections that a name may mean. The name is `Title`, `## Title` for a title of that level, or `Outer > Inner`. Headings that match
 * exactly come before headings that differ in case or whitespace.
 */
export const sectionsNamed = (outline: readonly Section[], name: string): Section[] => {
  const { marked, bare } = levelOf(name)
  const levelled = marked === undefined ? outline : outline.filter(({ level }) => level === marked)
  const titled = (plain: (title: string) => string): Section[] => {
    const wanted = plain(plainHeading(bare.trim()))
    const whole = levelled.filter(({ title }) => plain(title) === wanted)
    if (whole.length > 0 || !bare.includes('>')) return whole
    const path = bare.split('>').map((part) => plain(part.trim()))
    const named = sectionsAt(outline, path, plain)
    return levelled.filter((section) => named.has(section))
  }
  const exact = titled((title) => title)
  return exact.length > 0 ? exact : titled(folded)
}
