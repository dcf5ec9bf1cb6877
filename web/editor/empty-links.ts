/** Removes a new link that the person leaves without text and address. Its brackets alone would stay in the text as plain characters. */
import { EditorState, type Transaction, type TransactionSpec } from '@codemirror/state'
import { slotsIn } from './slots.ts'

const emptyLink = '[]()'

/** Returns the change that removes the empty link; undefined if a transaction leaves none. */
function linkLeft(transaction: Transaction): TransactionSpec | undefined {
  const { startState, docChanged, selection } = transaction
  const exit = slotsIn(startState)?.exit ?? 0
  const from = exit - emptyLink.length
  const mayLeave = !docChanged && selection !== undefined && from >= 0 && startState.sliceDoc(from, exit) === emptyLink
  // The new state is computed only now, because this takes a long time for a large document.
  return mayLeave && slotsIn(transaction.state) === null ? { changes: { from, to: exit }, userEvent: 'delete' } : undefined
}

export const emptyLinks = EditorState.transactionFilter.of((transaction) => {
  const more = linkLeft(transaction)
  return more === undefined ? transaction : [transaction, more]
})
