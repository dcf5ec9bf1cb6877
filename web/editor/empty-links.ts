/** Removes a new link that the person leaves without text and address. Its brackets alone would stay in the text as plain characters. */
import { EditorState, type Transaction, type TransactionSpec } from '@codemirror/state'
import { slotsIn } from './slots.ts'

const emptyLink = '[]()'

/** Returns the change that removes the empty link; undefined if a transaction leaves none. */
function linkLeft({ startState, docChanged, state }: Transaction): TransactionSpec | undefined {
  const exit = slotsIn(startState)?.exit ?? 0
  const from = exit - emptyLink.length
  const isLeft = !docChanged && from >= 0 && startState.sliceDoc(from, exit) === emptyLink && slotsIn(state) === null
  return isLeft ? { changes: { from, to: exit }, userEvent: 'delete' } : undefined
}

export const emptyLinks = EditorState.transactionFilter.of((transaction) => {
  // A transaction that neither changes the text nor moves the caret leaves no link. Its new state need not be computed.
  const more = transaction.selection === undefined ? undefined : linkLeft(transaction)
  return more === undefined ? transaction : [transaction, more]
})
