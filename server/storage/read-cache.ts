/**
 * Caches recent reads, for any store. Small records that every request reads (links, heads, canonical texts) then need no copy, no checksum and no
 * parsing.
 *
 * A commit of this process takes its keys out before its promise resolves; one of another node does when `watch` reports it.
 */
import type { Entry, Key, Storage } from '../domain/ports.ts'

/** The most cached entries, and the most bytes of their values. The oldest entries are removed first. */
const entriesMax = 20_000
const bytesMax = 64 * 1024 * 1024
/** Larger values are not cached. */
const valueBytesMax = 1024 * 1024

/** Returns a name that differs for different keys: numbers and strings differ, and no part runs into the next. */
const nameOf = (key: Key): string => {
  let name = ''
  for (const part of key) name += typeof part === 'number' ? `#${part}` : `$${part.length}:${part}`
  return name
}

interface Kept {
  /** All concurrent readers share one promise. */
  readonly answer: Promise<Entry>
  readonly bytes: number
}

export const withReadCache = (storage: Storage): Storage => {
  const entries = new Map<string, Kept>()
  let bytes = 0
  // Increases with every commit, because a value that was read before a commit must not be cached after it.
  let generation = 0

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
    if (entry !== undefined && before === generation) keep(name, entry)
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
      return entries.get(name)?.answer ?? read(name, key)
    },
    async close() {
      stop()
      entries.clear()
      await storage.close()
    }
  }
}
