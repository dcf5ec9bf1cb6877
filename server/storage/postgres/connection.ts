/** Connections to PostgreSQL, with the settings that a store relies on. */
import { Socket } from 'node:net'
import pg from 'pg'

import type { PostgresAddress } from './address.ts'

/** Time for a connection to be made, in seconds. */
export const connectSecondsMax = 5

/** How long PostgreSQL is waited for, in seconds. Shorter in tests. */
export const patience = {
  /** For a read. */
  readSeconds: 15,
  /** For a commit: that long an acknowledgement waits for PostgreSQL to come back. */
  commitSeconds: 30,
  /** Until everything is refused at once. */
  silentSeconds: 20
}

/** Time for a statement, and for a lock within it, in seconds. The server ends it then; below the time that a commit may take. */
const statementSecondsMax = 20
const lockSecondsMax = 10

/** Pause between attempts to connect, in milliseconds: short at first, for a server that was only restarted. */
export const retryMs = (attempt: number): number => Math.min(50 * 2 ** attempt, 1_000)

/** The settings of every connection. `synced`: `synchronous_commit` is set to `on`, whatever the server says. */
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
  /** Whether it can no longer be used. */
  ended(): boolean
  /** Ends it at once, whatever the server does. */
  cut(): void
}

/** Connects. Errors: those of the network and of PostgreSQL. `onEnd` is called once, when a connection that was made ends for any reason. */
export async function connect(config: pg.ClientConfig, onEnd: (which: Connection) => void = () => {}): Promise<Connection> {
  // Our own socket: a client of pg waits for an answer of the server before it ends.
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

/** The result, or an error once `seconds` are over: a server that hangs answers nothing. */
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
