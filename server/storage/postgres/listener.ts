/**
 * The connection that receives notices about the commits of other nodes. It also holds the lock that marks the database as in use. If the
 * connection breaks, the listener tries to reconnect until PostgreSQL answers.
 */
import type pg from 'pg'

import type { Key } from '../../domain/ports.ts'
import { type Connection, connect, retryMs, withinSeconds } from './connection.ts'
import { PostgresError } from './errors.ts'
import { decodeNotice } from './notices.ts'

/**
 * The time between two checks of the connection, and the time that each check may take, in seconds. A connection that a firewall dropped reports no
 * error.
 */
const beatSeconds = 10
const beatSecondsMax = 5

/** How long to wait for the lock, in seconds. PostgreSQL needs a moment to notice that an earlier service has ended. */
const lockSeconds = 2

export interface ListenerOptions {
  readonly config: pg.ClientConfig
  /** The id of this store. The listener ignores messages that this store sent. */
  readonly writer: string
  readonly channel: string
  readonly schema: string
  readonly shown: string
  readonly onKeys: (keys: readonly Key[]) => void
  /** Called when the connection listens again after an interruption. Any key may have been written in the meantime. */
  readonly onReturn: () => void
  readonly onAnswer: (works: boolean) => void
}

/** The SQL expression for the key of the advisory lock that a service or a migration holds while it uses a schema. */
export const serviceLock = `hashtextextended('agmd service ' || $1, 0)`

/** Starts listening. Throws `PostgresError` if another service holds the lock. Resolves to a function that stops listening. */
export async function listen(options: ListenerOptions): Promise<() => Promise<void>> {
  const { config, writer, channel, schema, shown, onKeys, onReturn, onAnswer } = options
  let connection: Connection | undefined
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  const open = async (): Promise<boolean> => {
    const made = await connect(config, lost)
    try {
      made.client.on('notification', ({ payload = '' }) => {
        const notice = decodeNotice(payload)
        if (notice !== undefined && notice.writer !== writer) onKeys(notice.keys)
      })
      const lock = made.client.query<{ held: boolean }>(`select pg_try_advisory_lock(${serviceLock}) as held`, [schema])
      const { rows } = await withinSeconds(beatSecondsMax, lock)
      await withinSeconds(beatSecondsMax, made.client.query(`listen ${channel}`))
      if (made.ended()) throw new Error('the connection ended')
      connection = made
      return rows[0]!.held
    } catch (error) {
      made.cut()
      throw error
    }
  }

  const lost = (which: Connection): void => {
    if (which !== connection || stopped) return
    connection = undefined
    onAnswer(false)
    plan(retryMs(0), () => again(0))
  }

  const again = async (attempt: number): Promise<void> => {
    try {
      await open()
      if (stopped) return connection?.cut()
      onAnswer(true)
      onReturn()
      plan(beatSeconds * 1000, beat)
    } catch {
      onAnswer(false)
      plan(retryMs(attempt), () => again(attempt + 1))
    }
  }

  const beat = async (): Promise<void> => {
    const beating = connection
    if (beating === undefined) return
    try {
      await withinSeconds(beatSecondsMax, beating.client.query('select 1'))
      onAnswer(true)
      plan(beatSeconds * 1000, beat)
    } catch {
      beating.cut()
    }
  }

  const plan = (milliseconds: number, run: () => Promise<void>): void => {
    clearTimeout(timer)
    if (!stopped) timer = setTimeout(() => void run(), milliseconds).unref()
  }

  const until = performance.now() + lockSeconds * 1000
  while (!(await open())) {
    const refused = connection
    connection = undefined
    refused?.cut()
    if (performance.now() > until)
      throw new PostgresError(1, `Another agmd uses the ${shown}, or its records are being moved. Stop that process first.`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  plan(beatSeconds * 1000, beat)
  return async () => {
    stopped = true
    clearTimeout(timer)
    if (connection !== undefined) await withinSeconds(1, connection.client.end()).catch(() => {})
  }
}
