/**
 * What was done in the last moments of a page. IndexedDB may not finish what it begins as a page goes; local storage is written at once, so
 * it holds these deeds until a page of the document has them on the disk. The service knows each by its id, so none is done twice.
 */
import { readDevice, writeDevice } from '../device.ts'
import type { Waiting } from './waiting.ts'

const nameOf = (doc: string): string => `agmd.deeds.${doc}`

/** Those that are left, oldest first. */
export function leftDeeds(doc: string): readonly Waiting[] {
  try {
    const found: unknown = JSON.parse(readDevice(nameOf(doc)) ?? '[]')
    return Array.isArray(found) ? found : []
  } catch {
    // Nothing that a page of ours wrote.
    return []
  }
}

function write(doc: string, deeds: readonly Waiting[]): void {
  writeDevice(nameOf(doc), deeds.length === 0 ? null : JSON.stringify(deeds))
}

/** Adds to those that are left, each once. */
export function leaveDeeds(doc: string, deeds: Iterable<Waiting>): void {
  const all = new Map([...leftDeeds(doc), ...deeds].map((deed) => [deed.id, deed]))
  write(doc, [...all.values()])
}

/** One of them is on the disk, or done. */
export function dropLeftDeed(doc: string, id: string): void {
  const left = leftDeeds(doc)
  if (left.some((deed) => deed.id === id))
    write(
      doc,
      left.filter((deed) => deed.id !== id)
    )
}
