/** All records of a store, as a migration reads them. */
import type { Key } from '../domain/ports.ts'

/** A record as it is stored: its key in both forms, and its value. */
export interface StoredRecord {
  readonly key: Key
  readonly bytes: Uint8Array
  readonly value: Uint8Array
}

/** The most records of one scan, and of one commit. */
export const scanRecords = 500

export interface Records {
  /** Returns up to `scanRecords` records with keys above these bytes, in key order. */
  scan(above: Uint8Array): Promise<readonly StoredRecord[]>
  /** Returns the highest key. */
  last(): Promise<Uint8Array | undefined>
  count(): Promise<number>
}
