/**
 * Remembers refused edits that a page of this device has turned into suggestions. Another tab may have loaded the same edits from the device before,
 * and must not suggest them again.
 */
import { documentValue } from './device.ts'
import { readDevice, writeDevice } from './values.ts'

/** The ids of characters: a Yjs client, its first clock, and the number of clocks. */
export type Ids = readonly [client: number, clock: number, length: number]

/** The characters that refused edits inserted and deleted. */
export interface EditedIds {
  readonly inserted: readonly Ids[]
  readonly deleted: readonly Ids[]
}

interface Suggested extends EditedIds {
  /** The time of the suggestion, in milliseconds since 1970. */
  readonly at: number
}

/** How many times are remembered for a document. The oldest ones are removed first. */
const timesMax = 20

const list = (id: string): readonly Suggested[] => {
  try {
    const found: unknown = JSON.parse(readDevice(documentValue('suggested', id)) ?? '[]')
    return Array.isArray(found) ? found : []
  } catch {
    return []
  }
}

/** Returns the edits that pages of this device have suggested after a time. */
export const suggestedAfter = (id: string, time: number): readonly EditedIds[] => list(id).filter(({ at }) => at > time)

export const noteSuggested = (id: string, edits: EditedIds): void =>
  writeDevice(documentValue('suggested', id), JSON.stringify([...list(id), { ...edits, at: Date.now() }].slice(-timesMax)))

/**
 * Calls `begin` when no other page of this device is turning refused edits of the document into suggestions. `begin` receives a function to call at
 * the end, and returns one that stops the work. Returns a function that stops everything.
 */
export function whileNoOther(id: string, begin: (end: () => void) => () => void): () => void {
  const { locks } = navigator as { locks?: LockManager }
  const ending = new AbortController()
  const { signal } = ending
  const run = (): Promise<void> =>
    new Promise((resolve) => {
      const stop = begin(resolve)
      signal.addEventListener('abort', () => {
        stop()
        resolve()
      })
    })
  // Without locks, which need a secure origin, two tabs that turn the same edits into suggestions at once do so twice.
  void (locks === undefined ? run() : locks.request(documentValue('suggested', id), { signal }, run).catch(() => undefined))
  return () => ending.abort()
}
