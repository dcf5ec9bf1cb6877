/** Finds list items in Markdown text, by their words or by the section that contains their list. */
import type { Range } from './targets.ts'
import type { Source } from './resolution.ts'
import type { Resolved } from './resolved.ts'
import type { ProseLine } from './prose.ts'
import { runEnd, skipBlanks, trimBlanks, withoutEnd } from './scan.ts'

export interface Item extends Range {
  /** Index of the item's line in the text, counted from 0. */
  readonly index: number
  /** Quote marks and indentation before the marker. */
  readonly lead: string
  readonly marker: string
  /** Whitespace after the marker. */
  readonly gap: string
  /** The text of the item after the marker, without the box of a task. */
  readonly text: string
  /** Offset of the letter in the task box; undefined if the item is not a task. */
  readonly box: number | undefined
}

const box = /^\[[ xX>]\](?=\s|$)/

const itemOf = (line: ProseLine, index: number): Item | undefined => {
  const { text, from, to, isCode } = line
  if (isCode) return undefined
  const at = runEnd(text, ' \t>', 0)
  const digits = runEnd(text, '0123456789', at)
  const isNumber = digits > at && digits - at <= 9 && /[.)]/.test(text.charAt(digits))
  const end = isNumber ? digits + 1 : /[-+*]/.test(text.charAt(at)) ? at + 1 : at
  const start = skipBlanks(text, end)
  if (end === at || start === end || isRule(text)) return undefined
  const isTask = box.test(text.slice(start, start + 4))
  const words = isTask ? skipBlanks(text, start + 3) : start
  return {
    from,
    to,
    index,
    lead: text.slice(0, at),
    marker: text.slice(at, end),
    gap: text.slice(end, start),
    text: text.slice(words, trimBlanks(text, words)),
    box: isTask ? from + start + 1 : undefined
  }
}

/** Whether a line is a thematic break: three or more identical marks. */
const isRule = (text: string): boolean => {
  const marks = text.replaceAll(/[ \t>]/g, '')
  return marks.length > 2 && runEnd(marks, marks.charAt(0), 0) === marks.length && /[-*]/.test(marks.charAt(0))
}

/** Returns the list items in the text, in order and including nested items. */
export const itemsOf = (lines: readonly ProseLine[]): Item[] => lines.flatMap((line, index) => itemOf(line, index) ?? [])

const kindOf = ({ marker }: Item): string => marker.at(-1) ?? ''
const isSibling = (one: Item, other: Item): boolean => one.lead === other.lead && kindOf(one) === kindOf(other)

/** Returns the column in which the text of an item begins. */
const contentColumn = ({ lead, marker, gap }: Item): number => lead.length + marker.length + gap.length

interface List {
  readonly first: Item
  readonly last: Item
  readonly beforeLast: Item | undefined
  /** Whether an empty line precedes the last item. */
  readonly isLoose: boolean
  /** The end of the last item, including its nested items. */
  readonly end: number
}

const quotesIn = (lead: string): number => lead.replaceAll(/[^>]/g, '').length

/**
 * Returns the offset of a line's text after this many quote marks and their whitespace. `isInside` is false if the line has fewer quote
 * marks.
 */
const startWithin = (text: string, quotes: number): { readonly at: number; readonly isInside: boolean } => {
  let at = skipBlanks(text, 0)
  let left = quotes
  for (; left > 0 && text.charAt(at) === '>'; left--) at = skipBlanks(text, at + 1)
  return { at, isInside: left === 0 }
}

/** Returns the list that begins with an item: the siblings below the item, and the end of the last sibling. */
const listFrom = (lines: readonly ProseLine[], first: Item): List => {
  const quotes = quotesIn(first.lead)
  let last = first
  let beforeLast: Item | undefined
  let end = first.to
  let isLoose = false
  let isApart = false
  for (let index = first.index + 1; index < lines.length; index++) {
    const line = lines[index] as ProseLine
    const { at, isInside } = startWithin(line.text, quotes)
    if (at === line.text.length) {
      // An empty line without quote marks ends the quote, and the list with it.
      if (!isInside) break
      isApart = true
      continue
    }
    const item = itemOf(line, index)
    if (item !== undefined && isSibling(item, first)) {
      isLoose = isApart
      ;[beforeLast, last] = [last, item]
    }
    // If a line is indented less than the text of the items, it belongs to them only as a paragraph continuation.
    else if (
      (!isInside || at < Math.min(contentColumn(last), last.lead.length + 2)) &&
      (isApart || item !== undefined || isRule(line.text) || /^[#|`~<>]/.test(line.text.slice(at)))
    )
      break
    end = trimBlanks(line.text, 0) + line.from
    isApart = false
  }
  return { first, last, beforeLast, isLoose, end }
}

/** Returns the list that contains an item, beginning with the sibling above it. Two siblings show how the list numbers and separates its items. */
const listAround = (lines: readonly ProseLine[], item: Item): List => {
  for (let index = item.index - 1; index >= 0; index--) {
    const above = itemOf(lines[index] as ProseLine, index)
    if (above === undefined || !isSibling(above, item)) continue
    const list = listFrom(lines, above)
    if (list.end >= item.to) return list
    break
  }
  return listFrom(lines, item)
}

/** Returns the first item of each top-level list in a range. */
export const listsIn = (lines: readonly ProseLine[], { from, to }: Range): Item[] => {
  const firsts: Item[] = []
  let end = -1
  for (const item of itemsOf(lines)) {
    if (item.from < from || item.from >= to || item.from <= end) continue
    firsts.push(item)
    end = listFrom(lines, item).end
  }
  return firsts
}

const numberOf = ({ marker }: Item): number => Number.parseInt(marker, 10)

/** Returns the marker of the next item. Its number increases, unless the last two items have the same number. */
const nextMarker = ({ last, beforeLast }: List): string => {
  const number = numberOf(last)
  if (Number.isNaN(number)) return last.marker
  const step = beforeLast === undefined || numberOf(beforeLast) !== number ? 1 : 0
  return `${String(number + step)}${kindOf(last)}`
}

/** Returns the text of a new item without any marker or box that the text already contains, and the letter of that box. */
const withoutMarker = (
  markdown: string
): { readonly head: string; readonly more: readonly string[]; readonly letter: string | undefined } => {
  const [given = '', ...below] = markdown.split('\n')
  const item = itemOf({ from: 0, to: given.length, text: given, isCode: false }, 0)
  const start = item === undefined ? 0 : contentColumn(item)
  const bare = given.slice(start)
  const letter = box.test(bare) ? bare.charAt(1) : undefined
  return {
    head: letter === undefined ? bare : bare.slice(skipBlanks(bare, 3)),
    more: below.map((line) => line.slice(Math.min(start, skipBlanks(line, 0)))),
    letter
  }
}

/** Returns the change that adds an item at the end of a list, with the marker, indentation and box of that list. */
export const itemAdded = ({ prose }: Pick<Source, 'prose'>, named: Item, markdown: string): Resolved => {
  const list = listAround(prose, named)
  const { last, end, isLoose } = list
  const lead = `${last.lead}${nextMarker(list)}${last.gap}`
  const { head, more, letter } = withoutMarker(withoutEnd(markdown, '\n'))
  const quote = last.lead
  const inner = quote + ' '.repeat(lead.length - quote.length)
  const lines = [
    `${lead}${last.box === undefined ? '' : `[${letter ?? ' '}] `}${head}`,
    ...more.map((line) => (line === '' ? quote.trimEnd() : inner + line))
  ]
  return { from: end, to: end, insert: `${isLoose ? `\n${quote.trimEnd()}` : ''}\n${lines.join('\n')}`, neighbor: named }
}

/** Returns the change that checks or unchecks the box of a task. */
export const itemChecked = (text: string, item: Item & { readonly box: number }, checked: boolean): Resolved => {
  const is = /[xX]/.test(text.charAt(item.box))
  return { from: item.box, to: item.box + 1, insert: is === checked ? text.charAt(item.box) : checked ? 'x' : ' ', neighbor: item }
}
