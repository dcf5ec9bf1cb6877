/**
 * The store on one machine. It uses LMDB in `<data folder>/store` (`lmdb-database.ts` specifies the keys).
 *
 * All versions in the store come from one counter, so no version is used again after a delete. `overlappingSync` is off: a commit is written and
 * fsynced before it becomes visible. As a result, nobody reads data that a power cut could undo, and disk errors reach the promise of the commit.
 */
import { join } from 'node:path'
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import type { Clock, Storage } from '../domain/ports.ts'
import { type Instance, markInitialised, readOrCreateInstance, refuseLostStore, refuseMovedStore } from './data-folder.ts'
import { hasSpace } from './disk.ts'
import { createEraser } from './eraser.ts'
import { eraseDeleted, readDue, removeFillers } from './erasing.ts'
import { encodeKey } from './keys.ts'
import { type EncodedBatch, encodeBatch, type Outcome, runGroup } from './lmdb-batches.ts'
import { type Database, guardedRead, listEntries, openOwn } from './lmdb-database.ts'
import { decodeEntry } from './lmdb-envelope.ts'
import { createWatchers } from './watchers.ts'

/**
 * The maximum time for a commit to reach the disk, in seconds. If a commit takes longer, the store becomes read-only. A healthy disk takes
 * milliseconds. But a virtual machine that was just resumed, or whose host was busy, once took more than five seconds and then recovered.
 */
export const commitSecondsMax = 30

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

/** Opens a data folder's store, or creates it. Throws `DataFolderError` if the store is lost, belongs to another folder, or has a newer format. */
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

function createLmdbStorage(database: Database, path: string, { onFailure = () => {}, clock }: LmdbOptions): Storage {
  const watchers = createWatchers()
  let queue: Waiting[] = []
  /** The write of the current group. Undefined if the store is idle. */
  let writing: Promise<void> | undefined
  let failure: ServiceError | undefined
  let closed = false

  /** Writes groups until the queue is empty. A group contains all commits that arrived while the previous group was being written. */
  const drain = async () => {
    while (queue.length > 0) {
      const group = queue
      queue = []
      await writeGroup(group)
      // Under load, commits that arrive within a few milliseconds share one sync. Syncing a single commit costs the disk and LMDB as much as syncing
      // a group.
      if (group.length >= limits.commitGroupMin) await new Promise((resolve) => setTimeout(resolve, limits.commitGroupMs))
    }
    writing = undefined
  }

  const writeGroup = async (group: readonly Waiting[]) => {
    if (failure) return rejectAll(group, failure)
    try {
      const outcomes = await withinTime(
        database.childTransaction(() =>
          runGroup(
            database,
            group.map(({ batch }) => batch)
          )
        )
      )
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

/** Whether the disk is full. Returns false if the disk does not even report its size, because then the disk has failed. */
async function isFull(path: string): Promise<boolean> {
  return hasSpace(path).then(
    (has) => !has,
    () => false
  )
}
