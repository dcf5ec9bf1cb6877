/** A snapshot of a PostgreSQL store: one transaction with the isolation level `repeatable read`, on a separate connection. */
import type pg from 'pg'
import type { Storage } from '../../domain/ports.ts'
import { scanRecords } from '../records.ts'
import { readOnlyStorage, type StoreSnapshot } from '../snapshot.ts'
import { PostgresError } from './errors.ts'
import { openClient, readMeta } from './prepare.ts'
import { addressOf } from './open.ts'
import { schemaFormat } from './schema.ts'
import { entryOf, getQuery, listQuery, type Row } from './store.ts'

/**
 * Opens the store at an address for reading, even while servers use it. Throws `PostgresError`, even if the store belongs to another installation, has
 * a newer format, or is incomplete.
 */
export async function openPostgresSnapshot(url: string, instance: string): Promise<StoreSnapshot> {
  const address = addressOf(url)
  const { client, cut } = await openClient(address)
  try {
    // The backup may write slowly, so pauses between statements have no limit.
    await client.query('set idle_in_transaction_session_timeout = 0; set statement_timeout = 0')
    await client.query('begin transaction isolation level repeatable read, read only')
    await refuseUnusable(client, address.shown, instance)
  } catch (error) {
    cut()
    throw error
  }
  const entries = async (query: pg.QueryConfig) => (await client.query<Row>(query)).rows.map(entryOf)
  const reading: Pick<Storage, 'get' | 'list'> = {
    get: async (key) => (await entries(getQuery(key)))[0],
    list: (prefix, range = {}) => entries(listQuery(prefix, range))
  }
  const { rows } = await client.query<{ last: string | null }>('select last_value as last from version')
  return {
    storage: readOnlyStorage(reading),
    counter: Number(rows[0]?.last ?? 0),
    async scan(above) {
      const text = 'select key, value, version, sum from record where key > $1 order by key limit $2'
      const found = await client.query<Row>({ name: 'scan', text, values: [above, scanRecords] })
      return found.rows.map((row) => ({ bytes: Uint8Array.from(row.key), ...entryOf(row) }))
    },
    async count() {
      const found = await client.query<{ count: string }>('select count(*) from record')
      return Number(found.rows[0]!.count)
    },
    close: () => Promise.resolve(cut())
  }
}

async function refuseUnusable(client: pg.Client, shown: string, instance: string): Promise<void> {
  const { rowCount } = await client.query(`select 1 from pg_tables where schemaname = current_schema() and tablename = 'meta'`)
  if (rowCount === 0) throw new PostgresError(1, `The ${shown} has no documents yet. Start the server once (npm start).`)
  const meta = await readMeta(client)
  if (Number(meta.get('format')) > schemaFormat)
    throw new PostgresError(4, `The ${shown} has format ${meta.get('format')}; this version of agmd reads formats up to ${schemaFormat}.`)
  if (meta.get('instance') !== instance)
    throw new PostgresError(3, `The ${shown} holds the documents of another installation. Use its data folder.`)
  if (meta.has('migration'))
    throw new PostgresError(3, `The ${shown} has only some of the records. Finish \`npm start -- admin migrate\` or \`restore\` first.`)
}
