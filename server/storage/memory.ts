/** The in-memory store for tests. It must meet the same contract as LMDB. */
import assert from 'node:assert/strict'

import { limits } from '../../shared/limits.ts'
import type { Batch, Entry, Key, Range, Storage } from '../domain/ports.ts'
import { compareKeys, compareParts, encodeKey, isBelow } from './keys.ts'
import { createWatchers } from './watchers.ts'

/** Creates a store without persistence, for tests and trials. It stores a copy of every value. */
export function createMemoryStorage(): Storage {
  const entries: Entry[] = []
  const watchers = createWatchers()
  let version = 0

  const at = (key: Key) => {
    const index = firstFrom(entries, key)
    const entry = entries[index]
    return { index, entry: entry && compareKeys(entry.key, key) === 0 ? entry : undefined }
  }
  const put = (key: Key, value: Uint8Array) => {
    const { index, entry } = at(key)
    entries.splice(index, entry ? 1 : 0, { key: [...key], value: Uint8Array.from(value), version })
  }
  const remove = (key: Key) => {
    const { index, entry } = at(key)
    if (entry) entries.splice(index, 1)
  }

  return {
    async get(key) {
      encodeKey(key)
      return at(key).entry
    },
    async list(prefix, range = {}) {
      const limit = range.limit ?? limits.listMax
      assert(limit <= limits.listMax, 'a listing must request at most limits.listMax entries')
      return select(entries, prefix, range, limit)
    },
    async commit({ checks = [], puts = [], deletes = [], onWritten }: Batch) {
      for (const { key } of [...checks, ...puts]) encodeKey(key)
      for (const key of deletes) encodeKey(key)
      if (!checks.every(({ key, version: expected }) => (at(key).entry?.version ?? null) === expected)) return false
      version++
      for (const key of deletes) remove(key)
      for (const { key, value } of puts) put(key, value)
      onWritten?.(version)
      watchers.notify([...deletes, ...puts.map(({ key }) => key)])
      return true
    },
    watch: watchers.watch,
    async close() {}
  }
}

/** Returns the index of the first entry whose key is not less than `key`. */
function firstFrom(entries: readonly Entry[], key: Key): number {
  let low = 0
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareKeys(entries[middle]!.key, key) < 0) low = middle + 1
    else high = middle
  }
  return low
}

function select(entries: readonly Entry[], prefix: Key, { after, before, reverse }: Range, limit: number): Entry[] {
  const found: Entry[] = []
  const start = firstFrom(entries, after === undefined ? prefix : [...prefix, after])
  for (let index = start; index < entries.length && (reverse === true || found.length < limit); index++) {
    const entry = entries[index]!
    if (compareKeys(entry.key, prefix) === 0) continue
    if (!isBelow(entry.key, prefix)) break
    const part = entry.key[prefix.length]!
    if (before !== undefined && compareParts(part, before) >= 0) break
    if (after === undefined || compareParts(part, after) > 0) found.push(entry)
  }
  return reverse ? found.reverse().slice(0, limit) : found
}
