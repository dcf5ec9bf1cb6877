/** Connections to PostgreSQL, with the settings that a store requires. */
import { Socket } from 'node:net'
import pg from 'pg'

import type { PostgresAddress } from './address.ts'

/** The maximum time for establishing a connection, in seconds. */
export const connectSecondsMax = 5

/** How long the store waits for PostgreSQL, in seconds. Tests set shorter times. */
export const patience = {
  /** The maximum time for a read. */
  readSeconds: 15,
  /** The maximum time for a commit. An acknowledgement waits this long for PostgreSQL to respond again. */
  commitSeconds: 30,
  /** The time without a response after which all requests are refused immediately. */
  silentSeconds: 20
}

/**
 * The maximum time for a statement, and for a lock that it needs, in seconds. PostgreSQL cancels a statement after this time, which is shorter than
 * the time for a commit.
 */
const statementSecondsMax = 20
const lockSecondsMax = 10

/**
 * Returns the pause before another attempt to connect, in milliseconds. The first pauses are short, because the server may only have been
 * restarted.
 */
export const retryMs = (attempt: number): number => Math.min(50 * 2 ** attempt, 1_000)

/** Returns the settings for every connection. With `synced`, `synchronous_commit` is set to `on`, regardless of the server's default. */
export function clientConfig({ host, port, user, password, database, ssl, schema }: PostgresAddress, synced: boolean): pg.ClientConfig {
  const settings = { search_path: schema, plan_cache_mode: 'force_generic_plan', ...(synced && { synchronous_commit: 'on' }) }
  return {
    host,
    port,
    user,
    password,
    database,
    ssl,
    application_name: 'agmd',
    keepAlive: true,
    connectionTimeoutMillis: connectSecondsMax * 1000,
    statement_timeout: statementSecondsMax * 1000,
    lock_timeout: lockSecondsMax * 1000,
    idle_in_transaction_session_timeout: statementSecondsMax * 1000,
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' ')
  }
}

/** Resolves to the rows that PostgreSQL returns. */
export type Query = <T extends pg.QueryResultRow>(query: pg.QueryConfig) => Promise<T[]>

export interface Connection {
  readonly client: pg.Client
  readonly query: Query
  /** Whether the connection can no longer be used. */
  ended(): boolean
  /** Ends the connection immediately, without waiting for the server. */
  cut(): void
}

/** Connects to PostgreSQL. `onEnd` is called once when the connection ends, for any reason. Throws network and PostgreSQL errors. */
export async function connect(config: pg.ClientConfig, onEnd: (which: Connection) => void = () => {}): Promise<Connection> {
  // The socket is created here so that it can be destroyed. A pg client waits for a response from the server before it ends.
  const socket = new Socket()
  const client = new pg.Client({ ...config, stream: () => socket })
  let made = false
  let ended = false
  const end = (): void => {
    if (ended) return
    ended = true
    if (made) onEnd(connection)
  }
  client.on('error', end)
  client.on('end', end)
  const cut = (): void => {
    socket.destroy()
    end()
  }
  const query: Query = async (asked) => (await client.query(asked)).rows
  const connection: Connection = { client, query, ended: () => ended, cut }
  try {
    await client.connect()
  } catch (error) {
    socket.destroy()
    throw error
  }
  made = true
  return connection
}

/** Resolves to the result, or rejects after `seconds`, because a server that hangs never answers. */
export async function withinSeconds<T>(seconds: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Error(`PostgreSQL did not answer within ${seconds} s`)), seconds * 1000)
  work.catch(() => {})
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
