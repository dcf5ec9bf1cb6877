/** A store in memory that shows its content, so that a test can check that nothing has changed. */
import type { Batch, Storage } from '../../server/domain/ports.ts'
import { createMemoryStorage } from '../../server/storage/memory.ts'

export interface MirroredStorage {
  readonly storage: (disk: Storage) => Storage
  /** Returns all entries by key, except derived records and last-used times. */
  held(): ReadonlyMap<string, string>
}

/** Kinds of a document's records that are derived, or that contain last-used times. */
const derived = new Set(['used', 'text', 'checkpoint', 'history', 'keyframe', 'mention', 'request'])

const counts = ([first, , third]: readonly unknown[]): boolean =>
  first !== 'due' && first !== 'usage' && first !== 'session' && first !== 'used-link' && !(first === 'd' && derived.has(String(third)))

/** Returns a document's head without `updatedAt` and `usage`, which also depend on derived records. */
const headOf = (value: Uint8Array): string => {
  const { updatedAt: _at, usage: _usage, ...head } = JSON.parse(Buffer.from(value).toString()) as Record<string, unknown>
  return JSON.stringify(head)
}

export const mirroredStorage = (): MirroredStorage => {
  const mirror = new Map<string, string>()
  const note = ({ puts = [], deletes = [] }: Batch): void => {
    for (const key of deletes) mirror.delete(JSON.stringify(key))
    for (const { key, value } of puts.filter((put) => counts(put.key)))
      mirror.set(JSON.stringify(key), key[0] === 'd' && key.length === 2 ? headOf(value) : Buffer.from(value).toString('base64'))
  }
  return {
    storage: (disk) => {
      const memory = createMemoryStorage()
      return {
        ...memory,
        close: () => disk.close(),
        async commit(batch) {
          const written = await memory.commit(batch)
          if (written) note(batch)
          return written
        }
      }
    },
    held: () => new Map(mirror)
  }
}
