/** Presents the records of a backup as a read-only store. The chunks are in key order, so their first keys tell which chunk contains a record. */
import { encodeKey, encodeRange } from '../../storage/keys.ts'
import type { Entry, Storage } from '../../domain/ports.ts'
import { limits } from '../../../shared/limits.ts'
import type { StoredRecord } from '../../storage/records.ts'
import { readOnlyStorage, type StoreSnapshot } from '../../storage/snapshot.ts'
import { AdminError } from '../error.ts'
import { chunkName, decodeChunk, type Manifest } from './format.ts'
import type { Repository } from './repository.ts'

/** The maximum number of decoded chunks in memory. A chunk has about 1 MiB. */
const cachedChunks = 8

/** Returns the records of a chunk. Throws `AdminError` with exit code 3 if it is missing or damaged. */
export const readChunk = async (repository: Repository, entry: Manifest['chunks'][number]): Promise<StoredRecord[]> => {
  const content = await repository.find(chunkName(entry.sha256))
  if (content === undefined)
    throw new AdminError(
      `${chunkName(entry.sha256)} is missing in ${repository.shown}. Use another copy of the backup, or an older snapshot.`,
      {
        exitCode: 3
      }
    )
  return decodeChunk(entry, content)
}

const entryOf = ({ key, value }: StoredRecord): Entry => ({ key, value, version: 1 })

/** Returns the index of the first element for which `isAfter` is true, or the length. No element after it may be false (binary search). */
const firstIndex = <T>(all: readonly T[], isAfter: (one: T) => boolean): number => {
  let [low, high] = [0, all.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isAfter(all[middle]!)) high = middle
    else low = middle + 1
  }
  return low
}

/** Returns the store of a backup. Its methods throw `AdminError` if a chunk is missing or damaged. */
export const snapshotOfBackup = (repository: Repository, { chunks, records: total }: Manifest): StoreSnapshot => {
  const firsts = chunks.map(({ first }) => Buffer.from(first, 'base64url'))
  const cache = new Map<number, Promise<StoredRecord[]>>()
  const chunkAt = (index: number): Promise<StoredRecord[]> => {
    const known = cache.get(index)
    const found = known ?? readChunk(repository, chunks[index]!)
    cache.delete(index)
    cache.set(index, found)
    const [oldest] = cache.keys()
    if (cache.size > cachedChunks && oldest !== undefined) cache.delete(oldest)
    return found
  }

  /** Returns the records above `above` and below `below`, in key order or in reverse order. */
  const between = async (above: Uint8Array, below: Uint8Array, limit: number, reverse: boolean): Promise<StoredRecord[]> => {
    const found: StoredRecord[] = []
    const from = Math.max(0, firstIndex(firsts, (first) => Buffer.compare(first, above) > 0) - 1)
    const until = firstIndex(firsts, (first) => Buffer.compare(first, below) >= 0)
    for (let step = 0; step < until - from && found.length < limit; step++) {
      const records = await chunkAt(reverse ? until - 1 - step : from + step)
      const start = firstIndex(records, ({ bytes }) => Buffer.compare(bytes, above) > 0)
      const end = firstIndex(records, ({ bytes }) => Buffer.compare(bytes, below) >= 0)
      const inside = records.slice(start, end)
      found.push(...(reverse ? inside.toReversed() : inside))
    }
    return found.slice(0, limit)
  }

  const reading: Pick<Storage, 'get' | 'list'> = {
    async get(key) {
      const bytes = Buffer.from(encodeKey(key))
      const index = firstIndex(firsts, (first) => Buffer.compare(first, bytes) > 0) - 1
      if (index < 0) return undefined
      const records = await chunkAt(index)
      const found = records[firstIndex(records, (record) => Buffer.compare(record.bytes, bytes) >= 0)]
      return found !== undefined && Buffer.compare(found.bytes, bytes) === 0 ? entryOf(found) : undefined
    },
    async list(prefix, range = {}) {
      const { above, below } = encodeRange(prefix, range)
      return (await between(above, below, range.limit ?? limits.listMax, range.reverse === true)).map(entryOf)
    }
  }
  return {
    storage: readOnlyStorage(reading),
    counter: 0,
    // Each call returns records of only one chunk.
    async scan(above) {
      const at = firstIndex(firsts, (first) => Buffer.compare(first, above) > 0)
      const before = at === 0 ? [] : (await chunkAt(at - 1)).filter(({ bytes }) => Buffer.compare(bytes, above) > 0)
      return before.length > 0 || at === chunks.length ? before : chunkAt(at)
    },
    count: () => Promise.resolve(total),
    close: () => Promise.resolve()
  }
}
