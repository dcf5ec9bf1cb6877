/**
 * Removes the marks of a format or a link together with the last of its text. Marks without text would be parsed as other Markdown or as plain
 * characters. The text that is typed next gets the format again.
 */
import { syntaxTree } from '@codemirror/language'
import { Annotation, EditorState, Transaction, type ChangeSpec, type Extension, type TransactionSpec } from '@codemirror/state'
import type { SyntaxNode } from '@lezer/common'
import { setPending } from './caret-formats.ts'
import { spanNames } from './format-names.ts'
import { linkParts } from './link-parts.ts'
import { slotsIn } from './slots.ts'

/** Tells that a change already has the marks that its text needs (keep-formats.ts). */
export const isMarked = Annotation.define<boolean>()

interface Stretch {
  readonly from: number
  readonly to: number
}

const formats = /^(?:StrongEmphasis|Emphasis|Strikethrough|Highlight|InlineCode|Subscript|Superscript)$/

/** Returns the text between the opening marks of a format or a link and all that follows it. Undefined for other syntax. */
export function textBetween(node: SyntaxNode): Stretch | undefined {
  if (node.name === 'Link') {
    const parts = linkParts(node)
    return parts && { from: parts.open.to, to: parts.close.from }
  }
  const [first, last] = formats.test(node.name) ? [node.firstChild, node.lastChild] : []
  return first == null || last == null || first.to > last.from ? undefined : { from: first.to, to: last.from }
}

interface Deletion extends Stretch {
  /** The formats whose text is deleted. */
  readonly emptied: readonly SyntaxNode[]
}

/** If a deletion removes all text between the formatting marks around `at`, extends it to delete these marks too. */
function withMarks(state: EditorState, { from, to, emptied }: Deletion, at: number, side: 1 | -1): Deletion {
  let [start, end] = [from, to]
  const nodes = [...emptied]
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(at, side); node !== null; node = node.parent) {
    const text = textBetween(node)
    // A link that is being filled in may be empty.
    if (text === undefined || (node.name === 'Link' && slotsIn(state) !== null)) continue
    // Code that begins or ends with a backtick has a space next to its marks.
    const isEmptied = text.from >= start - 1 && text.to <= end + 1
    const rest = isEmptied ? state.sliceDoc(text.from, start) + state.sliceDoc(end, text.to) : 'more'
    if (rest.trim() !== '') continue
    start = Math.min(start, node.from)
    end = Math.max(end, node.to)
    nodes.push(node)
  }
  return { from: start, to: end, emptied: nodes }
}

/** Returns the deletion with the marks that it would leave without text. Inner marks extend it first, and then those around them. */
function deleted(state: EditorState, { from, to }: Stretch): Deletion {
  let range: Deletion = { from, to, emptied: [] }
  for (const [at, side] of [
    [from, 1],
    [from, -1],
    [to, 1],
    [to, -1]
  ] as const)
    range = withMarks(state, range, at, side)
  return range
}

/** Returns the markers of some formats. Links have none. */
export function markersFor(spans: readonly { readonly name: string }[]): string[] {
  const names = spans.map(({ name }) => name)
  return [...spanNames].filter(([, name]) => names.includes(name)).map(([marker]) => marker)
}

/** Returns the markers of the formats that contained an entire deletion and have lost their text. */
function markersOf({ from, to }: Stretch, emptied: readonly SyntaxNode[]): string[] {
  return markersFor(emptied.filter((node) => node.from <= from && node.to >= to))
}

/** Returns the additional change for a deletion by a person. Undefined if it removes no format. */
export function marksLeft(transaction: Transaction): TransactionSpec | undefined {
  const event = transaction.annotation(Transaction.userEvent) ?? ''
  if (!transaction.docChanged || transaction.annotation(isMarked) === true || !/^(?:delete|input\.type$)/.test(event)) return undefined
  const changes: ChangeSpec[] = []
  const markers: string[] = []
  let isDeletion = true
  transaction.changes.iterChanges((from, to, _from, _to, inserted) => {
    if (inserted.length > 0) isDeletion = false
    const range = deleted(transaction.startState, { from, to })
    if (range.from < from) changes.push({ from: range.from, to: from })
    if (range.to > to) changes.push({ from: to, to: range.to })
    markers.push(...markersOf({ from, to }, range.emptied))
  })
  return isDeletion && changes.length + markers.length > 0 ? { changes, effects: setPending.of(markers) } : undefined
}

export const emptyMarks: Extension = EditorState.transactionFilter.of((transaction) => {
  const more = marksLeft(transaction)
  return more === undefined ? transaction : [transaction, more]
})
