/**
 * Restores a backup into an empty data folder, and into an empty PostgreSQL store if the settings name one.
 *
 * A file `restoring` in the data folder marks a restore that is not complete. The server does not start on such a folder. `instance.json` is written
 * near the end, and then the mark is removed. A failed restore removes everything that it wrote. After `kill -9`, the next restore begins again.
 *
 * A restored document continues the hash chain of its journal, and no two updates have the same tag. The server therefore does not know versions that
 * were issued after the backup was made.
 */
import { existsSync } from 'node:fs'
import { hash } from 'node:crypto'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Storage } from '../../domain/ports.ts'
import {
  dataFormat,
  DataFolderError,
  type Instance,
  lockFolder,
  markStore,
  restoringMark,
  secretBytes,
  syncFolder,
  writeInstance,
  writeSecret
} from '../../storage/data-folder.ts'
import { makeFolders } from '../../storage/folders.ts'
import { openLmdbToFill } from '../../storage/lmdb.ts'
import type { StoredRecord } from '../../storage/records.ts'
import { addressOf } from '../../storage/postgres/open.ts'
import { beginMigration, emptyTarget, endMigration } from '../../storage/postgres/migration.ts'
import { openPostgresStorage } from '../../storage/postgres/store.ts'
import { type BlobEntry, blobsIn } from '../blob-records.ts'
import { AdminError } from '../error.ts'
import { nameOfSecret } from '../installation.ts'
import type { OnProgress } from '../progress.ts'
import { onFiles, writeSynced } from './folder-repository.ts'
import { blobName, type Manifest, secretName } from './format.ts'
import { openRanges } from './ranges.ts'
import type { Repository } from './repository.ts'
import { inputName } from './tar-repository.ts'

export interface RestoreOptions {
  readonly repository: Repository
  readonly manifest: Manifest
  /** The data folder to fill. */
  readonly folder: string
  /** The address of the PostgreSQL store to fill; null for LMDB. */
  readonly url: string | null
  /** AGMD_SECRET, or the content of the file that the operator named; undefined if the backup must have the secret. */
  readonly secret: Uint8Array | undefined
  readonly version: string
  readonly onProgress: OnProgress
}

export interface Restored {
  readonly records: number
  readonly blobs: number
  /** Blobs that the backup does not have, because they were missing or damaged when it was made. */
  readonly missingBlobs: readonly string[]
}

/** The approximate size of the records in one commit, in bytes. */
const commitBytes = 4 * 1024 * 1024

/** The maximum number of records in one commit. */
const commitRecords = 5_000

/** Restores a backup. Throws `AdminError`, `DataFolderError`, `PostgresError`, and the errors of `Storage`. */
export const restoreBackup = async (options: RestoreOptions): Promise<Restored> => {
  const { folder, manifest } = options
  if (manifest.dataFormat > dataFormat)
    throw new AdminError(
      `The backup has data format ${manifest.dataFormat}; this version of agmd reads formats up to ${dataFormat}. Install version ${manifest.createdBy} or a newer one.`,
      { exitCode: 4 }
    )
  const secret = await secretFor(options)
  await refuseUsedFolder(folder)
  const release = await lockFolder(folder)
  try {
    await clear(folder)
    await writeFile(join(folder, restoringMark), `The backup ${manifest.id} is being restored.\n`)
    const restored = await fill(options, secret).catch(async (error: unknown) => {
      await clear(folder)
      throw isFull(error) ? fullError(folder, error) : error
    })
    await rm(join(folder, restoringMark))
    await syncFolder(folder)
    return restored
  } finally {
    await release()
  }
}

const isFull = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'storage_full' || error.code === 'ENOSPC' || error.code === 'EDQUOT')

const fullError = (folder: string, cause: unknown): AdminError =>
  new AdminError(`The disk of ${folder} is full. The restore has removed what it wrote. Free some space and run the command again.`, {
    exitCode: 1,
    cause
  })

/** The names in a data folder that a restore writes. */
const ownNames = ['store', 'blobs', 'secret', 'secret.new', 'instance.json', 'instance.json.new', inputName]

/** Removes everything that an incomplete restore wrote. */
const clear = async (folder: string): Promise<void> => {
  for (const name of ownNames) await rm(join(folder, name), { recursive: true, force: true })
  await rm(join(folder, restoringMark), { force: true })
}

/** Creates the data folder for a restore. Throws `AdminError` unless the folder is new or empty, or contains an interrupted restore. */
export const prepareTarget = async (folder: string): Promise<void> => {
  await refuseUsedFolder(folder)
  await onFiles(folder, () => makeFolders(folder))
}

/** Throws `AdminError` if a running server or another command uses the folder. */
const refuseHeldFolder = async (folder: string): Promise<void> => {
  try {
    const release = await lockFolder(folder)
    await release()
  } catch (error) {
    if (!(error instanceof DataFolderError)) throw error
    throw new AdminError(`${error.message} A restore needs a new or empty folder.`, { exitCode: 1, cause: error })
  }
}

const refuseUsedFolder = async (folder: string): Promise<void> => {
  if (!existsSync(folder)) return
  const names = await onFiles(folder, () => readdir(folder))
  if (names.includes('lock')) await refuseHeldFolder(folder)
  if (names.includes(restoringMark)) return
  const used = names.filter((name) => name !== 'lock' && name !== inputName)
  if (used.length > 0)
    throw new AdminError(
      `${folder} is not empty: it has ${JSON.stringify(used[0])}. A restore needs a new or empty folder. Choose one with --to, or move this folder away.`,
      { exitCode: 1 }
    )
}

/** Returns the secret of the backup. Throws `AdminError` if it is missing or does not belong to the backup. */
const secretFor = async ({ repository, manifest, secret }: RestoreOptions): Promise<Uint8Array> => {
  const text = secret === undefined ? await repository.find(secretName(manifest.secret)) : undefined
  const found = secret ?? (text && Buffer.from(Buffer.from(text).toString().trim(), 'base64url'))
  if (found === undefined)
    throw new AdminError(
      manifest.secretIn === 'AGMD_SECRET'
        ? 'The installation used AGMD_SECRET. Set AGMD_SECRET to the same text, so that links and sessions work.'
        : 'The backup does not include the secret, and links and sessions do not work without it. Pass the file that contains it: --secret FILE',
      { exitCode: 1 }
    )
  if (nameOfSecret(found) !== manifest.secret)
    throw new AdminError(
      'The secret does not belong to this backup, so links and sessions would not work. Check --secret and AGMD_SECRET.',
      {
        exitCode: 3
      }
    )
  return found
}

const fill = async (options: RestoreOptions, secret: Uint8Array): Promise<Restored> => {
  const { folder, url, manifest, version } = options
  const instance: Instance = { format: dataFormat, instance: manifest.instance, ...manifest.installation, initialised: false }
  // AGMD_SECRET stays a setting. As in every new folder, the file gets a random secret, which the server does not use.
  await writeSecret(folder, manifest.secretIn !== 'AGMD_SECRET' && secret.length === secretBytes ? secret : undefined)
  if (url === null) {
    const { storage } = await openLmdbToFill(folder, instance)
    const wanted = await fillStore(options, storage)
    const restored = await fillBlobs(options, wanted)
    await writeInstance(folder, { ...instance, initialised: true })
    return restored
  }
  const address = addressOf(url)
  const synced = await beginMigration(address, { instance: manifest.instance, secret, version })
  const storage = await openPostgresStorage({ address, synced })
  try {
    await emptyTarget(address)
    const wanted = await fillStore(options, storage)
    const restored = await fillBlobs(options, wanted)
    await writeInstance(folder, instance)
    await endMigration(address)
    await markStore(folder, instance, 'postgres')
    return restored
  } catch (error) {
    await emptyTarget(address).catch(() => undefined)
    throw error
  }
}

/** Writes all records and closes the store. Returns the blobs that the records name. */
const fillStore = async ({ repository, manifest, onProgress }: RestoreOptions, storage: Storage): Promise<Map<string, BlobEntry>> => {
  const wanted = new Map<string, BlobEntry>()
  let [bytes, records] = [0, 0]
  let group: StoredRecord[] = []
  const commit = async (): Promise<void> => {
    if (group.length > 0) await storage.commit({ puts: group })
    group = []
  }
  onProgress({ phase: 'records', done: 0, total: manifest.bytes, unit: 'bytes' })
  try {
    const ranges = openRanges(repository, manifest)
    for (let index = 0; index < ranges.count; index++) {
      const found = await ranges.read(index)
      records += found.length
      for (const record of found) for (const blob of blobsIn(record)) wanted.set(blob.name, blob)
      group.push(...found)
      bytes += ranges.sum(index).bytes
      const groupSize = group.reduce((sum, { value }) => sum + value.length, 0)
      if (groupSize >= commitBytes || group.length >= commitRecords) await commit()
      onProgress({ phase: 'records', done: bytes, total: manifest.bytes, unit: 'bytes' })
    }
    await commit()
    if (records !== manifest.records)
      throw new AdminError('The backup lacks records that its manifest lists. Use another copy.', { exitCode: 3 })
    return wanted
  } finally {
    await storage.close()
  }
}

const fillBlobs = async (
  { repository, manifest, folder, onProgress }: RestoreOptions,
  wanted: ReadonlyMap<string, BlobEntry>
): Promise<Restored> => {
  const missing = new Set(manifest.damagedBlobs)
  let bytes = 0
  for (const blob of wanted.values()) {
    if (missing.has(blob.name)) continue
    const content = await repository.find(blobName(blob.name))
    if (content === undefined || hash('sha256', content, 'base64url') !== blob.hash)
      throw new AdminError(
        `${blobName(blob.name)} is missing or damaged in ${repository.shown}. Use another copy of the backup, or an older snapshot.`,
        { exitCode: 3 }
      )
    const path = join(folder, blobName(blob.name))
    await onFiles(folder, async () => {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await writeSynced(path, content)
    })
    bytes += blob.size
    onProgress({ phase: 'assets', done: bytes, total: manifest.blobs.bytes, unit: 'bytes' })
  }
  if (existsSync(join(folder, 'blobs'))) {
    for (const name of await readdir(join(folder, 'blobs'))) await syncFolder(join(folder, 'blobs', name))
    await syncFolder(join(folder, 'blobs'))
  }
  return { records: manifest.records, blobs: wanted.size - missing.size, missingBlobs: manifest.damagedBlobs }
}
