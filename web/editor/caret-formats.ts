/**
 * The formats of the text that is typed next at the caret. A command switches them on. The marks are written only together with text, so that a caret
 * that moves away leaves no marks behind. A space at the end of formatted text is written after the closing marks, because marks next to a space have
 * no effect. The next word moves the marks.
 */
import { syntaxTree } from '@codemirror/language'
import { EditorState, Prec, StateEffect, StateField, Transaction, type Extension, type TransactionSpec } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { spanNames } from './format-names.ts'

interface Stretch {
  readonly from: number
  readonly to: number
}

interface Pending {
  readonly markers: readonly string[]
  /** The closing marks of the text before the caret, which the next word continues. */
  readonly closing?: Stretch
  /** The text that is being composed. The marks are written when the composition ends, because a change would interrupt it. */
  readonly composed?: Stretch
}

/** Sets the formats of the text that is typed next at the caret, by their markers. */
export const setPending = StateEffect.define<readonly string[]>()

/** Lets the next word continue the formatted text before the caret. */
export const setContinued = StateEffect.define<Pending>()

const none: Pending = { markers: [] }

const isBlank = (transaction: Transaction): boolean => {
  let found = true
  transaction.changes.iterChanges((from, to, _from, _to, inserted) => (found &&= from === to && /^[ \t]*$/.test(inserted.toString())))
  return found
}

/** Whether the text that is typed next is still at the caret for which the formats were switched on. */
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
  const mapped = ({ from, to }: Stretch): Stretch => ({ from: changes.mapPos(from, 1), to: changes.mapPos(to, -1) })
  const { closing } = value
  return { ...value, ...(composed && { composed: mapped(composed) }), ...(closing && { closing: mapped(closing) }) }
}

const pending = StateField.define<Pending>({
  create: () => none,
  update(value, transaction) {
    const continued = transaction.effects.find((effect) => effect.is(setContinued))?.value
    if (continued !== undefined) return continued
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

interface Marks {
  readonly open: string
  readonly close: string
  /** The marks that the closing ones replace. */
  readonly moved: Stretch | undefined
}

/** Returns the marks of text that begins at a position. */
function marksFor(state: EditorState, { markers, closing }: Pending, at: number): Marks {
  const isNext = closing !== undefined && closing.to <= at && /^[ \t]*$/.test(state.sliceDoc(closing.to, at))
  if (isNext) return { open: '', close: state.sliceDoc(closing.from, closing.to), moved: closing }
  const [open, close] = marksOf(markers)
  return { open, close, moved: undefined }
}

const lengthOf = (stretch: Stretch | undefined): number => (stretch === undefined ? 0 : stretch.to - stretch.from)

/** Skips the closing marks directly after a position. Returns the position after them and the marks; undefined if there are none. */
export function pastClosing(state: EditorState, from: number): { readonly to: number; readonly markers: readonly string[] } | undefined {
  const markers: string[] = []
  let to = from
  for (;;) {
    const mark = syntaxTree(state).resolveInner(to, 1)
    const span = mark.parent
    const marker = [...spanNames].find(([, name]) => name === span?.name)?.[0]
    if (marker === undefined || !mark.name.endsWith('Mark') || span?.lastChild?.from !== mark.from || mark.from !== to) break
    markers.unshift(marker)
    to = mark.to
  }
  return to === from ? undefined : { to, markers }
}

/** Returns the only text that a transaction types, and its place. */
export function typedText(transaction: Transaction): { readonly at: number; readonly text: string } | undefined {
  if (transaction.annotation(Transaction.userEvent) !== 'input.type') return undefined
  const typed: { readonly at: number; readonly text: string }[] = []
  let isPlain = true
  transaction.changes.iterChanges((from, to, _from, _to, inserted) => {
    isPlain &&= from === to && inserted.lines === 1
    typed.push({ at: from, text: inserted.toString() })
  })
  return isPlain && typed.length === 1 ? typed[0] : undefined
}

/** Writes a typed space after the closing marks that follow it. In code, closing marks work even after a space. */
function spaceTyped(transaction: Transaction): TransactionSpec | undefined {
  const { startState } = transaction
  const { at = 0, text = 'none' } = typedText(transaction) ?? {}
  if (text.trim() !== '' || startState.field(pending, false) !== none) return undefined
  const { to, markers = [] } = pastClosing(startState, at) ?? {}
  if (to === undefined || markers.includes('`')) return undefined
  return {
    changes: { from: to, insert: text },
    selection: { anchor: to + text.length },
    effects: setContinued.of({ markers, closing: { from: at, to } }),
    scrollIntoView: true,
    userEvent: 'input.type'
  }
}

/** Returns the typed text with the marks of its formats. The caret stays before the closing marks. */
export function typedWithMarks(transaction: Transaction): TransactionSpec | undefined {
  const { startState } = transaction
  const value = startState.field(pending, false) ?? none
  const { at = 0, text } = typedText(transaction) ?? {}
  if (text === undefined || value.composed !== undefined) return undefined
  if (value === none || text.trim() === '') return undefined
  const { open, close, moved } = marksFor(startState, value, at)
  const spaces = text.length - text.trimStart().length
  const insert = text.slice(0, spaces) + open + text.slice(spaces) + close
  return {
    changes: [...(moved === undefined ? [] : [moved]), { from: at, insert }],
    selection: { anchor: at - lengthOf(moved) + insert.length - close.length },
    scrollIntoView: true,
    userEvent: 'input.type'
  }
}

/** Puts marks around text that was composed. */
export function markComposed(view: EditorView): void {
  const value = view.state.field(pending)
  const { composed } = value
  if (composed === undefined || composed.from === composed.to || view.composing) return
  const { open, close, moved } = marksFor(view.state, value, composed.from)
  const { head } = view.state.selection.main
  view.dispatch({
    changes: [...(moved === undefined ? [] : [moved]), { from: composed.from, insert: open }, { from: composed.to, insert: close }],
    // The caret stays before the closing marks, unless it is already further on.
    selection: { anchor: head - lengthOf(moved) + open.length + (head > composed.to ? close.length : 0) },
    effects: setPending.of([]),
    userEvent: 'input.format'
  })
}

/** Moves a caret at the end of formatted text past the closing marks, so that Enter does not move them to the next line. */
function leaveFormats(view: EditorView): false {
  const { main } = view.state.selection
  const end = main.empty && !view.state.readOnly ? pastClosing(view.state, main.head)?.to : undefined
  if (end !== undefined) view.dispatch({ selection: { anchor: end } })
  return false
}

/** Time after a composition, in milliseconds. CodeMirror reads the last composed letters within it. */
const composedMs = 50

export const caretFormats: Extension = [
  pending,
  // Other filters may move the typed text first, for example into a cell.
  Prec.high(EditorState.transactionFilter.of((transaction) => typedWithMarks(transaction) ?? transaction)),
  EditorView.domEventHandlers({ compositionend: (_event, view) => void setTimeout(() => markComposed(view), composedMs) })
]

/** In the live view, spaces and line breaks at the end of formatted text go after the marks. */
export const formatEnds: Extension = [
  EditorState.transactionFilter.of((transaction) => spaceTyped(transaction) ?? transaction),
  Prec.high(keymap.of([{ key: 'Enter', run: leaveFormats }]))
]
