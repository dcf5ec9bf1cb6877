/** Puts letters that are typed before or after the pipes of a table row into the cell in which the live view draws the caret. */
import { EditorState, type Extension, Transaction, type TransactionSpec, type Text } from '@codemirror/state'
import { intoCell } from '../tables.ts'

/** Returns the transaction that types into the nearest cell. Undefined if the position is already in a cell. */
export function typedInCell(transaction: Transaction): TransactionSpec | undefined {
  const { startState, changes } = transaction
  const { main, ranges } = startState.selection
  if (!transaction.isUserEvent('input.type') || !main.empty || ranges.length > 1) return undefined
  const at = intoCell(startState, main.head)
  let typed: Text | undefined
  changes.iterChanges((from, to, _from, _to, inserted) => {
    if (from === main.head && to === main.head) typed = inserted
  })
  // A typed bar begins another cell.
  if (at === undefined || typed === undefined || typed.lines > 1 || typed.sliceString(0, 1) === '|') return undefined
  return {
    changes: { from: at, insert: typed },
    selection: { anchor: at + typed.length },
    scrollIntoView: true,
    userEvent: transaction.annotation(Transaction.userEvent) ?? 'input.type'
  }
}

export const typeInCell: Extension = EditorState.transactionFilter.of((transaction) => typedInCell(transaction) ?? transaction)
