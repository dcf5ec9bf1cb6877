/** Two nodes on one PostgreSQL. Under load, one node is killed, or PostgreSQL restarts. `AGMD_TEST_SEED` repeats a run. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createLoad, expectAllTokens, restart } from '../support/load.ts'
import { type Cluster, newCluster, noPostgres } from '../support/postgres.ts'
import { repeats } from '../support/repeats.ts'
import { type ProcessWorld, startProcess } from '../support/start.ts'
import { countAllTokens, wrongTokens } from '../support/tokens.ts'
import { type Answer, ask, type Json } from '../support/world.ts'
import { createDocument, readMarkdown, seeded, type Target, TokenLedger, type Typist } from '../support/typist.ts'

const seed = Number(process.env['AGMD_TEST_SEED'] ?? Date.now() % 1_000_000)

describe.skipIf(noPostgres !== undefined)('nodes fail', () => {
  let cluster: Cluster
  const folders: string[] = []
  const nodes: ProcessWorld[] = []
  let targets: Target[]
  const random = seeded(seed)
  const ledger = new TokenLedger()

  const startNode = async (n: number): Promise<void> => {
    const env = {
      AGMD_STORAGE: cluster.address(),
      AGMD_SECRET: 'the same secret on all nodes, 0123456789',
      AGMD_BASE_URL: 'http://agmd.test'
    }
    nodes[n] = await startProcess({ folder: folders[n]!, env })
  }

  beforeAll(async () => {
    console.log(`nodes.test: seed ${seed} (AGMD_TEST_SEED)`)
    cluster = await newCluster()
    for (const n of [0, 1]) {
      folders.push(await mkdtemp(join(tmpdir(), 'agmd-nodes-')))
      await startNode(n)
    }
    targets = [await createDocument(at(0), '# One\n'), await createDocument(at(1), '# Two\n')]
  }, 60_000)
  afterAll(async () => {
    for (const node of nodes) await node.stop()
    cluster?.remove()
    for (const folder of folders) await rm(folder, { recursive: true, force: true })
  })

  /** Returns the address of a node. Its public address belongs to all nodes. */
  const at = (n: number): string => nodes[n]!.listening
  const on = (target: Target, n: number): Target => ({ ...target, url: at(n) })

  /** Lets people and agents write on both nodes while a fault happens. The agents use both nodes in turn. */
  const underLoad = createLoad({
    targetOfPerson: (n) => on(targets[n % 2]!, Math.floor(n / 2) % 2),
    targetsOfAgents: () => targets.map((target) => (turn) => on(target, turn % 2)),
    random,
    ledger
  })

  /** Waits until everybody is in sync. Then each typed token must occur exactly once, and both nodes must have the same text and version. */
  const settle = async (typists: readonly Typist[]): Promise<void> => {
    await expectAllTokens(typists, ledger, () => targets.map((target) => on(target, 0)), `seed ${seed}`)
    for (const target of targets) expect(await readMarkdown(on(target, 1)), `seed ${seed}`).toEqual(await readMarkdown(on(target, 0)))
  }

  test('[FAULT-17] a node that is killed under load loses nothing that it acknowledged, and its people go on through another node', async () => {
    for (let round = 0; round < repeats(2, 20); round++) {
      const victim = round % 2
      const typists = await underLoad(async (all) => {
        await nodes[victim]!.kill('SIGKILL')
        const acknowledged = new Set(ledger.acknowledged)
        // The check comes before any page sends again what the dead node might have lost.
        for (const [n, typist] of all.entries()) if (Math.floor(n / 2) % 2 === victim) typist.disconnect(true)
        const counts = await countAllTokens(targets.map((target) => on(target, 1 - victim)))
        expect(wrongTokens(acknowledged, counts), `on the other node, seed ${seed}`).toEqual({ lost: [], twice: [] })
        for (const [n, typist] of all.entries()) if (Math.floor(n / 2) % 2 === victim) typist.connect(on(targets[n % 2]!, 1 - victim))
        await startNode(victim)
      })
      await settle(typists)
    }
  }, 180_000)

  test('[FAULT-22] copies of a request that reach two nodes at once take effect once, and all get the same answer', async () => {
    const { doc, key } = targets[0]!
    const headers = { 'X-Share-Key': key }
    for (let round = 0; round < repeats(3, 20); round++) {
      const [token, comment] = [`⟦r${round}⟧`, `comment ${round}`]
      const send = (n: number, path: string, json: object, id: string): Promise<Answer> =>
        ask(at(n), 'POST', path, { headers: { ...headers, 'Idempotency-Key': `${id} ${seed} ${round}` }, json })
      const append = { operations: [{ op: 'append', text: `${token}\n` }] }
      const answers = await Promise.all(
        [0, 1, 0, 1].flatMap((n) => [
          send(n, `/api/docs/${doc}/edits`, append, 'edit'),
          send(n, `/api/docs/${doc}/comments`, { body: comment }, 'comment'),
          send(n, '/api/docs', { content: 'new' }, 'document')
        ])
      )
      expect(answers.map(({ status }) => status)).toEqual([0, 1, 2, 3].flatMap(() => [200, 201, 201]))
      for (const first of [0, 1, 2]) {
        const same = answers.filter((_answer, index) => index % 3 === first)
        for (const { json } of same) expect(json).toEqual(same[0]!.json)
      }
      for (const n of [0, 1]) {
        expect((await readMarkdown(on(targets[0]!, n))).content.split(token)).toHaveLength(2)
        const { json } = await ask(at(n), 'GET', `/api/docs/${doc}/comments`, { headers })
        expect(json.comments.filter(({ body }: Json) => body === comment)).toHaveLength(1)
      }
    }
  })

  test('[FAULT-18] after a restart of PostgreSQL under load, both nodes go on without a restart, and have the same text', async () => {
    for (let round = 0; round < repeats(1, 20); round++) {
      const typists = await underLoad(() => restart(cluster, random))
      await settle(typists)
    }
  }, 120_000)
})
