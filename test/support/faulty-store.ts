/** A store that fails on request. */
import type { Storage } from '../../server/domain/ports.ts'

export interface FaultyStore {
  /** The error of the next commits; undefined: they work. */
  fault: Error | undefined
  /** Wraps the service's store. */
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
