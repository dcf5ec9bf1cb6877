/**
 * The Markdown of comments and replies: emphasis, code, links, lists, quotes and code blocks, but no pictures, HTML or headings. Everything else
 * stays as written. Each mark is searched for once, so the time grows linearly with the text.
 */
import { mentionPlaces } from '../../../shared/mentions.ts'
import { t } from '../../text/t.ts'
import { kinds } from '../../ui/component-kinds.ts'

export type Inline =
  | string
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'mention'; readonly name: string }
  | { readonly kind: 'strong' | 'em' | 'del'; readonly inner: readonly Inline[] }
  | { readonly kind: 'link'; readonly href: string; readonly inner: readonly Inline[] }

export type Block =
  | { readonly kind: 'text'; readonly inner: readonly Inline[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'list'; readonly ordered: boolean; readonly start: number; readonly items: (readonly Inline[])[] }

/** Maximum nesting depth of marks. */
const depthMax = 4
/** Longest text and longest address of a link, in UTF-16 units. */
const linkUnitsMax = 2000

const marks = [
  ['**', 'strong'],
  ['__', 'strong'],
  ['~~', 'del'],
  ['*', 'em'],
  ['_', 'em']
] as const

const isWord = (character: string | undefined): boolean => character !== undefined && /[\p{L}\p{N}_]/u.test(character)
const isBlank = (character: string | undefined): boolean => character === undefined || /\s/.test(character)

/** Whether an address is a web or mail address. Links with other addresses stay text. */
const isAddress = (href: string): boolean => /^(?:https?:\/\/|mailto:)[^\s<>"]+$/i.test(href)

function withMentions(text: string): Inline[] {
  const found: Inline[] = []
  let end = 0
  for (const { name, from, to } of mentionPlaces(text)) {
    if (from > end) found.push(text.slice(end, from))
    found.push({ kind: 'mention', name })
    end = to
  }
  if (end < text.length) found.push(text.slice(end))
  return found
}

interface Found {
  readonly inline: Inline
  readonly end: number
}

function codeAt(text: string, at: number): Found | undefined {
  let length = 1
  while (text[at + length] === '`') length++
  const close = text.indexOf('`'.repeat(length), at + length)
  if (close === -1 || close === at + length || text[close + length] === '`') return undefined
  return { inline: { kind: 'code', text: text.slice(at + length, close) }, end: close + length }
}

function linkAt(text: string, at: number, depth: number): Found | undefined {
  const middle = text.slice(at, at + linkUnitsMax).indexOf('](')
  if (middle < 2) return undefined
  const start = at + middle + 2
  const length = text.slice(start, start + linkUnitsMax).indexOf(')')
  const href = text.slice(start, start + length)
  if (length === -1 || !isAddress(href)) return undefined
  return { inline: { kind: 'link', href, inner: inlineOf(text.slice(at + 1, at + middle), depth + 1) }, end: start + length + 1 }
}

/** Returns the bare address at a position, without punctuation that ends a sentence. */
function addressAt(text: string, at: number): Found | undefined {
  const run = /^\S*/.exec(text.slice(at, at + linkUnitsMax))?.[0] ?? ''
  let length = run.length
  while (length > 0 && '.,;:!?)\'"*_~>'.includes(run[length - 1] ?? '')) length--
  const href = run.slice(0, length)
  return href.length > 8 && isAddress(href) ? { inline: { kind: 'link', href, inner: [href] }, end: at + length } : undefined
}

function markAt(text: string, at: number, depth: number): Found | undefined {
  for (const [mark, kind] of marks) {
    if (!text.startsWith(mark, at)) continue
    const from = at + mark.length
    if (isBlank(text[from]) || (mark.startsWith('_') && isWord(text[at - 1]))) return undefined
    const close = text.indexOf(mark, from + 1)
    const ends = close !== -1 && !isBlank(text[close - 1]) && !(mark.startsWith('_') && isWord(text[close + mark.length]))
    if (!ends || (mark.length === 1 && text[close + 1] === mark)) return undefined
    return { inline: { kind, inner: inlineOf(text.slice(from, close), depth + 1) }, end: close + mark.length }
  }
  return undefined
}

/** Returns the inline elements of a line or paragraph. */
export function inlineOf(text: string, depth = 0): Inline[] {
  if (depth >= depthMax) return [text]
  const found: Inline[] = []
  let [start, at] = [0, 0]
  /** Marks that are never closed. They are not searched for again. */
  const open = new Set<string>()
  while (at < text.length) {
    const character = text[at] ?? ''
    const isBegun = character === 'h' || character === 'm' ? !isWord(text[at - 1]) : '`[*_~'.includes(character)
    const name = text[at + 1] === character ? character + character : character
    if (!isBegun || open.has(name)) {
      at += 1
      continue
    }
    const next =
      character === '`'
        ? codeAt(text, at)
        : character === '['
          ? linkAt(text, at, depth)
          : character === 'h' || character === 'm'
            ? addressAt(text, at)
            : markAt(text, at, depth)
    if (next === undefined) {
      // A run of marks that is never closed is text.
      if (text.indexOf(name, at + name.length) === -1) open.add(name)
      at += character === '[' || character === 'h' || character === 'm' ? 1 : name.length
      continue
    }
    found.push(...withMentions(text.slice(start, at)), next.inline)
    at = next.end
    start = at
  }
  found.push(...withMentions(text.slice(start)))
  return found
}

const fence = /^ {0,3}(?:```|~~~)/
const bullet = /^ {0,3}[-*+] +(?=\S)/
const number = /^ {0,3}(\d{1,6})[.)] +(?=\S)/

/** Returns the blocks of a comment in order. */
export function blocksOf(text: string): Block[] {
  const lines = text.split('\n')
  const blocks: Block[] = []
  let words: string[] = []
  const endWords = (): void => {
    const whole = words.join('\n').replace(/^\n+/, '').trimEnd()
    if (whole !== '') blocks.push({ kind: 'text', inner: inlineOf(whole) })
    words = []
  }
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (fence.test(line)) {
      const mark = line.trimStart().slice(0, 3)
      let end = at + 1
      while (end < lines.length && lines[end]?.trim() !== mark) end++
      endWords()
      blocks.push({ kind: 'code', text: lines.slice(at + 1, end).join('\n') })
      at = end
      continue
    }
    const item = bullet.exec(line) ?? number.exec(line)
    if (item === null) {
      words.push(line)
      continue
    }
    endWords()
    const inner = inlineOf(line.slice(item[0].length))
    const ordered = item[1] !== undefined
    const last = blocks.at(-1)
    const before = lines[at - 1] ?? ''
    if (last?.kind === 'list' && last.ordered === ordered && (bullet.test(before) || number.test(before))) last.items.push(inner)
    else blocks.push({ kind: 'list', ordered, start: Number(item[1] ?? 1), items: [inner] })
  }
  endWords()
  return blocks
}

const lettersOf = (inline: Inline): string => {
  if (typeof inline === 'string') return inline
  if (inline.kind === 'code') return inline.text
  return inline.kind === 'mention' ? `@${inline.name}` : inline.inner.map(lettersOf).join('')
}

/** Matches the marks at the beginning of lines: headings, quotes, list items and tasks. */
const lineMarks = /^[ \t]*(?:#{1,6}[ \t]|>|[-*+][ \t](?:\[[ xX]\][ \t])?|\d{1,9}[.)][ \t])[ \t]*/gm

/** Matches the first line of a component, and the title in this line or of a chart. */
const componentStart = /^[> \t]*(?:`{3,}|~{3,})[ \t]*(\w+)/
const titleInLine = /^.* title="([^"\n]*)"/
const titleOfChart = /^[> \t]*title:(.*)$/m

/** Returns the title or the kind of a component, whose source would mean little to a reader. Undefined if the text begins with none. */
function componentWords(text: string): string | undefined {
  const kind = componentStart.exec(text)?.[1] ?? ''
  if (!Object.hasOwn(kinds, kind)) return undefined
  const title = titleInLine.exec(text)?.[1] ?? (kind === 'chart' ? titleOfChart.exec(text)?.[1] : undefined)
  return title?.trim() || t(kinds[kind as keyof typeof kinds].name)
}

/** Returns the text of Markdown without its marks, as cards quote it. */
export const plainWords = (text: string): string => componentWords(text) ?? inlineOf(text.replaceAll(lineMarks, '')).map(lettersOf).join('')
