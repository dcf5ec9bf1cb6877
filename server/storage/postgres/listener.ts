/**
 * The connection that receives notices about the commits of other nodes, and their messages. It also holds the lock that marks the schema as in use.
 * If the connection breaks, the listener tries to reconnect until PostgreSQL answers.
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
  /** Whether no other process may use the schema at the same time. Nodes share it; a migration does not. */
  readonly exclusive: boolean
  readonly onKeys: (keys: readonly Key[]) => void
  /** Called with the number of each own commit, which other nodes then know too. */
  readonly onOwn: (commit: number) => void
  /** Called with each text that another node sent. */
  readonly onTold: (text: string, node: string) => void
  /** Called when the connection listens again after an interruption. Any key may have been written in the meantime. */
  readonly onReturn: () => void
  readonly onAnswer: (works: boolean) => void
}

/** The SQL expression for the key of the advisory lock that nodes (shared) or a migration (exclusively) hold while they use a schema. */
export const serviceLock = `hashtextextended('agmd service ' || $1, 0)`

/** The SQL expression for the key of the advisory lock of a name that one node has claimed in a schema. */
const claimLock = `hashtextextended('agmd claim ' || $1 || ' ' || $2, 0)`

/** Returns the name of a node's listening connection, by which other nodes see that the node is alive. */
export const applicationOf = (node: string): string => `agmd node ${node}`

export interface Listener {
  isListening(): boolean
  /** See `Nodes.heard`. */
  heard(): Promise<void>
  /** See `Nodes.claim`. Throws if PostgreSQL does not answer. */
  claim(name: string): Promise<(() => void) | undefined>
  stop(): Promise<void>
}

/** Starts listening. Throws `PostgresError` if another process holds the lock in a mode that excludes this one. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const { config, writer, channel, schema, shown, exclusive, onKeys, onOwn, onTold, onReturn, onAnswer } = options
  let connection: Connection | undefined
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  /** When the connection was lost, on the monotonic clock in milliseconds, and the promise that resolves when it is back. */
  let lostAt = -Infinity
  let back = Promise.withResolvers<void>()

  const open = async (): Promise<boolean> => {
    const made = await connect({ ...config, application_name: applicationOf(writer) }, lost)
    try {
      made.client.on('notification', ({ payload = '' }) => {
        const notice = decodeNotice(payload)
        if (notice === undefined) return
        if (notice.writer === writer) onOwn(notice.number)
        else if (notice.told === undefined) onKeys(notice.keys)
        else onTold(notice.told, notice.writer)
      })
      const take = exclusive ? 'pg_try_advisory_lock' : 'pg_try_advisory_lock_shared'
      const lock = made.client.query<{ held: boolean }>(`select ${take}(${serviceLock}) as held`, [schema])
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
    lostAt = performance.now()
    back = Promise.withResolvers()
    onAnswer(false)
    plan(retryMs(0), () => again(0))
  }

  const again = async (attempt: number): Promise<void> => {
    try {
      await open()
      if (stopped) return connection?.cut()
      onAnswer(true)
      onReturn()
      back.resolve()
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
      throw new PostgresError(
        1,
        exclusive
          ? `A server uses the ${shown}. Stop all its nodes first.`
          : `The records of the ${shown} are being moved. Wait until that has ended.`
      )
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  plan(beatSeconds * 1000, beat)

  /**
   * Asks the server anything. PostgreSQL has sent all notices of earlier commits by the time when it answers: a commit signals the listening
   * connections before its client gets an answer, and a connection sends its notices before it takes the next command.
   */
  const ask = async (): Promise<void> => {
    const asked = connection
    if (asked !== undefined) await withinSeconds(beatSecondsMax, asked.client.query('select 1')).catch(() => asked.cut())
    // Open documents may lack commits that were made while nobody listened. They look for them when the connection is back.
    const left = lostAt / 1000 + beatSecondsMax - performance.now() / 1000
    if (connection === undefined && left > 0) await withinSeconds(left, back.promise).catch(() => undefined)
  }
  let asking: Promise<void> | undefined
  let next: Promise<void> | undefined
  const start = (): Promise<void> => {
    const mine = ask().finally(() => {
      if (asking === mine) asking = undefined
    })
    return (asking = mine)
  }

  return {
    isListening: () => connection !== undefined,
    heard() {
      if (asking === undefined) return start()
      // The question in flight may have been sent before the commit that the caller wants to know about. All later callers share one more question.
      return (next ??= asking.then(() => {
        next = undefined
        return start()
      }))
    },
    async claim(name) {
      const claiming = connection
      if (claiming === undefined) throw new Error('the listening connection is interrupted')
      const run = (take: 'pg_try_advisory_lock' | 'pg_advisory_unlock'): Promise<pg.QueryResult<{ held: boolean }>> =>
        withinSeconds(beatSecondsMax, claiming.client.query(`select ${take}(${claimLock}) as held`, [schema, name]))
      const { rows } = await run('pg_try_advisory_lock').catch((error: unknown) => {
        // The lock may have been taken without an answer.
        claiming.cut()
        throw error
      })
      return rows[0]!.held ? () => void run('pg_advisory_unlock').catch(() => claiming.cut()) : undefined
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      if (connection !== undefined) await withinSeconds(1, connection.client.end()).catch(() => {})
    }
  }
}
