/** Two nodes in this process, with faults between them and their clocks, PostgreSQL or bucket. `AGMD_TEST_SEED` repeats a run. */
import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../server/clock.ts'
import { createNodeLoad } from '../support/node-load.ts'
import { type ObjectStore, startObjectStore } from '../support/object-store.ts'
import { type Cluster, freshSchema, newCluster, noPostgres } from '../support/postgres.ts'
import { repeats } from '../support/repeats.ts'
import { pause, seeded } from '../support/typist.ts'
import { startWire } from '../support/wire.ts'
import type { StartOptions } from '../support/start.ts'
import { type Json, settledWithin, startWorld, until, type World } from '../support/world.ts'

const seed = Number(process.env['AGMD_TEST_SEED'] ?? Date.now() % 1_000_000)
const hourMs = 3_600_000
const connectionsMax = 40

describe.skipIf(noPostgres !== undefined)('nodes with faulty links', () => {
  const random = seeded(seed)
  let cluster: Cluster
  beforeAll(async () => {
    console.log(`nodes-links.test: seed ${seed} (AGMD_TEST_SEED)`)
    cluster = await newCluster()
    await cluster.stop()
    await cluster.start([`max_connections=${connectionsMax}`])
  })
  afterAll(() => cluster?.remove())

  const startNodes = async (options: StartOptions = {}, ofSecond: StartOptions = {}): Promise<readonly [World, World]> => {
    const env = { AGMD_STORAGE: cluster.address(freshSchema()), ...options.env }
    const first = await startWorld({ ...options, env })
    onTestFinished(() => first.stop())
    const second = await startWorld({ ...options, ...ofSecond, env: { ...env, ...ofSecond.env }, besides: first })
    onTestFinished(() => second.stop())
    return [first, second]
  }

  test('[FAULT-23] two nodes whose clocks differ by an hour lose and double nothing, and links of one work on the other at once', async () => {
    const worlds = await startNodes({}, { clock: { ...systemClock, now: () => Date.now() + hourMs } })
    const load = await createNodeLoad(worlds, random, seed)
    for (let round = 0; round < repeats(1, 20); round++) {
      await load.during(async () => {
        for (const [n, other] of [
          [0, 1],
          [1, 0]
        ] as const) {
          const owner = await worlds[n].create('text')
          const guest = await owner.share('edit')
          const there = worlds[other].person(owner.doc, guest.key)
          await there.replace('changed')
          const editor = await there.connect()
          await owner.ask('DELETE', `/shares/${guest.link.id}`)
          await until(() => editor.closes.length > 0, 'the end of the socket')
          const { events } = await worlds[other].person(owner.doc, owner.key).events()
          expect(events.map(({ seq }: Json) => seq)).toEqual(events.map((_event: Json, index: number) => index + 1))
        }
      })
    }
  })

  test('[FAULT-24] while PostgreSQL has no free connection, acknowledgements wait; afterward they arrive', async () => {
    const worlds = await startNodes()
    const load = await createNodeLoad(worlds, random, seed)
    for (let round = 0; round < repeats(1, 20); round++) {
      const closes = await load.during(async (typists) => {
        const taken: pg.Client[] = []
        const take = async (): Promise<boolean> => {
          const client = new pg.Client(cluster.address())
          client.on('error', () => undefined)
          return client.connect().then(
            () => taken.push(client) > 0,
            () => false
          )
        }
        await take()
        // Whenever a connection of the nodes ends, the test takes it. All attempts run at once, because a commit fails after 30 seconds.
        const [first] = taken
        while (taken.length < connectionsMax) {
          await first!.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'agmd%'`)
          await Promise.all(Array.from({ length: connectionsMax - taken.length }, take))
        }
        const token = typists[0]!.typeToken(0)
        await pause(300)
        expect(typists[0]!.unacknowledged.has(token)).toBe(true)
        await Promise.all(taken.map((client) => client.end().catch(() => undefined)))
      })
      expect(closes).toEqual([])
    }
  })

  test('[FAULT-25] a node whose listening connection went silent answers no request with old text, and has the new text soon', async () => {
    const wire = await startWire(cluster.port)
    onTestFinished(() => wire.stop())
    const schema = freshSchema()
    const throughWire = `postgres://agmd@127.0.0.1:${wire.port}/postgres?schema=${schema}`
    const worlds = await startNodes({ env: { AGMD_STORAGE: cluster.address(schema) } }, { env: { AGMD_STORAGE: throughWire } })
    const owner = await worlds[0].create('one')
    const there = worlds[1].person(owner.doc, owner.key)
    const page = await there.connect()
    onTestFinished(page.close)
    for (let round = 0; round < repeats(1, 20); round++) {
      await until(() => worlds[1].service.storage.nodes!.isListening(), 'the connection')
      const guest = await owner.share('view')
      const ofGuest = worlds[1].person(owner.doc, guest.key)
      expect((await ofGuest.ask('GET', '/content')).status).toBe(200)
      expect(wire.silence('agmd node')).toBe(1)
      await owner.replace(`round ${round}`)
      await owner.ask('DELETE', `/shares/${guest.link.id}`)
      const [{ content }, { status }] = await Promise.all([there.read(), ofGuest.ask('GET', '/content')])
      expect({ content, status }).toEqual({ content: `round ${round}`, status: 401 })
      await page.shows(`round ${round}`)
    }
    const load = await createNodeLoad(worlds, random, seed)
    await load.during(async () => {
      expect(wire.silence('agmd node')).toBe(1)
      await until(() => !worlds[1].service.storage.nodes!.isListening(), 'the end of the silent connection', 20)
      await until(() => worlds[1].service.storage.nodes!.isListening(), 'the new connection')
    })
  })

  test('[FAULT-26] uploads and assets of two nodes stay complete while the bucket fails, answers slowly or sends half an object', async () => {
    const store = await startObjectStore()
    onTestFinished(() => store.stop())
    const worlds = await startNodes({ env: { AGMD_BLOBS: store.address('assets') } })
    const owner = await worlds[0].create('text')
    const there = worlds[1].person(owner.doc, owner.key)
    const sound = (): Buffer<ArrayBuffer> => {
      const samples = randomBytes(400_000)
      const header = Buffer.from('RIFF....WAVEfmt ....................data....')
      header.writeUInt32LE(36 + samples.length, 4)
      header.set([16, 0, 0, 0, 1, 0, 1, 0, 64, 31, 0, 0, 64, 31, 0, 0, 1, 0, 8, 0], 16)
      header.writeUInt32LE(samples.length, 40)
      return Buffer.concat([header.subarray(0, 44), samples])
    }
    const faultOf =
      (fault: 'fails' | 'slow' | 'half'): ObjectStore['fault'] =>
      ({ method }, index) => {
        if (fault === 'fails') return index < 3 ? { status: 500 } : undefined
        if (fault === 'slow') return { afterMs: 300 }
        return method === 'GET' && index < 3 ? { cutAfter: 200_000 } : undefined
      }
    for (let round = 0; round < repeats(1, 20); round++) {
      for (const fault of ['fails', 'slow', 'half'] as const) {
        store.fault = faultOf(fault)
        const body = sound()
        const uploaded = there.ask('POST', '/assets', { body, type: 'audio/wav' })
        // The text does not wait for the bucket.
        expect(await settledWithin(owner.replace(`${fault} ${round}`), 5000)).toMatchObject({ ok: true })
        const { status, json } = await uploaded
        expect(status, fault).toBe(201)
        // The faults begin again with the downloads.
        store.fault = faultOf(fault)
        for (const { url } of worlds) {
          const response = await fetch(new URL(new URL(json.url).pathname, url))
          expect(response.status, fault).toBe(200)
          expect(Buffer.compare(Buffer.from(await response.arrayBuffer()), body), fault).toBe(0)
        }
      }
    }
  })
})
