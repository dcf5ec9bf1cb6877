/**
 * Outbox entries of the last moments of a page. IndexedDB may not finish what it begins as a page goes; local storage is written at once, so
 * it holds these until a page of the document has them on the disk.
 */
import { documentValue } from './device.ts'
import type { Kept } from './records.ts'
import { readDevice, writeDevice } from './values.ts'

/** The entries that are left, oldest first. */
export function left<Entry extends Kept>(doc: string): readonly Entry[] {
  try {
    const found: unknown = JSON.parse(readDevice(documentValue('deeds', doc)) ?? '[]')
    return Array.isArray(found) ? found : []
  } catch {
    // Nothing that a page of ours wrote.
    return []
  }
}

const write = (doc: string, entries: readonly Kept[]): void =>
  writeDevice(documentValue('deeds', doc), entries.length === 0 ? null : JSON.stringify(entries))

/** Adds to those that are left, each once. */
export function leave(doc: string, entries: readonly Kept[]): void {
  write(doc, [...new Map([...left(doc), ...entries].map((entry) => [entry.id, entry])).values()])
}

/** One of them is on the disk, or done. */
export function dropLeft(doc: string, id: string): void {
  const before = left(doc)
  if (before.some((entry) => entry.id === id))
    write(
      doc,
      before.filter((entry) => entry.id !== id)
    )
}
