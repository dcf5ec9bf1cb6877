/**
 * Measures what `NOTIFY` costs PostgreSQL when many nodes commit at the same time: `npm run bench notify`. A transaction with a notification holds a
 * lock on its database until it ends. Commits with a notification therefore wait for the disk one after another. The store notifies after its
 * commits, in separate transactions, and pauses after each. Each transaction contains all notifications that have arrived meanwhile. Each connection
 * stands for a node.
 */
import pg from 'pg'
import { limits } from '../../shared/limits.ts'
import { newCluster, noPostgres } from '../../test/support/postgres.ts'
import { ms, percentile, table } from './support/support.ts'

if (noPostgres !== undefined) throw new Error(noPostgres)

const seconds = Number(process.env['AGMD_BENCH_SECONDS'] ?? 3)
const nodeCounts = [1, 4, 16, 64]
const recordCounts = [1, 64]

const cluster = await newCluster({ onDisk: true })
await cluster.stop()
await cluster.start(['max_connections=200'])
await cluster.sql(`
  create table record (id bigserial primary key, value bytea not null);
  create function commit_records(count integer, notifies boolean) returns void language plpgsql as $$
  begin
    insert into record (value) select decode(repeat('ab', 300), 'hex') from generate_series(1, count);
    if notifies then perform pg_notify('changes', repeat('k', least(7000, 40 * count))); end if;
  end $$;`)
const listener = new pg.Client(cluster.address())
await listener.connect()
await listener.query('listen changes')

type Notifies = 'never' | 'in the commit' | 'after it' | 'after it, paused'

const connected = async (): Promise<pg.Client> => {
  const client = new pg.Client(cluster.address())
  await client.connect()
  return client
}

/** Returns a function that notifies. Everything that arrives during one transaction, and in the pause after it, goes into the next one. */
const notifierOf = (client: pg.Client, pauseMs: number) => {
  let waiting = 0
  let sending: Promise<void> | undefined
  const drain = async (): Promise<void> => {
    for (; waiting > 0;) {
      const texts = Array.from({ length: waiting }, () => 'k'.repeat(40))
      waiting = 0
      await client.query({ name: 'notify', text: `select pg_notify('changes', text) from unnest($1::text[]) as text`, values: [texts] })
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
    sending = undefined
  }
  return {
    notify() {
      waiting += 1
      sending ??= drain()
    },
    ended: () => sending
  }
}

/** Lets nodes commit. Returns the commits per second and their times in milliseconds. */
const measure = async (nodes: number, records: number, notifies: Notifies): Promise<{ rate: number; times: number[] }> => {
  const times: number[] = []
  const clients = await Promise.all(Array.from({ length: nodes }, async () => [await connected(), await connected()] as const))
  const begun = performance.now()
  await Promise.all(
    clients.map(async ([client, second]) => {
      const notifier = notifierOf(second, notifies === 'after it, paused' ? limits.nodeNoticeMs : 0)
      while (performance.now() - begun < seconds * 1000) {
        const from = performance.now()
        await client.query({ name: 'commit', text: 'select commit_records($1, $2)', values: [records, notifies === 'in the commit'] })
        times.push(performance.now() - from)
        if (notifies.startsWith('after it')) notifier.notify()
      }
      await notifier.ended()
    })
  )
  const rate = times.length / ((performance.now() - begun) / 1000)
  await Promise.all(clients.flat().map((client) => client.end()))
  return { rate, times }
}

await measure(4, 1, 'after it')
const rows: (string | number)[][] = []
for (const records of recordCounts)
  for (const nodes of nodeCounts)
    for (const notifies of ['never', 'in the commit', 'after it', 'after it, paused'] as const) {
      const { rate, times } = await measure(nodes, records, notifies)
      rows.push([
        records,
        nodes,
        notifies,
        Math.round(rate),
        Math.round(rate * records),
        ms(percentile(times, 0.5)),
        ms(percentile(times, 0.99))
      ])
    }
table(['records in a commit', 'nodes', 'NOTIFY', 'commits/s', 'records/s', 'p50 ms', 'p99 ms'], rows)
const usage = await listener.query('select pg_notification_queue_usage() as usage')
console.log(`share of the notification queue in use: ${String(usage.rows[0]?.usage)}`)
await listener.end()
cluster.remove()
process.exit(0)
