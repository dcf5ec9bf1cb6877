/** The metrics of the server, as Prometheus reads them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statfs } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { limits } from '../../shared/limits.ts'
import { ServiceError } from '../../shared/errors.ts'
import { metricTable } from '../../server/metrics/table.ts'
import { laneLoads } from '../../server/threads/lane.ts'
import { type TestClock, testClock } from '../support/clock.ts'
import { type Scraped, scrape } from '../support/exposition.ts'
import { type FaultyStore, faultyStore } from '../support/faulty-store.ts'
import { type HeldStorage, heldStorage } from '../support/held-storage.ts'
import { png } from '../support/media.ts'
import { dialIn, newSigned } from '../support/nodes.ts'
import { ask, frameOf, startWorld, until, type World } from '../support/world.ts'
import * as encoding from 'lib0/encoding'

const token = 'a-token-of-the-monitoring'
const megabyte = 1024 * 1024

let world: World
let clock: TestClock
let held: HeldStorage
let store: FaultyStore
let readOnly = false
beforeAll(async () => {
  clock = testClock()
  held = heldStorage()
  store = faultyStore()
  world = await startWorld({
    clock,
    storage: (storage) => held.storage(store.storage(storage)),
    readOnly: () => readOnly,
    env: { AGMD_METRICS_TOKEN: token, AGMD_ANONYMOUS_MEGABYTES: '20', AGMD_ASSET_MEGABYTES: '7', AGMD_NODE_ACCOUNTS: 'node@example.org' }
  })
})
afterAll(() => world.stop())

const now = (): Promise<Scraped> => scrape(world.url, token)

test('[METRIC-1] without a setting, there are no metrics, and the metrics library is not loaded', async () => {
  const plain = await startWorld()
  const answer = await ask(plain.url, 'GET', '/metrics')
  expect(answer).toMatchObject({ status: 404, json: { code: 'not_found', hint: expect.stringContaining('AGMD_METRICS_TOKEN') } })
  await plain.stop()
  const hasLoaded = (paths: readonly string[]): boolean => paths.some((path) => path.includes('prom-client'))
  expect(hasLoaded(Object.keys(createRequire(import.meta.url).cache))).toBe(true)
  // A separate process is needed, because other tests have loaded the library in this one.
  const source = `
    import { createRequire } from 'node:module'
    import { start } from './test/support/start.ts'
    const world = await start()
    process.send(Object.keys(createRequire(import.meta.url).cache))
    await world.stop()
    process.exit()`
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const [paths] = (await once(child, 'message')) as [string[]]
  expect(paths.length).toBeGreaterThan(100)
  expect(hasLoaded(paths)).toBe(false)
})

const statusOf = async (url: string, headers: Record<string, string> = {}): Promise<number> =>
  (await ask(url, 'GET', '/metrics', { headers })).status

test('[METRIC-2] the token opens the metrics, and nothing else does', async () => {
  expect(await statusOf(world.url, { Authorization: `Bearer ${token}` })).toBe(200)
  expect((await fetch(`${world.url}/metrics`, { method: 'HEAD', headers: { Authorization: `bearer ${token}` } })).status).toBe(200)
  for (const header of [undefined, '', 'Bearer', `Bearer ${token}x`, `Bearer ${token.slice(1)}`, `Basic ${token}`, token])
    expect(await statusOf(world.url, header === undefined ? {} : { Authorization: header }), header).toBe(401)
  const refused = await ask(world.url, 'GET', `/metrics?token=${token}`)
  expect(refused.headers.get('WWW-Authenticate')).toBe('Bearer')
  expect(refused.headers.get('Content-Type')).toBe('application/problem+json')
  expect((await ask(world.url, 'POST', '/metrics')).status).toBe(405)
})

test('[METRIC-2] [METRIC-3] a configured address can read the metrics, unless an undeclared proxy forwarded the request', async () => {
  const near = await startWorld({ env: { AGMD_METRICS_ADDRESSES: '10.1.0.0/16, ::1 127.0.0.1' } })
  expect(await statusOf(near.url)).toBe(200)
  expect(await statusOf(near.url, { 'X-Forwarded-For': '127.0.0.1' })).toBe(403)
  expect(await statusOf(near.url, { Forwarded: 'for=127.0.0.1' })).toBe(403)
  await near.stop()
  const far = await startWorld({ env: { AGMD_METRICS_ADDRESSES: '10.1.0.0/16,2001:db8::/32', AGMD_TRUST_PROXY: '1' } })
  const from = (address: string): Promise<number> => statusOf(far.url, { 'X-Forwarded-For': address })
  expect(await statusOf(far.url)).toBe(403)
  for (const address of ['10.1.2.3', '6.6.6.6, 10.1.2.3', '::ffff:10.1.2.3', '2001:db8:1::7'])
    expect(await from(address), address).toBe(200)
  for (const address of ['10.2.0.1', '10.1.2.3, 6.6.6.6', '2001:db9::1', 'unknown']) expect(await from(address), address).toBe(403)
  await far.stop()
})

test('[METRIC-4] /metrics contains every metric of the table, with its type and help, and the standard metrics of Node', async () => {
  await ask(world.url, 'GET', '/api/health')
  await ask(world.url, 'GET', '/nowhere')
  store.fault = new ServiceError('storage_full')
  await ask(world.url, 'POST', '/api/docs', { json: { content: 'a' } })
  store.fault = undefined
  const { metrics } = await now()
  for (const { name, type, help, labels } of Object.values(metricTable)) {
    const found = metrics.get(name)
    expect(found, name).toMatchObject({ type, help })
    expect(found?.samples.length, name).toBeGreaterThan(0)
    for (const sample of found?.samples ?? [])
      expect(
        Object.keys(sample.labels)
          .filter((each) => each !== 'le')
          .toSorted()
      ).toEqual([...labels].toSorted())
  }
  expect([...metrics.keys()].filter((name) => name.startsWith('agmd_')).toSorted()).toEqual(
    Object.values(metricTable)
      .map(({ name }) => name)
      .toSorted()
  )
  for (const name of ['nodejs_eventloop_lag_p99_seconds', 'process_resident_memory_bytes', 'process_cpu_seconds_total'])
    expect(metrics.has(name)).toBe(true)
})

test('[METRIC-5] requests count by route and status class, errors by code, and nothing that is sent becomes a label', async () => {
  const { name } = metricTable.requests
  const count = async (labels: Record<string, string>): Promise<number> => (await now()).value(`${name}_count`, labels) ?? 0
  const read = { method: 'GET', route: '/api/docs/{id}/content', status: '2xx' }
  const missing = { ...read, status: '4xx' }
  const [reads, misses] = [await count(read), await count(missing)]
  const owner = await world.create('text')
  for (let times = 0; times < 3; times++) await owner.read()
  const none = await ask(world.url, 'GET', '/api/docs/none00000000/content')
  expect([await count(read), await count(missing)]).toEqual([reads + 3, misses + 1])
  expect((await now()).value(metricTable.errors.name, { code: none.json.code })).toBeGreaterThan(0)
  await ask(world.url, 'GET', `/d/${owner.doc}`, { key: owner.key })
  const before = (await now()).metrics.get(name)?.samples.length
  for (let at = 0; at < 20; at++) {
    await ask(world.url, 'GET', `/made-up-${at}?x=${at}`)
    await ask(world.url, 'GET', `/d/${owner.doc}`, { key: owner.key, query: { v: at } })
    await ask(world.url, 'PROPFIND', `/made-up-${at}`)
  }
  const all = (await now()).metrics.get(name)?.samples ?? []
  expect(new Set(all.map(({ labels }) => labels['route']))).not.toContain(`/d/${owner.doc}`)
  expect([...new Set(all.map(({ labels }) => labels['route']))]).toEqual(expect.arrayContaining(['/d/{}', 'other']))
  expect(JSON.stringify(all)).not.toMatch(/made-up|PROPFIND/)
  // The requests above add at most two series: "other" with GET, and "other" with the unknown method.
  expect(all.length - (before ?? 0)).toBeLessThanOrEqual(2 * 14)
})

test('[METRIC-6] documents, people, sockets, the journal and commits follow what happens', async () => {
  const owner = await world.create('text')
  const still = await now()
  const value = async (field: keyof typeof metricTable, labels?: Record<string, string>): Promise<number> =>
    (await now()).value(metricTable[field].name, labels) ?? Number.NaN
  const before = { documents: await value('documents'), people: await value('people'), sockets: await value('sockets', { kind: 'page' }) }
  const ana = await newSigned(world, 'people@example.org')
  const session = ana.headers['Authorization']?.slice('Bearer '.length) ?? ''
  const hers = await ana.document('hers')
  const pages = [await world.person(hers.doc, session).connect(), await world.person(hers.doc, session).connect(), await owner.connect()]
  expect(await value('documents')).toBe(before.documents + 2)
  expect(await value('sockets', { kind: 'page' })).toBe(before.sockets + 3)
  expect(await value('people')).toBe(before.people + 2)
  expect(await value('journalLag')).toBe(0)
  await until(async () => (await value('commitsWaiting')) === 0, 'the end of the commits')
  held.hold()
  pages[2]?.type(0, 'typed ')
  await until(() => held.waiting() > 0, 'a commit')
  clock.advance(5000)
  expect(await value('journalLag')).toBe(5)
  expect(await value('commitsWaiting')).toBeGreaterThan(0)
  held.release()
  await pages[2]?.saved()
  expect(await value('journalLag')).toBe(0)
  const commits = `${metricTable.commits.name}_count`
  expect((await now()).value(commits)).toBeGreaterThan(still.value(commits) ?? Number.NaN)
  const failures = await value('commitFailures', { code: 'storage_full' })
  store.fault = new ServiceError('storage_full')
  await ask(world.url, 'POST', '/api/docs', { json: { content: 'a' } })
  store.fault = undefined
  expect(await value('commitFailures', { code: 'storage_full' })).toBeGreaterThan(failures)
  for (const page of pages) page.close()
  await until(async () => (await value('sockets', { kind: 'page' })) === before.sockets, 'the sockets to be gone')
  expect(await value('people')).toBe(before.people)
})

test('[METRIC-6] bytes that a client does not read are counted', async () => {
  const owner = await world.create('x'.repeat(4_000_000))
  const lazy = await world.socket()
  await lazy.open(owner.doc, owner.key)
  const unread = async (): Promise<number> => (await now()).value(metricTable.unreadBytes.name) ?? Number.NaN
  expect(await unread()).toBeLessThan(megabyte)
  lazy.pause()
  const everything = frameOf(
    owner.doc,
    0,
    (encoder) => (encoding.writeVarUint(encoder, 0), encoding.writeVarUint8Array(encoder, new Uint8Array([0])))
  )
  for (let asked = 0; asked < 3; asked++) lazy.send(everything)
  await until(() => world.counts().waitingBytes > megabyte, 'answers that wait')
  expect(await unread()).toBeGreaterThan(megabyte)
  lazy.close()
})

test('[METRIC-7] storage and quotas follow what is stored', async () => {
  const { storeBytes, freeBytes, quotas, nearQuota, readOnly: refuses } = metricTable
  const bytes = async (kind: string): Promise<number> => (await now()).value(storeBytes.name, { kind }) ?? Number.NaN
  const free = (await now()).value(freeBytes.name) ?? Number.NaN
  const disk = await statfs(world.folder)
  expect(Math.abs(free - disk.bavail * disk.bsize)).toBeLessThan(1024 * megabyte)
  const [store, assets] = [await bytes('store'), await bytes('assets')]
  const owner = await world.create('text')
  const picture = png(40, 40)
  expect((await owner.ask('POST', '/assets', { body: picture, type: 'image/png' })).status).toBe(201)
  expect(await bytes('assets')).toBe(assets)
  clock.advance(limits.assetsMeasuredMinutes * 60_000)
  expect(await bytes('assets')).toBe(assets + picture.length)
  const quota = async (name: string): Promise<number | undefined> => (await now()).value(quotas.name, { quota: name })
  expect([await quota('document'), await quota('address'), await quota('assets')]).toEqual([256 * megabyte, 20 * megabyte, 7 * megabyte])
  const near = async (): Promise<number | undefined> => (await now()).value(nearQuota.name, { quota: 'address' })
  expect(await near()).toBe(0)
  for (let at = 0; at < 60 && (await near()) === 0; at++) await world.create('x'.repeat(300_000))
  expect(await near()).toBe(1)
  expect(await bytes('store')).toBeGreaterThan(store)
  expect((await now()).value(refuses.name)).toBe(0)
  readOnly = true
  expect((await now()).value(refuses.name)).toBe(1)
  readOnly = false
})

test('[METRIC-8] threads, nodes and jobs follow what waits, runs and has ended', async () => {
  const { laneJobs, nodes, jobs, jobsEnded } = metricTable
  const value = async (name: string, labels?: Record<string, string>): Promise<number> => (await now()).value(name, labels) ?? Number.NaN
  expect(
    laneLoads()
      .map(({ lane }) => lane)
      .toSorted()
  ).toEqual(['first_text', 'page', 'page_slow', 'text', 'text_slow'])
  const large = (word: string): string => Array.from({ length: 60_000 }, (_, at) => `${word} ${at * 7919}`).join('\n')
  const work = ['one', 'two', 'three'].map((word) => world.service.texts.do('doc', 'unifiedDiff', large(word), large('other'), 1000))
  expect([
    await value(laneJobs.name, { lane: 'text', state: 'running' }),
    await value(laneJobs.name, { lane: 'text', state: 'waiting' })
  ]).toEqual([1, 2])
  await Promise.allSettled(work)
  await until(async () => (await value(laneJobs.name, { lane: 'text', state: 'running' })) === 0, 'the end of the work')

  const ben = await newSigned(world, 'node@example.org', true)
  expect([await value(nodes.name), await value(jobs.name, { state: 'queued' })]).toEqual([0, 0])
  const doc = await ben.document()
  const node = await dialIn(world, (await ben.nodeToken()).token, { slots: 1 })
  expect([await value(nodes.name), await value('agmd_sockets', { kind: 'node' })]).toEqual([1, 1])
  const begin = (): Promise<unknown> => doc.ask('POST', '/media/image', { json: { prompt: 'A boat', width: 64, height: 64 } })
  await begin()
  const first = await node.next()
  await begin()
  await until(async () => (await value(jobs.name, { state: 'queued' })) === 1, 'a job that waits')
  expect(await value(jobs.name, { state: 'running' })).toBe(1)
  await node.answer(first.job, {}, { bytes: png(64, 64), contentType: 'image/png' })
  const second = await node.next()
  node.say({ type: 'fail', job: second.job, code: 'engine_failed', message: 'no paint' })
  await until(async () => (await value(jobsEnded.name, { outcome: 'failed' })) === 1, 'the failure')
  expect(await value(jobsEnded.name, { outcome: 'done' })).toBe(1)
  node.die()
  await until(async () => (await value(nodes.name)) === 0, 'the node to be gone')
})

test('[METRIC-4] the version is a metric', async () => {
  expect((await now()).value(metricTable.info.name, { version: 'test' })).toBe(1)
})
