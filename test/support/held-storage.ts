/** A store whose commits a test can hold back. */
import type { Storage } from '../../server/domain/ports.ts'

export interface HeldStorage {
  readonly storage: (storage: Storage) => Storage
  hold(): void
  release(): void
  /** Returns the number of waiting commits. */
  waiting(): number
}

export const heldStorage = (): HeldStorage => {
  let open = (): void => undefined
  let gate: Promise<void> | undefined
  let waiting = 0
  return {
    storage: (storage) => ({
      ...storage,
      async commit(batch) {
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
