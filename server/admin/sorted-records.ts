/** Reads records in memory like a store. They are in key order. */
import type { Entry, Key, Range, Storage } from '../domain/ports.ts'
import { limits } from '../../shared/limits.ts'
import { encodeKey, encodeRange, isBelow } from '../storage/keys.ts'
import type { StoredRecord } from '../storage/records.ts'
import { readOnlyStorage } from '../storage/snapshot.ts'

/** Returns the index of the first element for which `isAfter` is true, or the length. No element after it may be false (binary search). */
export const firstIndex = <T>(all: readonly T[], isAfter: (one: T) => boolean): number => {
  let [low, high] = [0, all.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isAfter(all[middle]!)) high = middle
    else low = middle + 1
  }
  return low
}

export const entryOf = ({ key, value }: StoredRecord): Entry => ({ key, value, version: 1 })

/** Returns the record with a key; undefined if there is none. */
export const findRecord = (records: readonly StoredRecord[], key: Uint8Array): StoredRecord | undefined => {
  const found = records[firstIndex(records, ({ bytes }) => Buffer.compare(bytes, key) >= 0)]
  return found !== undefined && Buffer.compare(found.bytes, key) === 0 ? found : undefined
}

/** Returns the records above `above` and below `below`, both excluded. */
export const recordsBetween = (records: readonly StoredRecord[], above: Uint8Array, below: Uint8Array): StoredRecord[] => {
  const start = firstIndex(records, ({ bytes }) => Buffer.compare(bytes, above) > 0)
  return records.slice(
    start,
    Math.max(
      start,
      firstIndex(records, ({ bytes }) => Buffer.compare(bytes, below) >= 0)
    )
  )
}

/** Returns a read-only store in which the keys below `prefix` are exactly `records`. All other keys are read from `rest`. */
export const withRecordsBelow = (prefix: Key, records: readonly StoredRecord[], rest: Pick<Storage, 'get' | 'list'>): Storage =>
  readOnlyStorage({
    async get(key) {
      if (!isBelow(key, prefix)) return rest.get(key)
      const found = findRecord(records, encodeKey(key))
      return found && entryOf(found)
    },
    async list(below: Key, range: Range = {}) {
      if (!isBelow(below, prefix)) return rest.list(below, range)
      const bounds = encodeRange(below, range)
      const found = recordsBetween(records, bounds.above, bounds.below)
      return (range.reverse === true ? found.toReversed() : found).slice(0, range.limit ?? limits.listMax).map(entryOf)
    }
  })
