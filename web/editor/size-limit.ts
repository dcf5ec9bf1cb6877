/**
 * Refuses an insertion that would make the document larger than the server accepts. Undoing it later would not help, because others would
 * already have it.
 */
import { EditorState, type Extension } from '@codemirror/state'
import { ySyncAnnotation } from 'y-codemirror.next'

/** Creates the extension. `unitsMax` is in UTF-16 units, as `Y.Text` and the editor count them. `onRefused` is called for each refused change. */
export const sizeLimit = (unitsMax: number, onRefused: () => void): Extension =>
  EditorState.transactionFilter.of((transaction) => {
    // Text by others is already in the document.
    if (!transaction.docChanged || transaction.annotation(ySyncAnnotation) !== undefined) return transaction
    const { length } = transaction.newDoc
    if (length <= unitsMax || length <= transaction.startState.doc.length) return transaction
    queueMicrotask(onRefused)
    return []
  })
