/**
 * Caches recent reads for any store. Every request reads some small records (links, heads, canonical text). The cache saves copying, verifying and
 * parsing them again.
 *
 * When this process commits, the keys leave the cache before the commit's promise resolves. When another node commits, they leave the cache once
 * `watch` reports the commit. While this node is not told about such commits, nothing is cached. After a commit whose check failed, its keys are read
 * again.
 */
import type { Entry, Key, Storage } from '../domain/ports.ts'

/** The maximum number of cached entries, and the maximum total size of their values in bytes. The oldest entries are removed first. */
const entriesMax = 20_000
const bytesMax = 64 * 1024 * 1024
/** Values larger than this, in bytes, are not cached. */
const valueBytesMax = 1024 * 1024

/** Returns a name that is unique to a key: numbers differ from strings, and parts cannot run into each other. */
const nameOf = (key: Key): string => {
  let name = ''
  for (const part of key) name += typeof part === 'number' ? `#${part}` : `$${part.length}:${part}`
  return name
}

interface CacheEntry {
  /** Concurrent readers share one promise. */
  readonly answer: Promise<Entry>
  readonly bytes: number
}

export const withReadCache = (storage: Storage): Storage => {
  const entries = new Map<string, CacheEntry>()
  let bytes = 0
  // Increases with every commit. A value that was read before a commit must not be cached after it.
  let generation = 0

  const { nodes } = storage
  const isInformed = (): boolean => nodes === undefined || nodes.isListening()

  const forget = (name: string): void => {
    bytes -= entries.get(name)?.bytes ?? 0
    entries.delete(name)
  }

  const keep = (name: string, entry: Entry): void => {
    if (entry.value.length > valueBytesMax) return
    forget(name)
    entries.set(name, { answer: Promise.resolve(entry), bytes: entry.value.length })
    bytes += entry.value.length
    for (const oldest of entries.keys()) {
      if (entries.size <= entriesMax && bytes <= bytesMax) break
      forget(oldest)
    }
  }

  const read = async (name: string, key: Key): Promise<Entry | undefined> => {
    const before = generation
    const entry = await storage.get(key)
    if (entry !== undefined && before === generation && isInformed()) keep(name, entry)
    return entry
  }

  const stop = storage.watch([], (keys) => {
    generation++
    if (keys.length === 0) for (const name of entries.keys()) forget(name)
    else for (const key of keys) forget(nameOf(key))
  })

  return {
    ...storage,
    get(key) {
      const name = nameOf(key)
      return (isInformed() ? entries.get(name)?.answer : undefined) ?? read(name, key)
    },
    async commit(batch) {
      const written = await storage.commit(batch)
      if (!written) {
        generation++
        for (const { key } of batch.checks ?? []) forget(nameOf(key))
        // Another node may have committed first. Its notices, which also name other keys, can arrive later than this result.
        await nodes?.heard()
      }
      return written
    },
    async close() {
      stop()
      entries.clear()
      await storage.close()
    }
  }
}
