/** A store that fails on request. */
import type { Storage } from '../../server/domain/ports.ts'

export interface FaultyStore {
  /** The error with which the next commits fail. Undefined if they should work. */
  fault: Error | undefined
  /** Wraps the store of the service. */
  readonly storage: (storage: Storage) => Storage
}

export const faultyStore = (): FaultyStore => {
  const store: FaultyStore = {
    fault: undefined,
    storage: (storage) => ({
      ...storage,
      commit: (batch) => (store.fault === undefined ? storage.commit(batch) : Promise.reject(store.fault))
    })
  }
  return store
}
