/**
 * Runs the batches of a group of commits inside one LMDB write transaction. Each batch has its own outcome: a batch that fails does not prevent the
 * others.
 */
import { ServiceError } from '../../shared/errors.ts'
import type { Batch, Key } from '../domain/ports.ts'
import { markDue } from './erasing.ts'
import { encodeKey } from './keys.ts'
import { type Database, readCounter, writeCounter } from './lmdb-database.ts'
import { stamp, versionIn, wrap } from './lmdb-envelope.ts'

/** A batch whose keys and values are encoded. */
export interface EncodedBatch {
  readonly checks: readonly { readonly key: Key; readonly bytes: Uint8Array; readonly version: number | null }[]
  readonly puts: readonly { readonly bytes: Uint8Array; readonly envelope: Buffer }[]
  readonly deletes: readonly Uint8Array[]
  readonly touched: readonly Key[]
  readonly erase: boolean
  readonly onWritten: Batch['onWritten']
}

/** Encodes a batch before the transaction. A batch with an invalid key therefore fails alone, and the caller may reuse the arrays immediately. */
export function encodeBatch({ checks = [], puts = [], deletes = [], erase = false, onWritten }: Batch): EncodedBatch {
  return {
    checks: checks.map(({ key, version }) => ({ key, bytes: encodeKey(key), version })),
    puts: puts.map(({ key, value }) => ({ bytes: encodeKey(key), envelope: wrap(value) })),
    deletes: deletes.map((key) => encodeKey(key)),
    touched: [...deletes, ...puts.map(({ key }) => key)],
    erase,
    onWritten
  }
}

/**
 * The outcome of a batch: its version if it was written, false if a check failed, or an error if it touched a damaged entry. Such an error fails only
 * this batch.
 */
export type Outcome = number | false | ServiceError

/** Runs the batches in order, inside the write transaction. If this function throws, the entire group is rolled back. */
export function runGroup(database: Database, batches: readonly EncodedBatch[]): Outcome[] {
  const counter = readCounter(database)
  let version = counter
  const outcomes = batches.map((batch): Outcome => {
    const checked = checkBatch(database, batch)
    if (checked !== true) return checked
    version++
    writeBatch(database, batch, version)
    return version
  })
  if (batches.some(({ erase }, index) => erase && typeof outcomes[index] === 'number')) markDue(database)
  if (version > counter) writeCounter(database, version)
  return outcomes
}

function checkBatch(database: Database, { checks }: EncodedBatch): boolean | ServiceError {
  try {
    return checks.every(({ key, bytes, version }) => readVersion(database, key, bytes) === version)
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
}

function writeBatch(database: Database, { puts, deletes }: EncodedBatch, version: number): void {
  for (const bytes of deletes) database.removeSync(bytes)
  for (const { bytes, envelope } of puts) database.putSync(bytes, stamp(envelope, version))
}

function readVersion(database: Database, key: Key, bytes: Uint8Array): number | null {
  const envelope = database.getBinaryFast(bytes)
  return envelope ? versionIn(key, envelope) : null
}
