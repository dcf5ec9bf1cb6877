/** Describes changes of entire lines in plain words: new and deleted lines, split and joined lines, and new markers of headings, lists and quotes. */
import type { Text } from '@codemirror/state'
import type { Edit } from '../../../shared/text/diff.ts'
import { t, term } from '../../text/t.ts'
import { excerpt } from '../outbox/records.ts'

const textUnits = 80
/** Longest lines that are described, in UTF-16 units. */
const linesUnitsMax = 4000

type Kind = 'text' | 'empty' | 'heading' | 'item' | 'number' | 'task' | 'quote' | 'row' | 'delimiter' | 'divider'

interface Block {
  readonly kind: Kind
  /** The name of the format, for translation. */
  readonly format: string
  readonly indent: number
  readonly words: string
}

const headings = [term('Heading 1'), term('Heading 2'), term('Heading 3'), term('Heading 4'), term('Heading 5'), term('Heading 6')]

/** The kinds of lines, each with the marker at its beginning or its entire text, and the name of its format. */
const kinds: readonly (readonly [Kind, RegExp, string])[] = [
  ['empty', /^$/, ''],
  ['divider', /^(?:-{3,}|\*{3,}|_{3,})$/, term('Divider')],
  ['heading', /^#{1,6}(?:[ \t]|$)/, ''],
  ['task', /^(?:[-*+]|\d{1,9}[.)])[ \t]+\[[ xX]\][ \t]/, term('Task list')],
  ['item', /^[-*+](?:[ \t]|$)/, term('Bulleted list')],
  ['number', /^\d{1,9}[.)](?:[ \t]|$)/, term('Numbered list')],
  ['quote', /^>/, term('Quote')],
  ['delimiter', /^\|[ \t]*:?-[ \t:|-]*\|$/, ''],
  ['row', /^\|.*\|$/, '']
]

function blockOf(line: string): Block {
  const text = line.trim()
  const indent = line.length - line.trimStart().length
  for (const [kind, matches, name] of kinds) {
    const marker = matches.exec(text)?.[0]
    if (marker === undefined) continue
    const format = kind === 'heading' ? (headings[marker.trim().length - 1] ?? '') : name
    return { kind, format, indent, words: kind === 'row' ? cellsOf(text.slice(1, -1)) : text.slice(marker.length).trim() }
  }
  return { kind: 'text', format: term('Plain text'), indent, words: text }
}

const cellsOf = (row: string): string =>
  row
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '')
    .join(', ')

const short = (text: string): string => excerpt(text, textUnits)
const quotedWords = (blocks: readonly Block[]): string => blocks.map(({ words }) => t('“{text}”', { text: short(words) })).join(', ')

/** Describes new or deleted lines, which are of one kind and not empty. */
function wordsOfLines(blocks: readonly Block[], isNew: boolean): string | undefined {
  const [first] = blocks
  if (first === undefined) return isNew ? t('New empty line') : t('Delete an empty line')
  if (blocks.some(({ kind }) => kind === 'delimiter')) {
    if (blocks.some(({ kind }) => kind !== 'row' && kind !== 'delimiter')) return undefined
    return isNew ? t('New table') : t('Delete the table')
  }
  const kind = first.kind === 'number' ? 'item' : first.kind
  if (blocks.some((each) => each.kind !== first.kind)) return undefined
  const text = quotedWords(blocks)
  const isOne = blocks.length === 1
  if (kind === 'divider') return isNew ? t('New divider') : t('Delete the divider')
  if (kind === 'row') {
    const rows = blocks.map(({ words }) => short(words)).join('; ')
    if (rows.replaceAll(/[; ]/g, '') === '') return isNew ? t('New empty row') : t('Delete an empty row')
    return isNew ? t('New row: {text}', { text: rows }) : t('Delete row: {text}', { text: rows })
  }
  if (!isOne && (kind === 'heading' || kind === 'quote')) return undefined
  if (kind === 'heading') return isNew ? t('New heading: {text}', { text }) : t('Delete heading: {text}', { text })
  if (kind === 'quote') return isNew ? t('New quote: {text}', { text }) : t('Delete quote: {text}', { text })
  if (kind === 'task' && isOne) return isNew ? t('New task: {text}', { text }) : t('Delete task: {text}', { text })
  if (kind === 'task') return isNew ? t('New tasks: {text}', { text }) : t('Delete tasks: {text}', { text })
  if (kind === 'item' && isOne) return isNew ? t('New list item: {text}', { text }) : t('Delete list item: {text}', { text })
  if (kind === 'item') return isNew ? t('New list items: {text}', { text }) : t('Delete list items: {text}', { text })
  return undefined
}

/** Describes lines that have other markers or another indentation than before, and the same words. */
function wordsOfMarkers(before: readonly Block[], after: readonly Block[]): string | undefined {
  const [was, is] = [before[0], after[0]]
  if (was === undefined || is === undefined || before.length !== after.length) return undefined
  if (after.some(({ words, kind, format }, index) => words !== before[index]?.words || kind === 'row' || format !== is.format))
    return undefined
  const text = quotedWords(after.filter(({ words }) => words !== ''))
  if (before.every(({ format }) => format !== is.format)) return text === '' ? t(is.format) : `${t(is.format)}: ${text}`
  if (before.some(({ format }) => format !== is.format) || is.indent === was.indent) return undefined
  return `${is.indent > was.indent ? t('Indent') : t('Outdent')}: ${text}`
}

const withoutSpace = (text: string): string => text.replaceAll(/\s+/g, '')

/** Whether several lines have the same words as one line. */
function areParts(lines: readonly string[], whole: string): boolean {
  const [first = '', ...rest] = lines.filter((line) => line.trim() !== '')
  const parts = rest.map((line) => blockOf(line).words)
  return parts.length === 1 && parts[0] !== '' && withoutSpace(first + parts.join('')) === withoutSpace(whole)
}

const known = new WeakMap<Text, readonly boolean[]>()

/** Returns for each line whether it belongs to a fenced code block, where markers mean nothing. */
function codeLines(text: Text): readonly boolean[] {
  const found = known.get(text)
  if (found !== undefined) return found
  let mark = ''
  const lines: boolean[] = []
  for (const line of text.iterLines()) {
    const [, marks = ''] = /^[ \t>]*(`{3,}|~{3,})/.exec(line) ?? []
    lines.push(mark !== '' || marks !== '')
    if (mark === '') mark = marks
    else if (marks.startsWith(mark)) mark = ''
  }
  known.set(text, lines)
  return lines
}

/** Describes an edit that adds, deletes, splits or joins lines, or that changes their markers. Undefined if it does anything else. */
export function wordsOfBlocks(text: Text, { from, to, insert }: Edit): string | undefined {
  if (to > text.length) return undefined
  const [first, last] = [text.lineAt(from), text.lineAt(to)]
  if (last.to - first.from + insert.length > linesUnitsMax) return undefined
  const isCode = codeLines(text)
  if (isCode.slice(first.number - 1, last.number).includes(true)) return undefined
  const before = text.sliceString(first.from, last.to).split('\n')
  const after = (text.sliceString(first.from, from) + insert + text.sliceString(to, last.to)).split('\n')
  while (before.length > 0 && after.length > 0 && before[0] === after[0]) [before, after].forEach((lines) => lines.shift())
  while (before.length > 0 && after.length > 0 && before.at(-1) === after.at(-1)) [before, after].forEach((lines) => lines.pop())
  if (before.length + after.length === 0) return undefined
  const [was, is] = [before, after].map((lines) => lines.map(blockOf).filter(({ kind }) => kind !== 'empty')) as [Block[], Block[]]
  if (was.length === 0) return wordsOfLines(is, is.length > 0 || after.length > before.length)
  if (is.length === 0) return wordsOfLines(was, false)
  if (before.length === 1 && after.length > 1 && areParts(after, before[0] ?? ''))
    return ['item', 'number', 'task'].includes(is.at(-1)?.kind ?? '') ? t('Split the list item') : t('Split the paragraph')
  if (after.length === 1 && before.length > 1 && areParts(before, after[0] ?? '')) return t('Join with the line above')
  return wordsOfMarkers(was, is)
}
