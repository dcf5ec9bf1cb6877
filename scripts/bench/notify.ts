/**
 * Measures what `NOTIFY` costs PostgreSQL when many nodes commit at the same time: `npm run bench notify`. A transaction with a notification holds a lock
 * on its database until its commit is on disk, so such commits come one after the other. Each connection stands for a node, which puts
 * everything that arrives during a commit into the next one.
 */
import pg from 'pg'
import { newCluster, noPostgres } from '../../test/support/postgres.ts'
import { ms, percentile, table } from './support/support.ts'

if (noPostgres !== undefined) throw new Error(noPostgres)

const seconds = Number(process.env['AGMD_BENCH_SECONDS'] ?? 3)
const nodeCounts = [1, 4, 16, 64]
const recordCounts = [1, 64]

const cluster = await newCluster({ onDisk: true })
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

/** Lets nodes commit. Returns the commits per second and their times in milliseconds. */
const measure = async (nodes: number, records: number, notifies: boolean): Promise<{ rate: number; times: number[] }> => {
  const clients = await Promise.all(
    Array.from({ length: nodes }, async () => {
      const client = new pg.Client(cluster.address())
      await client.connect()
      return client
    })
  )
  const times: number[] = []
  const begun = performance.now()
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() - begun < seconds * 1000) {
        const from = performance.now()
        await client.query({ name: 'commit', text: 'select commit_records($1, $2)', values: [records, notifies] })
        times.push(performance.now() - from)
      }
    })
  )
  const rate = times.length / ((performance.now() - begun) / 1000)
  await Promise.all(clients.map((client) => client.end()))
  return { rate, times }
}

await measure(4, 1, true)
const rows: (string | number)[][] = []
for (const records of recordCounts)
  for (const nodes of nodeCounts)
    for (const notifies of [false, true]) {
      const { rate, times } = await measure(nodes, records, notifies)
      rows.push([
        records,
        nodes,
        notifies ? 'yes' : 'no',
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
