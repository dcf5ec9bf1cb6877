/**
 * Moves all records of an installation from LMDB to PostgreSQL or back. The secret and the assets stay in the data folder.
 *
 * Records are copied in key order, and each commit contains several records. An interrupted copy therefore continues after the highest key of the
 * target. Then both stores are read side by side and compared record by record. If they are equal, the new location of the documents is written to
 * `instance.json`. Until then, services use the source. Both stores are locked during the migration, so no service can start on either of them.
 *
 * While records are missing in the target, the target has a mark:
 *
 *     PostgreSQL   the note 'migration' in `meta`
 *     LMDB         the file `migrating` in the data folder
 */
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { Storage } from '../domain/ports.ts'
import { checkStore } from './check.ts'
import { DataFolderError, type Instance, markStore, prepareDataFolder, readInstance, refuseMovedStore, storeBytes } from './data-folder.ts'
import { openLmdbToFill } from './lmdb.ts'
import { openDatabase } from './lmdb-database.ts'
import { scanLmdb } from './lmdb-snapshot.ts'
import { beginMigration, endMigration, postgresRecords, requireInstance } from './postgres/migration.ts'
import { addressOf } from './postgres/open.ts'
import type { Records, StoredRecord } from './records.ts'
import { lowestKey } from './snapshot.ts'
import { openPostgresStorage } from './postgres/store.ts'

/** The approximate size of the values in one commit, in bytes. */
const commitBytes = 4 * 1024 * 1024

export interface Progress {
  readonly phase: 'copying' | 'comparing'
  readonly records: number
  readonly total: number
}

export interface MigrateOptions {
  readonly folder: string
  readonly url: string
  readonly to: 'lmdb' | 'postgres'
  /** The secret that replaces the secret of the data folder (`AGMD_SECRET`). */
  readonly secret: Uint8Array | undefined
  readonly version: string
  readonly onProgress: (progress: Progress) => void
}

export interface Migrated {
  readonly records: number
  readonly bytes: number
  /** The number of records that earlier runs copied. */
  readonly resumed: number
}

/**
 * Moves the records. Throws `DataFolderError`, `PostgresError`, and the errors of `Storage`. The migration may be repeated after any of these
 * errors, and after a crash.
 */
export async function migrate(options: MigrateOptions): Promise<Migrated> {
  const { folder } = options
  const instance = await readInstance(folder)
  if (instance === undefined) throw new DataFolderError(1, `There is no data in ${folder}.`)
  const held = await prepareDataFolder(folder)
  try {
    const secret = options.secret ?? held.secret
    return options.to === 'postgres' ? await toPostgres(options, instance, secret) : await toLmdb(options, instance)
  } finally {
    await held.release()
  }
}

async function toPostgres(options: MigrateOptions, instance: Instance, secret: Uint8Array): Promise<Migrated> {
  const { folder, url, version } = options
  refuseMovedStore(folder, instance)
  if (!instance.initialised)
    throw new DataFolderError(1, `There are no documents in ${folder} yet. Start the server with AGMD_STORAGE instead.`)
  await checkStore(folder)
  const address = addressOf(url)
  const synced = await beginMigration(address, { instance: instance.instance, secret, version })
  const source = openDatabase(join(folder, 'store'), true)
  const target = await openPostgresStorage({ address, synced, exclusive: true })
  try {
    const migrated = await copyAll(lmdbRecords(source), postgresRecords(address), target, options.onProgress)
    await endMigration(address)
    await markStore(folder, instance, 'postgres')
    return migrated
  } finally {
    await target.close()
    await source.close()
  }
}

async function toLmdb(options: MigrateOptions, instance: Instance): Promise<Migrated> {
  const { folder, url } = options
  if (instance.store !== 'postgres')
    throw new DataFolderError(1, `The documents of ${folder} are not in PostgreSQL, but in its LMDB store.`)
  const mark = join(folder, 'migrating')
  if ((await storeBytes(folder)) > 0 && !existsSync(mark))
    throw new DataFolderError(1, `${join(folder, 'store')} is not empty: it holds older documents. Move this folder away first.`)
  const address = addressOf(url)
  await requireInstance(address, instance.instance)
  // Opening the store takes the lock of the service, so that nobody writes during the migration.
  const source = await openPostgresStorage({ address, synced: false, exclusive: true })
  try {
    await writeFile(mark, 'Records are being copied from PostgreSQL.\n')
    const { storage: target, database } = await openLmdbToFill(folder, instance)
    try {
      const migrated = await copyAll(postgresRecords(address), lmdbRecords(database), target, options.onProgress)
      await markStore(folder, instance, 'lmdb')
      await rm(mark)
      return migrated
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

/** Returns the records of an LMDB store. Throws `storage_corrupt`. */
function lmdbRecords(database: ReturnType<typeof openDatabase>): Records {
  return {
    async scan(above) {
      return scanLmdb(database, above)
    },
    async last() {
      const [key] = database.getKeys({ start: Buffer.from([0xff]), end: Buffer.from(lowestKey), reverse: true, limit: 1 })
      return key && Uint8Array.from(key)
    },
    async count() {
      return database.getKeysCount({ start: Buffer.from(lowestKey) })
    }
  }
}

/** Copies the records that are missing in the target, then compares all records. */
async function copyAll(source: Records, target: Records, storage: Storage, onProgress: (progress: Progress) => void): Promise<Migrated> {
  const total = await source.count()
  const resumed = await target.count()
  let records = resumed
  for (let above = (await target.last()) ?? lowestKey; ;) {
    const found = await source.scan(above)
    if (found.length === 0) break
    for (const group of groupsOf(found)) {
      await storage.commit({ puts: group })
      records += group.length
      onProgress({ phase: 'copying', records, total })
    }
    above = found.at(-1)!.bytes
  }
  return { ...(await compareAll(source, target, total, onProgress)), resumed }
}

function* groupsOf(records: readonly StoredRecord[]): Generator<StoredRecord[]> {
  let group: StoredRecord[] = []
  let bytes = 0
  for (const record of records) {
    group.push(record)
    bytes += record.value.length
    if (bytes < commitBytes) continue
    yield group
    group = []
    bytes = 0
  }
  if (group.length > 0) yield group
}

const isSame = (one: StoredRecord, other: StoredRecord): boolean =>
  Buffer.compare(one.bytes, other.bytes) === 0 && Buffer.compare(one.value, other.value) === 0

/** Compares all records. Throws an error that names the first key that differs. */
async function compareAll(source: Records, target: Records, total: number, onProgress: (progress: Progress) => void) {
  let records = 0
  let bytes = 0
  for (let above: Uint8Array = lowestKey; ;) {
    const [ours, theirs] = await Promise.all([source.scan(above), target.scan(above)])
    for (let index = 0; index < Math.max(ours.length, theirs.length); index++) {
      const [one, other] = [ours[index], theirs[index]]
      if (one === undefined || other === undefined || !isSame(one, other)) {
        const [first] = [one, other].filter((each) => each !== undefined).toSorted((a, b) => Buffer.compare(a.bytes, b.bytes))
        throw new Error(`The copy differs from its source at key ${JSON.stringify(first?.key)}. Remove the target and begin again.`)
      }
      bytes += one.value.length
    }
    records += ours.length
    if (ours.length === 0) return { records, bytes }
    onProgress({ phase: 'comparing', records, total })
    above = ours.at(-1)!.bytes
  }
}
