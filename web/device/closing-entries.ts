/**
 * Stores outbox entries from the last moments of a page. IndexedDB might not finish its writes when a page closes. Local storage is written
 * immediately, so it holds the entries until a page of the document has written them to disk.
 */
import { documentValue } from './device.ts'
import type { StoredRecord } from './records.ts'
import { readDevice, writeDevice } from './values.ts'

/** The key that earlier versions used, so that entries left by their pages are sent too. */
const keyOf = (doc: string): string => documentValue('deeds', doc)

/** Returns the stored entries, oldest first. */
export function closingEntries<Entry extends StoredRecord>(doc: string): readonly Entry[] {
  try {
    const found: unknown = JSON.parse(readDevice(keyOf(doc)) ?? '[]')
    return Array.isArray(found) ? found : []
  } catch {
    // The stored value is damaged.
    return []
  }
}

const write = (doc: string, entries: readonly StoredRecord[]): void =>
  writeDevice(keyOf(doc), entries.length === 0 ? null : JSON.stringify(entries))

/** Stores entries. An entry that is already stored is replaced. */
export function storeClosing(doc: string, entries: readonly StoredRecord[]): void {
  write(doc, [...new Map([...closingEntries(doc), ...entries].map((entry) => [entry.id, entry])).values()])
}

/** Removes an entry that is already on disk or has been completed. */
export function dropClosing(doc: string, id: string): void {
  const before = closingEntries(doc)
  if (before.some((entry) => entry.id === id))
    write(
      doc,
      before.filter((entry) => entry.id !== id)
    )
}
