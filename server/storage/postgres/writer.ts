/**
 * The only connection through which a store commits. Commits wait in a queue. Commits that arrive during one transaction form the next transaction.
 *
 * If the connection breaks during a commit, the store does not know whether PostgreSQL committed. To find out, each store has a row in `writer`. A
 * transaction writes its number there, provided that the row still has the epoch of its connection. A new connection increases the epoch. This
 * waits for a transaction of an earlier epoch that is still running, and stops any later one. Then the connection reads the number, which says
 * whether the interrupted transaction was committed. If it was, its commits resolve. If not, it never will be, and its commits are made again.
 */
import type pg from 'pg'

import { ServiceError } from '../../../shared/errors.ts'
import { type Connection, connect, patience, retryMs, withinSeconds } from './connection.ts'
import { remedyOf, serviceErrorOf } from './errors.ts'
import { type EncodedBatch, judge, type Judged, type Known, parametersOf } from './group.ts'

/** The maximum size of a group, in batches and in bytes. Commits beyond that wait for the next group. */
const groupBatchesMax = 1_000
const groupBytesMax = 16 * 1024 * 1024

interface Waiting {
  readonly batch: EncodedBatch
  /** The time after which the commit fails, in milliseconds of `performance.now()`. */
  readonly deadline: number
  readonly settle: (result: boolean) => void
  readonly fail: (error: unknown) => void
}

const batchesOf = (group: readonly Waiting[]): EncodedBatch[] => group.map(({ batch }) => batch)

export interface WriterOptions {
  readonly config: pg.ClientConfig
  /** Random id of the row in `writer` that belongs to this store. */
  readonly id: string
  /** Called for each batch that was written, before its promise resolves. */
  readonly onWritten: (batch: EncodedBatch) => void
  /** Called after each commit with its number and the keys that it wrote. `any` means that any key may have been written. */
  readonly onCommit: (number: number, keys: readonly Uint8Array[] | 'any') => void
  /** Called when it becomes unknown whether these batches were written, and again once the outcome is known. */
  readonly onUnknown: (batches: readonly EncodedBatch[]) => void
  /** Called after each response from PostgreSQL, and after each failure to get one. */
  readonly onAnswer: (works: boolean) => void
}

export interface Writer {
  commit(batch: EncodedBatch): Promise<boolean>
  /** Resolves once the outcome of the commit with this number, and of all earlier ones, has been reported. */
  known(number: number): Promise<void>
  /** Waits for the commits in progress, then ends the connection. */
  close(): Promise<void>
}

const call = `select given, wrong, found_version from commit_records($1, $2, $3, ${Array.from({ length: 17 }, (_, index) => `$${index + 4}`).join(', ')})`

/** The error for a commit whose outcome is unknown. */
const unknown = (cause: unknown): ServiceError =>
  new ServiceError(
    'storage_unavailable',
    {
      message: 'The store did not answer in time. The change may still have been stored.',
      hint: 'Read the document again in a few seconds to find out.'
    },
    { cause }
  )

export function createWriter({ config, id, onWritten, onCommit, onUnknown, onAnswer }: WriterOptions): Writer {
  let queue: Waiting[] = []
  let writing: Promise<void> | undefined
  let connection: Connection | undefined
  let epoch = 0
  /** Number of the newest commit that was sent. */
  let number = 0
  /** Number of the newest commit whose outcome has been reported, and the promise for the group that is being written. */
  let settled = 0
  let current: Promise<void> = Promise.resolve()
  /** The batches of a commit with an unknown outcome for which nobody waits anymore. */
  let given: readonly EncodedBatch[] = []

  /** Connects and takes over the row of this store in `writer`. Resolves to the number of the last successful commit. */
  const takeOver = async (): Promise<number> => {
    const made = await connect(config)
    try {
      const { rows } = await withinSeconds(
        patience.commitSeconds,
        made.client.query<{ epoch: string; last: string }>(
          `insert into writer as w (id, epoch, last) values ($1, 1, 0)
           on conflict (id) do update set epoch = w.epoch + 1 returning epoch, last`,
          [id]
        )
      )
      epoch = Number(rows[0]!.epoch)
      connection = made
      return Number(rows[0]!.last)
    } catch (error) {
      made.cut()
      throw error
    }
  }

  const dropConnection = (): void => {
    connection?.cut()
    connection = undefined
  }

  /** Sends the judged group once. Resolves to what was written; undefined if an assumption failed. */
  const send = async (group: readonly Waiting[], known: Known, deadline: number): Promise<Judged | undefined> => {
    const judged = judge(batchesOf(group), known)
    number += 1
    const { rows } = await withinSeconds(
      Math.max(1, (deadline - performance.now()) / 1000),
      connection!.client.query<{ given: string | null; wrong: number | null; found_version: string | null }>({
        name: 'commit',
        text: call,
        values: [id, epoch, number, ...parametersOf(judged), '', []]
      })
    )
    if (rows[0]?.given != null) return judged
    for (const { wrong, found_version: found } of rows)
      known.set(judged.assumptions[wrong! - 1]!.name, found === null ? null : Number(found))
    return undefined
  }

  /** Resolves to what was written once the group is on disk. Throws the last error from PostgreSQL or the network. */
  const write = async (group: readonly Waiting[]): Promise<Judged> => {
    const deadline = group[0]!.deadline
    const known: Known = new Map()
    let sent: number | undefined
    for (let attempt = 0; ; attempt++) {
      let sending = false
      try {
        if (connection === undefined || connection.ended()) {
          const last = await takeOver()
          onAnswer(true)
          if (given.length > 0) {
            onUnknown(given)
            onCommit(last, 'any')
          }
          given = []
          // The commit succeeded before the connection broke, so `known` still gives its batches' outcomes.
          if (last === sent) return judge(batchesOf(group), known)
        }
        sent = number + 1
        sending = true
        const written = await send(group, known, deadline)
        onAnswer(true)
        if (written !== undefined) return written
        attempt = 0
        continue
      } catch (error) {
        const remedy = sending ? remedyOf(error) : 'reconnect'
        if (remedy === 'reconnect') {
          onAnswer(false)
          dropConnection()
        } else sent = undefined
        if (remedy === 'fail') throw error
        if (performance.now() >= deadline) {
          if (sent === undefined) throw error
          given = batchesOf(group)
          onUnknown(given)
          throw unknown(error)
        }
        await new Promise((resolve) => setTimeout(resolve, remedy === 'again' ? Math.random() * 10 : retryMs(attempt)))
      }
    }
  }

  const takeGroup = (): Waiting[] => {
    let bytes = 0
    const end = queue.findIndex(({ batch }, index) => index === groupBatchesMax || (index > 0 && (bytes += batch.bytes) > groupBytesMax))
    const group = end === -1 ? queue : queue.slice(0, end)
    queue = end === -1 ? [] : queue.slice(end)
    return group
  }

  const drain = async (): Promise<void> => {
    while (queue.length > 0) {
      const group = takeGroup()
      const { promise, resolve } = Promise.withResolvers<void>()
      current = promise
      try {
        const { outcomes, finals } = await write(group)
        onCommit(
          number,
          [...finals.values()].map(({ bytes }) => bytes)
        )
        group.forEach(({ batch, settle }, index) => {
          if (outcomes[index]) onWritten(batch)
          settle(outcomes[index]!)
        })
      } catch (error) {
        for (const { fail } of group) fail(serviceErrorOf(error))
      }
      settled = number
      resolve()
    }
    writing = undefined
  }

  return {
    commit(batch) {
      const { promise, resolve, reject } = Promise.withResolvers<boolean>()
      queue.push({ batch, deadline: performance.now() + patience.commitSeconds * 1000, settle: resolve, fail: reject })
      writing ??= Promise.resolve().then(drain)
      return promise
    },
    async known(wanted) {
      if (wanted > settled) await current
    },
    async close() {
      await writing
      const { client } = connection ?? {}
      connection = undefined
      if (client !== undefined) await withinSeconds(1, client.end()).catch(() => {})
    }
  }
}
