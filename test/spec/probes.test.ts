/** The probes `/livez` and `/readyz`, as orchestrators and load balancers use them. */
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { ServiceError } from '../../shared/errors.ts'
import { limits, rateLimits } from '../../shared/limits.ts'
import { testClock } from '../support/clock.ts'
import { faultyStore } from '../support/faulty-store.ts'
import { freePort } from '../support/free-port.ts'
import { heldStorage } from '../support/held-storage.ts'
import { start } from '../support/start.ts'
import { type Answer, ask, settledWithin, startWorld, until } from '../support/world.ts'

const ready = (url: string): Promise<Answer> => ask(url, 'GET', '/readyz')

const expectNotReady = ({ status, headers, json }: Answer, reason: string): void => {
  expect(status, reason).toBe(503)
  expect(headers.get('Content-Type')).toBe('application/problem+json')
  expect(headers.get('Retry-After')).toBe('5')
  expect(json).toMatchObject({ status: 503, reason, instance: '/readyz' })
  expect(json.detail.length).toBeGreaterThan(10)
}

test('[HEALTH-1] [HEALTH-2] a starting server is alive, but not ready', async () => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const starting = start({ env: { AGMD_PORT: String(port) } })
  let started = false
  void starting.then(() => (started = true))
  const answers: Answer[] = []
  const lives: number[] = []
  while (!started) {
    const [one, other] = await Promise.all([ready(url), fetch(`${url}/livez`)].map((each) => each.catch(() => undefined)))
    if (one !== undefined) answers.push(one as Answer)
    if (other !== undefined) lives.push(other.status)
  }
  const world = await starting
  const early = answers.filter(({ status }) => status === 503)
  expect(early.length).toBeGreaterThan(0)
  for (const answer of early) expectNotReady(answer, 'starting')
  expect(new Set(lives)).toEqual(new Set([200]))
  expect(await ready(url)).toMatchObject({ status: 200, text: 'ready\n' })
  expect(await ask(url, 'GET', '/livez')).toMatchObject({ status: 200, text: 'alive\n' })
  await world.stop()
})

/** Sends a request without its last line. Resolves once the server has received it. */
const halfRequest = async (url: string, path: string): Promise<{ finish(): Promise<string> }> => {
  const { host, port } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1')
  let received = ''
  let isOver = false
  socket.on('data', (chunk: Buffer) => (received += chunk.toString()))
  socket.on('close', () => (isOver = true))
  socket.on('error', () => (isOver = true))
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n`)
  for (const _trip of [1, 2]) await (await fetch(`${url}/livez`)).text()
  return {
    async finish() {
      socket.write('\r\n')
      await until(() => isOver, 'the answer')
      return received
    }
  }
}

test('[HEALTH-1] [HEALTH-2] a stopping server is alive, but not ready', async () => {
  const world = await startWorld()
  const [readyz, livez] = [await halfRequest(world.url, '/readyz'), await halfRequest(world.url, '/livez')]
  const stopped = world.stop()
  const [answer, alive] = await Promise.all([readyz.finish(), livez.finish()])
  await stopped
  expect(answer).toMatch(/^HTTP\/1\.1 503 /)
  expect(JSON.parse(answer.split('\r\n\r\n')[1] ?? '')).toMatchObject({ reason: 'stopping', code: 'shutting_down' })
  expect(alive).toMatch(/^HTTP\/1\.1 200 /)
})

test('[HEALTH-3] a read-only store is not ready, and /api/health says so with 200', async () => {
  let readOnly = false
  const world = await startWorld({ readOnly: () => readOnly })
  expect((await ready(world.url)).status).toBe(200)
  readOnly = true
  expectNotReady(await ready(world.url), 'read_only')
  expect(await ask(world.url, 'GET', '/api/health')).toMatchObject({ status: 200, json: { ok: false, status: 'read_only' } })
  readOnly = false
  expect((await ready(world.url)).status).toBe(200)
  await world.stop()
})

test.each([
  ['HEALTH-4', 'full', new ServiceError('storage_full')],
  ['HEALTH-5', 'unreachable', new ServiceError('storage_unavailable')],
  ['HEALTH-5', 'unreachable', new Error('socket hang up')]
] as const)('[HEALTH-4] [HEALTH-5] a store whose commits fail is not ready until they succeed: %s, %s', async (_rule, reason, fault) => {
  const clock = testClock()
  const store = faultyStore()
  const world = await startWorld({ clock, storage: store.storage })
  expect((await ready(world.url)).status).toBe(200)
  store.fault = fault
  clock.advance(limits.readyShareMs)
  expectNotReady(await ready(world.url), reason)
  store.fault = undefined
  clock.advance(limits.readyShareMs)
  expect((await ready(world.url)).status).toBe(200)
  await world.stop()
})

test('[HEALTH-5] [HEALTH-6] a store that writes nothing within three seconds is not ready; callers share one write', async () => {
  const clock = testClock()
  // The server also writes other records while it starts.
  const held = heldStorage(({ deletes = [] }) => deletes.some(([first]) => first === 'probe'))
  const world = await startWorld({ clock, storage: held.storage })
  held.hold()
  const asked = Promise.all(Array.from({ length: 20 }, () => ready(world.url)))
  await until(() => held.waiting() > 0, 'the write')
  for (const _trip of [1, 2]) await (await fetch(`${world.url}/livez`)).text()
  expect(held.waiting()).toBe(1)
  expect(await settledWithin(asked, 0)).toBe('waiting')
  // A caller that arrives late begins a second write.
  await until(async () => {
    clock.advance(limits.readySecondsMax * 1000)
    return (await settledWithin(asked, 0)) !== 'waiting'
  }, 'the answers')
  for (const answer of await asked) expectNotReady(answer, 'unreachable')
  held.release()
  expect((await ready(world.url)).status).toBe(200)
  await world.stop()
})

test('[HEALTH-6] the probes need no credential, have no limit, leave no log record, and accept GET and HEAD', async () => {
  const usual = { ...rateLimits.request }
  Object.assign(rateLimits.request, { burst: 5 })
  const world = await startWorld({ env: { AGMD_RATE_LIMITS: 'on' }, clock: testClock() })
  try {
    for (let count = 0; count < 5; count++) expect((await ask(world.url, 'GET', '/api/health')).status).toBe(200)
    expect((await ask(world.url, 'GET', '/api/health')).status).toBe(429)
    for (const path of ['/livez', '/readyz', '/livez?verbose']) {
      for (let count = 0; count < 10; count++) expect((await fetch(`${world.url}${path}`, { method: 'HEAD' })).status).toBe(200)
      const posted = await ask(world.url, 'POST', path, { json: {} })
      expect(posted).toMatchObject({ status: 405, json: { code: 'method_not_allowed' } })
      expect(posted.headers.get('Allow')).toBe('GET, HEAD')
    }
    expect(world.lines.filter((line) => line.includes('livez') || line.includes('readyz'))).toEqual([])
  } finally {
    Object.assign(rateLimits.request, usual)
    await world.stop()
  }
})
