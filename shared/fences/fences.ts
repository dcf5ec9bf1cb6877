/**
 * Finds the component fences in Markdown text: their positions, and their lines with absolute offsets.
 *
 *     fence = mark info NL (prefix line NL)* [prefix mark]          mark: three or more ` or ~
 *     info  = kind (" #" id | " " key ["=" value])*                  value may be quoted: title="Two words"
 *
 * Blocks are recognized as in CommonMark 0.31.2 (§4.5, §5.1, §5.2). Footnotes, comments and `$$` are recognized as in the renderer. A fence inside
 * quotes or list items ends with them. Lines that the parser of a kind does not know stay in the text, so printing a fence gives its source.
 */
import type { Edit } from '../text/diff.ts'
import { breaksLine, runEnd, trimBlanks } from '../text/scan.ts'

export const fenceKinds = ['board', 'chat', 'sheet', 'chart', 'widget'] as const
export type FenceKind = (typeof fenceKinds)[number]

export interface Range {
  readonly from: number
  readonly to: number
}

/** A line within a fence. Offsets are absolute, in UTF-16 units. */
export interface Line extends Range {
  /** Offset of the line including the marks of quotes and lists. `from` is the offset after these marks. */
  readonly start: number
  /** The text from `from` to `to`. `to` is before the line break. */
  readonly text: string
}

export interface Info {
  readonly kind: string
  readonly id: string | undefined
  /** Attributes by name in lower case. A word without `=` has the value ''. */
  readonly attributes: ReadonlyMap<string, string>
}

export interface Fence extends Range, Info {
  readonly kind: FenceKind
  /** The text to which all offsets refer. */
  readonly source: string
  /** Line number of the fence, counted from 0. */
  readonly line: number
  readonly mark: Range
  /** Range of the closing mark; undefined if the fence is not closed. Such a fence ends with its container or with the text. */
  readonly closing: Range | undefined
  /** The start of the range that edits may change, after the first line. The range ends at `bodyTo`, before the closing line. */
  readonly bodyFrom: number
  readonly bodyTo: number
  /** The beginning of each new line in this fence: quote marks and the indentation of list items. */
  readonly prefix: string
  readonly lines: readonly Line[]
}

/** Longest id that is made from a title, in UTF-16 units. */
const idUnitsMax = 30

const nameOfId = /^#([\p{L}\p{N}_-]+)$/u
const keyStart = /^([\p{L}_][\p{L}\p{N}_-]*)(=|$)/u
const quoted = /"[^"]*"|'[^']*'/y

const isQuoted = (value: string): boolean => value.length > 1 && /^["']/.test(value) && value.at(-1) === value[0] && !breaksLine(value)
const unquoted = (value: string): string => (isQuoted(value) ? value.slice(1, -1) : value)

export const parseInfo = (info: string): Info => {
  const kind = /^\s*([^\s{]*)/.exec(info)?.[1] ?? ''
  const rest = info.trimStart().slice(kind.length)
  const attributes = new Map<string, string>()
  let id: string | undefined
  let end = 0
  for (const { 0: word, index } of rest.matchAll(/\S+/g)) {
    // This word is part of a quoted value.
    if (index < end) continue
    id ??= nameOfId.exec(word)?.[1]
    const [start = '', key] = keyStart.exec(word) ?? []
    if (key === undefined) continue
    quoted.lastIndex = index + start.length
    const isQuote = start.endsWith('=') && quoted.test(rest) && !/\S/.test(rest.charAt(quoted.lastIndex))
    end = isQuote ? quoted.lastIndex : index + word.length
    attributes.set(key.toLowerCase(), unquoted(rest.slice(index + start.length, end)))
  }
  return { kind, id, attributes }
}

export const isFenceKind = (name: string): name is FenceKind => (fenceKinds as readonly string[]).includes(name)

/** A quote, or a container marked by indentation (a list item or a footnote). The number is the width of the indentation, in columns. */
type Container = 'quote' | number

/** The reading position in a line: an offset and its column. A tab advances to the next multiple of four. */
interface ReadingPosition {
  at: number
  column: number
}

const listMarker = /^(?:[-+*]|(\d{1,9})[.)])(?=[ \t]|$)/
const footnoteMarker = /^\[\^[^\]\s]+\]:/

const isMark = (character: string): boolean => character === '`' || character === '~'

/**
 * Returns the opening marks of a fence at the start of the text, and the info string after them. Returns undefined if the text does not begin a fence.
 */
const openingOf = (rest: string): { readonly mark: string; readonly info: string } | undefined => {
  const char = rest.charAt(0)
  const length = isMark(char) ? runEnd(rest, char, 0) : 0
  const info = rest.slice(length)
  const isInfo = char === '`' ? !info.includes('`') : !breaksLine(info)
  return length >= 3 && isInfo ? { mark: rest.slice(0, length), info } : undefined
}

/**
 * The offsets at which a thematic break may begin on a line. It must include the last three marks, and begin after all characters that cannot be part
 * of it.
 */
interface Break {
  readonly char: string
  readonly from: number
  readonly last: number
}

const breakMarks = '-*_'
const breakMarksMin = 3

const breakOf = (text: string, start: number, end: number): Break | undefined => {
  let from = trimBlanks(text, start, end)
  const char = text.charAt(from - 1)
  if (from === start || !breakMarks.includes(char)) return undefined
  let last = -1
  for (let marks = 0; from > start && text[from - 1] === char; from = trimBlanks(text, start, from)) {
    from -= 1
    if (++marks === breakMarksMin) last = from
  }
  return { char, from, last }
}

/** Whether a thematic break begins at an offset of a line. The character at this offset must not be whitespace. */
const isBreak = (found: Break | undefined, char: string, at: number): boolean =>
  found !== undefined && char === found.char && at >= found.from && at <= found.last

const isBreakLine = (line: string): boolean => isBreak(breakOf(line, 0, line.length), line.charAt(0), 0)

/** Returns a reader of one line. The reader serves any number of containers without reading the line again. */
const createReader = (text: string) => {
  const place: ReadingPosition = { at: 0, column: 0 }
  let [start, end] = [0, 0]
  /** Offset after the line's last non-whitespace unit. */
  let inkTo = 0
  /** The position after the whitespace that was read last. */
  const ink: ReadingPosition = { at: -1, column: 0 }
  let lineBreak: Break | null | undefined = null
  const width = (at: number, column: number): number => (text.charCodeAt(at) === 9 ? 4 - (column % 4) : 1)
  const isSpace = (at: number): boolean => at < end && (text.charCodeAt(at) === 32 || text.charCodeAt(at) === 9)
  const step = (): void => {
    place.column += width(place.at, place.column)
    place.at += 1
  }
  return {
    place,
    begin(from: number, to: number) {
      place.at = from
      place.column = 0
      start = from
      end = to
      inkTo = from + text.slice(from, to).trimEnd().length
      ink.at = -1
      lineBreak = null
    },
    /** Returns the number of columns of whitespace at the reading position. */
    indent(): number {
      if (ink.at < place.at) {
        ink.at = place.at
        ink.column = place.column
        while (isSpace(ink.at)) {
          ink.column += width(ink.at, ink.column)
          ink.at += 1
        }
      }
      return ink.column - place.column
    },
    /** Skips whitespace of at most this many columns. A wider tab is skipped as a unit. */
    skip(columns: number) {
      const until = place.column + columns
      while (place.column < until && isSpace(place.at)) step()
    },
    take(units: number) {
      for (let unit = 0; unit < units; unit++) step()
    },
    rest: (): string => text.slice(place.at, end),
    startsWith: (character: string): boolean => place.at < end && text.startsWith(character, place.at),
    isBlank: (): boolean => place.at >= inkTo,
    /** Whether the rest of the line is a thematic break. It must not begin with whitespace. */
    isBreak(): boolean {
      if (lineBreak === null) lineBreak = breakOf(text, start, end)
      return isBreak(lineBreak, text.charAt(place.at), place.at)
    }
  }
}

type Reader = ReturnType<typeof createReader>

/** The quotes, list items and footnotes that contain a line, outermost first. */
interface Containers {
  readonly all: Container[]
  /** Indices of the quotes in `all`, ascending. */
  readonly quotes: number[]
}

/** Returns the index of the first quote at or after an index; the number of containers if there is none. */
const nextQuote = ({ all, quotes }: Containers, index: number): number => {
  let [low, high] = [0, quotes.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((quotes[middle] ?? 0) < index) low = middle + 1
    else high = middle
  }
  return quotes[low] ?? all.length
}

const keepFirst = ({ all, quotes }: Containers, count: number): void => {
  all.length = count
  while ((quotes.at(-1) ?? -1) >= count) quotes.pop()
}

const add = ({ all, quotes }: Containers, containers: readonly Container[]): void => {
  for (const container of containers) {
    if (container === 'quote') quotes.push(all.length)
    all.push(container)
  }
}

/** Returns the number of containers that this line continues. Afterward, the reader is past their marks. */
const enter = (reader: Reader, containers: Containers): number => {
  for (let matched = 0; matched < containers.all.length; matched++) {
    const container = containers.all[matched] as Container
    const indent = reader.indent()
    // An empty line continues all items up to the next quote.
    if (reader.isBlank()) {
      const quote = nextQuote(containers, matched)
      for (const each of containers.all.slice(matched, Math.min(quote, matched + indent))) reader.skip(each === 'quote' ? 0 : each)
      return quote
    }
    if (container === 'quote') {
      // The mark may be indented by any amount, because the renderer does not limit it for a continuation either.
      const { at, column } = reader.place
      reader.skip(indent)
      if (!reader.startsWith('>')) {
        Object.assign(reader.place, { at, column })
        return matched
      }
      reader.take(1)
      reader.skip(1)
    } else {
      if (indent < container) return matched
      reader.skip(container)
    }
  }
  return containers.all.length
}

/** Returns the containers that begin at the reading position. Fewer kinds of container can interrupt a paragraph. */
const open = (reader: Reader, inParagraph: boolean): Container[] => {
  const containers: Container[] = []
  for (let text = inParagraph; ; text = false) {
    const indent = reader.indent()
    if (indent > 3) return containers
    const { at, column } = reader.place
    reader.skip(indent)
    const rest = reader.rest()
    const item = reader.isBreak() ? null : listMarker.exec(rest)
    const note = footnoteMarker.exec(rest)
    if (rest.startsWith('>')) {
      reader.take(1)
      reader.skip(1)
      containers.push('quote')
    } else if (note !== null) {
      reader.take(note[0].length)
      containers.push(4)
    } else if (item !== null && !(text && ((item[1] ?? '1') !== '1' || rest.slice(item[0].length).trim() === ''))) {
      reader.take(item[0].length)
      const behind = reader.isBlank() ? 1 : reader.indent()
      const wide = behind > 4 ? 1 : behind
      reader.skip(wide)
      containers.push(indent + item[0].length + wide)
    } else {
      Object.assign(reader.place, { at, column })
      return containers
    }
  }
}

/** Finds the ends of comments and formulas that end on a later line. Each end is searched for only once, for all possible starts. */
interface Ends {
  /** Returns the offset up to which lines belong to a comment that begins on this line; -1 if there is no such comment. */
  comment(at: number): number
  formula(lineEnd: number): number
}

const endsOf = (text: string): Ends => {
  /** The first end after an earlier start. It is also the first end after this start, unless it precedes this start. */
  const comment = { end: -1, to: -1 }
  let formula = -1
  return {
    comment(at) {
      if (comment.end < at + 2) {
        const found = text.indexOf('-->', at + 2)
        comment.end = found === -1 ? Number.POSITIVE_INFINITY : found
        const newline = text.indexOf('\n', comment.end)
        comment.to = found !== -1 && text.slice(found + 3, newline === -1 ? text.length : newline).trim() === '' ? found : -1
      }
      return comment.to
    },
    formula(lineEnd) {
      if (formula <= lineEnd) {
        const last = /\$\$[ \t]*$/gm
        last.lastIndex = lineEnd + 1
        formula = last.exec(text)?.index ?? Number.POSITIVE_INFINITY
      }
      return Number.isFinite(formula) ? formula : -1
    }
  }
}

interface OpenFence {
  readonly markChar: string
  readonly markLength: number
  readonly indent: number
  readonly depth: number
  /** The fence if it is a component; undefined for other fences. */
  readonly fence: Omit<Fence, 'to' | 'closing' | 'bodyTo' | 'lines'> | undefined
  readonly lines: Line[]
}

/** Returns the component fences of the text, in document order. Fences with other languages are skipped. */
export const fencesOf = (text: string): Fence[] => {
  const fences: Fence[] = []
  const reader = createReader(text)
  const containers: Containers = { all: [], quotes: [] }
  const ends = endsOf(text)
  let paragraph = false
  let emptyItem = false
  let opened: OpenFence | undefined
  /** Offset up to which lines belong to a comment or a formula. */
  let opaqueTo = -1

  const finish = (bodyTo: number, closing: Range | undefined): void => {
    if (opened?.fence !== undefined)
      fences.push({
        ...opened.fence,
        to: closing?.to ?? bodyTo,
        closing,
        bodyTo: Math.max(opened.fence.bodyFrom, bodyTo),
        lines: opened.lines
      })
    opened = undefined
  }

  /** Returns the end of a comment or formula that begins here; -1 if none begins. */
  const opaqueFrom = (rest: string, at: number, lineEnd: number): number => {
    if (rest.startsWith('<!--')) return ends.comment(at)
    if (rest.startsWith('$$') && !/^\$\$.+?\$\$\s*$/.test(rest)) return ends.formula(lineEnd)
    return -1
  }

  /** Reads a line within a fence. Returns false if the fence ended before this line. */
  const goOn = (start: number, end: number, matched: number): boolean => {
    if (opened === undefined) return false
    if (matched < opened.depth && !(reader.isBlank() && nextQuote(containers, matched) === containers.all.length)) {
      finish(start, undefined)
      return false
    }
    const { markChar, markLength, indent, lines } = opened
    if (reader.indent() < 4) {
      const rest = reader.rest().trim()
      if (rest.length >= markLength && rest === markChar.repeat(rest.length)) {
        const from = reader.place.at + (reader.rest().length - reader.rest().trimStart().length)
        finish(start, { from, to: from + rest.length })
        return true
      }
    }
    if (opened.fence !== undefined) {
      reader.skip(Math.min(indent, reader.indent()))
      lines.push({ start, from: reader.place.at, to: end, text: reader.rest() })
    }
    return true
  }

  /** Begins a fence if this line opens one. Returns whether it does. */
  const begin = (start: number, end: number, line: number): boolean => {
    const indent = reader.indent()
    if (indent > 3) return false
    const before = { ...reader.place }
    reader.skip(indent)
    const found = openingOf(reader.rest())
    if (found === undefined) {
      Object.assign(reader.place, before)
      return false
    }
    const { mark } = found
    const info = parseInfo(found.info)
    const { at } = reader.place
    const head = {
      ...info,
      source: text,
      line,
      from: at,
      mark: { from: at, to: at + mark.length },
      bodyFrom: Math.min(end + 1, text.length),
      prefix: text.slice(start, at).replaceAll(/[^>\s]/g, ' ')
    }
    const fence = isFenceKind(info.kind) ? { ...head, kind: info.kind } : undefined
    opened = { markChar: mark.charAt(0), markLength: mark.length, indent, depth: containers.all.length, fence, lines: [] }
    return true
  }

  for (let start = 0, line = 0; start <= text.length; line++) {
    const newline = text.indexOf('\n', start)
    const end = newline === -1 ? text.length : newline
    const next = end + 1
    // The empty remainder after the last line break is not a line of the fence.
    if (start === text.length && opened !== undefined) break
    reader.begin(start, end)
    const matched = enter(reader, containers)
    if (goOn(start, end, matched)) {
      start = next
      continue
    }
    const isInside = matched === containers.all.length
    if (start <= opaqueTo && isInside) {
      start = next
      continue
    }
    // An item whose first line is empty ends if the next line is empty too (CommonMark 5.2).
    const kept = emptyItem && reader.isBlank() ? Math.min(matched, containers.all.length - 1) : matched
    const fresh = open(reader, paragraph && isInside)
    const rest = reader.rest()
    const isLazy: boolean = paragraph && !isInside && fresh.length === 0 && rest.trim() !== '' && openingOf(rest.trimStart()) === undefined
    if (!isLazy) {
      keepFirst(containers, kept)
      add(containers, fresh)
    }
    const goesOn: boolean = paragraph && matched === kept && fresh.length === 0
    paragraph = isLazy
    emptyItem = fresh.length > 0 && fresh.at(-1) !== 'quote' && reader.isBlank()
    if (!isLazy && !begin(start, end, line)) {
      opaqueTo = reader.indent() < 4 ? opaqueFrom(rest.trimStart(), end - rest.trimStart().length, end) : -1
      const isCode: boolean = !goesOn && reader.indent() > 3
      paragraph = rest.trim() !== '' && !isCode && opaqueTo === -1 && !/^ {0,3}#{1,6}(?:[ \t]|$)/.test(rest) && !isBreakLine(rest.trim())
    }
    start = next
  }
  finish(text.length, undefined)
  return fences
}

/** Returns a fence from its info string and its contents without marks; undefined if it is not a component. The offsets refer to `source`. */
export const findFence = (info: string, source: string): Fence | undefined => {
  const { kind, ...named } = parseInfo(info)
  return isFenceKind(kind) ? { ...named, kind, ...standing(source) } : undefined
}

const standing = (source: string): Omit<Fence, keyof Info> => {
  const ends = source.endsWith('\n') ? source.slice(0, -1) : source
  let start = 0
  const lines =
    source === ''
      ? []
      : ends.split('\n').map((text) => {
          const line = { start, from: start, to: start + text.length, text }
          start += text.length + 1
          return line
        })
  const place = { from: 0, to: 0 }
  return {
    source,
    line: 0,
    from: 0,
    to: source.length,
    mark: place,
    closing: undefined,
    bodyFrom: 0,
    bodyTo: source.length,
    prefix: '',
    lines
  }
}

/** Returns the component fence that contains an offset. Its marks are part of the fence. */
export const fenceAt = (fences: readonly Fence[], offset: number): Fence | undefined =>
  fences.find(({ from, to }) => from <= offset && offset <= to)

/** Returns an id that no fence has yet, based on the title or kind of a fence. */
export const freeId = (
  taken: readonly (string | undefined)[],
  { kind, attributes }: Info,
  title = attributes.get('title') ?? ''
): string => {
  const name = (title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).join('-').slice(0, idUnitsMax) || kind
  let id = name
  for (let number = 2; taken.includes(id); number++) id = `${name}-${number}`
  return id
}

/** Returns the edits that add an id to the first line of a fence without one. */
export const addId = ({ source, kind, mark, id }: Fence, added: string): Edit[] => {
  if (id !== undefined) return []
  const at = source.indexOf(kind, mark.to) + kind.length
  return [{ from: at, to: at, insert: ` #${added}` }]
}
