/**
 * The format commands at a caret without a selection. Inside a word they format the word, at the edge of formatted text they move the caret past its
 * marks, and elsewhere they apply to the text that is typed next.
 */
import { syntaxTree } from '@codemirror/language'
import { EditorSelection, type EditorState, type SelectionRange, type TransactionSpec } from '@codemirror/state'
import type { SyntaxNode } from '@lezer/common'
import { pendingMarkers, setPending } from './caret-formats.ts'
import { addMarks, markedOutside, unmark } from './commands-inline.ts'
import { spanNames } from './format-names.ts'
import { codeNode } from './in-code.ts'

/** A position past marks, and the markers of other formats whose marks are before it. */
interface Past {
  readonly at: number
  readonly others: readonly string[]
}

/**
 * Returns the position after the marks of a format next to a position, in the direction of `side`. `first` is whether they are opening marks. Marks
 * of other formats may come before. Undefined if there are no such marks.
 */
function pastMarks(state: EditorState, from: number, name: string, side: 1 | -1, first: boolean): Past | undefined {
  const others: string[] = []
  for (let at = from; ;) {
    const mark = syntaxTree(state).resolveInner(at, side)
    const span = mark.parent
    const own = first ? span?.firstChild : span?.lastChild
    if (span === null || !mark.name.endsWith('Mark') || own?.from !== mark.from || own.to !== mark.to) return undefined
    const marker = [...spanNames].find(([, each]) => each === span.name)?.[0]
    if (marker === undefined) return undefined
    at = side > 0 ? mark.to : mark.from
    if (span.name === name) return { at, others }
    others.push(marker)
  }
}

/**
 * Moves the spaces before the caret past the closing marks that follow it, as in `**one |**`. After a space, closing marks would have no effect.
 */
function spaced(state: EditorState, head: number, marker: string): TransactionSpec | undefined {
  const line = state.doc.lineAt(head)
  const before = line.text.slice(0, head - line.from)
  const words = before.trimEnd()
  const spaces = before.slice(words.length)
  const opens = words.lastIndexOf(marker)
  const isSpan = opens >= 0 && /^\S/.test(words.slice(opens + marker.length)) && (marker.length > 1 || words[opens - 1] !== marker)
  if (spaces === '' || !isSpan || !line.text.startsWith(marker, before.length)) return undefined
  const end = head + marker.length
  const changes = [
    { from: head - spaces.length, to: head },
    { from: end, insert: spaces }
  ]
  return { changes, selection: EditorSelection.cursor(end) }
}

/** Removes the backticks of a code span. */
function unwrap(span: SyntaxNode, head: number): TransactionSpec {
  const marks = span.getChildren('CodeMark').map(({ from, to }) => ({ from, to }))
  const size = marks[0] === undefined ? 0 : marks[0].to - marks[0].from
  return { changes: marks, selection: EditorSelection.cursor(head - size) }
}

/** Returns the span of a format whose text contains a position. */
function spanAround(state: EditorState, head: number, name: string): SyntaxNode | undefined {
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(head, -1); node !== null; node = node.parent)
    if (node.name === name) return node
  return undefined
}

/** Returns the range that a caret in formatted text stands for: its word, with the formats inside the span that the caret is in. */
function partOf(state: EditorState, span: SyntaxNode, head: number): { readonly from: number; readonly to: number } {
  const [start, end] = [span.firstChild?.to ?? span.from, span.lastChild?.from ?? span.to]
  const found = state.wordAt(head) ?? { from: start, to: end }
  let inner: { readonly from: number; readonly to: number } = found
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(head, -1); node !== null; node = node.parent) {
    if (node.name === span.name && node.from === span.from) break
    inner = node
  }
  return { from: Math.max(start, Math.min(found.from, inner.from)), to: Math.min(end, Math.max(found.to, inner.to)) }
}

/** Removes the format from the word at the caret. Without a word, all of the text loses the format. */
function unformatted(state: EditorState, span: SyntaxNode, head: number): TransactionSpec {
  const [start, end] = [span.firstChild?.to ?? span.from, span.lastChild?.from ?? span.to]
  const mark = state.sliceDoc(span.from, start)
  const { from, to } = partOf(state, span, head)
  const before = state.sliceDoc(start, from).trimEnd()
  const after = state.sliceDoc(to, end).trimStart()
  const changes = state.changes([
    before === '' ? { from: span.from, to: start } : { from: start + before.length, insert: mark },
    after === '' ? { from: end, to: span.to } : { from: end - after.length, insert: mark }
  ])
  return { changes, selection: EditorSelection.cursor(changes.mapPos(head)) }
}

const specOf = ({ changes, range }: ReturnType<typeof unmark>): TransactionSpec => ({ changes, selection: range })

/** Formats the word around a caret, or removes its format. Undefined unless the caret is between two letters. */
function word(state: EditorState, range: SelectionRange, marker: string): TransactionSpec | undefined {
  const found = state.wordAt(range.head)
  if (found === null || found.from === range.head || found.to === range.head) return undefined
  return specOf(markedOutside(state, found, marker) ? unmark(found, range, marker.length) : addMarks(found, range, marker))
}

/** Returns the effect of a format command at a caret. Undefined if text is selected. */
export function markCaret(state: EditorState, marker: string): TransactionSpec | undefined {
  const { main, ranges } = state.selection
  if (!main.empty || ranges.length > 1) return undefined
  const { head } = main
  const name = spanNames.get(marker) ?? ''
  const markers = pendingMarkers(state)
  if (markers.includes(marker)) return { effects: setPending.of(markers.filter((each) => each !== marker)) }
  const place = pastMarks(state, head, name, 1, false) ?? pastMarks(state, head, name, -1, true)
  // The caret also leaves the formats inside the one that ends. They go on in the text that is typed next.
  if (place !== undefined) return { selection: EditorSelection.cursor(place.at), effects: setPending.of([...markers, ...place.others]) }
  const inside = pastMarks(state, head, name, -1, false) ?? pastMarks(state, head, name, 1, true)
  if (inside !== undefined) return { selection: EditorSelection.cursor(inside.at), effects: setPending.of(markers) }
  const code = marker === '`' ? codeNode(state, head) : undefined
  if (code?.name === 'InlineCode' && code.from < head && head < code.to) return unwrap(code, head)
  const span = spanAround(state, head, name)
  return (
    spaced(state, head, marker) ??
    (span === undefined ? undefined : unformatted(state, span, head)) ??
    (markedOutside(state, main, marker) ? specOf(unmark(main, main, marker.length)) : undefined) ??
    word(state, main, marker) ?? { effects: setPending.of([...markers, marker]) }
  )
}
