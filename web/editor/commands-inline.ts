/** Commands on a range of text: bold, italic, strikethrough, code and link. Each one is one undo step and keeps the selection. */
import { syntaxTree } from '@codemirror/language'
import {
  EditorSelection,
  Facet,
  type ChangeSpec,
  type EditorState,
  type SelectionRange,
  type StateCommand,
  type TransactionSpec
} from '@codemirror/state'
import type { Command, EditorView } from '@codemirror/view'
import type { SyntaxNode } from '@lezer/common'
import { codeNode } from './in-code.ts'
import { linkWords } from './link-words.ts'
import { openSlots, type Slots } from './slots.ts'

type Change = { changes: ChangeSpec; range: SelectionRange }

/** Returns the selection, or the word at the cursor if nothing is selected. */
const stretch = (state: EditorState, range: SelectionRange): SelectionRange => (range.empty ? (state.wordAt(range.head) ?? range) : range)

// `*` also matches the edge of `**`, so the function checks that the entire run is equal to this marker.
function markedOutside(state: EditorState, { from, to }: SelectionRange, marker: string): boolean {
  const size = marker.length
  const before = state.doc.sliceString(Math.max(0, from - size - 2), from)
  const after = state.doc.sliceString(to, to + size + 2)
  const more = marker === '*' && /(^|[^*])\*\*$/.test(before) && /^\*\*([^*]|$)/.test(after)
  return before.endsWith(marker) && after.startsWith(marker) && !more
}

function unmark({ from, to }: SelectionRange, range: SelectionRange, size: number): Change {
  return {
    changes: [
      { from: from - size, to: from },
      { from: to, to: to + size }
    ],
    range: EditorSelection.range(range.anchor - size, range.head - size)
  }
}

function addMarks({ from, to }: SelectionRange, range: SelectionRange, marker: string): Change {
  return {
    changes: [
      { from, insert: marker },
      { from: to, insert: marker }
    ],
    range: EditorSelection.range(range.anchor + marker.length, range.head + marker.length)
  }
}

/** For each marker, the node name of the spans that it creates. */
export const spanNames: ReadonlyMap<string, string> = new Map([
  ['**', 'StrongEmphasis'],
  ['*', 'Emphasis'],
  ['~~', 'Strikethrough'],
  ['==', 'Highlight'],
  ['`', 'InlineCode']
])

/** Returns the end of a marker's span if only closing marks are between the caret and that end. Undefined otherwise. */
function spanEnd(state: EditorState, { head, empty }: SelectionRange, marker: string): number | undefined {
  if (!empty) return undefined
  let marksFrom = head
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(head, -1); node !== null; node = node.parent) {
    if (node.to === head) continue
    const mark = node.lastChild
    // The marks of inner spans close before the mark of this span.
    if (mark === null || !mark.name.endsWith('Mark') || mark.from !== marksFrom || mark.to !== node.to) return undefined
    if (node.name === spanNames.get(marker)) return node.to
    marksFrom = node.to
  }
  return undefined
}

/**
 * Moves the spaces before the caret past the closing marks that follow it, as in `**one |**`. After a space, closing marks would have no effect.
 */
function spaced(state: EditorState, { head, empty }: SelectionRange, marker: string): Change | undefined {
  const line = state.doc.lineAt(head)
  const before = line.text.slice(0, head - line.from)
  const words = before.trimEnd()
  const spaces = before.slice(words.length)
  const opens = words.lastIndexOf(marker)
  const isSpan = opens >= 0 && /^\S/.test(words.slice(opens + marker.length)) && (marker.length > 1 || words[opens - 1] !== marker)
  if (!empty || spaces === '' || !isSpan || !line.text.startsWith(marker, before.length)) return undefined
  const end = head + marker.length
  return {
    changes: [
      { from: head - spaces.length, to: head },
      { from: end, insert: spaces }
    ],
    range: EditorSelection.cursor(end)
  }
}

/** Removes the backticks of a code span. */
function unwrap(span: SyntaxNode, range: SelectionRange): Change {
  const marks = span.getChildren('CodeMark').map(({ from, to }) => ({ from, to }))
  const size = marks[0] === undefined ? 0 : marks[0].to - marks[0].from
  return { changes: marks, range: EditorSelection.range(range.anchor - size, range.head - size) }
}

/**
 * Marks each part of a selection that covers several blocks or cells. Undefined for a selection within one block (mark-blocks.ts, which loads later).
 */
export const markBlocks = Facet.define<(state: EditorState, marker: string) => TransactionSpec | undefined>()

/** Formats that were requested before `markBlocks` had loaded, with the state at the first request. */
export const requestedFormats = new WeakMap<EditorView, { readonly state: EditorState; readonly markers: string[] }>()

/** Whether a selection may include markers of blocks: it begins a line or covers several. */
const mayCoverMarkers = ({ doc, selection }: EditorState): boolean =>
  selection.ranges.some(({ from, to }) => from < to && (from === doc.lineAt(from).from || to > doc.lineAt(from).to))

/** Puts `marker` around the selection or removes it. At the end of a span, the caret moves past its marks. */
export const toggleMarker =
  (marker: string): Command =>
  (view) => {
    if (view.state.readOnly) return false
    const mark = view.state.facet(markBlocks)[0]
    if (mark === undefined && mayCoverMarkers(view.state)) {
      const { state, markers } = requestedFormats.get(view) ?? { state: view.state, markers: [] }
      requestedFormats.set(view, { state, markers: [...markers, marker] })
      return true
    }
    const change =
      mark?.(view.state, marker) ??
      view.state.changeByRange((range) => {
        const end = spanEnd(view.state, range, marker)
        if (end !== undefined) return { range: EditorSelection.cursor(end) }
        const moved = spaced(view.state, range, marker)
        if (moved !== undefined) return moved
        const span = marker === '`' ? codeNode(view.state, range.head) : undefined
        if (span?.name === 'InlineCode' && span.from < range.from && range.to < span.to) return unwrap(span, range)
        const target = stretch(view.state, range)
        return markedOutside(view.state, target, marker) ? unmark(target, range, marker.length) : addMarks(target, range, marker)
      })
    view.dispatch(change, { scrollIntoView: true, userEvent: 'input.format' })
    return true
  }

export const isAddress = (text: string): boolean => /^(https?:\/\/|mailto:)\S+$/i.test(text)

/** Inserts `[text](address)`. The caret is placed in the text or the address, whichever is empty, or in both in turn. */
export const insertLink: StateCommand = ({ state, dispatch }) => {
  if (state.readOnly) return false
  const opened: Slots[] = []
  const change = state.changeByRange((range) => {
    const { from, to } = state.facet(linkWords)[0]?.(state, range) ?? stretch(state, range)
    const text = state.sliceDoc(from, to)
    const [words, address] = isAddress(text) ? ['', text] : [text, '']
    const insert = `[${words}](${address})`
    const wordsSlot = { from: from + 1, to: from + 1 + words.length }
    const addressSlot = { from: wordsSlot.to + 2, to: wordsSlot.to + 2 + address.length, isAddress: true }
    const slots = [...(words === '' ? [wordsSlot] : []), ...(address === '' ? [addressSlot] : [])]
    opened.push({ slots, exit: from + insert.length })
    return { changes: { from, to, insert }, range: EditorSelection.cursor(slots[0]?.from ?? from + insert.length) }
  })
  // With several carets, there is no single slot that the person could leave.
  const effects = opened.length === 1 ? opened.map((each) => openSlots.of(each)) : []
  dispatch(state.update(change, { effects, scrollIntoView: true, userEvent: 'input.format' }))
  return true
}
