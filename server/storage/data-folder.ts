/**
 * The data folder. Restoring a backup requires all of its files except `lock`.
 *
 *     instance.json   { "format": 1, "instance": id, "createdBy": version, "createdAt": ISO time, "initialised": boolean, "store": "postgres" }
 *                     `initialised` is set once `store/` has been created. From then on, a missing or empty store is a loss, not a first start.
 *                     `store` is present if the documents are in PostgreSQL. Then `store/` is not read, and may be missing.
 *     secret          32 random bytes as base64url text, mode 0600
 *     restoring       present while a backup is being restored into this folder (`server/admin/backups/restore.ts`)
 *     lock            process id of the holder, as text; the file is locked with flock(2) while that process lives
 *     store/          the LMDB environment (`lmdb.ts`)
 *     operator.sock   the socket for admin commands, while the server runs (`operator-socket.ts`)
 *     blobs/          the bytes of assets (`blobs/disk.ts`)
 *     processes/      the data folders of the other processes (`server/processes/workers.ts`). A restore does not need them.
 *
 * A file is written under a temporary name, fsynced and renamed; then its folder is fsynced. When a folder is created, `instance.json` is written last.
 */
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, open, readFile, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolders } from './folders.ts'

/** The format of the data folder and its store that this program reads and writes. */
export const dataFormat = 1

/** The name of the file that marks an incomplete restore. */
export const restoringMark = 'restoring'

/** The secret's length, in bytes. */
export const secretBytes = 32

const restoreHint = 'Stop the server and restore the whole folder from a backup; to start with an empty store, choose another folder.'

/**
 * The reason why a data folder cannot be used. `exitCode` is for the process: 1 if the folder is not usable, locked or not writable; 3 if it is
 * damaged; 4 if its format is newer.
 */
export class DataFolderError extends Error {
  readonly exitCode: 1 | 3 | 4

  constructor(exitCode: 1 | 3 | 4, message: string, options?: ErrorOptions) {
    super(exitCode === 3 ? `${message} ${restoreHint}` : message, options)
    this.name = 'DataFolderError'
    this.exitCode = exitCode
  }
}

export interface DataFolder {
  /** Random id of this installation. */
  readonly instance: string
  readonly secret: Uint8Array
  /** Releases the lock. */
  release(): Promise<void>
}

/** The identity of a data folder, as stored in `instance.json`. */
export interface Instance {
  readonly format: number
  readonly instance: string
  readonly createdBy: string
  readonly createdAt: string
  readonly initialised: boolean
  /** The store that contains the documents. Absent for LMDB. */
  readonly store?: 'postgres'
}

/** Creates the folder if necessary, locks it, and reads its identity. Throws `DataFolderError`. */
export async function prepareDataFolder(folder: string): Promise<DataFolder> {
  const release = await lockFolder(folder)
  try {
    const { instance } = await readOrCreateInstance(folder)
    return { instance, secret: await readSecret(folder), release }
  } catch (error) {
    await release()
    throw error
  }
}

/** Returns the identity of `folder`, and creates the identity if there is none. Throws `DataFolderError`. */
export async function readOrCreateInstance(folder: string): Promise<Instance> {
  return (await readInstance(folder)) ?? (await usable(folder, () => createInstance(folder)))
}

/**
 * Returns the identity of `folder`; undefined if the folder has never been used. Throws `DataFolderError`, with exit code 3 for damage and 4 for a
 * newer format.
 */
export async function readInstance(folder: string): Promise<Instance | undefined> {
  const text = await usable(folder, () => readIfAny(join(folder, 'instance.json')))
  if (existsSync(join(folder, restoringMark)))
    throw new DataFolderError(1, `A backup was not completely restored into ${folder}. Run the same \`npm start -- admin restore\` again.`)
  if (text === undefined) return undefined
  const found = parseInstance(text)
  if (!found) throw new DataFolderError(3, `${join(folder, 'instance.json')} is damaged.`)
  refuseNewerFormat(folder, found.format)
  return found
}

/** Throws `DataFolderError` with exit code 4 if `format` is newer than this program. */
export function refuseNewerFormat(folder: string, format: number): void {
  if (format <= dataFormat) return
  throw new DataFolderError(
    4,
    `${folder} has data format ${format}; this version of agmd reads formats up to ${dataFormat}. Install the newer version again.`
  )
}

/** Records that the store of `folder` exists. */
export async function markInitialised(folder: string, instance: Instance): Promise<void> {
  if (instance.initialised) return
  await writeInstance(folder, { ...instance, initialised: true })
}

/** Records which store contains the documents of `folder`. For LMDB, also records that the store exists. */
export async function markStore(folder: string, instance: Instance, store: 'lmdb' | 'postgres'): Promise<void> {
  const { store: _, ...rest } = instance
  const marked: Instance = store === 'postgres' ? { ...rest, store } : { ...rest, initialised: true }
  await writeInstance(folder, marked)
}

/**
 * Throws `DataFolderError` with exit code 1 if the documents of a folder are in PostgreSQL. Starting on an old or empty LMDB store would fork the
 * documents.
 */
export function refuseMovedStore(folder: string, instance: Instance): void {
  if (instance.store !== 'postgres') return
  throw new DataFolderError(
    1,
    `The documents of ${folder} are in PostgreSQL. Set AGMD_STORAGE to the address of PostgreSQL, or move the documents back: npm start -- admin migrate.`
  )
}

/** Throws `DataFolderError` with exit code 1 if the documents of a folder are in LMDB. The server would not find the documents in PostgreSQL. */
export function refuseUnmovedStore(folder: string, instance: Instance): void {
  if (instance.store === 'postgres' || !instance.initialised) return
  throw new DataFolderError(
    1,
    `The documents of ${folder} are in its LMDB store, but AGMD_STORAGE names PostgreSQL. Move the documents first: npm start -- admin migrate --from ${folder} --to postgres`
  )
}

/** Returns the size of the store's file in bytes; 0 if there is no file. */
export async function storeBytes(folder: string): Promise<number> {
  return (await stat(join(folder, 'store', 'data.mdb')).catch(ifMissing(undefined)))?.size ?? 0
}

/** Throws `DataFolderError` with exit code 3 if a store that existed is gone. LMDB would create a new, empty store in its place. */
export async function refuseLostStore(folder: string, instance: Instance): Promise<void> {
  if (!instance.initialised || (await storeBytes(folder)) > 0) return
  throw new DataFolderError(3, `${join(folder, 'store', 'data.mdb')} is missing or empty, but documents were stored in this folder.`)
}

async function createInstance(folder: string): Promise<Instance> {
  if ((await storeBytes(folder)) > 0)
    throw new DataFolderError(3, `${join(folder, 'instance.json')} is missing, but the folder has a store.`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const created: Instance = {
    format: dataFormat,
    instance: randomBytes(16).toString('hex'),
    createdBy: await programVersion(),
    createdAt: new Date().toISOString(),
    initialised: false
  }
  // An additional node gets the first node's secret before its first start.
  if ((await usable(folder, () => readIfAny(join(folder, 'secret')))) === undefined) await writeSecret(folder, undefined)
  await writeInstance(folder, created)
  return created
}

/** Writes `instance.json`. */
export const writeInstance = (folder: string, instance: Instance): Promise<void> =>
  usable(folder, () => writeWhole(folder, 'instance.json', toText(instance), 0o644))

/** Writes the file `secret`; a new secret if none is given. */
export const writeSecret = (folder: string, secret: Uint8Array | undefined): Promise<void> =>
  usable(folder, () => writeWhole(folder, 'secret', Buffer.from(secret ?? randomBytes(secretBytes)).toString('base64url'), 0o600))

/** Returns a data folder's secret. Throws `DataFolderError` with exit code 3 if it is missing or damaged. */
export async function readSecret(folder: string): Promise<Uint8Array> {
  const text = await usable(folder, () => readIfAny(join(folder, 'secret')))
  const secret = Buffer.from(text?.trim() ?? '', 'base64url')
  // A new secret would silently end every session, and every link that was signed with the old secret.
  if (secret.length !== secretBytes) throw new DataFolderError(3, `${join(folder, 'secret')} is missing or damaged.`)
  return secret
}

function parseInstance(text: string): Instance | undefined {
  try {
    const found = JSON.parse(text) as Partial<Instance>
    const known = Number.isSafeInteger(found.format) && typeof found.instance === 'string' && found.instance !== ''
    return known ? ({ initialised: false, createdBy: '', createdAt: '', ...found } as Instance) : undefined
  } catch {
    return undefined
  }
}

const toText = (instance: Instance) => `${JSON.stringify(instance, null, 2)}\n`

async function programVersion(): Promise<string> {
  const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
  return version
}

/** Creates the folder if necessary, and locks it. Returns a function that releases the lock. Throws `DataFolderError` if another process has it. */
export async function lockFolder(folder: string): Promise<() => Promise<void>> {
  const file = await usable(folder, async () => {
    await makeFolders(folder)
    return open(join(folder, 'lock'), 'a+', 0o644)
  })
  const holder = (await file.readFile('utf8')).trim()
  if (!takeLock(file.fd, holder)) {
    await file.close()
    throw new DataFolderError(
      1,
      `${folder} is in use by the process with pid ${holder || 'unknown'}. Stop that process, or choose another folder.`
    )
  }
  await usable(folder, async () => {
    await file.truncate(0)
    await file.write(`${process.pid}\n`)
  })
  return () => file.close()
}

/**
 * Tries to lock the file. The kernel's lock belongs to the open file, which flock(1) shares with this process and which is closed when the process
 * ends. The lock is therefore never stale. It also works between containers, where process ids mean nothing. Without flock(1) (macOS), the process
 * id in the file decides.
 */
function takeLock(fd: number, holder: string): boolean {
  const { status, error } = spawnSync('flock', ['-n', '3'], { stdio: ['ignore', 'ignore', 'ignore', fd] })
  return error ? !isOtherLiveProcess(Number(holder)) : status === 0
}

function isOtherLiveProcess(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0 || pid === process.pid) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

async function writeWhole(folder: string, name: string, text: string, mode: number): Promise<void> {
  const temporary = join(folder, `${name}.new`)
  const file = await open(temporary, 'w', mode)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, join(folder, name))
  await syncFolder(folder)
}

/** Makes the names in a folder durable on disk. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const readIfAny = (path: string) => readFile(path, 'utf8').catch(ifMissing(undefined))

const ifMissing =
  <T>(value: T) =>
  (error: unknown): T => {
    if (codeOf(error) === 'ENOENT') return value
    throw error
  }

const codeOf = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined)

/** Runs `run`, and turns file system failures into `DataFolderError` with exit code 1. */
async function usable<T>(folder: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof DataFolderError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new DataFolderError(1, `${folder} cannot be used: ${reason}. Check that it is writable and that the disk has space.`, {
      cause: error
    })
  }
}
