/** Keeps the label of a callout, such as `[!NOTE]`, whole. With other text or marks in it, the callout would be a plain quote. */
import { EditorSelection, EditorState, type Extension, type SelectionRange, type Text, type Transaction } from '@codemirror/state'
import { calloutMarker } from '../../shared/markdown/callouts.ts'

interface Label {
  readonly from: number
  readonly to: number
  /** The range of the title, which may be empty. */
  readonly title: number
  readonly end: number
}

/** Returns the label of a callout on the line of a position. */
function labelAt(doc: Text, position: number): Label | undefined {
  const { from, to, text } = doc.lineAt(position)
  const start = /^[ \t>]*>[ \t]*/.exec(text)?.[0].length ?? 0
  const end = text.indexOf(']', start) + 1
  if (!calloutMarker.test(text.slice(start))) return undefined
  const title = end + (/^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0)
  return { from: from + start, to: from + end, title: from + title, end: to }
}

function isInLabel(doc: Text, position: number): boolean {
  const label = labelAt(doc, position)
  return label !== undefined && position > label.from && position < label.to
}

/** Returns the part of a selection that is in the title. Undefined if the selection leaves the line or does not touch the label. */
function inTitle(doc: Text, { anchor, head, from, to, empty }: SelectionRange): SelectionRange | undefined {
  const label = labelAt(doc, from)
  if (label === undefined || from >= label.title || to > label.end || (empty ? from : to) < label.from) return undefined
  return EditorSelection.range(Math.max(anchor, label.title), Math.max(head, label.title))
}

/** Returns the place where a typed title begins directly after the label. It needs a space. */
function needsSpace({ startState, changes }: Transaction): number | undefined {
  let place: number | undefined
  changes.iterChanges((from, to, _fromB, _toB, inserted) => {
    if (from === to && from === labelAt(startState.doc, from)?.to && /^\S/.test(inserted.toString())) place = from
  })
  return place
}

export const calloutLabels: Extension = EditorState.transactionFilter.of((transaction) => {
  const { startState, changes, newSelection } = transaction
  if (transaction.isUserEvent('select.pointer') && newSelection.ranges.length === 1) {
    const selection = inTitle(startState.doc, newSelection.main)
    return selection === undefined ? transaction : [transaction, { selection, sequential: true }]
  }
  if (transaction.isUserEvent('input.type') && !transaction.isUserEvent('input.type.compose')) {
    const from = needsSpace(transaction)
    return from === undefined ? transaction : [transaction, { changes: { from, insert: ' ' }, sequential: true }]
  }
  if (!transaction.isUserEvent('input.format')) return transaction
  let isLabel = false
  changes.iterChanges((from) => {
    isLabel ||= isInLabel(startState.doc, from)
  })
  return isLabel ? [] : transaction
})
