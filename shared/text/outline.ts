/** The headings of a Markdown text and the sections below them (CommonMark: ATX and setext headings, outside code). */
import { plainHeading } from '../names.ts'
import { afterFrontMatter } from './front-matter.ts'

export interface Section {
  /** 1 to 6. */
  readonly level: number
  /** As it reads, without marks. */
  readonly title: string
  /** Of the heading, counted from 1. */
  readonly line: number
  /** Where the heading begins, in UTF-16 units. */
  readonly from: number
  /** Where the text below the heading begins. */
  readonly bodyFrom: number
  /** Where the next heading of this or a higher level begins, or the end of the text. */
  readonly to: number
}

interface Heading {
  readonly level: number
  readonly title: string
  readonly line: number
  readonly from: number
  readonly bodyFrom: number
}

const fenceOf = (line: string): string | undefined => /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1]
const closes = (line: string, fence: string): boolean => {
  const mark = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(line)?.[1]
  return mark !== undefined && mark[0] === fence[0] && mark.length >= fence.length
}

const atxOf = (line: string): { level: number; title: string } | undefined => {
  const [, marks, title = ''] = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/.exec(line) ?? []
  return marks === undefined ? undefined : { level: marks.length, title: plainHeading(title) }
}

/** The level that a line gives to the paragraph above it. */
const underlineOf = (line: string): number | undefined => {
  const mark = /^ {0,3}(=+|-+)[ \t]*$/.exec(line)?.[1]
  return mark === undefined ? undefined : mark.startsWith('=') ? 1 : 2
}

/** What a setext heading may be made of: a line of a paragraph. */
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
    fence = fenceOf(line)
    const atx = fence === undefined ? atxOf(line) : undefined
    const underline = underlineOf(line)
    if (atx !== undefined) headings.push({ ...atx, line: index + 1, from, bodyFrom })
    else if (underline !== undefined && isParagraph(above))
      headings.push({ level: underline, title: plainHeading(above.trim()), line: index, from: from - above.length - 1, bodyFrom })
    above = fence === undefined && atx === undefined && underline === undefined ? line : ''
  })
  return headings
}

/** Headings in the order of the text, each with the end of its section. */
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

const folded = (title: string): string => title.normalize('NFC').replaceAll(/\s+/g, ' ').trim().toLowerCase()

/** Titles of the sections that a section lies in, the outermost first, and its own. */
const pathOf = (outline: readonly Section[], section: Section): string[] =>
  outline.filter(({ from, to }) => from <= section.from && section.from < to).map(({ title }) => title)

/**
 * The sections that a name may mean: `Title`, `## Title` for one of that level, or `Outer > Inner`. Those that read exactly so come before
 * those that differ in case or space.
 */
export const sectionsNamed = (outline: readonly Section[], name: string): Section[] => {
  const [, marks, bare = name] = /^\s*(#{1,6})\s+(.*)$/.exec(name) ?? []
  const levelled = marks === undefined ? outline : outline.filter(({ level }) => level === marks.length)
  const titled = (same: (one: string, other: string) => boolean): Section[] => {
    const wanted = plainHeading(bare.trim())
    const whole = levelled.filter(({ title }) => same(title, wanted))
    if (whole.length > 0 || !bare.includes('>')) return whole
    const path = bare.split('>').map((part) => part.trim())
    return levelled.filter((section) => {
      const titles = pathOf(outline, section)
      const own = titles.at(-1) ?? ''
      if (!same(own, path.at(-1) ?? '')) return false
      // Every outer title stands somewhere above, in order.
      let at = titles.length - 1
      return path
        .slice(0, -1)
        .toReversed()
        .every((part) => {
          do at -= 1
          while (at >= 0 && !same(titles[at] ?? '', part))
          return at >= 0
        })
    })
  }
  const exact = titled((one, other) => one === other)
  return exact.length > 0 ? exact : titled((one, other) => folded(one) === folded(other))
}
