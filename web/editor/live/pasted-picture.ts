/** Moves the caret below a picture that a person pastes on a line of its own, so that the picture is drawn and its Markdown is hidden. */
import { EditorState, type Extension, type Transaction, type TransactionSpec } from '@codemirror/state'
import { belowOrAfter } from './picture-changes.ts'
import { pictureFrom } from './picture-size.ts'

/** Returns the change that makes space for the caret, and its new position. Undefined if the pasted text is not a picture alone on its line. */
export function belowPasted(transaction: Transaction): TransactionSpec | undefined {
  if (!transaction.isUserEvent('input.paste')) return undefined
  let pasted: string | undefined
  transaction.changes.iterChanges((_fromA, _toA, _fromB, _toB, inserted) => void (pasted = inserted.toString().trim()))
  if (pasted === undefined || !/^!\[[^\n]*\)$/.test(pasted)) return undefined
  const { state } = transaction
  const line = state.doc.lineAt(state.selection.main.head)
  const from = line.from + line.text.indexOf(pasted)
  const isAlone = /^[ \t>]*$/.test(line.text.replace(pasted, ''))
  if (!isAlone || pictureFrom(state, from)?.to !== from + pasted.length) return undefined
  const { changes, at, isLine } = belowOrAfter(state, from + pasted.length)
  return { changes, selection: { anchor: isLine ? at : Math.min(line.to + 1, state.doc.length) }, sequential: true }
}

export const pastedPicture: Extension = EditorState.transactionFilter.of((transaction) => {
  const below = belowPasted(transaction)
  return below === undefined ? transaction : [transaction, below]
})
