/**
 * Backspace and Delete at the edge of a format or a link. The keys go past the Markdown marks and delete a letter of the text, because marks that are
 * deleted one by one would be shown as plain characters.
 */
import { syntaxTree } from '@codemirror/language'
import { EditorState, Prec, StateField, Transaction, type Extension, type TransactionSpec } from '@codemirror/state'
import { keymap, type Command } from '@codemirror/view'
import { pastClosing, setContinued, setPending, typedText } from './caret-formats.ts'
import { isMarked, textBetween } from './empty-marks.ts'

/** Skips the marks before (-1) or after (1) a position. */
function pastMarks(state: EditorState, from: number, side: 1 | -1): number {
  let at = from
  for (;;) {
    const node = syntaxTree(state).resolveInner(at, side).parent
    const text = node === null ? undefined : textBetween(node)
    if (node === null || text === undefined) return at
    const edges = side < 0 ? [node.to, text.to, text.from, node.from] : [node.from, text.from, text.to, node.to]
    const index = edges.indexOf(at)
    const next = index % 2 === 0 ? edges[index + 1] : undefined
    if (next === undefined || next === at) return at
    at = next
  }
}

interface Stretch {
  readonly from: number
  readonly to: number
}

/** The marks before the caret that the person has just typed. Backspace deletes them one by one. */
const justTyped = StateField.define<Stretch | null>({
  create: () => null,
  update(value, transaction) {
    const { changes, docChanged, newSelection } = transaction
    const { head } = newSelection.main
    const event = transaction.annotation(Transaction.userEvent)
    const kept = value && { from: changes.mapPos(value.from, -1), to: changes.mapPos(value.to, -1) }
    const { at = 0, text = '' } = typedText(transaction) ?? {}
    if (/^[*_~=`^]+$/.test(text)) return { from: kept?.to === at ? kept.from : at, to: head }
    const isKept = !docChanged || event === undefined || event === 'delete.backward'
    return isKept && kept !== null && kept.to === head && kept.from < kept.to ? kept : null
  }
})

/**
 * Moves the caret past the marks next to it, so that the key deletes the letter behind them. A key that deletes a word (`isWord`) first deletes the
 * spaces between the caret and the marks, as it does before other words.
 */
const skipMarks =
  (side: 1 | -1, isWord = false): Command =>
  (view) => {
    const { state } = view
    const { head, empty } = state.selection.main
    if (!empty || state.readOnly || state.selection.ranges.length > 1 || (side < 0 && state.field(justTyped) !== null)) return false
    const line = state.doc.lineAt(head)
    const text = side < 0 ? state.sliceDoc(line.from, head).trimEnd() : state.sliceDoc(head, line.to).trimStart()
    const spaces = isWord ? Math.abs(head - (side < 0 ? line.from : line.to)) - text.length : 0
    const at = head + side * spaces
    const anchor = pastMarks(state, at, side)
    const changes = { from: Math.min(at, head), to: Math.max(at, head) }
    if (anchor !== at) view.dispatch({ changes, selection: { anchor: Math.min(anchor, anchor + head - at) } })
    return false
  }

/** Returns the range that a person's change deletes, if it is a single range. */
function deletedStretch(transaction: Transaction): Stretch | undefined {
  if (!transaction.isUserEvent('delete') || transaction.annotation(isMarked) === true) return undefined
  const found: Stretch[] = []
  transaction.changes.iterChanges((from, to, _from, _to, inserted) => found.push({ from, to: inserted.length > 0 ? from : to }))
  const [only, more] = found
  return only === undefined || more !== undefined || only.from === only.to ? undefined : only
}

/** Moves spaces that a deletion leaves at the edge of a format out of the marks, because marks next to a space have no effect. */
function spacesOut(transaction: Transaction): TransactionSpec | undefined {
  const { startState, effects } = transaction
  const { from, to } = deletedStretch(transaction) ?? {}
  if (from === undefined || to === undefined) return undefined
  const userEvent = transaction.annotation(Transaction.userEvent) ?? 'delete'
  const line = startState.doc.lineAt(from)
  const words = startState.sliceDoc(line.from, from)
  const before = words.slice(words.trimEnd().length)
  const { to: end, markers = [] } = pastClosing(startState, to) ?? {}
  if (before !== '' && end !== undefined && !markers.includes('`')) {
    const marks = end - to
    const caret = from + marks
    const emptied = effects.flatMap((effect) => (effect.is(setPending) ? effect.value : []))
    return {
      changes: [
        { from: from - before.length, to },
        { from: end, insert: before }
      ],
      selection: { anchor: caret },
      effects:
        emptied.length > 0
          ? setPending.of([...markers, ...emptied])
          : setContinued.of({ markers, closing: { from: caret - before.length - marks, to: caret - before.length } }),
      scrollIntoView: true,
      userEvent
    }
  }
  const after = /^[ \t]+/.exec(startState.sliceDoc(to, startState.doc.lineAt(to).to))?.[0] ?? ''
  const node = syntaxTree(startState).resolveInner(from, -1).parent
  const start = node?.name !== 'InlineCode' && node !== null && textBetween(node)?.from === from ? pastMarks(startState, from, -1) : from
  if (after === '' || start === from) return undefined
  return {
    changes: [
      { from: start, insert: after },
      { from, to: to + after.length }
    ],
    selection: { anchor: start },
    scrollIntoView: true,
    userEvent
  }
}

/** Must come before `emptyMarks` in the list of extensions, so that it sees which marks a deletion also removes. */
export const deleteInFormats: Extension = [
  justTyped,
  EditorState.transactionFilter.of((transaction) => spacesOut(transaction) ?? transaction),
  Prec.highest(
    keymap.of([
      { key: 'Backspace', run: skipMarks(-1), shift: skipMarks(-1) },
      { key: 'Mod-Backspace', mac: 'Alt-Backspace', run: skipMarks(-1, true) },
      { key: 'Delete', run: skipMarks(1) },
      { key: 'Mod-Delete', mac: 'Alt-Delete', run: skipMarks(1, true) }
    ])
  )
]
