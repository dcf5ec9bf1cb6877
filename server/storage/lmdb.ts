/**
 * The store on one machine. It uses LMDB in `<data folder>/store`, with one environment, one database, and byte-ordered keys.
 *
 *     record of the domain    key: as in `keys.ts`                  value: envelope
 *     identity                key: 0x00 'instance'                  value: JSON { "format": 1, "instance": id }, as in `instance.json`
 *     counter                 key: 0x00 'version'                   value: float64, big-endian: the highest version assigned so far
 *     state of erasing        key: 0x00 'erase', 0x00 'fill'…       as in `erasing.ts`
 *
 *     envelope   offset 0    1 byte     envelope format, 1
 *                offset 1    4 bytes    crc32 (as in zlib) of all bytes that follow, big-endian
 *                offset 5    8 bytes    version of the entry: float64, big-endian, a positive integer
 *                offset 13   rest       the value
 *
 * All versions in the store come from one counter, so none is used again after a delete. `overlappingSync` is off: a commit is written and fsynced
 * before it becomes visible. As a result, nobody reads data that a power cut could undo, and disk errors reach the promise of the commit.
 */
import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

import { open } from 'lmdb'
import type { RootDatabase, Transaction } from 'lmdb'

import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import type { Batch, Clock, Entry, Key, Range, Storage } from '../domain/ports.ts'
import {
  DataFolderError,
  dataFormat,
  markInitialised,
  readOrCreateInstance,
  refuseLostStore,
  refuseMovedStore,
  refuseNewerFormat,
  syncFolder
} from './data-folder.ts'
import type { Instance } from './data-folder.ts'
import { hasSpace } from './disk.ts'
import { createEraser } from './eraser.ts'
import { eraseDeleted, markDue, readDue, removeFillers } from './erasing.ts'
import { decodeKey, encodeKey, encodeRange, prefixBytes } from './keys.ts'
import { upgradeStore } from './lmdb-upgrade.ts'
import { createWatchers } from './watchers.ts'

/**
 * The maximum time for a commit to reach the disk, in seconds. If a commit takes longer, the store becomes read-only. A healthy disk takes
 * milliseconds. But a virtual machine that was just resumed, or whose host was busy, once took more than five seconds and then recovered.
 */
export const commitSecondsMax = 30

/** After a group of this many commits, the next group waits for further commits. `groupMs` says how long, in milliseconds. */
const crowdedGroup = 8
const groupMs = 2

const envelopeFormat = 1
const checksumAt = 1
const versionAt = 5
const headerBytes = 13
const instanceKey = Buffer.from('\0instance')
const versionKey = Buffer.from('\0version')

export type Database = RootDatabase<Uint8Array, Uint8Array>

export interface LmdbOptions {
  /** The data folder. Its subfolder `store` contains the store. The caller must have locked the data folder (`prepareDataFolder`). */
  readonly folder: string
  /** Called once when the store becomes read-only. From then on, every commit is refused with `storage_unavailable` until a restart. */
  readonly onFailure?: (error: ServiceError) => void
  /** The clock for automatic erasing. If absent, deleted bytes are overwritten only when `erase` is called. */
  readonly clock?: Clock
}

/** A commit that is waiting for its transaction. */
interface Waiting {
  readonly batch: EncodedBatch
  readonly settle: (result: boolean) => void
  readonly fail: (error: unknown) => void
}

interface EncodedBatch {
  readonly checks: readonly { readonly key: Key; readonly bytes: Uint8Array; readonly version: number | null }[]
  readonly puts: readonly { readonly bytes: Uint8Array; readonly envelope: Buffer }[]
  readonly deletes: readonly Uint8Array[]
  readonly touched: readonly Key[]
  readonly erase: boolean
  readonly onWritten: Batch['onWritten']
}

/**
 * Opens the store of a data folder, or creates it. Throws `DataFolderError` if the store is lost, belongs to another folder, or has a newer format.
 */
export async function openLmdbStorage(options: LmdbOptions): Promise<Storage> {
  const { folder } = options
  const instance = await readOrCreateInstance(folder)
  refuseMovedStore(folder, instance)
  await refuseLostStore(folder, instance)
  const database = await openOwn(folder, instance)
  await markInitialised(folder, instance)
  return createLmdbStorage(database, join(folder, 'store'), options)
}

/** Opens or creates a store, in order to copy all records of the installation into it. `instance.json` does not change. */
export async function openLmdbToFill(folder: string, instance: Instance): Promise<{ storage: Storage; database: Database }> {
  const database = await openOwn(folder, { ...instance, initialised: false })
  return { storage: createLmdbStorage(database, join(folder, 'store'), { folder }), database }
}

/** Opens the environment, creates it if it is missing, and checks that it belongs to this folder. */
async function openOwn(folder: string, instance: Instance): Promise<Database> {
  const path = join(folder, 'store')
  await mkdir(path, { recursive: true, mode: 0o700 })
  const database = openDatabase(path, false)
  await adopt(folder, database, instance)
  return database
}

/** Opens the LMDB environment at `path`. */
export function openDatabase(path: string, readOnly: boolean): Database {
  // Never set useWritemap: a full disk would then be a SIGBUS. Never set noSync or separateFlushed: a resolved commit would then not be durable.
  // eventTurnBatching creates a second promise for each transaction. No code can reach that promise, so its rejection would end the process.
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

/** Returns the entry in an envelope. Throws `storage_corrupt` with the key if the envelope is damaged. */
export function decodeEntry(key: Key, envelope: Uint8Array): Entry {
  const bytes = soundBytes(key, envelope)
  return { key, version: bytes.readDoubleBE(versionAt), value: new Uint8Array(bytes.subarray(headerBytes)) }
}

/** Returns the bytes of an intact envelope, which are valid until the next read. Throws like `decodeEntry`. */
function soundBytes(key: Key, envelope: Uint8Array): Buffer {
  // `envelope` is LMDB's only read buffer, and only its `length` is set for this entry. This code therefore reads exactly `length` bytes, and
  // `decodeEntry` copies the value.
  const bytes = Buffer.from(envelope.buffer, envelope.byteOffset, envelope.length)
  const sound =
    bytes.length >= headerBytes && bytes[0] === envelopeFormat && crc32(bytes.subarray(versionAt)) === bytes.readUInt32BE(checksumAt)
  if (!sound) throw new ServiceError('storage_corrupt', { key })
  return bytes
}

/** Returns an envelope without its version and checksum, because the version is known only inside the transaction. */
function wrap(value: Uint8Array): Buffer {
  const envelope = Buffer.allocUnsafe(headerBytes + value.length)
  envelope[0] = envelopeFormat
  envelope.set(value, headerBytes)
  return envelope
}

function stamp(envelope: Buffer, version: number): Buffer {
  envelope.writeDoubleBE(version, versionAt)
  envelope.writeUInt32BE(crc32(envelope.subarray(versionAt)), checksumAt)
  return envelope
}

/** Writes the identity into a new store, or compares it with the identity of an existing store. */
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

function createLmdbStorage(database: Database, path: string, { onFailure = () => {}, clock }: LmdbOptions): Storage {
  const watchers = createWatchers()
  let queue: Waiting[] = []
  /** The group that is being written. Undefined if the store is idle. */
  let writing: Promise<void> | undefined
  let failure: ServiceError | undefined
  let closed = false

  /** Writes groups until the queue is empty. A group contains all commits that arrived while the previous group was being written. */
  const drain = async () => {
    while (queue.length > 0) {
      const group = queue
      queue = []
      await writeGroup(group)
      // Under load, commits that arrive within a few milliseconds share one sync, because the sync of a single commit costs the disk and LMDB as much
      // as the sync of a group.
      if (group.length >= crowdedGroup) await new Promise((resolve) => setTimeout(resolve, groupMs))
    }
    writing = undefined
  }

  const writeGroup = async (group: readonly Waiting[]) => {
    if (failure) return rejectAll(group, failure)
    try {
      const outcomes = await withinTime(database.childTransaction(() => runGroup(database, group)))
      group.forEach((waiting, index) => conclude(waiting, outcomes[index]!))
    } catch (cause) {
      rejectAll(group, await explain(cause))
    }
  }

  const conclude = ({ batch, settle, fail }: Waiting, outcome: Outcome) => {
    if (outcome instanceof ServiceError) return fail(outcome)
    if (outcome !== false) {
      batch.onWritten?.(outcome)
      watchers.notify(batch.touched)
      if (batch.erase) eraser.due()
    }
    settle(outcome !== false)
  }

  /** Interprets a failed transaction. A full disk may recover. After any other failure, the disk can no longer be trusted. */
  const explain = async (cause: unknown): Promise<ServiceError> => {
    if (await isFull(path)) return new ServiceError('storage_full', {}, { cause })
    const error = new ServiceError('storage_unavailable', {}, { cause })
    failure = error
    queueMicrotask(() => onFailure(error))
    return error
  }

  /** Runs one transaction of an erasure after the groups of commits that are already waiting for LMDB. Later groups wait for it. */
  const transact = async (work: () => void) => {
    if (failure) throw failure
    try {
      await withinTime(database.childTransaction(work))
    } catch (cause) {
      throw await explain(cause)
    }
  }

  const erasing = { database, file: join(path, 'data.mdb'), transact, stopped: () => closed }
  const eraser = createEraser({
    clock,
    // A run that a crash interrupted left fillers behind.
    prepare: () => removeFillers(erasing),
    run: () => eraseDeleted(erasing),
    isDue: () => readDue(database) > 0
  })
  if (readDue(database) > 0) eraser.due()

  const enqueue = (batch: EncodedBatch) => {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    queue.push({ batch, settle: resolve, fail: reject })
    writing ??= Promise.resolve().then(drain)
    return promise
  }

  // Using LMDB after it has been closed crashes the process.
  const refuseClosed = () => {
    if (closed) throw new ServiceError('storage_unavailable', {}, { cause: new Error('the store is closed') })
  }

  return {
    async get(key) {
      refuseClosed()
      const envelope = guardedRead(() => database.getBinaryFast(encodeKey(key)))
      return envelope && decodeEntry(key, envelope)
    },
    async list(prefix, range = {}) {
      refuseClosed()
      return guardedRead(() => listEntries(database, prefix, range))
    },
    async commit(batch) {
      refuseClosed()
      if (failure) throw failure
      return enqueue(encodeBatch(batch))
    },
    watch: watchers.watch,
    async erase() {
      refuseClosed()
      await eraser.now()
    },
    async close() {
      if (closed) return
      closed = true
      await writing
      await eraser.stop()
      // After a failure, closing LMDB may wait forever for a transaction that never ended.
      if (!failure) await database.close()
    }
  }
}

/**
 * The outcome of a batch: its version if it was written, false if a check failed, or an error if it touched a damaged entry. Such an error fails only
 * this batch.
 */
type Outcome = number | false | ServiceError

/** Runs the batches in order, inside the write transaction. If this function throws, the entire group is rolled back. */
function runGroup(database: Database, group: readonly Waiting[]): Outcome[] {
  const counter = readCounter(database)
  let version = counter
  const outcomes = group.map(({ batch }): Outcome => {
    const checked = checkBatch(database, batch)
    if (checked !== true) return checked
    version++
    writeBatch(database, batch, version)
    return version
  })
  if (group.some(({ batch }, index) => batch.erase && typeof outcomes[index] === 'number')) markDue(database)
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
  return envelope ? soundBytes(key, envelope).readDoubleBE(versionAt) : null
}

/** Returns the highest version assigned so far. */
export function readCounter(database: Database): number {
  return database.getBinary(versionKey)?.readDoubleBE(0) ?? 0
}

function writeCounter(database: Database, version: number): void {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(version)
  database.putSync(versionKey, bytes)
}

/** Encodes a batch before the transaction, so a batch with an invalid key fails alone, and the caller may reuse the arrays immediately. */
function encodeBatch({ checks = [], puts = [], deletes = [], erase = false, onWritten }: Batch): EncodedBatch {
  return {
    checks: checks.map(({ key, version }) => ({ key, bytes: encodeKey(key), version })),
    puts: puts.map(({ key, value }) => ({ bytes: encodeKey(key), envelope: wrap(value) })),
    deletes: deletes.map((key) => encodeKey(key)),
    touched: [...deletes, ...puts.map(({ key }) => key)],
    erase,
    onWritten
  }
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

function rejectAll(group: readonly Waiting[], error: ServiceError): void {
  for (const { fail } of group) fail(error)
}

/** Limits the duration of a write. After an I/O error, LMDB's promise may never settle. */
async function withinTime<T>(written: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`a commit took more than ${commitSecondsMax} s`)), commitSecondsMax * 1000)
  try {
    return await Promise.race([quiet(written), late])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Returns the given promise. Its rejection counts as handled even if nobody waits for it, and so does the second promise that lmdb attaches to the
 * error.
 */
function quiet<T>(written: Promise<T>): Promise<T> {
  written.catch((error: { commitError?: Promise<unknown> }) => error.commitError?.catch(() => {}))
  return written
}

/** Whether the disk is full. Returns false if the disk does not even report its size, because it has then failed. */
async function isFull(path: string): Promise<boolean> {
  return hasSpace(path).then(
    (has) => !has,
    () => false
  )
}
