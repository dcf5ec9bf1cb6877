/** Text that this device stored though something before it was lost. */
import * as Y from 'yjs'

/**
 * Takes out of a document what waits for a part that is missing, as when the device could not keep one of several changes. It is in no
 * text; sent along with everything else it would have all of it refused. Answers how to put it back: the server may have the missing part.
 */
export function takeGaps(doc: Y.Doc): () => void {
  const { store } = doc
  const { pendingStructs, pendingDs } = store
  store.pendingStructs = null
  store.pendingDs = null
  return () => {
    if (pendingStructs !== null) Y.applyUpdateV2(doc, pendingStructs.update)
    if (pendingDs !== null) Y.applyUpdateV2(doc, pendingDs)
  }
}
