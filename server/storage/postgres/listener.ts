/**
 * The connection that receives messages from other nodes and notices about their commits. It also holds the lock that marks the schema as in use. If
 * the connection breaks, the listener tries to reconnect until PostgreSQL answers. Meanwhile, it looks for new commits through the read connections.
 */
import type pg from 'pg'

import type { Key } from '../../domain/ports.ts'
import { answerSecondsMax, createCommitNumbers, newestCommits, type NewestCommit } from './commit-numbers.ts'
import { type Connection, connect, type Query, retryMs, withinSeconds } from './connection.ts'
import { PostgresError } from './errors.ts'
import { applicationOf, claimLock, countNodes, serviceLock } from './locks.ts'
import { decodeNotice, encodeMessage } from './notices.ts'

/**
 * The time between two checks of the connection, in seconds. A connection that a firewall dropped reports no error. A check also finds commits whose
 * notices were never sent, because their node was killed.
 */
const beatSeconds = 4

/** The time between two checks for commits of other nodes while the connection is interrupted, in seconds. */
const lookSeconds = 2

/**
 * How long a request waits before such a check, in milliseconds. All requests that arrive meanwhile share the check, because it can cost many reads.
 */
const lookPauseMs = 250

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
  /** Called with each message that another node sent. */
  readonly onMessage: (text: string, node: string) => void
  /** Called when the connection listens again after an interruption. Any key may have been written since. */
  readonly onReturn: () => void
  readonly onAnswer: (works: boolean) => void
  /** Called when it becomes known whether no other node listens. */
  readonly onAlone: (isAlone: boolean) => void
  /** Asks through another connection, while the listening one is interrupted. */
  readonly query: Query
}

/** The message from a node that begins to listen. */
const greeting = 'here'

export interface Listener {
  isListening(): boolean
  /** See `Nodes.heard`. Resolves to the number of the newest commit of this store, which this store may not know yet; 0 if there is none. */
  heard(): Promise<number>
  /** See `Nodes.claim`. Throws if PostgreSQL does not answer. */
  claim(name: string): Promise<(() => void) | undefined>
  stop(): Promise<void>
}

/** Starts listening. Throws `PostgresError` if another process holds the lock in a mode that excludes this one. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const { config, writer, channel, schema, shown, exclusive, onKeys, onMessage, onReturn, onAnswer, onAlone, query } = options
  const numbers = createCommitNumbers(writer)
  let connection: Connection | undefined
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  /** When the connection was lost, on the monotonic clock in milliseconds, and the promise that resolves when it is back. */
  let lostAt = -Infinity
  let back = Promise.withResolvers<void>()
  /** The number of messages from other nodes, and of interruptions during which another node may have begun to listen. */
  let signs = 0

  const noteOthers = (): void => {
    signs += 1
    onAlone(false)
  }

  const open = async (): Promise<boolean> => {
    const made = await connect({ ...config, application_name: applicationOf(writer) }, lost)
    try {
      made.client.on('notification', ({ payload = '' }) => {
        const notice = decodeNotice(payload)
        if (notice === undefined || notice.writer === writer) return
        noteOthers()
        if (notice.text === undefined) onKeys(notice.keys)
        else if (notice.text !== greeting) onMessage(notice.text, notice.writer)
        numbers.heard(notice.writer, notice.number)
      })
      const take = exclusive ? 'pg_try_advisory_lock' : 'pg_try_advisory_lock_shared'
      const lock = made.client.query<{ held: boolean }>(`select ${take}(${serviceLock}) as held`, [schema])
      const { rows } = await withinSeconds(answerSecondsMax, lock)
      await withinSeconds(answerSecondsMax, made.client.query(`listen ${channel}`))
      // A node that believes it is alone announces no commits. After this greeting, it does.
      const greet = { text: 'select pg_notify($1, $2)', values: [channel, encodeMessage(writer, greeting)] }
      await withinSeconds(answerSecondsMax, made.client.query(greet))
      // This node has not read any data that these commits wrote, or discards it (`onReturn`).
      for (const { id, last } of await newestCommits(made.query)) numbers.heard(id, Number(last))
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
    noteOthers()
    onAnswer(false)
    plan(retryMs(0), () => again(0))
    void lookWhileDeaf()
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
      const before = signs
      const count = await withinSeconds(answerSecondsMax, countNodes(beating.query, schema))
      if (signs === before) onAlone(count === 1)
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

  const ownOf = (newest: readonly NewestCommit[]): number => Number(newest.find(({ id }) => id === writer)?.last ?? 0)

  /** Records that these commits were made, and reports that any key may have been written. */
  const forget = (newest: readonly NewestCommit[]): void => {
    onKeys('any')
    for (const { id, last } of newest) numbers.heard(id, Number(last))
  }

  /**
   * Asks for the numbers of the newest commits, and waits until this node has their notices. If notices do not arrive, any key may have been written.
   * Resolves to the number of the newest commit of this store.
   */
  const look = async (asked: Connection): Promise<number> => {
    const newest = await newestCommits(asked.query)
    if (!(await numbers.arrived(newest, noticeSecondsMax))) forget(newest)
    return ownOf(newest)
  }

  /** Does the same without the listening connection. No notices arrive then. */
  const lookElsewhere = async (): Promise<number> => {
    const newest = await newestCommits(query)
    if (!numbers.has(newest)) forget(newest)
    return ownOf(newest)
  }

  const lookWhileDeaf = async (): Promise<void> => {
    const interruption = lostAt
    while (connection === undefined && lostAt === interruption && !stopped) {
      await lookElsewhere().catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, lookSeconds * 1000).unref())
    }
  }

  const ask = async (): Promise<number> => {
    const asked = connection
    const newest = asked && (await look(asked).catch(() => asked.cut()))
    if (connection !== undefined) return newest ?? 0
    try {
      await new Promise((resolve) => setTimeout(resolve, lookPauseMs))
      return await lookElsewhere()
    } catch {
      // Open documents may lack commits that were made while this node did not listen. They look for these commits when the connection is back.
      const left = lostAt / 1000 + answerSecondsMax - performance.now() / 1000
      if (connection === undefined && left > 0) await withinSeconds(left, back.promise).catch(() => undefined)
      return 0
    }
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
        withinSeconds(answerSecondsMax, claiming.client.query(`select ${take}(${claimLock}) as held`, [schema, name]))
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
