/** Stores whose commits or reads a test can hold back. */
import type { Batch, Key, Storage } from '../../server/domain/ports.ts'

export interface HeldStorage {
  readonly storage: (storage: Storage) => Storage
  hold(): void
  release(): void
  /** Returns the number of waiting commits. */
  waiting(): number
}

/** Returns a store that can hold commits back; by default, all of them. */
export const heldStorage = (isMeant: (batch: Batch) => boolean = () => true): HeldStorage => {
  let open = (): void => undefined
  let gate: Promise<void> | undefined
  let waiting = 0
  return {
    storage: (storage) => ({
      ...storage,
      async commit(batch) {
        if (!isMeant(batch)) return storage.commit(batch)
        waiting += 1
        await gate
        waiting -= 1
        return storage.commit(batch)
      }
    }),
    hold() {
      gate = new Promise((resolve) => (open = resolve))
    },
    release() {
      gate = undefined
      open()
    },
    waiting: () => waiting
  }
}

export interface HeldReads {
  readonly storage: (storage: Storage) => Storage
  /** Holds the next read back until `release`. It reads its value before it waits, or `after` that. */
  hold(reads?: 'before' | 'after'): void
  release(): void
  /** Whether a read is held. */
  isHeld(): boolean
}

/** Returns a store that can hold back a read of one of these keys, or of the keys below one. */
export const heldReads = (isMeant: (key: Key) => boolean): HeldReads => {
  let open = (): void => undefined
  let gate: Promise<void> | undefined
  let when: 'before' | 'after' = 'before'
  let holds = false
  const held = async <T>(key: Key, read: () => Promise<T>): Promise<T> => {
    const mine = isMeant(key) ? gate : undefined
    if (mine === undefined) return read()
    gate = undefined
    const early = when === 'before' ? await read() : undefined
    holds = true
    await mine
    holds = false
    return early ?? read()
  }
  return {
    storage: (storage) => ({
      ...storage,
      get: (key) => held(key, () => storage.get(key)),
      list: (prefix, range) => held(prefix, () => storage.list(prefix, range))
    }),
    hold(reads = 'before') {
      when = reads
      gate = new Promise((resolve) => (open = resolve))
    },
    release: () => open(),
    isHeld: () => holds
  }
}
