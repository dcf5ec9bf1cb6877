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
 * error. A check also finds commits whose notices were never sent, because their node was killed.
 */
const beatSeconds = 4
const beatSecondsMax = 5

/** How long to wait for the notices of a commit that another node has made, in seconds. They normally arrive within a few milliseconds. */
const noticeSecondsMax = 1

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
  /** Called with the keys that another node wrote. `any` means that any key may have been written. */
  readonly onKeys: (keys: readonly Key[] | 'any') => void
  /** Called with each text that another node sent. */
  readonly onMessage: (text: string, node: string) => void
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
  /** See `Nodes.heard`. Resolves to the number of the newest commit of this store, which this store may not know yet; 0 if there is none. */
  heard(): Promise<number>
  /** See `Nodes.claim`. Throws if PostgreSQL does not answer. */
  claim(name: string): Promise<(() => void) | undefined>
  stop(): Promise<void>
}

interface NewestCommit {
  /** The id of a store. */
  readonly id: string
  /** The number of its last commit, as text. */
  readonly last: string
}

/** Returns the newest commit of each store that has committed within a minute. Nodes that listened meanwhile know all earlier commits. */
const newestCommits = async ({ client }: Connection): Promise<NewestCommit[]> => {
  const text = `select id, last from writer where seen > now() - interval '1 minute'`
  const { rows } = await withinSeconds(beatSecondsMax, client.query<NewestCommit>({ name: 'newest commits', text }))
  return rows
}

/** Tracks up to which commit of each other node the notices have arrived. `own` is the id of this store, whose notices do not count. */
const createCommitNumbers = (own: string) => {
  const known = new Map<string, number>()
  const waiting = new Set<() => void>()
  const has = (newest: readonly NewestCommit[]): boolean =>
    newest.every(({ id, last }) => id === own || (known.get(id) ?? 0) >= Number(last))
  return {
    heard(id: string, number: number): void {
      if (number <= (known.get(id) ?? 0)) return
      known.set(id, number)
      for (const look of waiting) look()
    },
    /** Waits until the notices of these commits have arrived. Resolves to false if they do not arrive within some seconds. */
    async arrived(newest: readonly NewestCommit[], seconds: number): Promise<boolean> {
      if (has(newest)) return true
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const look = (): void => {
        if (has(newest)) resolve(true)
      }
      const timer = setTimeout(() => resolve(false), seconds * 1000).unref()
      waiting.add(look)
      try {
        return await promise
      } finally {
        waiting.delete(look)
        clearTimeout(timer)
      }
    }
  }
}

/** Starts listening. Throws `PostgresError` if another process holds the lock in a mode that excludes this one. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const { config, writer, channel, schema, shown, exclusive, onKeys, onMessage, onReturn, onAnswer } = options
  const numbers = createCommitNumbers(writer)
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
        if (notice === undefined || notice.writer === writer) return
        if (notice.text === undefined) onKeys(notice.keys)
        else onMessage(notice.text, notice.writer)
        numbers.heard(notice.writer, notice.number)
      })
      const take = exclusive ? 'pg_try_advisory_lock' : 'pg_try_advisory_lock_shared'
      const lock = made.client.query<{ held: boolean }>(`select ${take}(${serviceLock}) as held`, [schema])
      const { rows } = await withinSeconds(beatSecondsMax, lock)
      await withinSeconds(beatSecondsMax, made.client.query(`listen ${channel}`))
      // This node has read nothing yet that these commits wrote, or forgets it (`onReturn`).
      for (const { id, last } of await newestCommits(made)) numbers.heard(id, Number(last))
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
      await look(beating)
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
          : `The records of the ${shown} are being moved. Wait until the move is complete.`
      )
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  plan(beatSeconds * 1000, beat)

  /**
   * Asks for the numbers of the newest commits, and waits until this node has their notices. If notices do not arrive, any key may have been written.
   * Resolves to the number of the newest commit of this store.
   */
  const look = async (asked: Connection): Promise<number> => {
    const newest = await newestCommits(asked)
    if (!(await numbers.arrived(newest, noticeSecondsMax))) {
      onKeys('any')
      for (const { id, last } of newest) numbers.heard(id, Number(last))
    }
    return Number(newest.find(({ id }) => id === writer)?.last ?? 0)
  }

  const ask = async (): Promise<number> => {
    const asked = connection
    const newest = asked && (await look(asked).catch(() => asked.cut()))
    // Open documents may lack commits that were made while nobody listened. They look for them when the connection is back.
    const left = lostAt / 1000 + beatSecondsMax - performance.now() / 1000
    if (connection === undefined && left > 0) await withinSeconds(left, back.promise).catch(() => undefined)
    return newest ?? 0
  }
  let asking: Promise<number> | undefined
  let next: Promise<number> | undefined
  const start = (): Promise<number> => {
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
