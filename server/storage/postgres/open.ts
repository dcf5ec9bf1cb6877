/** Opens the store of a data folder whose documents are in PostgreSQL. */
import type { Clock, Storage } from '../../domain/ports.ts'
import { markStore, readOrCreateInstance, refuseUnmovedStore } from '../data-folder.ts'
import { parsePostgresAddress } from './address.ts'
import { PostgresError } from './errors.ts'
import { type Owner, preparePostgres, withClient } from './prepare.ts'
import { entryOf, getQuery, listQuery, openPostgresStorage, type Row } from './store.ts'

export interface OpenOptions extends Pick<Owner, 'secret' | 'version'> {
  /** The address of the store (`AGMD_STORAGE`). */
  readonly url: string
  readonly folder: string
  readonly clock?: Clock
  readonly onWarning?: (message: string) => void
  readonly onAnswering?: (answers: boolean) => void
}

/**
 * Opens the store, and creates missing tables. A new data folder becomes the folder of another node if the store exists and has the same secret. Throws `PostgresError` or `DataFolderError`.
 */
export async function openPostgres({ url, folder, secret, version, clock, onWarning, onAnswering }: OpenOptions): Promise<Storage> {
  const instance = await readOrCreateInstance(folder)
  refuseUnmovedStore(folder, instance)
  const address = addressOf(url)
  const joins = instance.store !== 'postgres'
  const { warnings, synced, instance: owner } = await preparePostgres(address, { instance: instance.instance, secret, version, joins })
  for (const warning of warnings) onWarning?.(warning)
  if (joins) await markStore(folder, { ...instance, instance: owner }, 'postgres')
  return openPostgresStorage({ address, synced, ...(clock && { clock }), ...(onAnswering && { onAnswering }) })
}

/** Reads from the store of a folder, even while a server is running. Throws `PostgresError`. */
export function readPostgres<T>(url: string, work: (storage: Pick<Storage, 'get' | 'list'>) => Promise<T>): Promise<T> {
  return withClient(addressOf(url), (client) =>
    work({
      async get(key) {
        const { rows } = await client.query<Row>(getQuery(key))
        return rows[0] && entryOf(rows[0])
      },
      async list(prefix, range = {}) {
        const { rows } = await client.query<Row>(listQuery(prefix, range))
        return rows.map(entryOf)
      }
    })
  )
}

/** Returns the parts of the address. Throws `PostgresError` with exit code 78 if a certificate file in it cannot be read. */
export function addressOf(url: string) {
  try {
    return parsePostgresAddress(url)
  } catch (error) {
    throw new PostgresError(78, `AGMD_STORAGE cannot be used: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}
