/**
 * Removes a new link that the person leaves without text and address, because its brackets alone would stay in the text as plain characters. Escape
 * removes a new link without an address, and keeps its text. So does Backspace in its first field while that is empty. The removal is part of the step that inserted the link, so undo does not restore it.
 */
import { EditorState, Prec, type Extension, type StateCommand, type Transaction, type TransactionSpec } from '@codemirror/state'
import { keymap } from '@codemirror/view'
import { inLastStep } from './binding.ts'
import { slotsIn } from './slots.ts'

const emptyLink = '[]()'

const annotations = inLastStep.of(true)

/** Returns the change that removes the empty link; undefined if a transaction leaves none. */
function linkLeft(transaction: Transaction): TransactionSpec | undefined {
  const { startState, docChanged, selection } = transaction
  const exit = slotsIn(startState)?.exit ?? 0
  const from = exit - emptyLink.length
  const mayLeave = !docChanged && selection !== undefined && from >= 0 && startState.sliceDoc(from, exit) === emptyLink
  // The new state is computed only now, because this takes a long time for a large document.
  return mayLeave && slotsIn(transaction.state) === null ? { changes: { from, to: exit }, annotations } : undefined
}

/** Removes the brackets of a new link without an address. */
const takeBack: StateCommand = ({ state, dispatch }) => {
  const { from, exit } = slotsIn(state) ?? { from: 0, exit: 0 }
  if (state.readOnly || !state.sliceDoc(from, exit).endsWith(']()')) return false
  const changes = [
    { from, to: from + 1 },
    { from: exit - ']()'.length, to: exit }
  ]
  dispatch(state.update({ changes, annotations, scrollIntoView: true }))
  return true
}

function isFirstEmpty(state: EditorState): boolean {
  const first = slotsIn(state)?.slots[0]
  return first !== undefined && first.from === first.to && state.selection.main.head === first.from
}

export const emptyLinks: Extension = [
  EditorState.transactionFilter.of((transaction) => {
    const more = linkLeft(transaction)
    return more === undefined ? transaction : [transaction, more]
  }),
  keymap.of([{ key: 'Escape', run: takeBack }]),
  Prec.high(keymap.of([{ key: 'Backspace', run: (target) => isFirstEmpty(target.state) && takeBack(target) }]))
]
