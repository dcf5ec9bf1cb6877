/**
 * The store in PostgreSQL 15 or newer, for a service that outgrows one machine. It has the same methods as the LMDB store, and keeps its records in
 * one table (`schema.ts`).
 *
 * One connection commits (`writer.ts`), one tells other nodes about the commits (`notifier.ts`), one listens to them (`listener.ts`), and a pool of
 * connections reads. While PostgreSQL does not answer, reads and commits wait, because it may only be restarting. After `patience.silentSeconds`, they
 * are refused until the listening connection works again.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'

import pg from 'pg'

import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import type { Clock, Entry, Key, Range, Storage } from '../../domain/ports.ts'
import { createEraser } from '../eraser.ts'
import { decodeKey, encodeKey, encodeRange } from '../keys.ts'
import { createWatchers } from '../watchers.ts'
import { type PostgresAddress } from './address.ts'
import { clientConfig, connect, patience, retryMs } from './connection.ts'
import { remedyOf, serviceErrorOf } from './errors.ts'
import { type EncodedBatch, encodeBatch, sumOf } from './group.ts'
import { listen } from './listener.ts'
import { applicationOf, countNodes } from './locks.ts'
import { channelOf } from './notices.ts'
import { createNotifier } from './notifier.ts'
import { placeOf, recordTables } from './schema.ts'
import { createWriter } from './writer.ts'

/** The maximum number of connections that read at the same time. */
const readersMax = 8

export interface PostgresOptions {
  readonly address: PostgresAddress
  /** Whether each connection must turn `synchronous_commit` on (`Prepared.synced`). */
  readonly synced: boolean
  /** The clock for automatic vacuums. If absent, deleted bytes are vacuumed only when `erase` is called. */
  readonly clock?: Clock
  /** Called when PostgreSQL stops answering, and when it answers again. */
  readonly onAnswering?: (answers: boolean) => void
  /** Whether no other process may use the store. */
  readonly exclusive?: boolean
}

/**
 * Opens a store whose tables already exist (`preparePostgres`). Throws `PostgresError` if a migration is using the store or, with `exclusive`, if any
 * process is.
 */
export async function openPostgresStorage(options: PostgresOptions): Promise<Storage> {
  const { address, synced, clock, onAnswering = () => {}, exclusive = false } = options
  const config = clientConfig(address, synced)
  const channel = channelOf(address.schema)
  const writerId = randomUUID()
  const watchers = createWatchers()
  const health = createHealth(onAnswering)
  let closed = false

  const pool = new pg.Pool({ ...config, max: readersMax, query_timeout: patience.readSeconds * 1000, idleTimeoutMillis: 60_000 })
  // If an unused connection breaks, the pool creates another one.
  pool.on('error', () => {})

  const refuse = (): void => {
    if (closed) throw new ServiceError('storage_unavailable', {}, { cause: new Error('the store is closed') })
    if (health.isDown()) throw new ServiceError('storage_unavailable', {}, { cause: new Error('PostgreSQL does not answer') })
  }

  const ask = async <T extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<T[]> => {
    const deadline = performance.now() + patience.readSeconds * 1000
    for (let attempt = 0; ; attempt++) {
      refuse()
      try {
        const { rows } = await pool.query<T>(query)
        health.note(true)
        return rows
      } catch (error) {
        if (error instanceof ServiceError || remedyOf(error) === 'fail' || performance.now() > deadline) throw serviceErrorOf(error)
        health.note(false)
        await new Promise((resolve) => setTimeout(resolve, retryMs(attempt)))
      }
    }
  }
  const read = async (query: pg.QueryConfig): Promise<Entry[]> => (await ask<Row>(query)).map(entryOf)

  const notifier = createNotifier({ config, id: writerId, channel })
  const hearers = new Set<(text: string, node: string) => void>()
  const listener = await listen({
    config,
    writer: writerId,
    channel,
    schema: address.schema,
    shown: address.shown,
    exclusive,
    onKeys: (keys) => (keys === 'any' ? watchers.notifyAll() : watchers.notify(keys, true)),
    onMessage: (text, node) => {
      // Watchers and caches first receive the keys that were written before the message was sent.
      for (const hear of hearers) queueMicrotask(() => hear(text, node))
    },
    onReturn: watchers.notifyAll,
    onAnswer: health.note,
    onAlone: notifier.alone,
    query: async (query) => {
      refuse()
      return (await pool.query(query)).rows
    }
  })

  const eraser = createEraser({
    clock,
    prepare: async () => {},
    run: () => vacuum(config),
    isDue: () => false
  })

  const writer = createWriter({
    config,
    id: writerId,
    onCommit: notifier.wrote,
    onWritten: ({ touched, erase }) => {
      watchers.notify(touched)
      if (erase) eraser.due()
    },
    onUnknown: (batches: readonly EncodedBatch[]) => watchers.notify(batches.flatMap(({ touched }) => touched)),
    onAnswer: health.note
  })

  return {
    async get(key) {
      return (await read(getQuery(key)))[0]
    },
    async list(prefix, range = {}) {
      return read(listQuery(prefix, range))
    },
    async commit(batch) {
      refuse()
      return writer.commit(encodeBatch(batch))
    },
    watch: watchers.watch,
    nodes: {
      id: writerId,
      isListening: listener.isListening,
      async heard() {
        // Another node may know about this node's commit before this node has the response.
        await writer.known(await listener.heard())
      },
      send(text) {
        if (!closed && !health.isDown()) notifier.send(text)
      },
      onMessage(hear) {
        hearers.add(hear)
        return () => hearers.delete(hear)
      },
      async claim(name) {
        const deadline = performance.now() + patience.readSeconds * 1000
        for (let attempt = 0; ; attempt++) {
          refuse()
          try {
            return await listener.claim(name)
          } catch (error) {
            if (performance.now() > deadline) throw serviceErrorOf(error)
            await new Promise((resolve) => setTimeout(resolve, retryMs(attempt)))
          }
        }
      },
      async isAlive(node) {
        const rows = await ask({ text: 'select 1 from pg_stat_activity where application_name = $1', values: [applicationOf(node)] })
        return rows.length > 0
      },
      count: () => countNodes(ask, address.schema)
    },
    async erase() {
      refuse()
      await eraser.now().catch((error: unknown) => {
        throw serviceErrorOf(error)
      })
    },
    async close() {
      if (closed) return
      closed = true
      await writer.close()
      await notifier.close()
      await eraser.stop()
      await listener.stop()
      await pool.end()
    }
  }
}

export interface Row {
  readonly key: Buffer
  readonly value: Buffer
  readonly version: string
  readonly sum: number
}

/** Returns the entry in a row. Throws `storage_corrupt` with the key if the row is damaged. */
export function entryOf({ key: bytes, value, version, sum }: Row): Entry {
  const key = decodeKey(bytes)
  if (sumOf(bytes, value) !== sum) throw new ServiceError('storage_corrupt', { key })
  return { key, version: Number(version), value: new Uint8Array(value.buffer, value.byteOffset, value.length) }
}

const columns = 'key, value, version, sum'

export const getQuery = (key: Key): pg.QueryConfig => ({
  name: 'get',
  text: `select ${columns} from record where key = $1 and place = $2`,
  values: [encodeKey(key), placeOf(key)]
})

/** Throws `AssertionError` if the range asks for more than `limits.listMax` entries. */
export function listQuery(prefix: Key, range: Range): pg.QueryConfig {
  const limit = range.limit ?? limits.listMax
  assert(limit <= limits.listMax, 'a listing must request at most limits.listMax entries')
  const { above, below } = encodeRange(prefix, range)
  // Keys with the same first two parts have the same place, so only one partition is read.
  const placed = prefix.length >= 2
  const order = range.reverse === true ? 'desc' : 'asc'
  return {
    name: `list ${order}${placed ? ' placed' : ''}`,
    text: `select ${columns} from record where key > $1 and key < $2${placed ? ' and place = $4' : ''} order by key ${order} limit $3`,
    values: [above, below, limit, ...(placed ? [placeOf(prefix)] : [])]
  }
}

/**
 * Removes deleted and replaced rows from the pages of the table, so that later writes reuse their space. Resolves to 0, because the bytes are not
 * counted.
 */
async function vacuum(config: pg.ClientConfig): Promise<number> {
  const { client, cut } = await connect({ ...config, statement_timeout: 0, lock_timeout: 0 })
  try {
    // The vacuum is throttled like an automatic vacuum.
    await client.query('set vacuum_cost_delay = 2')
    for (const table of recordTables) await client.query(`vacuum ${table}`)
  } finally {
    cut()
  }
  return 0
}

/** Tracks how long PostgreSQL has not answered. */
function createHealth(onAnswering: (answers: boolean) => void) {
  let silentSince: number | undefined
  return {
    note(works: boolean): void {
      if (works === (silentSince === undefined)) return
      silentSince = works ? undefined : performance.now()
      onAnswering(works)
    },
    isDown: () => silentSince !== undefined && performance.now() - silentSince > patience.silentSeconds * 1000
  }
}
