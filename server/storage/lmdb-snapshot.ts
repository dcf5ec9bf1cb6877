/**
 * A snapshot of an LMDB store. LMDB lets several processes read a store while one process writes to it. A read transaction sees the last commit
 * before the transaction began. While the transaction is open, LMDB does not reuse pages that were freed later, so the store's file may grow.
 */
import { join } from 'node:path'
import type { Transaction } from 'lmdb'
import type { Storage } from '../domain/ports.ts'
import { refuseLostStore, type Instance } from './data-folder.ts'
import { decodeKey, encodeKey } from './keys.ts'
import { type Database, guardedRead, listEntries, openDatabase, readCounter, readIdentity, refuseOtherStore } from './lmdb-database.ts'
import { decodeEntry } from './lmdb-envelope.ts'
import { scanRecords, type StoredRecord } from './records.ts'
import { lowestKey, readOnlyStorage, type StoreSnapshot } from './snapshot.ts'

/** lmdb does not declare the second parameter. It is taken from the code of lmdb (read.js). */
interface SnapshotReads extends Database {
  getBinaryFast(key: Uint8Array, options?: { readonly transaction: Transaction }): Buffer | undefined
}

/** Returns up to `scanRecords` records above a key. Throws `storage_corrupt`. */
export function scanLmdb(database: Database, above: Uint8Array, transaction?: Transaction): StoredRecord[] {
  const range = { start: Buffer.from(above), exclusiveStart: true, limit: scanRecords, ...(transaction && { transaction }) }
  return Array.from(database.getRange(range), ({ key, value }) => {
    const bytes = Uint8Array.from(key)
    return { bytes, ...decodeEntry(decodeKey(bytes), value) }
  })
}

/**
 * Opens a data folder's store for reading, even while a server is running. Throws `DataFolderError` if the store is lost or belongs to another
 * folder.
 */
export async function openLmdbSnapshot(folder: string, instance: Instance): Promise<StoreSnapshot> {
  await refuseLostStore(folder, instance)
  const database = openDatabase(join(folder, 'store'), true)
  // A command that was killed leaves its transaction behind, which would keep freed pages from being used again.
  database.readerCheck()
  const transaction = database.useReadTransaction()
  const close = async (): Promise<void> => {
    transaction.done()
    await database.close()
  }
  try {
    refuseOtherStore(folder, readIdentity(database), instance)
  } catch (error) {
    await close()
    throw error
  }
  return {
    storage: readOnlyStorage({
      async get(key) {
        const envelope = guardedRead(() => (database as SnapshotReads).getBinaryFast(encodeKey(key), { transaction }))
        return envelope && decodeEntry(key, envelope)
      },
      async list(prefix, range = {}) {
        return guardedRead(() => listEntries(database, prefix, range, transaction))
      }
    }),
    counter: readCounter(database),
    async scan(above) {
      return guardedRead(() => scanLmdb(database, above, transaction))
    },
    async count() {
      return database.getKeysCount({ start: Buffer.from(lowestKey), transaction })
    },
    close
  }
}

/**
 * Opens a data folder's store for long reads, even while a server is running. Each read sees the last commit, and LMDB reuses pages meanwhile. Throws
 * `DataFolderError` like `openLmdbSnapshot`.
 */
export async function openLmdbReader(folder: string, instance: Instance): Promise<Pick<Storage, 'get' | 'list' | 'close'>> {
  await refuseLostStore(folder, instance)
  const database = openDatabase(join(folder, 'store'), true)
  refuseOtherStore(folder, readIdentity(database), instance)
  return {
    async get(key) {
      const envelope = guardedRead(() => database.getBinaryFast(encodeKey(key)))
      return envelope && decodeEntry(key, envelope)
    },
    list: async (prefix, range = {}) => guardedRead(() => listEntries(database, prefix, range)),
    close: () => database.close()
  }
}
