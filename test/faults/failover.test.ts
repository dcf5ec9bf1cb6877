/** A PostgreSQL that fails under load, and its standby takes over. `AGMD_TEST_SEED` repeats a run. */
import { describe, expect, onTestFinished, test } from 'vitest'
import { createNodeLoad } from '../support/node-load.ts'
import { type Cluster, newCluster, noPostgres } from '../support/postgres.ts'
import { repeats } from '../support/repeats.ts'
import { seeded } from '../support/typist.ts'
import { startWire } from '../support/wire.ts'
import { startWorld, until } from '../support/world.ts'

const seed = Number(process.env['AGMD_TEST_SEED'] ?? Date.now() % 1_000_000)

/** Waits until a standby follows a cluster, with this state of synchronization. */
const follows = (cluster: Cluster, state: 'async' | 'sync'): Promise<void> => {
  const check = `do $$ begin assert exists (select from pg_stat_replication where state = 'streaming' and sync_state = '${state}'); end $$`
  return until(
    () =>
      cluster.sql(check).then(
        () => true,
        () => false
      ),
    'the standby'
  )
}

describe.skipIf(noPostgres !== undefined)('PostgreSQL fails over', () => {
  test('[FAULT-27] a failover to a synchronous standby loses nothing that was acknowledged; an asynchronous one makes the server warn', async () => {
    console.log(`failover.test: seed ${seed} (AGMD_TEST_SEED)`)
    let primary = await newCluster()
    onTestFinished(() => primary.remove())
    const wire = await startWire(primary.port)
    onTestFinished(() => wire.stop())
    const env = { AGMD_STORAGE: `postgres://agmd@127.0.0.1:${wire.port}/postgres` }
    let standby = await primary.standby()
    onTestFinished(() => standby.remove())
    await follows(primary, 'async')
    const first = await startWorld({ env })
    onTestFinished(() => first.stop())
    expect(first.lines.join('\n')).toContain('A standby is asynchronous')
    const worlds = [first, await startWorld({ env, besides: first })] as const
    onTestFinished(() => worlds[1].stop())
    const random = seeded(seed)
    const load = await createNodeLoad(worlds, random, seed)
    for (let round = 0; round < repeats(1, 20); round++) {
      if (round > 0) {
        primary.remove()
        primary = standby
        standby = await primary.standby()
      }
      await primary.sql(`alter system set synchronous_standby_names = 'standby'`)
      await primary.sql('select pg_reload_conf()')
      await follows(primary, 'sync')
      await load.during(async () => {
        await primary.kill()
        await standby.promote()
        await standby.sql(`alter system reset synchronous_standby_names`)
        await standby.sql('select pg_reload_conf()')
        wire.target = standby.port
      })
    }
  })
})
