/** Opens the store and the assets of an installation for a command, to read them while the server runs or to import documents. */
import { openBlobs, openStoredBlobs } from '../blobs/open.ts'
import { systemClock } from '../clock.ts'
import type { Config } from '../config.ts'
import { type Arrivals, createArrivals } from '../domain/documents/arrivals.ts'
import { createQuotas, type QuotaSettings } from '../domain/documents/quotas.ts'
import type { Blobs, Storage } from '../domain/ports.ts'
import { DataFolderError, type Instance, prepareDataFolder, readInstance, readSecret, refuseMovedStore } from '../storage/data-folder.ts'
import { openLmdbStorage } from '../storage/lmdb.ts'
import { openLmdbReader } from '../storage/lmdb-snapshot.ts'
import { openPostgres, readPostgres } from '../storage/postgres/open.ts'
import { connectForImport } from '../operator-socket.ts'
import { AdminError } from './error.ts'

const megabyte = 1024 * 1024

export const secretOf = async (config: Config): Promise<Uint8Array> =>
  config.secret === null ? readSecret(config.dataDir) : Buffer.from(config.secret)

export type StoreReader = Pick<Storage, 'get' | 'list'>

/** Returns the identity of the data folder. Throws `AdminError` if there is no store yet. */
const requireStore = async ({ dataDir: folder, storage: url }: Config): Promise<Instance> => {
  const instance = await readInstance(folder)
  const started = url === null ? instance?.initialised : instance?.store === 'postgres'
  if (instance !== undefined && started === true) return instance
  throw new AdminError(`There is no data in ${folder} yet. Start the server once (npm start), or set AGMD_DATA_DIR to its data folder.`)
}

/** Reads from the store, even while a server is running. Throws `AdminError` if there is no store yet, and adapter errors. */
export const withReader = async <T>(config: Config, work: (store: StoreReader) => Promise<T>): Promise<T> => {
  const { dataDir: folder, storage: url } = config
  const instance = await requireStore(config)
  if (url !== null) return readPostgres(url, work)
  refuseMovedStore(folder, instance)
  const storage = await openLmdbReader(folder, instance)
  try {
    return await work(storage)
  } finally {
    await storage.close()
  }
}

/** Returns the assets for reading, even while a server is running. Throws `S3Error`. */
export const blobReader = async (config: Config): Promise<Pick<Blobs, 'open'>> => {
  const { instance } = await requireStore(config)
  return openStoredBlobs({ address: config.blobs, folder: config.dataDir, instance })
}

const quotasOf = (config: Config): QuotaSettings => ({
  documentBytesMax: config.documentMegabytes * megabyte,
  accountBytesMax: config.accountMegabytes * megabyte,
  anonymousBytesMax: config.anonymousMegabytes * megabyte
})

const openStore = async (config: Config, secret: Uint8Array, version: string): Promise<Storage> =>
  config.storage === null
    ? openLmdbStorage({ folder: config.dataDir, clock: systemClock })
    : openPostgres({ url: config.storage, folder: config.dataDir, secret, version, clock: systemClock })

/** The target of an import: `store` contains the existing documents, and `arrivals` stores the new ones. */
export interface ImportTarget {
  readonly store: StoreReader
  readonly arrivals: Arrivals
}

type Work<T> = (target: ImportTarget) => Promise<T>

const locked = (error: unknown): never => {
  if (!(error instanceof DataFolderError) || error.exitCode !== 1) throw error
  const message = `${error.message} A running server accepts imports through the socket operator.sock in this folder, but the socket does not answer.`
  throw new DataFolderError(1, message, { cause: error })
}

/** Opens the store in this process. No server may be running. */
const withOwnStore = async <T>(config: Config, version: string, work: Work<T>): Promise<T> => {
  const folder = await prepareDataFolder(config.dataDir).catch(locked)
  try {
    const secret = config.secret === null ? folder.secret : Buffer.from(config.secret)
    const store = await openStore(config, secret, version)
    const quotas = createQuotas(store, quotasOf(config))
    try {
      const ignore = (): void => undefined
      const { instance } = folder
      const blobs = await openBlobs({ address: config.blobs, folder: config.dataDir, instance, onWarning: ignore, onMoved: ignore })
      return await work({ store, arrivals: createArrivals({ storage: store, blobs, quotas }) })
    } finally {
      quotas.stop()
      await store.close()
    }
  } finally {
    await folder.release()
  }
}

/**
 * Opens the target of an import: the running server, or the store itself if no server is running. Throws `AdminError`, `TransferError`, and adapter
 * errors.
 */
export const withTarget = async <T>(config: Config, version: string, work: Work<T>): Promise<T> => {
  await requireStore(config)
  const server = await connectForImport(config.dataDir, version)
  if (server === undefined) return withOwnStore(config, version, work)
  try {
    return await withReader(config, (store) => work({ store, arrivals: server }))
  } finally {
    server.close()
  }
}
