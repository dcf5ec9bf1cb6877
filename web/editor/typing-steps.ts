/**
 * Ends undo steps while a person types without a pause, so that one undo removes some words and not an entire paragraph. Yjs ends a step only at a
 * pause.
 */
import { Transaction } from '@codemirror/state'
import { ViewPlugin } from '@codemirror/view'
import type * as Y from 'yjs'
import { inLastStep } from './binding.ts'
import { slotsIn } from './slots.ts'

/** Number of typed UTF-16 units from which the next word begins a new step. */
const stepUnits = 20
/** The same for text without spaces, such as Japanese. Such a step may end inside a word. */
const stepUnitsMax = 60

/** Returns a function that is called with each transaction before it is written. It ends the current step if the transaction begins a new one. */
export function typingSteps(undo: Y.UndoManager): (transaction: Transaction) => void {
  let isAfterEnter = false
  return (transaction) => {
    const event = transaction.annotation(Transaction.userEvent)
    // The text in the slots of a construct belongs to the step that inserted the construct.
    const isInSlot = slotsIn(transaction.startState) !== null && transaction.isUserEvent('input')
    // Yjs adds a change to the last step if that step changed a moment ago.
    if (isInSlot || transaction.annotation(inLastStep) === true) undo.lastChange = Date.now()
    if (isInSlot) return
    // Changes by others have no event, and they may arrive between two letters.
    if (event === undefined) return
    transaction.changes.iterChanges((from, _to, _fromB, _toB, inserted) => {
      const step = undo.undoStack.at(-1)?.insertions.clients.get(undo.doc.clientID) ?? []
      const units = step.reduce((sum, { len }) => sum + len, 0)
      const isWord = /\s\S/.test(transaction.startState.sliceDoc(from - 1, from) + inserted.sliceString(0, 1))
      // A step never ends within a composition.
      if (/^input\.type(\.compose\.start)?$/.test(event) && (isAfterEnter || units >= (isWord ? stepUnits : stepUnitsMax)))
        undo.stopCapturing()
      isAfterEnter = event === 'input' && inserted.lines > 1
    })
  }
}

/** Applies `typingSteps` in an editor. It must come before the binding, which writes each transaction into the document. */
export const endSteps = (undo: Y.UndoManager) =>
  ViewPlugin.define(() => {
    const end = typingSteps(undo)
    return { update: ({ transactions }) => transactions.forEach(end) }
  })
