/** Stops an insertion that would make the document larger than the server accepts: undoing it afterwards would be too late for others. */
import { EditorState, type Extension } from '@codemirror/state'
import { ySyncAnnotation } from 'y-codemirror.next'

/** `unitsMax`: UTF-16 units, as `Y.Text` and the editor count. `onRefused` is called for each refused change. */
export const sizeLimit = (unitsMax: number, onRefused: () => void): Extension =>
  EditorState.transactionFilter.of((transaction) => {
    // Text of others is already in the document.
    if (!transaction.docChanged || transaction.annotation(ySyncAnnotation) !== undefined) return transaction
    const { length } = transaction.newDoc
    if (length <= unitsMax || length <= transaction.startState.doc.length) return transaction
    queueMicrotask(onRefused)
    return []
  })
