/**
 * A read-only view of a store at one instant. A second process can open a snapshot while the server writes. The server's later commits are not
 * visible in the snapshot.
 */
import { ServiceError } from '../../shared/errors.ts'
import type { Storage } from '../domain/ports.ts'
import type { StoredRecord } from './records.ts'

export interface StoreSnapshot {
  /** The reading methods of a store. `commit` is refused, and `watch` never wakes anybody. */
  readonly storage: Storage
  /** The highest version that the store had assigned. */
  readonly counter: number
  /** Returns up to `scanRecords` records whose keys are above these bytes, in key order. Throws `storage_corrupt`. */
  scan(above: Uint8Array): Promise<readonly StoredRecord[]>
  /** Returns an estimate of the number of records. */
  count(): Promise<number>
  close(): Promise<void>
}

/** A bound below every key of the domain. */
export const lowestKey: Uint8Array = Uint8Array.of(0x01)

/** Returns a read-only store with the given `get` and `list`. It refuses commits, and `watch` never reports a change. */
export const readOnlyStorage = (reading: Pick<Storage, 'get' | 'list'>): Storage => ({
  ...reading,
  commit: () => Promise.reject(new ServiceError('storage_unavailable', {}, { cause: new Error('this store is open for reading only') })),
  watch: () => () => undefined,
  close: () => Promise.resolve()
})
