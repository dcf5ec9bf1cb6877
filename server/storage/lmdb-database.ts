/**
 * The LMDB environment in `<data folder>/store`: how it is opened and read. It has one database with byte-ordered keys.
 *
 *     record of the domain    key: as in `keys.ts`                  value: envelope (`lmdb-envelope.ts`)
 *     identity                key: 0x00 'instance'                  value: JSON { "format": 1, "instance": id }, as in `instance.json`
 *     counter                 key: 0x00 'version'                   value: float64, big-endian: the highest version assigned so far
 *     state of erasing        key: 0x00 'erase', 0x00 'fill'…       as in `erasing.ts`
 */
import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { open } from 'lmdb'
import type { RootDatabase, Transaction } from 'lmdb'
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import type { Entry, Key, Range } from '../domain/ports.ts'
import { DataFolderError, dataFormat, type Instance, refuseNewerFormat, syncFolder } from './data-folder.ts'
import { decodeKey, encodeRange, prefixBytes } from './keys.ts'
import { decodeEntry } from './lmdb-envelope.ts'
import { upgradeStore } from './lmdb-upgrade.ts'

const instanceKey = Buffer.from('\0instance')
const versionKey = Buffer.from('\0version')

export type Database = RootDatabase<Uint8Array, Uint8Array>

/** Opens the environment, creates it if it is missing, and checks that it belongs to this folder. */
export async function openOwn(folder: string, instance: Instance): Promise<Database> {
  const path = join(folder, 'store')
  await mkdir(path, { recursive: true, mode: 0o700 })
  const database = openDatabase(path, false)
  await adopt(folder, database, instance)
  return database
}

/** Opens the LMDB environment at `path`. */
export function openDatabase(path: string, readOnly: boolean): Database {
  // Never set useWritemap: a full disk would then be a SIGBUS. Never set noSync or separateFlushed: a resolved commit would then not be durable.
  // eventTurnBatching creates a second promise for each transaction. No code can access that promise, so its rejection would end the process.
  const safety = { overlappingSync: false, eventTurnBatching: false }
  return open<Uint8Array, Uint8Array>({
    path,
    readOnly,
    encoding: 'binary',
    keyEncoding: 'binary',
    compression: false,
    cache: false,
    ...safety
  })
}

/** Returns the identity that is stored in a store; undefined if there is none. */
export function readIdentity(database: Database): { format: number; instance: string } | undefined {
  const bytes = database.getBinary(instanceKey)
  return bytes && (JSON.parse(bytes.toString()) as { format: number; instance: string })
}

/** Throws `DataFolderError` with exit code 3 if the store does not belong to this data folder, and with 4 if it is newer than this program. */
export function refuseOtherStore(folder: string, identity: ReturnType<typeof readIdentity>, instance: Instance): void {
  if (!identity && !instance.initialised) return
  if (identity?.instance !== instance.instance) throw new DataFolderError(3, `The store in ${folder} does not match instance.json.`)
  refuseNewerFormat(folder, identity.format)
}

/** Writes the identity into a new store, or compares it with an existing store's identity. */
async function adopt(folder: string, database: Database, instance: Instance): Promise<void> {
  try {
    const identity = readIdentity(database)
    refuseOtherStore(folder, identity, instance)
    if (!identity) await database.put(instanceKey, Buffer.from(JSON.stringify({ format: dataFormat, instance: instance.instance })))
    else await upgradeStore({ folder, instance, database, identity: { key: instanceKey, format: identity.format } })
    await syncFolder(join(folder, 'store'))
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Returns the highest version assigned so far. */
export function readCounter(database: Database): number {
  return database.getBinary(versionKey)?.readDoubleBE(0) ?? 0
}

export function writeCounter(database: Database, version: number): void {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(version)
  database.putSync(versionKey, bytes)
}

/** Returns the entries below a prefix. With `transaction`, reads the state at the beginning of that read transaction. */
export function listEntries(database: Database, prefix: Key, range: Range, transaction?: Transaction): Entry[] {
  const limit = range.limit ?? limits.listMax
  assert(limit <= limits.listMax, 'a listing must request at most limits.listMax entries')
  const { above, below } = encodeRange(prefix, range)
  const start = prefixBytes(prefix)
  const bounds = range.reverse ? { start: below, end: above, reverse: true, exclusiveStart: true } : { start: above, end: below }
  // The iteration finishes within this turn of the event loop. A read transaction that is held during an `await` would prevent LMDB from reusing
  // pages.
  return Array.from(database.getRange({ ...bounds, limit, ...(transaction && { transaction }) }), ({ key, value }) =>
    decodeEntry(decodeKey(key, prefix, start), value)
  )
}

/** Runs a read. Turns errors of the engine into `storage_unavailable`. */
export function guardedRead<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (cause instanceof ServiceError || cause instanceof assert.AssertionError) throw cause
    throw new ServiceError('storage_unavailable', {}, { cause })
  }
}
