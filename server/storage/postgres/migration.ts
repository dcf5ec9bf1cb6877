/** The PostgreSQL side of a migration: its notes in `meta`, and its records. */
import type { PostgresAddress } from './address.ts'
import { PostgresError } from './errors.ts'
import { fingerprintOf, type Owner, preparePostgres, readMeta, withClient, writeMeta } from './prepare.ts'
import { type Records, scanRecords } from '../records.ts'
import { entryOf, type Row } from './store.ts'

/** Creates the target's tables, or finds those from an earlier run. Returns `Prepared.synced`. Throws `PostgresError` if the target is not empty. */
export async function beginMigration(address: PostgresAddress, owner: Owner): Promise<boolean> {
  const { synced } = await preparePostgres(address, owner, 'migration')
  await withClient(address, async (client) => {
    const meta = await readMeta(client)
    const { rowCount } = await client.query('select 1 from record limit 1')
    if (rowCount !== 0 && !meta.has('migration'))
      throw new PostgresError(1, `The ${address.shown} is not empty. Choose another database, or another schema with ?schema=NAME.`)
    await writeMeta(client, { migration: 'records are being copied', secret: fingerprintOf(owner.secret) })
  })
  return synced
}

/** Records that all records were copied, so that services may use the store. */
export const endMigration = (address: PostgresAddress): Promise<void> =>
  withClient(address, (client) => writeMeta(client, { migration: null }))

/** Removes all records of a target that is not complete. */
export const emptyTarget = (address: PostgresAddress): Promise<void> =>
  withClient(address, async (client) => {
    const meta = await readMeta(client)
    if (meta.has('migration')) await client.query('truncate record')
  })

/** Throws `PostgresError` with exit code 3 if the store belongs to another installation. */
export const requireInstance = (address: PostgresAddress, instance: string): Promise<void> =>
  withClient(address, async (client) => {
    const meta = await readMeta(client)
    if (meta.get('instance') !== instance)
      throw new PostgresError(3, `The ${address.shown} holds the documents of another installation. Use its data folder.`)
  })

/** Returns the records of a store. Each call opens a separate connection. Throws `PostgresError` or `storage_corrupt`. */
export function postgresRecords(address: PostgresAddress): Records {
  return {
    scan: (above) =>
      withClient(address, async (client) => {
        const query = 'select key, value, version, sum from record where key > $1 order by key limit $2'
        const { rows } = await client.query<Row>(query, [above, scanRecords])
        return rows.map((row) => ({ bytes: Uint8Array.from(row.key), ...entryOf(row) }))
      }),
    last: () =>
      withClient(address, async (client) => {
        const { rows } = await client.query<Pick<Row, 'key'>>('select key from record order by key desc limit 1')
        return rows[0] && Uint8Array.from(rows[0].key)
      }),
    count: () =>
      withClient(address, async (client) => {
        const { rows } = await client.query<{ count: string }>('select count(*) from record')
        return Number(rows[0]!.count)
      })
  }
}
