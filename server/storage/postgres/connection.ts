/** Connections to PostgreSQL, with the settings that a store relies on. */
import { Socket } from 'node:net'
import pg from 'pg'

import type { PostgresAddress } from './address.ts'

/** Time for a connection to be made, in seconds. */
export const connectSecondsMax = 5

/** How long the store waits for PostgreSQL, in seconds. Shorter in tests. */
export const patience = {
  /** The time for a read. */
  readSeconds: 15,
  /** The time for a commit. An acknowledgement waits this long for PostgreSQL to answer again. */
  commitSeconds: 30,
  /** The time without an answer after which everything is refused at once. */
  silentSeconds: 20
}

/**
 * The time for a statement, and for a lock within it, in seconds. After this time the server ends the statement. It is shorter than the time for a
 * commit.
 */
const statementSecondsMax = 20
const lockSecondsMax = 10

/** The pause between attempts to connect, in milliseconds. It is short at first, for a server that was only restarted. */
export const retryMs = (attempt: number): number => Math.min(50 * 2 ** attempt, 1_000)

/** The settings of every connection. `synced`: `synchronous_commit` is set to `on`, whatever the server's default. */
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

export interface Connection {
  readonly client: pg.Client
  /** Whether the connection can no longer be used. */
  ended(): boolean
  /** Ends the connection at once, without waiting for the server. */
  cut(): void
}

/** Connects to PostgreSQL. Throws the errors of the network and of PostgreSQL. `onEnd` is called once when the connection ends for any reason. */
export async function connect(config: pg.ClientConfig, onEnd: (which: Connection) => void = () => {}): Promise<Connection> {
  // This code makes the socket itself, because a client of pg waits for an answer of the server before it ends.
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
  const connection: Connection = { client, ended: () => ended, cut }
  try {
    await client.connect()
  } catch (error) {
    socket.destroy()
    throw error
  }
  made = true
  return connection
}

/** Resolves with the result, or rejects after `seconds`, because a hanging server never answers. */
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
