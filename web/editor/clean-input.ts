/**
 * Keeps carriage returns, NUL characters and unpaired surrogates out of the text, because the service refuses them. However a change arrives (typing,
 * paste, drop, a program), the text of the editor and that of `Y.Text` must be equal, unit by unit.
 */
import { Annotation, EditorState, Text, type ChangeSpec, type Extension, type Transaction } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { ySyncAnnotation } from 'y-codemirror.next'
import { cleanText } from '../base/clean-text.ts'

/** Marks a change that restores text of the document exactly. An unpaired surrogate may then be reunited with its other half. */
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
  // Text by others is already in Y.Text. If it were changed here, the two would differ.
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
