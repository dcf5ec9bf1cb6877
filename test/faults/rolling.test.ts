/**
 * Two nodes on one PostgreSQL, behind the examples for reverse proxies. The nodes restart in turn while people and agents write through the proxy.
 * `AGMD_TEST_SEED` repeats a run.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { createLoad } from '../support/load.ts'
import { type Cluster, newCluster, noPostgres } from '../support/postgres.ts'
import { noProxy, type ProxyName, startProxy } from '../support/proxies.ts'
import { repeats } from '../support/repeats.ts'
import { type ProcessWorld, startProcess } from '../support/start.ts'
import { countAllTokens, wrongTokens } from '../support/tokens.ts'
import { createDocument, pause, readMarkdown, seeded, type Target, TokenLedger } from '../support/typist.ts'
import { until } from '../support/world.ts'

const seed = Number(process.env['AGMD_TEST_SEED'] ?? Date.now() % 1_000_000)

describe.skipIf(noPostgres !== undefined)('rolling restart', () => {
  let cluster: Cluster
  const folders: string[] = []
  const ports: number[] = []
  const nodes: ProcessWorld[] = []

  const startNode = async (n: number): Promise<void> => {
    const env = {
      AGMD_STORAGE: cluster.address(),
      AGMD_SECRET: 'the same secret on all nodes, 0123456789',
      AGMD_BASE_URL: 'http://agmd.test',
      AGMD_TRUST_PROXY: '1',
      AGMD_PORT: String(ports[n])
    }
    nodes[n] = await startProcess({ folder: folders[n]!, env })
    await until(async () => (await fetch(`http://127.0.0.1:${ports[n]}/readyz`)).ok, 'a ready node')
  }

  beforeAll(async () => {
    console.log(`rolling.test: seed ${seed} (AGMD_TEST_SEED)`)
    cluster = await newCluster()
    for (const n of [0, 1]) {
      folders.push(await mkdtemp(join(tmpdir(), 'agmd-rolling-')))
      ports.push(await freePort())
      await startNode(n)
    }
  }, 60_000)
  afterAll(async () => {
    for (const node of nodes) await node.stop()
    cluster?.remove()
    for (const folder of folders) await rm(folder, { recursive: true, force: true })
  })

  const names: readonly ProxyName[] = ['nginx', 'caddy']
  for (const name of names) {
    const missing = noProxy(name)
    if (missing !== undefined) process.stderr.write(`SKIPPED: ${missing}\n`)

    test.skipIf(missing !== undefined)(
      `[FAULT-31] nodes that restart in turn behind a proxy lose nothing, and everyone continues: ${name}`,
      async () => {
        const address = `127.0.0.1:${await freePort()}`
        const proxy = await startProxy(name, { address, servers: [`127.0.0.1:${ports[0]}`, `127.0.0.1:${ports[1]}`] })
        const url = `http://${address}`
        const random = seeded(seed)
        const ledger = new TokenLedger()
        const targets: readonly Target[] = [await createDocument(url, '# One\n'), await createDocument(url, '# Two\n')]
        const underLoad = createLoad({
          targetOfPerson: (n) => targets[n % 2]!,
          targetsOfAgents: () => targets.map((target) => () => target),
          random,
          ledger
        })
        try {
          for (let round = 0; round < repeats(1, 10); round++) {
            const typists = await underLoad(async () => {
              for (const n of [0, 1]) {
                expect(await nodes[n]!.kill('SIGTERM'), nodes[n]!.output().slice(-1000)).toBe(0)
                await startNode(n)
                // nginx uses a node again after a second. It counts whole seconds, so this can take two.
                await pause(2100)
              }
            })
            for (const typist of typists) await typist.whenSettled(60)
            const counts = await countAllTokens(targets)
            expect(
              wrongTokens(
                [...ledger.made].filter((token) => token.startsWith('⟦c')),
                counts
              ),
              `seed ${seed}`
            ).toEqual({ lost: [], twice: [] })
            expect(wrongTokens(ledger.acknowledged, counts), `seed ${seed}`).toEqual({ lost: [], twice: [] })
            for (const target of targets) {
              const [one, two] = await Promise.all(ports.map((port) => readMarkdown({ ...target, url: `http://127.0.0.1:${port}` })))
              expect(one, `seed ${seed}`).toEqual(two)
            }
            for (const typist of typists) {
              // A page hears 1001 when its node stops.
              expect(new Set(typist.closes), `seed ${seed}`).toEqual(new Set(typist.closes.length > 0 ? [1001] : []))
              typist.destroy()
            }
          }
        } finally {
          await proxy.stop()
        }
      },
      repeats(180_000, 900_000)
    )
  }
})
