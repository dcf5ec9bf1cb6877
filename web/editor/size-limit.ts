/** An insertion that would make the document larger than the server takes is stopped: undoing it later would be too late for the others. */
import { EditorState, type Extension } from '@codemirror/state'
import { ySyncAnnotation } from 'y-codemirror.next'

/** `unitsMax`: UTF-16 units, as `Y.Text` and the editor count. `onRefused` is told of each change that was left out. */
export const sizeLimit = (unitsMax: number, onRefused: () => void): Extension =>
  EditorState.transactionFilter.of((transaction) => {
    // Text of others is there already.
    if (!transaction.docChanged || transaction.annotation(ySyncAnnotation) !== undefined) return transaction
    const { length } = transaction.newDoc
    if (length <= unitsMax || length <= transaction.startState.doc.length) return transaction
    queueMicrotask(onRefused)
    return []
  })
