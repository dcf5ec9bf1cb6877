/** Handles text stored on this device whose preceding updates were lost. */
import * as Y from 'yjs'

/**
 * Removes the updates of a document that depend on a missing update. An update is missing, for example, if the device could not store it. The
 * dependent updates appear in no text, and the server would refuse everything sent together with them. Returns a function that puts them back,
 * because the server may have the missing update.
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
