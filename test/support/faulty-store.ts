/** A store that fails on request. */
import { afterAll, beforeAll } from 'vitest'
import type { Storage } from '../../server/domain/ports.ts'
import { startWorld, type World } from './world.ts'

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

/** Starts a world with such a store before the tests of a file, passes it to `begin`, and stops it after the tests. */
export const withFaultyStore = (begin: (world: World) => void): FaultyStore => {
  const store = faultyStore()
  let world: World | undefined
  beforeAll(async () => {
    world = await startWorld({ storage: store.storage })
    begin(world)
  })
  afterAll(() => world?.stop())
  return store
}
