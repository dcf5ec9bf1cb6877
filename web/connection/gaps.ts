/** Text stored on this device although something before it was lost. */
import * as Y from 'yjs'

/**
 * Removes updates from a document that depend on a missing part, for example because the device could not store one of several changes. They are in
 * no text, and the server would refuse everything sent together with them. Returns a function that restores them, because the server may have the
 * missing part.
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
