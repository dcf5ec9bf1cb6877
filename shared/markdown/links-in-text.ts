/**
 * Finds the links in Markdown text with their offsets: inline links, pictures, reference definitions, HTML attributes and wikilinks. Links in code do
 * not count. The time is proportional to the text, no matter what it contains: every search ahead is bounded.
 */

interface Range {
  readonly from: number
  readonly to: number
}

/** A link in the text. All offsets are in UTF-16 units. */
export interface Link extends Range {
  /** `from` and `to` are the range of the address as it is written, with `<` and `>`; for a wikilink, the range of the entire link. */
  readonly kind: 'address' | 'wiki'
  /** The address without escapes; for a wikilink, the text between the brackets. */
  readonly target: string
  /** The range of the entire link. */
  readonly whole: Range
  /** Whether the target is shown inline, like a picture. */
  readonly embeds: boolean
}

/** Longest address, title, label, wikilink or tag that is recognized, in UTF-16 units. */
const unitsMax = 2000
/** Deepest nesting of parentheses in an address, as in CommonMark. */
const depthMax = 32

const unescaped = (address: string): string =>
  (address.startsWith('<') && address.endsWith('>') ? address.slice(1, -1) : address).replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')

/** Yields the runs of lines between blank lines, outside fenced code. */
function* blocksOf(text: string): Generator<Range> {
  let fence: string | undefined
  let start: number | undefined
  for (let at = 0; at <= text.length;) {
    const newline = text.indexOf('\n', at)
    const end = newline === -1 ? text.length : newline
    const line = text.slice(at, Math.min(end, at + unitsMax))
    const mark = /^ {0,3}(?:> ?){0,9} {0,3}(?:[-*+] {1,4})?(`{3,}|~{3,})/.exec(line)?.[1]
    const closes = fence !== undefined && mark !== undefined && mark.startsWith(fence)
    const opens = fence === undefined && mark !== undefined
    if (start !== undefined && (opens || line.trim() === '')) {
      yield { from: start, to: at }
      start = undefined
    }
    if (opens) fence = mark
    else if (closes) fence = undefined
    else if (fence === undefined && line.trim() !== '') start ??= at
    at = end + 1
  }
  if (start !== undefined) yield { from: start, to: text.length }
}

/** Returns the ends of the code spans in a block, keyed by their starts. */
const codeSpans = (text: string, block: Range): ReadonlyMap<number, number> => {
  const runs = [...text.slice(block.from, block.to).matchAll(/`+/g)].map(({ 0: run, index }) => ({
    at: block.from + index,
    length: run.length
  }))
  const next = new Map<number, number>()
  const spans = new Map<number, number>()
  for (const { at, length } of runs.toReversed()) {
    const closing = next.get(length)
    if (closing !== undefined) spans.set(at, closing + length)
    next.set(length, at)
  }
  return spans
}

const isSpace = (sign: string | undefined): boolean => sign === ' ' || sign === '\t' || sign === '\n'

const afterSpace = (text: string, at: number, end: number): number => {
  while (at < end && isSpace(text[at])) at++
  return at
}

/** Returns the end of an address that begins at `at`; undefined if there is none. */
const endOfAddress = (text: string, at: number, to: number): number | undefined => {
  const end = Math.min(to, at + unitsMax)
  if (text[at] === '<') {
    for (let index = at + 1; index < end; index++) {
      if (text[index] === '\\') index++
      else if (text[index] === '>') return index + 1
      else if (text[index] === '<' || text[index] === '\n') return undefined
    }
    return undefined
  }
  let depth = 0
  let index = at
  for (; index < end && !isSpace(text[index]); index++) {
    if (text[index] === '\\') index++
    else if (text[index] === '(' && ++depth > depthMax) return undefined
    else if (text[index] === ')' && --depth < 0) break
  }
  return index > at && depth <= 0 ? index : undefined
}

const closingQuotes: Readonly<Record<string, string>> = { '"': '"', "'": "'", '(': ')' }

/** Returns the offset after the closing parenthesis of an inline link, which a title can precede; undefined if there is no closing parenthesis. */
const endOfInline = (text: string, at: number, to: number): number | undefined => {
  let next = afterSpace(text, at, Math.min(to, at + unitsMax))
  const quote = next > at ? closingQuotes[text[next] ?? ''] : undefined
  if (quote !== undefined) {
    const end = Math.min(to, next + unitsMax)
    let index = next + 1
    while (index < end && text[index] !== quote) index += text[index] === '\\' ? 2 : 1
    if (index >= end) return undefined
    next = afterSpace(text, index + 1, Math.min(to, index + unitsMax))
  }
  return text[next] === ')' ? next + 1 : undefined
}

const attributes = /\s(?:src|href)\s?=\s?(?:"([^"]*)"|'([^']*)')/gi

/** Returns the addresses in an HTML tag. */
const inTag = (text: string, { from, to }: Range): Link[] =>
  [...text.slice(from, to).matchAll(attributes)].map((match) => {
    const value = match[1] ?? match[2] ?? ''
    const end = from + match.index + match[0].length - 1
    const range = { from: end - value.length, to: end }
    return { kind: 'address', ...range, target: value.replaceAll('&amp;', '&'), whole: range, embeds: false }
  })

/** Returns the end of the tag that begins at `at`; undefined if no tag begins there. */
const endOfTag = (text: string, at: number, to: number): number | undefined => {
  if (!/[a-z]/i.test(text[at + 1] ?? '')) return undefined
  const end = Math.min(to, at + unitsMax)
  for (let index = at + 1; index < end && text[index] !== '<'; index++) if (text[index] === '>') return index + 1
  return undefined
}

/** Returns the end of the wikilink whose two brackets begin at `at`; undefined if there is none. */
const endOfWiki = (text: string, at: number, to: number): number | undefined => {
  const end = Math.min(to, at + unitsMax)
  for (let index = at + 2; index < end; index++) {
    if (text[index] === '\n' || text[index] === '[') return undefined
    if (text[index] === ']') return index > at + 2 && text[index + 1] === ']' ? index + 2 : undefined
  }
  return undefined
}

/** Returns the link of the reference definition whose label begins at `open` and ends at `at`, the offset of `]:`. */
const definitionAt = (text: string, open: number, at: number, to: number): Link | undefined => {
  if (!/(?:^|\n) {0,3}$/.test(open <= 3 ? text.slice(0, open) : text.slice(open - 4, open))) return undefined
  const from = afterSpace(text, at + 2, Math.min(to, at + unitsMax))
  const end = endOfAddress(text, from, to)
  if (end === undefined) return undefined
  return { kind: 'address', from, to: end, target: unescaped(text.slice(from, end)), whole: { from: open, to: end }, embeds: false }
}

/** Returns the inline link whose text is in the brackets from `open` to `at`. */
const inlineAt = (text: string, open: number, at: number, to: number): Link | undefined => {
  const from = afterSpace(text, at + 2, Math.min(to, at + unitsMax))
  const end = endOfAddress(text, from, to)
  const close = end === undefined ? undefined : endOfInline(text, end, to)
  if (end === undefined || close === undefined) return undefined
  const embeds = open > 0 && text[open - 1] === '!'
  const whole = { from: embeds ? open - 1 : open, to: close }
  return { kind: 'address', from, to: end, target: unescaped(text.slice(from, end)), whole, embeds }
}

const wikiAt = (text: string, at: number, to: number): Link | undefined => {
  const end = endOfWiki(text, at, to)
  if (end === undefined) return undefined
  const embeds = at > 0 && text[at - 1] === '!'
  const whole = { from: embeds ? at - 1 : at, to: end }
  return { kind: 'wiki', ...whole, target: text.slice(at + 2, end - 2), whole, embeds }
}

/** Adds the links in a block. */
const scanBlock = (text: string, block: Range, wiki: boolean, found: Link[]): void => {
  const spans = codeSpans(text, block)
  const open: number[] = []
  /** Adds links and returns the offset at which the scan continues: after the address, because a link's text can contain another link. */
  const take = (at: number): number => {
    const sign = text[at]
    if (sign === '\\') return at + 2
    if (sign === '`') return spans.get(at) ?? at + (/^`+/.exec(text.slice(at, at + unitsMax))?.[0].length ?? 1)
    if (sign === '<') {
      const end = endOfTag(text, at, block.to)
      if (end !== undefined) found.push(...inTag(text, { from: at, to: end }))
      return end ?? at + 1
    }
    if (sign === '[') {
      const link = wiki && text[at + 1] === '[' ? wikiAt(text, at, block.to) : undefined
      if (link === undefined) open.push(at)
      else found.push(link)
      return link?.to ?? at + 1
    }
    const start = sign === ']' ? open.pop() : undefined
    if (start === undefined) return at + 1
    const follows = text[at + 1]
    const link =
      follows === '(' ? inlineAt(text, start, at, block.to) : follows === ':' ? definitionAt(text, start, at, block.to) : undefined
    if (link !== undefined) found.push(link)
    return link?.to ?? at + 1
  }
  for (let at = block.from; at < block.to;) at = take(at)
}

/** Returns the links in the order of their addresses. `wiki` says whether `[[…]]` is a link, as in Obsidian. */
export const linksIn = (text: string, wiki: boolean): Link[] => {
  const found: Link[] = []
  for (const block of blocksOf(text)) scanBlock(text, block, wiki, found)
  return found
}

/** A replacement of a range of the text. */
export interface Rewrite extends Range {
  readonly insert: string
}

/** Applies replacements, which are in order and do not overlap. */
export const rewritten = (text: string, rewrites: readonly Rewrite[]): string => {
  const parts: string[] = []
  let at = 0
  for (const { from, to, insert } of rewrites) {
    parts.push(text.slice(at, from), insert)
    at = to
  }
  return parts.join('') + text.slice(at)
}
