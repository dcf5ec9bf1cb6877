/**
 * Checks a PostgreSQL store before it is used. PostgreSQL must answer and grant the needed rights. The tables must belong to this installation and
 * have the right format.
 */
import { createHash } from 'node:crypto'

import type pg from 'pg'

import { limits } from '../../../shared/limits.ts'
import { isExposed, type PostgresAddress } from './address.ts'
import { clientConfig, connect, type Connection, retryMs } from './connection.ts'
import { PostgresError, stateOf } from './errors.ts'
import { migrations, oldestServer, schemaFormat } from './schema.ts'

/** How long to wait for a PostgreSQL server that is starting, in seconds. */
const startSecondsMax = 30

/** The installation to which a store belongs. */
export interface Owner {
  readonly instance: string
  readonly secret: Uint8Array
  /** The version of this program. */
  readonly version: string
  /** Whether the data folder is new. If it has the store's secret, it then becomes the folder of another node of the store's installation. */
  readonly joins?: boolean
}

export interface Prepared {
  /** The id of the installation to which the store belongs. */
  readonly instance: string
  readonly warnings: readonly string[]
  /** Whether `synchronous_commit` is off on the server. If so, each connection must turn it on. */
  readonly synced: boolean
}

/** Returns the fingerprint of a secret. The fingerprint does not reveal the secret. */
export const fingerprintOf = (secret: Uint8Array): string =>
  createHash('sha256').update('agmd secret 1\0').update(secret).digest('base64url')

/** Opens a connection for one task. Throws `PostgresError`, whose message is for the operator. */
export async function withClient<T>(address: PostgresAddress, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await openClient(address)
  try {
    return await work(client.client)
  } catch (error) {
    throw explained(address, error)
  } finally {
    client.cut()
  }
}

/** Opens a connection that the caller must cut. Waits for a server that is starting. Throws `PostgresError`, whose message is for the operator. */
export async function openClient(address: PostgresAddress): Promise<Connection> {
  const until = performance.now() + startSecondsMax * 1000
  for (let attempt = 0; ; attempt++) {
    try {
      return await connect(clientConfig(address, false))
    } catch (error) {
      // The server reports that it is starting up. It will be ready in a moment.
      if (stateOf(error) !== '57P03' || performance.now() > until) throw explained(address, error)
      await new Promise((resolve) => setTimeout(resolve, retryMs(attempt)))
    }
  }
}

const hint = 'Check AGMD_STORAGE.'

/** Converts an error to one that the operator understands. The most common faults on a new server have specific messages. */
function explained({ shown, user, database, schema }: PostgresAddress, error: unknown): unknown {
  if (error instanceof PostgresError) return error
  const reason = error instanceof Error ? error.message || String((error as NodeJS.ErrnoException).code) : String(error)
  const options = { cause: error }
  switch (stateOf(error)) {
    case undefined:
      return new PostgresError(
        1,
        `PostgreSQL cannot be reached (${shown}): ${reason}. Check that it is running and that AGMD_STORAGE is right.`,
        options
      )
    case '28P01':
    case '28000':
      return new PostgresError(78, `PostgreSQL rejects the login of ${user} (${shown}): ${reason}. ${hint}`, options)
    case '3D000':
      return new PostgresError(78, `There is no database ${database} (${shown}). Create it: createdb --owner=${user} ${database}`, options)
    case '42501':
      return new PostgresError(
        78,
        `${user} lacks permissions in the ${shown}: ${reason}. Make it the owner of schema ${schema}, or: grant create on database ${database} to ${user}`,
        options
      )
    default:
      return new PostgresError(1, `PostgreSQL reports an error (${shown}): ${reason}.`, options)
  }
}

/** Checks the server, migrates the tables to the current format, and records the owner of a new store. Throws `PostgresError`. */
export function preparePostgres(address: PostgresAddress, owner: Owner, use: 'service' | 'migration' = 'service'): Promise<Prepared> {
  return withClient(address, async (client) => {
    const settings = judgeServer(address, await readSettings(client))
    const meta = await migrate(client, address, owner)
    refuseOther(address, meta, owner)
    if (use === 'service') refusePartial(address, meta)
    await client.query(`delete from writer where seen < now() - interval '7 days'`)
    return { instance: meta.get('instance')!, ...settings }
  })
}

type Meta = ReadonlyMap<string, string>

/** Returns the server settings that `judgeServer` checks, as text. */
export async function readSettings(client: pg.Client): Promise<Readonly<Record<string, string>>> {
  const names = ['server_version_num', 'server_version', 'fsync', 'full_page_writes', 'synchronous_standby_names', 'synchronous_commit']
  const { rows } = await client.query<Record<string, string>>(
    `select ${names.map((name) => `current_setting('${name}') as ${name}`).join(', ')}, pg_is_in_recovery()::text as standby,
     (select count(*) from pg_stat_replication where coalesce(application_name, '') not in ('pg_basebackup', 'pg_receivewal'))::text as standbys,
     (extract(epoch from clock_timestamp()) * 1000)::bigint::text as clock`
  )
  return rows[0]!
}

/** Checks the settings of a server. Throws `PostgresError` with exit code 78. */
export function judgeServer(address: PostgresAddress, found: Readonly<Record<string, string>>): Pick<Prepared, 'warnings' | 'synced'> {
  const { shown } = address
  if (Number(found['server_version_num']) < oldestServer)
    throw new PostgresError(78, `The ${shown} is PostgreSQL ${found['server_version']}; agmd needs ${oldestServer / 10_000} or newer.`)
  if (found['standby'] === 'true')
    throw new PostgresError(78, `The ${shown} is a standby that accepts no writes. Set AGMD_STORAGE to its primary.`)
  if (found['fsync'] === 'off')
    throw new PostgresError(
      78,
      `PostgreSQL runs with fsync=off (${shown}): a power cut would destroy documents. Set fsync=on and restart it.`
    )
  return { warnings: warningsOf(address, found), synced: found['synchronous_commit'] === 'off' }
}

function warningsOf(address: PostgresAddress, found: Readonly<Record<string, string>>): string[] {
  const warnings: string[] = []
  const level = found['synchronous_commit']
  if (level === 'off') warnings.push('PostgreSQL runs with synchronous_commit=off. agmd sets it to on for its own commits.')
  if (found['synchronous_standby_names'] !== '' && (level === 'local' || level === 'remote_write'))
    warnings.push(`With synchronous_commit=${level}, a failover to a standby can lose acknowledged edits. Set it to on.`)
  if (found['synchronous_standby_names'] === '' && Number(found['standbys'] ?? 0) > 0)
    warnings.push('A standby is asynchronous, so a failover to it can lose acknowledged edits. Set synchronous_standby_names.')
  const seconds = Math.round(Math.abs(Date.now() - Number(found['clock'] ?? Date.now())) / 1000)
  if (seconds > limits.clockSecondsMax)
    warnings.push(
      `The clock of this machine differs by ${seconds} s from the clock of PostgreSQL. Synchronize both, so that links expire on time.`
    )
  if (found['full_page_writes'] === 'off') warnings.push('PostgreSQL runs with full_page_writes=off: a power cut can damage its tables.')
  if (isExposed(address)) warnings.push('The connection to PostgreSQL is not encrypted. Add ?sslmode=verify-full to AGMD_STORAGE.')
  return warnings
}

/** Migrates the tables in one transaction. Only one process can do this at a time. Returns the contents of `meta`. */
async function migrate(client: pg.Client, { schema, shown }: PostgresAddress, { instance, secret, version }: Owner): Promise<Meta> {
  await client.query('begin')
  await client.query(`select pg_advisory_xact_lock(hashtextextended('agmd schema ' || $1, 0))`, [schema])
  const { rowCount: exists } = await client.query('select 1 from pg_namespace where nspname = $1', [schema])
  if (exists === 0) await client.query(`create schema ${schema}`)
  const { rowCount: made } = await client.query(`select 1 from pg_tables where schemaname = $1 and tablename = 'meta'`, [schema])
  if (made === 0) await client.query('create table meta (name text primary key, value text not null)')
  const meta = await readMeta(client)
  const format = Number(meta.get('format') ?? 0)
  if (format > schemaFormat)
    throw new PostgresError(
      4,
      `The ${shown} has format ${format}; this version of agmd reads formats up to ${schemaFormat}. Install the newer version again.`
    )
  for (const migration of migrations.slice(format)) await client.query(migration)
  if (format < schemaFormat) await writeMeta(client, { format: String(schemaFormat) })
  if (format === 0)
    await writeMeta(client, { instance, secret: fingerprintOf(secret), created: `${new Date().toISOString()} by ${version}` })
  await client.query('commit')
  return readMeta(client)
}

/** Returns the notes that a store keeps about itself. */
export async function readMeta(client: pg.Client): Promise<Meta> {
  const { rows } = await client.query<{ name: string; value: string }>('select name, value from meta')
  return new Map(rows.map(({ name, value }) => [name, value]))
}

/** Writes notes. Null removes a note. */
export async function writeMeta(client: pg.Client, notes: Readonly<Record<string, string | null>>): Promise<void> {
  for (const [name, value] of Object.entries(notes))
    if (value === null) await client.query('delete from meta where name = $1', [name])
    else await client.query('insert into meta values ($1, $2) on conflict (name) do update set value = excluded.value', [name, value])
}

function refuseOther({ shown }: PostgresAddress, meta: Meta, { instance, secret, joins = false }: Owner): void {
  if (meta.get('instance') !== instance && !(joins && meta.get('secret') === fingerprintOf(secret)))
    throw new PostgresError(
      3,
      `The ${shown} holds the documents of another installation. Use its data folder, or another database or schema. An additional node needs a new data folder and the same AGMD_SECRET.`
    )
  if (meta.get('secret') !== fingerprintOf(secret))
    throw new PostgresError(
      3,
      `The secret is not the one with which the ${shown} was created, so links and sessions could not be opened. Restore the file secret, or AGMD_SECRET.`
    )
}

function refusePartial({ shown }: PostgresAddress, meta: Meta): void {
  if (meta.has('migration'))
    throw new PostgresError(
      3,
      `The ${shown} has only some of the records. Run the same \`npm start -- admin migrate\` or \`restore\` again.`
    )
}
