/**
 * Applies inline formats to a selection. In Markdown, every inline format ends with its block, so each block or cell gets its own marks, and so does
 * each part of a block that lies in another format. The markers of lists, headings and quotes do not change, nor do code blocks, front matter and
 * blank lines.
 */
import { ensureSyntaxTree, syntaxTree } from '@codemirror/language'
import { EditorSelection, type ChangeSpec, type EditorState, type TransactionSpec } from '@codemirror/state'
import { ViewPlugin, type EditorView, type PluginValue } from '@codemirror/view'
import type { SyntaxNode, Tree } from '@lezer/common'
import { caretFormats } from './caret-formats.ts'
import { chosenCells, chosenRows } from './chosen-cells.ts'
import { markLater, requestedFormats, toggleMarker } from './commands-inline.ts'
import { spanNames } from './format-names.ts'
import { frontMatterEnd } from './front-matter.ts'
import { markCaret } from './mark-caret.ts'

interface Part {
  readonly from: number
  readonly to: number
}

/** A part of the selection within one block. */
interface Target extends Part {
  readonly block: SyntaxNode
}

/** Longest time for parsing the selected text, in milliseconds. */
const parseMs = 1000

/** Whether a block contains text directly. */
const isTextBlock = (name: string): boolean => /^(?:Paragraph|Task|TableCell|(?:ATX|Setext)Heading\d)$/.test(name)
/** Formats that can be divided within their text. A node of any other kind, such as an image, is formatted as a whole. */
const divisible = new Set(['StrongEmphasis', 'Emphasis', 'Strikethrough', 'Highlight', 'Link', 'Subscript', 'Superscript'])

const isMark = ({ name }: SyntaxNode): boolean => /Mark(?:er)?$/.test(name)

function children(node: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = []
  for (let child = node.firstChild; child !== null; child = child.nextSibling) found.push(child)
  return found
}

/** Returns the text between the opening and the closing mark of a format. */
function inside(node: SyntaxNode): Part {
  const marks = children(node).filter(isMark)
  return { from: marks[0]?.to ?? node.from, to: (node.name === 'Link' ? marks[1] : marks.at(-1))?.from ?? node.to }
}

/** Returns the length of the whitespace before the text. In a quoted paragraph, every line after the first also begins with a quote mark. */
function beforeWords(text: string): number {
  let isLineStart = false
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at)
    if (sign === '\n') isLineStart = true
    else if (!/\s/.test(sign) && !(sign === '>' && isLineStart)) return at
  }
  return text.length
}

const trimmed = (state: EditorState, { from, to }: Part): Part => {
  const text = state.sliceDoc(from, to)
  const start = from + beforeWords(text)
  return { from: start, to: Math.max(start, from + text.trimEnd().length) }
}

/** Returns the range of a block's text. It excludes the block's marker, the label of a callout, and an image on its own line. */
function textOf(state: EditorState, block: SyntaxNode): Part {
  let { from, to } = block
  for (const child of children(block)) {
    if (!/^(?:HeaderMark|TaskMarker)$/.test(child.name)) continue
    if (child.from === from) from = child.to
    else to = child.from
  }
  const label = block.parent?.name === 'Blockquote' ? /^\[![\w-]+\][+-]?/.exec(state.sliceDoc(from, to)) : null
  const text = trimmed(state, { from: from + (label?.[0].length ?? 0), to })
  const isImage = children(block).some((child) => child.name === 'Image' && child.from === text.from && child.to === text.to)
  return isImage ? { from: text.to, to: text.to } : text
}

/** Returns the range of the text of each block within a range. */
function textsIn(state: EditorState, tree: Tree, { from, to }: Part): Target[] {
  const start = frontMatterEnd(state.doc)
  const found: Target[] = []
  tree.iterate({
    from,
    to,
    enter({ name, node }) {
      if (!isTextBlock(name)) return
      const text = node.from < start ? { from: node.from, to: node.from } : textOf(state, node)
      const part = trimmed(state, { from: Math.max(from, text.from), to: Math.max(from, text.from, Math.min(to, text.to)) })
      if (part.from < part.to) found.push({ ...part, block: node })
      return false
    }
  })
  return found
}

/** Whether a part begins or ends inside a node that it does not contain. */
function isCut(part: Part, node: SyntaxNode): boolean {
  if (isMark(node) || part.to <= node.from || node.to <= part.from || (part.from <= node.from && node.to <= part.to)) return false
  const { from, to } = inside(node)
  return !divisible.has(node.name) || part.from < from || to < part.to
}

/** Returns the formats in a block, with outer ones before inner ones. */
function formatsOf(block: SyntaxNode): SyntaxNode[] {
  const found: SyntaxNode[] = []
  for (const child of children(block)) found.push(child, ...(divisible.has(child.name) ? formatsOf(child) : []))
  return found
}

/** Whether a node lies within a node of kind `name`. */
const isWithin = ({ parent }: SyntaxNode, name: string | undefined): boolean =>
  parent !== null && (parent.name === name || isWithin(parent, name))

/**
 * Divides a part where it crosses an edge of another format, so that exactly the selected text is formatted. A format that lies in a span of kind
 * `name` is not divided, because that span would then belong to two parts.
 */
function divided(state: EditorState, part: Part, formats: readonly SyntaxNode[], name: string | undefined): Part[] {
  const crossed = formats.find((node) => divisible.has(node.name) && node.name !== name && isCut(part, node) && !isWithin(node, name))
  if (crossed === undefined) return [part]
  const inner = inside(crossed)
  const pieces = [
    { from: part.from, to: Math.min(part.to, crossed.from) },
    { from: Math.max(part.from, inner.from), to: Math.min(part.to, inner.to) },
    { from: Math.max(part.from, crossed.to), to: part.to }
  ]
  return pieces
    .filter(({ from, to }) => from < to)
    .map((piece) => trimmed(state, piece))
    .filter(({ from, to }) => from < to)
    .flatMap((piece) => divided(state, piece, formats, name))
}

/**
 * Adjusts the edges of a part. If the part contains a mark at its edge but only some text of the format, it shrinks to the text. If it would cut
 * code or an image, it grows to contain it. Formats of kind `name` may be cut.
 */
function whole(part: Part, formats: readonly SyntaxNode[], name: string | undefined): Part {
  let { from, to } = part
  for (const node of formats) {
    if (!divisible.has(node.name) || !isCut({ from, to }, node)) continue
    const inner = inside(node)
    if (from >= node.from && from < inner.from && to <= inner.to) from = inner.from
    else if (from >= inner.from && to > inner.to && to <= node.to) to = inner.to
  }
  // Inner formats come first: after the part has grown, it can only cut formats that are further out.
  for (const node of formats.toReversed()) {
    if (node.name === name || !isCut({ from, to }, node) || (divisible.has(node.name) && isWithin(node, name))) continue
    from = Math.min(from, node.from)
    to = Math.max(to, node.to)
  }
  return { from, to }
}

const withoutMarks = (span: SyntaxNode): ChangeSpec[] => {
  const { from, to } = inside(span)
  return [
    { from: span.from, to: from },
    { from: to, to: span.to }
  ]
}

const withMarks = ({ from, to }: Part, marker: string): ChangeSpec[] =>
  from < to
    ? [
        { from, insert: marker },
        { from: to, insert: marker }
      ]
    : []

interface Marked extends Part {
  /** The spans of the format that the part touches. `isMarked` is true if they cover all of its text. */
  readonly spans: readonly SyntaxNode[]
  readonly isMarked: boolean
  /** The formats of the block. */
  readonly formats: readonly SyntaxNode[]
}

function markedPart(state: EditorState, part: Part, formats: readonly SyntaxNode[], name: string | undefined): Marked {
  const { from, to } = whole(part, formats, name)
  const spans = formats.filter((node) => node.name === name && node.from <= to && node.to >= from)
  let rest = ''
  let at = from
  for (const span of spans) {
    rest += state.sliceDoc(at, Math.max(at, span.from))
    at = Math.max(at, span.to)
  }
  rest += state.sliceDoc(at, Math.max(at, to))
  // The text between two spans may contain marks of other formats, and the markers of lines.
  return { from, to, spans, formats, isMarked: /^[\s*_~=`>]*$/.test(rest) }
}

/** Returns the parts of the text of one block that get marks of their own. */
function markedParts(state: EditorState, { block, from, to }: Target, name: string | undefined): Marked[] {
  const formats = formatsOf(block)
  return divided(state, { from, to }, formats, name).map((part) => markedPart(state, part, formats, name))
}

const isSign = (sign: string): boolean => /[\p{P}\p{S}]/u.test(sign)
const isOfWord = (sign: string): boolean => sign !== '' && !/\s/.test(sign) && !isSign(sign)

/** Whether a mark between two characters is literal: `outer` belongs to a word, and `inner`, in the format, is punctuation (CommonMark, 6.2). */
const isLiteral = (outer: string, inner: string): boolean => isOfWord(outer) && isSign(inner)

const signAt = (state: EditorState, at: number): string => (at < 0 ? '' : state.sliceDoc(at, at + 1))

/** Extends a part whose marks would be literal by the word next to it. */
function withWords(state: EditorState, { from, to }: Part): Part {
  let [start, end] = [from, to]
  if (isLiteral(signAt(state, from - 1), signAt(state, from))) while (isOfWord(signAt(state, start - 1))) start--
  if (isLiteral(signAt(state, to), signAt(state, to - 1))) while (isOfWord(signAt(state, end))) end++
  return { from: start, to: end }
}

/** Leaves out the punctuation at the ends of a part where marks would be literal. */
function withoutSigns(state: EditorState, { from, to }: Part): Part {
  const start = isLiteral(signAt(state, from - 1), signAt(state, from)) ? from + 1 : from
  const end = isLiteral(signAt(state, to), signAt(state, to - 1)) ? to - 1 : to
  return trimmed(state, { from: Math.min(start, to), to: Math.max(start, end) })
}

/** Removes a format from a part. Text of the same span before and after the part keeps the format. */
const removed = (state: EditorState, { from, to, spans, formats }: Marked, marker: string): ChangeSpec[] =>
  spans.flatMap((span) => {
    const inner = inside(span)
    const rest = [
      { from: inner.from, to: Math.max(inner.from, Math.min(from, inner.to)) },
      { from: Math.min(inner.to, Math.max(to, inner.from)), to: inner.to }
    ]
    const kept = rest.map((part) => withoutSigns(state, trimmed(state, part))).flatMap((part) => divided(state, part, formats, undefined))
    return [...withoutMarks(span), ...kept.flatMap((part) => withMarks(part, marker))]
  })

/** Formats a part, and merges it with the spans of the format that it touches. */
function added(state: EditorState, part: Marked, marker: string): ChangeSpec[] {
  const { spans, formats } = part
  const merged = { from: Math.min(part.from, ...spans.map((span) => span.from)), to: Math.max(part.to, ...spans.map((span) => span.to)) }
  const { from, to } = withWords(state, merged)
  // The words may touch other spans.
  if (from < merged.from || to > merged.to) return added(state, markedPart(state, { from, to }, formats, spanNames.get(marker)), marker)
  return [...withMarks(merged, marker), ...spans.flatMap(withoutMarks)]
}

/**
 * Puts marks around each part of a selection, or removes them if all parts have them. Undefined if nothing is selected, or only text of one line that
 * has no formats, such as code.
 */
export function markEach(state: EditorState, marker: string): TransactionSpec | undefined {
  const chosen = chosenCells(state)
  const ranges = (chosen === undefined ? state.selection.ranges : chosenRows(state, chosen).flat()).filter(({ from, to }) => from < to)
  const last = ranges.at(-1)
  if (last === undefined) return undefined
  const tree = ensureSyntaxTree(state, last.to, parseMs) ?? syntaxTree(state)
  const targets = ranges.flatMap((range) => textsIn(state, tree, range))
  const isOneLine = ranges.every(({ from, to }) => to <= state.doc.lineAt(from).to)
  if (chosen === undefined && targets.length === 0 && isOneLine)
    return ranges.every(({ from, to }) => state.sliceDoc(from, to).trim() === '') ? {} : undefined
  const parts = targets.flatMap((target) => markedParts(state, target, spanNames.get(marker)))
  const remove = parts.every(({ isMarked }) => isMarked)
  const changes = state.changes(
    parts
      .filter(({ isMarked }) => remove || !isMarked)
      .flatMap((part) => (remove ? removed(state, part, marker) : added(state, part, marker)))
  )
  const selection = EditorSelection.create(
    state.selection.ranges.map(({ anchor, head }) => {
      const side = anchor <= head ? 1 : -1
      return EditorSelection.range(changes.mapPos(anchor, side), changes.mapPos(head, -side))
    }),
    state.selection.mainIndex
  )
  return { changes, selection }
}

/** Applies the formats that a person requested before this module had loaded, unless the text or the selection has changed since. */
const applyRequested = (view: EditorView): PluginValue => {
  queueMicrotask(() => {
    const requested = requestedFormats.get(view)
    requestedFormats.delete(view)
    if (requested === undefined || !requested.state.doc.eq(view.state.doc) || !requested.state.selection.eq(view.state.selection)) return
    for (const marker of requested.markers) toggleMarker(marker)(view)
  })
  return {}
}

export const marking = [
  caretFormats,
  markLater.of((state, marker) => markCaret(state, marker) ?? markEach(state, marker)),
  ViewPlugin.define(applyRequested)
]
