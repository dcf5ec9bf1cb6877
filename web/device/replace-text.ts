/** Replaces the text of a document on this device by that of an open page. */
import * as Y from 'yjs'
import { textDatabase } from './device.ts'
import type { Keep } from './keep.ts'

/** Stores the document as it is now in place of all earlier changes. Changes of the page that are not on disk yet are awaited first. */
export function replaceText(id: string, doc: Y.Doc, { state, unwritten }: Keep): void {
  if (state.peek() !== 'kept') return
  const replace = (): void => {
    const opening = indexedDB.open(textDatabase(id))
    opening.onsuccess = () => {
      const { result: database } = opening
      const transaction = database.transaction('updates', 'readwrite')
      const updates = transaction.objectStore('updates')
      updates.clear()
      updates.add(Y.encodeStateAsUpdate(doc))
      transaction.oncomplete = transaction.onabort = () => database.close()
    }
  }
  const stop = unwritten.subscribe((count) => {
    if (count > 0) return
    queueMicrotask(() => stop())
    replace()
  })
}
