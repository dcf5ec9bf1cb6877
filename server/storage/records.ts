/**
 * All records of a store, in the form that a migration reads. This file does not know what the bytes of a value mean. For example,
 * server/domain/text/journal.ts defines the format of journal records.
 */
import type { Key } from '../domain/ports.ts'

/** A stored record: its key in both forms, and its value. */
export interface StoredRecord {
  readonly key: Key
  readonly bytes: Uint8Array
  readonly value: Uint8Array
}

/** The maximum number of records in one scan, and in one commit. */
export const scanRecords = 500

export interface Records {
  /** Returns up to `scanRecords` records whose keys are above these bytes, in key order. */
  scan(above: Uint8Array): Promise<readonly StoredRecord[]>
  /** Returns the highest key. */
  last(): Promise<Uint8Array | undefined>
  count(): Promise<number>
}
