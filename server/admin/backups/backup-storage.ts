/** Presents a backup's records as a read-only store. The ranges are in key order, so their first keys tell which range contains a record. */
import { encodeKey, encodeRange } from '../../storage/keys.ts'
import type { Storage } from '../../domain/ports.ts'
import { limits } from '../../../shared/limits.ts'
import type { StoredRecord } from '../../storage/records.ts'
import { readOnlyStorage, type StoreSnapshot } from '../../storage/snapshot.ts'
import { entryOf, findRecord, firstIndex, recordsBetween } from '../sorted-records.ts'
import type { Manifest } from './format.ts'
import { openRanges } from './ranges.ts'
import type { Repository } from './repository.ts'

/** The maximum number of ranges in memory. A range contains about 1 MiB. */
const cachedRanges = 8

/** Returns the store of a backup. Its methods throw `AdminError` if an object is missing or damaged. */
export const snapshotOfBackup = (repository: Repository, manifest: Manifest): StoreSnapshot => {
  const { firsts, count, read } = openRanges(repository, manifest)
  const cache = new Map<number, Promise<StoredRecord[]>>()
  const rangeAt = (index: number): Promise<StoredRecord[]> => {
    const known = cache.get(index)
    const found = known ?? read(index)
    cache.delete(index)
    cache.set(index, found)
    const [oldest] = cache.keys()
    if (cache.size > cachedRanges && oldest !== undefined) cache.delete(oldest)
    return found
  }

  /** Returns the records above `above` and below `below`, in key order or in reverse order. */
  const between = async (above: Uint8Array, below: Uint8Array, limit: number, reverse: boolean): Promise<StoredRecord[]> => {
    const found: StoredRecord[] = []
    const from = Math.max(0, firstIndex(firsts, (first) => Buffer.compare(first, above) > 0) - 1)
    const until = firstIndex(firsts, (first) => Buffer.compare(first, below) >= 0)
    for (let step = 0; step < until - from && found.length < limit; step++) {
      const records = await rangeAt(reverse ? until - 1 - step : from + step)
      const inside = recordsBetween(records, above, below)
      found.push(...(reverse ? inside.toReversed() : inside))
    }
    return found.slice(0, limit)
  }

  const reading: Pick<Storage, 'get' | 'list'> = {
    async get(key) {
      const bytes = Buffer.from(encodeKey(key))
      const index = firstIndex(firsts, (first) => Buffer.compare(first, bytes) > 0) - 1
      if (index < 0) return undefined
      const found = findRecord(await rangeAt(index), bytes)
      return found && entryOf(found)
    },
    async list(prefix, range = {}) {
      const { above, below } = encodeRange(prefix, range)
      return (await between(above, below, range.limit ?? limits.listMax, range.reverse === true)).map(entryOf)
    }
  }
  return {
    storage: readOnlyStorage(reading),
    counter: 0,
    // Each call returns records of only one range.
    async scan(above) {
      for (let at = firstIndex(firsts, (first) => Buffer.compare(first, above) > 0) - 1; at < count; at++) {
        const records = at < 0 ? [] : (await rangeAt(at)).filter(({ bytes }) => Buffer.compare(bytes, above) > 0)
        if (records.length > 0) return records
      }
      return []
    },
    count: () => Promise.resolve(manifest.records),
    close: () => Promise.resolve()
  }
}
