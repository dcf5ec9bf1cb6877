/**
 * Stores text typed in the last moments of a page. IndexedDB might not finish its writes when a page closes. Local storage is written immediately, so
 * it holds these few changes until the next page of the document has written them to disk.
 */
import { fromBase64, toBase64 } from 'lib0/buffer'
import * as Y from 'yjs'
import { documentValue } from './device.ts'
import { readDevice, writeDevice } from './values.ts'

/** Maximum total size of the updates stored this way, in bytes. Local storage in a browser holds about 5 MB of text. */
export const lastBytesMax = 512 * 1024

const nameOf = (id: string): string => documentValue('last', id)

/** Adds updates to the stored ones. Duplicates are harmless. */
export function leaveLastChanges(id: string, updates: readonly Uint8Array[]): void {
  const update = Y.mergeUpdates([...updates, ...(lastChanges(id)?.updates ?? [])])
  if (update.length <= lastBytesMax) writeDevice(nameOf(id), toBase64(update))
}

/** Returns the changes that earlier pages left. Call `done` once they are on disk. */
export function lastChanges(id: string): { readonly updates: readonly Uint8Array[]; done(): void } | undefined {
  const found = readDevice(nameOf(id))
  if (found === null) return undefined
  const done = (): void => {
    // Another page may have since added more changes.
    if (readDevice(nameOf(id)) === found) writeDevice(nameOf(id), null)
  }
  try {
    const update = fromBase64(found)
    Y.decodeUpdate(update)
    return { updates: [update], done }
  } catch {
    // The stored value is damaged.
    done()
    return undefined
  }
}
