/**
 * The formats that were switched on at a caret. They apply to the text that is typed next. Marks are written together with that text, so that a
 * caret that moves away leaves none behind.
 */
import { EditorState, Prec, StateEffect, StateField, Transaction, type Extension, type TransactionSpec } from '@codemirror/state'
import { EditorView } from '@codemirror/view'

interface Pending {
  readonly markers: readonly string[]
  /** The text that is being composed. The marks are written when the composition ends, because a change would interrupt it. */
  readonly composed?: { readonly from: number; readonly to: number }
}

/** Sets the formats of the text that is typed next at the caret, by their markers. */
export const setPending = StateEffect.define<readonly string[]>()

const none: Pending = { markers: [] }

const isBlank = (transaction: Transaction): boolean => {
  let found = true
  transaction.changes.iterChanges((from, to, _from, _to, inserted) => (found &&= from === to && /^[ \t]*$/.test(inserted.toString())))
  return found
}

/** Whether the text that is typed next still belongs to the caret that had the formats switched on. */
function isKept(transaction: Transaction, { composed }: Pending): boolean {
  const { docChanged, startState, newSelection } = transaction
  if (!docChanged) return newSelection.eq(startState.selection)
  const event = transaction.annotation(Transaction.userEvent)
  // A change without an event was made by others. Formats begin at the first word, so spaces stay before the marks.
  return event === undefined || (event === 'input.type' && (composed !== undefined || isBlank(transaction)))
}

/** Follows the text that is being composed. */
function following(value: Pending, transaction: Transaction): Pending {
  const { startState, changes, newSelection } = transaction
  const { composed } = value
  if (transaction.isUserEvent('input.type.compose')) {
    const from = composed === undefined ? startState.selection.main.head : changes.mapPos(composed.from, -1)
    return { ...value, composed: { from, to: Math.max(from, newSelection.main.head) } }
  }
  if (!isKept(transaction, value)) return none
  return composed === undefined
    ? value
    : { ...value, composed: { from: changes.mapPos(composed.from, 1), to: changes.mapPos(composed.to, -1) } }
}

const pending = StateField.define<Pending>({
  create: () => none,
  update(value, transaction) {
    const set = transaction.effects.find((effect) => effect.is(setPending))?.value
    if (set !== undefined) return set.length === 0 ? none : { markers: set }
    return value === none ? none : following(value, transaction)
  }
})

/** Returns the markers of the formats that are switched on for the text that is typed next. */
export const pendingMarkers = (state: EditorState): readonly string[] => state.field(pending, false)?.markers ?? none.markers

/** Returns the marks before and after text. In code, other marks would be characters, so code is the innermost format. */
function marksOf(markers: readonly string[]): readonly [open: string, close: string] {
  const sorted = markers.toSorted((one, other) => Number(one === '`') - Number(other === '`'))
  return [sorted.join(''), sorted.toReversed().join('')]
}

/** Returns the typed text with the marks of the formats that are switched on. The caret stays before the closing marks. */
export function typedWithMarks(transaction: Transaction): TransactionSpec | undefined {
  const { markers = [], composed } = transaction.startState.field(pending, false) ?? {}
  if (markers.length === 0 || composed !== undefined || transaction.annotation(Transaction.userEvent) !== 'input.type') return undefined
  const typed: { readonly from: number; readonly to: number; readonly text: string }[] = []
  transaction.changes.iterChanges((from, to, _from, _to, inserted) => typed.push({ from, to, text: inserted.toString() }))
  const [only, second] = typed
  if (only === undefined || second !== undefined || only.from < only.to || only.text.includes('\n') || only.text.trim() === '')
    return undefined
  const [open, close] = marksOf(markers)
  const spaces = only.text.length - only.text.trimStart().length
  const insert = only.text.slice(0, spaces) + open + only.text.slice(spaces) + close
  return {
    changes: { from: only.from, insert },
    selection: { anchor: only.from + insert.length - close.length },
    scrollIntoView: true,
    userEvent: 'input.type'
  }
}

/** Puts marks around text that was composed. */
export function markComposed(view: EditorView): void {
  const { markers, composed } = view.state.field(pending)
  if (composed === undefined || composed.from === composed.to || view.composing) return
  const [open, close] = marksOf(markers)
  const { head } = view.state.selection.main
  view.dispatch({
    changes: [
      { from: composed.from, insert: open },
      { from: composed.to, insert: close }
    ],
    // The caret stays before the closing marks, unless it is already further on.
    selection: { anchor: head + open.length + (head > composed.to ? close.length : 0) },
    effects: setPending.of([]),
    userEvent: 'input.format'
  })
}

/** Time after a composition, in milliseconds. CodeMirror reads the last composed letters within it. */
const composedMs = 50

export const caretFormats: Extension = [
  pending,
  // Other filters may move the typed text first, for example into a cell.
  Prec.high(EditorState.transactionFilter.of((transaction) => typedWithMarks(transaction) ?? transaction)),
  EditorView.domEventHandlers({ compositionend: (_event, view) => void setTimeout(() => markComposed(view), composedMs) })
]
