/**
 * Keeps out of the text what the service refuses: carriage returns, NUL and halves of surrogate pairs. On every way in
 * (typing, paste, drop, a program), the text of the editor and of `Y.Text` must stay the same, unit by unit.
 */
import { Annotation, EditorState, Text, type ChangeSpec, type Extension, type Transaction } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { ySyncAnnotation } from 'y-codemirror.next'
import { cleanText } from '../base/clean-text.ts'

/** For a change that brings back text of the document, unit by unit: half of a pair may find its other half again. */
export const verbatim = Annotation.define<true>()

const isClean = (text: string): boolean => !text.includes('\r') && !text.includes('\0') && text.isWellFormed()

function cleaned(transaction: Transaction): ChangeSpec[] | undefined {
  const changes: ChangeSpec[] = []
  let dirty = false
  transaction.changes.iterChanges((from, to, _fromB, _toB, inserted) => {
    const text = inserted.sliceString(0, inserted.length, '\n')
    dirty ||= !isClean(text)
    changes.push({ from, to, insert: Text.of(cleanText(text).split('\n')) })
  })
  return dirty ? changes : undefined
}

const filter = EditorState.transactionFilter.of((transaction) => {
  // Text of others is already in Y.Text: to change it here would set the two apart.
  const isStored = transaction.annotation(ySyncAnnotation) !== undefined || transaction.annotation(verbatim) === true
  if (!transaction.docChanged || isStored) return transaction
  const changes = cleaned(transaction)
  return changes === undefined ? transaction : { changes, scrollIntoView: transaction.scrollIntoView }
})

export const cleanInput: Extension = [
  EditorState.lineSeparator.of('\n'),
  EditorView.clipboardInputFilter.of((text) => cleanText(text)),
  filter
]
