/** A PostgreSQL server that restarts, hangs or crashes under load. `AGMD_TEST_SEED` repeats a run. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { patience } from '../../server/storage/postgres/connection.ts'
import { createLoad, expectAllTokens, restart } from '../support/load.ts'
import { type Cluster, newCluster, noPostgres } from '../support/postgres.ts'
import { repeats } from '../support/repeats.ts'
import { type ProcessWorld, startProcess } from '../support/start.ts'
import { countAllTokens, wrongTokens } from '../support/tokens.ts'
import { createDocument, pause, seeded, type Target, TokenLedger, type Typist } from '../support/typist.ts'
import { type Answer, ask, settledWithin, startWorld, until } from '../support/world.ts'

const seed = Number(process.env['AGMD_TEST_SEED'] ?? Date.now() % 1_000_000)
const rounds = repeats(2, 20)
const documentsCount = 3

describe.skipIf(noPostgres !== undefined)('PostgreSQL fails', () => {
  let cluster: Cluster
  let folder: string
  let server: ProcessWorld
  let targets: Target[]
  const random = seeded(seed)
  const ledger = new TokenLedger()

  beforeAll(async () => {
    console.log(`postgres.test: seed ${seed}, ${rounds} rounds (AGMD_TEST_SEED)`)
    cluster = await newCluster({ onDisk: true })
    folder = await mkdtemp(join(tmpdir(), 'agmd-postgres-'))
    await startServer()
    targets = []
    for (let n = 0; n < documentsCount; n++) targets.push(await createDocument(server.url, `# Document ${n}\n`))
  })
  afterAll(async () => {
    await server?.stop()
    cluster?.remove()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  const startServer = async (): Promise<void> => {
    server = await startProcess({ folder, env: { AGMD_STORAGE: cluster.address() } })
  }
  const here = (target: Target): Target => ({ ...target, url: server.url })

  const underLoad = createLoad({
    targetOfPerson: (n) => here(targets[n % documentsCount] as Target),
    targetsOfAgents: () => targets.map((target) => () => here(target)),
    random,
    ledger
  })

  const wrongs = async (expected: Iterable<string>): Promise<{ lost: string[]; twice: string[] }> =>
    wrongTokens(expected, await countAllTokens(targets.map(here)))

  const settle = (typists: readonly Typist[]): Promise<void> => expectAllTokens(typists, ledger, () => targets.map(here), `seed ${seed}`)

  test('[FAULT-13] a restart of PostgreSQL under load causes only a wait: nothing is lost or duplicated, and no restart is needed', async () => {
    for (let round = 0; round < rounds; round++) {
      const typists = await underLoad(() => restart(cluster, random))
      await settle(typists)
      expect(typists.flatMap(({ closes }) => closes)).toEqual([])
    }
  })

  test('[FAULT-14] a crash of PostgreSQL and of the server at once loses nothing that was acknowledged, and doubles nothing', async () => {
    for (let round = 0; round < rounds; round++) {
      let acknowledged = new Set<string>()
      const typists = await underLoad(async (all) => {
        await cluster.kill()
        for (const typist of all) typist.disconnect(true)
        await server.kill('SIGKILL')
        acknowledged = new Set(ledger.acknowledged)
        await cluster.start()
        await startServer()
      })
      // The check comes before any page reconnects and sends what the server might have lost.
      expect(await wrongs(acknowledged), `on disk, seed ${seed}`).toEqual({ lost: [], twice: [] })
      typists.forEach((typist, n) => typist.connect(here(targets[n % documentsCount] as Target)))
      await settle(typists)
    }
  })

  test('[FAULT-15] while PostgreSQL hangs for ten seconds, acknowledgements and reads wait; then they come, on the same sockets', async () => {
    for (let round = 0; round < repeats(1, 20); round++) {
      const typists = await underLoad(async (all) => {
        cluster.pause()
        // After this pause, the typists have received everything that was in transit.
        await pause(500)
        const late = all.map((typist) => typist.typeToken(0))
        const cold = ask(server.url, 'POST', '/api/docs', { json: { content: 'made meanwhile' } })
        await pause(9_500)
        expect(late.filter((token) => ledger.acknowledged.has(token))).toEqual([])
        cluster.resume()
        expect((await cold).status).toBe(201)
        await until(() => late.every((token) => ledger.acknowledged.has(token)), 'the acknowledgements', 20)
        expect(all.flatMap(({ closes }) => closes)).toEqual([])
      })
      await settle(typists)
    }
  })
})

describe.skipIf(noPostgres !== undefined)('PostgreSQL stays away', () => {
  test('[FAULT-16] [HEALTH-5] requests get 503 with the next step once PostgreSQL is away for too long, and pass again without a restart when it is back', async () => {
    const usual = { ...patience }
    Object.assign(patience, { readSeconds: 1, commitSeconds: 1, silentSeconds: 1 })
    const cluster = await newCluster()
    const world = await startWorld({ env: { AGMD_STORAGE: cluster.address('away') } })
    try {
      const ana = await world.create('before')
      const { version } = await ana.read()
      const ready = (): Promise<Answer> => world.ask('GET', '/readyz')
      expect((await ready()).status).toBe(200)
      await cluster.stop()
      await until(async () => (await ready()).status !== 200, 'the end of the readiness')
      expect(await ready()).toMatchObject({ status: 503, json: { reason: 'unreachable' } })
      const refused = await ana.ask('PUT', '/content', { json: { content: 'after' } })
      expect(refused).toMatchObject({ status: 503, json: { code: 'storage_unavailable', retryable: true } })
      expect(refused.headers.get('retry-after')).toBe('5')
      const statuses = new Set<number>()
      await until(async () => {
        const { status } = await world.ask('GET', `/d/${ana.doc}.md`, { key: ana.key })
        statuses.add(status)
        return status === 503
      }, 'a refused read')
      statuses.delete(200)
      expect([...statuses]).toEqual([503])
      // The request is refused immediately, because the server has stopped waiting for PostgreSQL. Otherwise it would wait for minutes.
      patience.readSeconds = 600
      expect(await settledWithin(ana.ask('GET', '/revisions'), 20_000)).toMatchObject({ status: 503 })
      patience.readSeconds = 1
      await cluster.start()
      await until(async () => (await ana.ask('GET', '/revisions')).status === 200, 'an answer')
      await until(async () => (await ready()).status === 200, 'readiness')
      expect((await ana.read()).content).toBe('before')
      await ana.replace('after', { ifMatch: `"${version}"` })
      expect((await ana.read()).content).toBe('after')
    } finally {
      await world.stop()
      cluster.remove()
      Object.assign(patience, usual)
    }
  })
})
