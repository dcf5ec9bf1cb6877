/**
 * The component fences of a Markdown text: where they stand, and their lines with absolute offsets.
 *
 *     fence = mark info NL (prefix line NL)* [prefix mark]          mark: three or more ` or ~
 *     info  = kind (" #" id | " " key ["=" value])*                  value may be quoted: title="Two words"
 *
 * Blocks are told apart as CommonMark 0.31.2 does (§4.5, §5.1, §5.2), footnotes, comments and `$$` as the renderer does: a fence may stand in
 * quotes and list items, and ends with them. What a parser of a kind does not know stays in the text: printing is the source itself.
 */
export const fenceKinds = ['board', 'chat', 'sheet', 'chart', 'widget'] as const
export type FenceKind = (typeof fenceKinds)[number]

export interface Range {
  readonly from: number
  readonly to: number
}

/** One line within a fence. Offsets are absolute, in UTF-16 units. */
export interface Line extends Range {
  /** Where the line begins, with the marks of quotes and lists before it; `from` is after them. */
  readonly start: number
  /** From `from` to `to`, which is before the line end. */
  readonly text: string
}

export interface Info {
  readonly kind: string
  readonly id: string | undefined
  /** Names in lower case; a word without `=` has the value ''. */
  readonly attributes: ReadonlyMap<string, string>
}

export interface Fence extends Range, Info {
  /** The text that all offsets are of. */
  readonly source: string
  /** Counted from 0. */
  readonly line: number
  readonly mark: Range
  /** Undefined when the fence is not closed: it then ends with its container or with the text. */
  readonly closing: Range | undefined
  /** What edits may change: from behind the first line to before the closing one. */
  readonly bodyFrom: number
  readonly bodyTo: number
  /** What a new line of this fence begins with: quote marks and the indentation of list items. */
  readonly prefix: string
  readonly lines: readonly Line[]
}

const attribute = /(?:^|\s)(?:#([\p{L}\p{N}_-]+)|([\p{L}_][\p{L}\p{N}_-]*)(?:=("[^"]*"|'[^']*'|\S*))?)(?=\s|$)/gu

export const parseInfo = (info: string): Info => {
  const kind = /^\s*([^\s{]*)/.exec(info)?.[1] ?? ''
  const rest = info.trimStart().slice(kind.length)
  const attributes = new Map<string, string>()
  let id: string | undefined
  for (const [, named, key, value = ''] of rest.matchAll(attribute)) {
    if (named !== undefined) id ??= named
    else if (key !== undefined) attributes.set(key.toLowerCase(), value.replace(/^(["'])(.*)\1$/, '$2'))
  }
  return { kind, id, attributes }
}

const isKind = (name: string): name is FenceKind => (fenceKinds as readonly string[]).includes(name)

/** A quote, or what is told by indentation: a list item or footnote, with the columns that its text is moved by. */
type Container = 'quote' | number

/** Where a line is being read: an offset and its column, tabs counted to the next multiple of four. */
interface Place {
  at: number
  column: number
}

const thematicBreak = /^(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/
const listMarker = /^(?:[-+*]|(\d{1,9})[.)])(?=[ \t]|$)/
const footnoteMarker = /^\[\^[^\]\s]+\]:/
const openingMark = /^(?:(`{3,})([^`]*)|(~{3,})(.*))$/

/** Reads one line piece by piece. */
const createReader = (text: string) => {
  const place: Place = { at: 0, column: 0 }
  let end = 0
  const width = (): number => (text.charCodeAt(place.at) === 9 ? 4 - (place.column % 4) : 1)
  const isSpace = (): boolean => place.at < end && (text.charCodeAt(place.at) === 32 || text.charCodeAt(place.at) === 9)
  const step = (): void => {
    place.column += width()
    place.at += 1
  }
  return {
    place,
    begin(from: number, to: number) {
      place.at = from
      place.column = 0
      end = to
    },
    /** Columns of white space from here on. */
    indent(): number {
      const { at, column } = place
      while (isSpace()) step()
      const columns = place.column - column
      place.at = at
      place.column = column
      return columns
    },
    /** Passes over white space, at most so many columns; a tab that is wider is passed over as a whole. */
    skip(columns: number) {
      const until = place.column + columns
      while (place.column < until && isSpace()) step()
    },
    take(units: number) {
      for (let unit = 0; unit < units; unit++) step()
    },
    rest: (): string => text.slice(place.at, end),
    isBlank: (): boolean => text.slice(place.at, end).trim() === ''
  }
}

type Reader = ReturnType<typeof createReader>

/** How many of the containers this line goes on with; the reader stands behind their marks. */
const enter = (reader: Reader, containers: readonly Container[]): number => {
  let matched = 0
  for (const container of containers) {
    const indent = reader.indent()
    if (container === 'quote') {
      // However far its mark is indented: what goes on is asked no more than that by the renderer.
      const { at, column } = reader.place
      reader.skip(indent)
      if (!reader.rest().startsWith('>')) {
        Object.assign(reader.place, { at, column })
        break
      }
      reader.take(1)
      reader.skip(1)
    } else {
      if (indent < container && !reader.isBlank()) break
      reader.skip(container)
    }
    matched += 1
  }
  return matched
}

/** Opens what begins here; a line of a paragraph begins less. */
const open = (reader: Reader, containers: Container[], inParagraph: boolean): void => {
  for (let text = inParagraph; ; text = false) {
    const indent = reader.indent()
    if (indent > 3) return
    const { at, column } = reader.place
    reader.skip(indent)
    const rest = reader.rest()
    const item = thematicBreak.test(rest) ? null : listMarker.exec(rest)
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
      return
    }
  }
}

interface Opened {
  readonly markChar: string
  readonly markLength: number
  readonly indent: number
  readonly depth: number
  /** Undefined for fences that are no components. */
  readonly fence: Omit<Fence, 'to' | 'closing' | 'bodyTo' | 'lines'> | undefined
  readonly lines: Line[]
}

/** The component fences of a text, in their order; those of other languages are passed over. */
export const fencesOf = (text: string): Fence[] => {
  const fences: Fence[] = []
  const reader = createReader(text)
  let containers: Container[] = []
  let paragraph = false
  let emptyItem = false
  let opened: Opened | undefined
  /** Offset up to which lines belong to a comment or formula. */
  let opaqueTo = -1
  let endlessComment = false
  let endlessMath = false

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

  /** End of what is not Markdown and begins here, or -1. */
  const opaqueFrom = (rest: string, at: number, lineEnd: number): number => {
    if (rest.startsWith('<!--') && !endlessComment) {
      const end = text.indexOf('-->', at + 2)
      endlessComment = end === -1
      const endOfLine = end === -1 ? -1 : text.indexOf('\n', end)
      return end !== -1 && text.slice(end + 3, endOfLine === -1 ? text.length : endOfLine).trim() === '' ? end : -1
    }
    if (rest.startsWith('$$') && !endlessMath && !/^\$\$.+?\$\$\s*$/.test(rest)) {
      const last = /\$\$[ \t]*$/m
      const found = last.exec(text.slice(lineEnd + 1))
      endlessMath = found === null
      return found === null ? -1 : lineEnd + 1 + found.index
    }
    return -1
  }

  /** A line within a fence. False: the fence ended before it. */
  const goOn = (start: number, end: number, matched: number): boolean => {
    if (opened === undefined) return false
    if (matched < opened.depth && !(reader.isBlank() && containers.slice(matched).every((container) => container !== 'quote'))) {
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

  /** A fence that begins on this line, if one does. */
  const begin = (start: number, end: number, line: number): boolean => {
    const indent = reader.indent()
    if (indent > 3) return false
    const before = reader.place.at
    reader.skip(indent)
    const rest = reader.rest()
    const found = openingMark.exec(rest)
    if (found === null) {
      reader.place.at = before
      return false
    }
    const mark = found[1] ?? found[3] ?? ''
    const info = parseInfo(found[2] ?? found[4] ?? '')
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
    const fence = isKind(info.kind) ? head : undefined
    opened = { markChar: mark.charAt(0), markLength: mark.length, indent, depth: containers.length, fence, lines: [] }
    return true
  }

  for (let start = 0, line = 0; start <= text.length; line++) {
    const newline = text.indexOf('\n', start)
    const end = newline === -1 ? text.length : newline
    const next = end + 1
    // What follows the last line end is no line of a fence.
    if (start === text.length && opened !== undefined) break
    reader.begin(start, end)
    const matched = enter(reader, containers)
    if (goOn(start, end, matched)) {
      start = next
      continue
    }
    if (start <= opaqueTo && matched === containers.length) {
      start = next
      continue
    }
    // An item that begins with an empty line ends with the next one (CommonMark 5.2).
    const kept = containers.slice(0, emptyItem && reader.isBlank() ? Math.min(matched, containers.length - 1) : matched)
    const before = kept.length
    open(reader, kept, paragraph && matched === containers.length)
    const rest = reader.rest()
    const isLazy: boolean =
      paragraph && matched < containers.length && kept.length === before && rest.trim() !== '' && !openingMark.test(rest.trimStart())
    if (!isLazy) containers = kept
    const goesOn: boolean = paragraph && matched === containers.length && kept.length === before
    paragraph = isLazy
    emptyItem = kept.length > before && kept.at(-1) !== 'quote' && reader.isBlank()
    if (!isLazy && !begin(start, end, line)) {
      opaqueTo = reader.indent() < 4 ? opaqueFrom(rest.trimStart(), end - rest.trimStart().length, end) : -1
      const isCode: boolean = !goesOn && reader.indent() > 3
      paragraph =
        rest.trim() !== '' && !isCode && opaqueTo === -1 && !/^ {0,3}#{1,6}(?:[ \t]|$)/.test(rest) && !thematicBreak.test(rest.trim())
    }
    start = next
  }
  finish(text.length, undefined)
  return fences
}

/** A fence that stands alone: its info string and what it holds, without marks around it. Offsets are those of `source`. */
export const fenceOf = (info: string, source: string): Fence => {
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
    ...parseInfo(info),
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

/** The component fence that holds an offset, its marks included. */
export const fenceAt = (fences: readonly Fence[], offset: number): Fence | undefined =>
  fences.find(({ from, to }) => from <= offset && offset <= to)
