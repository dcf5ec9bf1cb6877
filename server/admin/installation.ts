/** The installation that a command works on: its data folder, a snapshot of its store, its blobs and its secret. */
import { openStoredBlobs } from '../blobs/open.ts'
import type { Config } from '../config.ts'
import type { StoredBlobs } from '../domain/ports.ts'
import { type Instance, readInstance, readSecret, refuseMovedStore, refuseUnmovedStore } from '../storage/data-folder.ts'
import { openLmdbSnapshot } from '../storage/lmdb-snapshot.ts'
import { fingerprintOf } from '../storage/postgres/prepare.ts'
import { openPostgresSnapshot } from '../storage/postgres/snapshot.ts'
import type { StoreSnapshot } from '../storage/snapshot.ts'
import { AdminError } from './error.ts'

export interface Installation {
  readonly folder: string
  readonly instance: Instance
  readonly store: 'lmdb' | 'postgres'
  readonly snapshot: StoreSnapshot
  readonly blobs: StoredBlobs
  /** The secret from which all keys are derived: the file `secret`, or AGMD_SECRET. */
  readonly secret: Uint8Array
  /** Whether AGMD_SECRET replaces the file `secret`. */
  readonly secretIsSetting: boolean
  close(): Promise<void>
}

/** Opens an installation for reading, even while its server runs. Throws `AdminError`, and adapter errors. */
export const openInstallation = async (config: Pick<Config, 'dataDir' | 'storage' | 'blobs' | 'secret'>): Promise<Installation> => {
  const { dataDir: folder, storage: url } = config
  const instance = await readInstance(folder)
  if (instance === undefined || !(instance.initialised || instance.store === 'postgres'))
    throw new AdminError(`There is no data in ${folder} yet. Start the server once (npm start), or set AGMD_DATA_DIR to its data folder.`)
  const secret = config.secret === null ? await readSecret(folder) : Buffer.from(config.secret)
  const blobs = await openStoredBlobs({ address: config.blobs, folder, instance: instance.instance })
  if (url === null) refuseMovedStore(folder, instance)
  else refuseUnmovedStore(folder, instance)
  const snapshot = url === null ? await openLmdbSnapshot(folder, instance) : await openPostgresSnapshot(url, instance.instance)
  return {
    folder,
    instance,
    store: url === null ? 'lmdb' : 'postgres',
    snapshot,
    blobs,
    secret,
    secretIsSetting: config.secret !== null,
    close: snapshot.close
  }
}

/** Returns a name for a secret that does not reveal it. */
export const nameOfSecret = (secret: Uint8Array): string => fingerprintOf(secret)
