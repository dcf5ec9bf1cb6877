/** Searches text as people expect: the search ignores case and the encoding of accents. Each match comes with its line, section and context. */
import { type Lines, linesOf, partsLetter, splitsPair } from './targets.ts'
import { isAccent } from './fold.ts'
import { outlineOf, type Section } from './outline.ts'
import { occurrences } from './search.ts'

export interface Match {
  /** Start of the match, in UTF-16 units of the text. */
  readonly from: number
  readonly to: number
  /** Line of the match, counted from 1. `column` counts from 1 in UTF-16 units of that line. */
  readonly line: number
  readonly column: number
  /** Titles of the sections that contain the match, outermost first. */
  readonly section: string[]
  /** The line of the match, or the part of the line around the match. */
  readonly excerpt: string
  readonly exact: boolean
  /** The matching text, if it differs from the search query. */
  readonly matched?: string
}

/** Number of units that are shown on either side of a match. */
const excerptUnits = 80

interface Folded {
  readonly text: string
  /** Source offset of each unit, and of the end; undefined if the offsets are the same. */
  readonly at: Int32Array | undefined
}

const bare = (text: string): string => text.normalize('NFC').toLowerCase()

/**
 * Returns the text in lower case and composed (NFC). If this changes offsets, the text is converted letter by letter, and `at` has the
 * source offsets.
 */
const foldCase = (text: string): Folded => {
  const lower = text.toLowerCase()
  if (lower.length === text.length && text.normalize('NFC') === text) return { text: lower, at: undefined }
  const parts: string[] = []
  const at: number[] = []
  for (let from = 0; from < text.length;) {
    let to = from + 1
    while (to < text.length && (isAccent(text.charCodeAt(to)) || splitsPair(text, to))) to++
    const part = bare(text.slice(from, to))
    parts.push(part)
    for (let unit = 0; unit < part.length; unit++) at.push(from)
    from = to
  }
  return { text: parts.join(''), at: Int32Array.from([...at, text.length]) }
}

/** Whether text contains the words, ignoring case and the encoding of accents. */
export const hasWords = (text: string, words: string): boolean => {
  for (const _at of occurrences(bare(text), bare(words))) return true
  return false
}

const excerptOf = (text: string, lines: Lines, line: number, from: number, to: number): string => {
  const range = lines.range(line) ?? { from, to }
  let [start, end] = [
    Math.max(range.from, from - excerptUnits),
    Math.min(range.to, Math.max(from, Math.min(to, from + excerptUnits)) + excerptUnits)
  ]
  if (splitsPair(text, start)) start++
  if (splitsPair(text, end)) end--
  return `${start > range.from ? '…' : ''}${text.slice(start, end).trim()}${end < range.to ? '…' : ''}`
}

/** Returns a function that gives the sections around an offset. It must be called with ascending offsets. */
const pathsOf = (outline: readonly Section[]): ((offset: number) => string[]) => {
  let next = 0
  let open: Section[] = []
  return (offset) => {
    for (let section = outline[next]; section !== undefined && section.from <= offset; section = outline[++next]) {
      open = open.filter(({ to }) => to > section.from)
      open.push(section)
    }
    open = open.filter(({ to }) => to > offset)
    return open.map(({ title }) => title)
  }
}

interface Asked {
  readonly words: string
  /** Whether the words must match letter by letter. */
  readonly exact: boolean
  /** Only matches that begin at this offset or later are returned. */
  readonly from: number
  readonly countMax: number
}

/** Returns non-overlapping matches in the order of the text, in linear time. */
export const findAll = (text: string, { words, exact, from: first, countMax }: Asked): Match[] => {
  const folded: Folded = exact ? { text, at: undefined } : foldCase(text)
  const sought = exact ? words : bare(words)
  if (sought === '') return []
  const source = (offset: number): number => (folded.at === undefined ? offset : (folded.at[offset] ?? text.length))
  let lines: Lines | undefined
  let pathAt: ((offset: number) => string[]) | undefined
  const matches: Match[] = []
  let free = 0
  for (const at of occurrences(folded.text, sought)) {
    if (at < free) continue
    free = at + sought.length
    const from = source(at)
    const to = Math.max(source(free), from + 1)
    if (from < first || partsLetter(text, { from, to })) continue
    lines ??= linesOf(text)
    pathAt ??= pathsOf(outlineOf(text))
    const line = lines.at(from)
    const column = from - (lines.range(line)?.from ?? from) + 1
    const there = text.slice(from, to)
    const exactly = there === words ? { exact: true } : { exact: false, matched: there }
    matches.push({ from, to, line, column, section: pathAt(from), excerpt: excerptOf(text, lines, line, from, to), ...exactly })
    if (matches.length === countMax) break
  }
  return matches
}
