/** The words of a block, without the marks that make it a heading, an item, a quote, code or collapsible text. */
import type { EditorState, Line } from '@codemirror/state'
import { isFenceKind } from '../../../shared/fences/fences.ts'
import { calloutMarker } from '../../../shared/markdown/callouts.ts'
import { collapsiblesOf } from '../collapsible-parts.ts'
import type { Unit } from './units.ts'

/** The kinds of blocks that can become each other. They have the names of the page's commands. */
export type Kind =
  | 'text'
  | `heading.${number}`
  | 'list.bullet'
  | 'list.number'
  | 'list.task'
  | 'quote'
  | 'insert.code'
  | 'insert.callout'
  | 'insert.details'

/** A range of a line, in UTF-16 units. */
export interface Row {
  readonly from: number
  readonly to: number
}

const heading = /^ {0,3}(#{1,6})(?:[ \t]+|$)/
/** Matches the indentation, the marker and the check box of an item. */
const itemMark = /^([ \t]*)(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|$)(\[[ xX]\][ \t]+)?/
const quoteMark = /^ {0,3}>[ \t]?/

export function linesOf({ doc }: EditorState, { from, to }: Row): Line[] {
  const lines: Line[] = []
  for (let at = from; at <= to; at = (lines.at(-1)?.to ?? to) + 1) lines.push(doc.lineAt(at))
  return lines
}

const label = (state: EditorState, { from }: Unit): RegExpExecArray | null =>
  calloutMarker.exec(state.doc.lineAt(from).text.replace(quoteMark, ''))

const tagsOf = (state: EditorState, { from, to }: Unit) =>
  collapsiblesOf(state).find(({ opening, closingEnd }) => state.doc.lineAt(opening.from).from === from && closingEnd === to)

/** Returns the kind of a block. Undefined for tables, components and other blocks that cannot become text. */
export function kindOf(state: EditorState, unit: Unit): Kind | undefined {
  const { name, from } = unit
  const { text } = state.doc.lineAt(from)
  const level = /^(?:ATX|Setext)Heading(\d)/.exec(name)?.[1]
  if (level !== undefined) return `heading.${Number(level)}`
  if (name === 'Paragraph') return 'text'
  if (name === 'Blockquote') return label(state, unit) === null ? 'quote' : 'insert.callout'
  if (name === 'ListItem')
    return /^[ \t]*\d/.test(text) ? 'list.number' : itemMark.exec(text)?.[2] === undefined ? 'list.bullet' : 'list.task'
  if (name === 'FencedCode') {
    const language = /^ {0,3}[`~]{3,}[ \t]*(\S*)/.exec(text)?.[1] ?? ''
    return isFenceKind(language) || language === 'mermaid' ? undefined : 'insert.code'
  }
  return tagsOf(state, unit) === undefined ? undefined : 'insert.details'
}

const isBlank = (state: EditorState, { from, to }: Row): boolean => state.sliceDoc(from, to).trim() === ''

function withoutBlankEnds(state: EditorState, rows: readonly Row[]): readonly Row[] {
  const first = rows.findIndex((row) => !isBlank(state, row))
  return first < 0 ? [] : rows.slice(first, rows.findLastIndex((row) => !isBlank(state, row)) + 1)
}

/** Returns the end of the words of a heading, before the signs that may close it. */
function headingEnd({ text, from }: Line, start: number): number {
  const words = text.trimEnd()
  let end = words.length
  while (end > start && words[end - 1] === '#') end--
  return (
    from + (/[ \t]/.test(words.charAt(end - 1)) || end === start ? Math.max(start, words.slice(0, end).trimEnd().length) : words.length)
  )
}

/** Returns the number of characters of indentation that a line shares with the content of an item. */
const indentOf = (text: string, width: number): number => Math.min(width, text.length - text.trimStart().length)

/** Returns the width of the indentation and the marker of an item, without its check box. */
export function itemWidth({ text }: Line): number {
  const [all = '', , task = ''] = itemMark.exec(text) ?? []
  return all.length - task.length
}

/** Returns the rows of a block that contain its words. */
export function rowsOf(state: EditorState, unit: Unit, kind: Kind): readonly Row[] {
  const lines = linesOf(state, unit)
  const [first] = lines
  if (first === undefined) return []
  const cut = (length: (line: Line) => number, of = lines): Row[] => of.map((line) => ({ from: line.from + length(line), to: line.to }))
  if (kind.startsWith('heading.')) {
    if (unit.name.startsWith('Setext')) return cut(() => 0, lines.slice(0, -1))
    const start = heading.exec(first.text)?.[0].length ?? 0
    return [{ from: first.from + start, to: headingEnd(first, start) }]
  }
  if (kind.startsWith('list.')) {
    const start = itemMark.exec(first.text)?.[0].length ?? 0
    const width = itemWidth(first)
    return cut((line) => (line === first ? start : indentOf(line.text, width)))
  }
  if (kind === 'quote' || kind === 'insert.callout') {
    const rows = cut(({ text }) => quoteMark.exec(text)?.[0].length ?? 0)
    const found = kind === 'quote' ? null : label(state, unit)
    if (found === null || rows[0] === undefined) return rows
    const title = (found[2] ?? '').trim()
    return title === '' ? rows.slice(1) : [{ from: rows[0].to - (found[2] ?? '').length, to: rows[0].to }, ...rows.slice(1)]
  }
  if (kind === 'insert.code') {
    const fence = /^ {0,3}([`~]{3,})/.exec(first.text)?.[1] ?? ''
    const isClosed = lines.length > 1 && (lines.at(-1)?.text.trimStart().startsWith(fence) ?? false)
    return cut(() => 0, lines.slice(1, isClosed ? -1 : undefined))
  }
  const tags = kind === 'insert.details' ? tagsOf(state, unit) : undefined
  if (tags === undefined) return cut(() => 0)
  const content = cut(() => 0, lines).filter(({ from }) => from > tags.summaryEnd && from < tags.closing.from)
  const rows = withoutBlankEnds(state, content)
  return [tags.words, ...(rows[0] === undefined ? [] : [{ from: rows[0].from - 1, to: rows[0].from - 1 }]), ...rows]
}
