/** Commands on a range of text: bold, italic, strikethrough, code and link. Each one is one undo step and keeps the selection. */
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
import { linkWords } from './link-words.ts'
import { openSlots, type Slots } from './slots.ts'

type Change = { changes: ChangeSpec; range: SelectionRange }

/** Returns the selection, or the word at the caret if nothing is selected. */
const stretch = (state: EditorState, range: SelectionRange): SelectionRange => (range.empty ? (state.wordAt(range.head) ?? range) : range)

// `*` also matches the edge of `**`, so the function checks that the entire run is equal to this marker.
export function markedOutside(state: EditorState, { from, to }: SelectionRange, marker: string): boolean {
  const size = marker.length
  const before = state.doc.sliceString(Math.max(0, from - size - 2), from)
  const after = state.doc.sliceString(to, to + size + 2)
  const more = marker === '*' && /(^|[^*])\*\*$/.test(before) && /^\*\*([^*]|$)/.test(after)
  return before.endsWith(marker) && after.startsWith(marker) && !more
}

export function unmark({ from, to }: SelectionRange, range: SelectionRange, size: number): Change {
  return {
    changes: [
      { from: from - size, to: from },
      { from: to, to: to + size }
    ],
    range: EditorSelection.range(range.anchor - size, range.head - size)
  }
}

export function addMarks({ from, to }: SelectionRange, range: SelectionRange, marker: string): Change {
  return {
    changes: [
      { from, insert: marker },
      { from: to, insert: marker }
    ],
    range: EditorSelection.range(range.anchor + marker.length, range.head + marker.length)
  }
}

/** Marks a caret (mark-caret.ts) or each part of a selection (mark-blocks.ts). Both load later. Undefined in code. */
export const markLater = Facet.define<(state: EditorState, marker: string) => TransactionSpec | undefined>()

/** Formats that were requested before `markLater` had loaded, with the state at the first request. */
export const requestedFormats = new WeakMap<EditorView, { readonly state: EditorState; readonly markers: string[] }>()

/** Puts `marker` around the selection or removes it. */
export const toggleMarker =
  (marker: string): Command =>
  (view) => {
    if (view.state.readOnly) return false
    const mark = view.state.facet(markLater)[0]
    if (mark === undefined) {
      const { state, markers } = requestedFormats.get(view) ?? { state: view.state, markers: [] }
      requestedFormats.set(view, { state, markers: [...markers, marker] })
      return true
    }
    const change =
      mark(view.state, marker) ??
      view.state.changeByRange((range) => {
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
    // The text itself stays, so that only the brackets are part of the undo step.
    const [before, after] = address === '' ? ['[', ']()'] : ['[](', ')']
    const exit = to + before.length + after.length
    const changes = [
      { from, insert: before },
      { from: to, insert: after }
    ]
    const wordsSlot = { from: from + 1, to: from + 1 + words.length }
    const addressSlot = { from: wordsSlot.to + 2, to: wordsSlot.to + 2 + address.length, isAddress: true }
    const slots = [...(words === '' ? [wordsSlot] : []), ...(address === '' ? [addressSlot] : [])]
    opened.push({ slots, from, exit })
    return { changes, range: EditorSelection.cursor(slots[0]?.from ?? exit) }
  })
  // With several carets, there is no single slot that the person could leave.
  const effects = opened.length === 1 ? opened.map((each) => openSlots.of(each)) : []
  dispatch(state.update(change, { effects, scrollIntoView: true, userEvent: 'input.format' }))
  return true
}
