/** The event feed as server-sent events. */
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Account, createAccount } from '../../server/domain/accounts/accounts.ts'
import { openSession } from '../../server/domain/accounts/sessions.ts'
import { limits } from '../../shared/limits.ts'
import { testClock } from '../support/clock.ts'
import { type Json, type Person, startWorld, until, type World } from '../support/world.ts'

const clock = testClock()
let world: World
beforeAll(async () => {
  world = await startWorld({ clock })
})
afterAll(async () => {
  let stopped = false
  const stopping = world.stop().finally(() => (stopped = true))
  // The server may have to cut off a connection that `fetch` opened and never used.
  const cutMs = (limits.stopSecondsMax / 4) * 1000
  await until(() => {
    if (clock.awaits(cutMs)) clock.advance(cutMs)
    return stopped
  }, 'the end of the server')
  await stopping
})

interface Listener {
  readonly status: number
  readonly headers: Headers
  /** Returns everything that was received. */
  text(): string
  events(): Json[]
  ids(): string[]
  /** The reason that the stream gives when it ends. */
  readonly reason: Promise<string | undefined>
  leave(): void
}

interface Listening {
  readonly query?: Record<string, string>
  readonly headers?: Record<string, string>
  readonly at?: World
}

const listen = async (person: Person, { query = {}, headers = {}, at = world }: Listening = {}): Promise<Listener> => {
  const leaving = new AbortController()
  const response = await fetch(`${at.url}/api/docs/${person.doc}/events?${new URLSearchParams(query).toString()}`, {
    headers: { Accept: 'text/event-stream', 'X-Share-Key': person.key, ...headers },
    signal: leaving.signal
  })
  let text = ''
  const lines = (field: string): string[] => [...text.matchAll(new RegExp(`^${field}: (.*)$`, 'gm'))].map((match) => match[1] ?? '')
  const read = async (): Promise<string | undefined> => {
    try {
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) text += chunk
    } catch {
      return 'cut off'
    }
    return /^event: end\ndata: (.*)$/m.exec(text)?.[1]
  }
  const reason = read().then((said) => (said === undefined || said === 'cut off' ? said : JSON.parse(said).reason))
  return {
    status: response.status,
    headers: response.headers,
    text: () => text,
    events: () => lines('data').map((line) => JSON.parse(line) as Json),
    ids: () => lines('id'),
    reason,
    leave: () => leaving.abort()
  }
}

const kinds = (stream: Listener): string[] => stream.events().flatMap(({ kind }) => kind ?? [])

test('[SSE-1] events come as messages with their cursors; a client that accepts JSON gets JSON', async () => {
  const owner = await world.create('one')
  const stream = await listen(owner)
  expect(stream).toMatchObject({ status: 200 })
  expect(stream.headers.get('Content-Type')).toBe('text/event-stream; charset=utf-8')
  await until(() => kinds(stream).length === 1, 'what was')
  await owner.ask('POST', '/comments', { json: { body: 'Whose?', find: 'one' } })
  await until(() => kinds(stream).length === 2, 'what comes')
  expect(stream.text().startsWith(`retry: ${limits.eventStreamRetryMs}\n\nid: 1\ndata: {`)).toBe(true)
  expect(stream.ids()).toEqual(['1', '2'])
  expect(stream.events()).toEqual((await owner.events()).events)
  stream.leave()
  for (const Accept of ['*/*', 'application/json', 'application/json, text/event-stream'])
    expect((await owner.ask('GET', '/events', { headers: { Accept } })).json.latest).toBe(2)
})

test('[SSE-6] a brief stream has the rows of the brief list', async () => {
  const owner = await world.create('one')
  await owner.ask('POST', '/comments', { json: { body: 'Whose?', find: 'one' } })
  const stream = await listen(owner, { query: { since: '0', brief: '1' } })
  await until(() => kinds(stream).length === 2, 'what was')
  const { json } = await owner.ask('GET', '/events', { query: { since: '0', brief: '1' } })
  expect(stream.events()).toEqual(json.events)
  expect(stream.events()[0]).not.toHaveProperty('id')
  stream.leave()
})

test('[SSE-2] Last-Event-ID continues after that event, filters work, and the id moves past filtered events', async () => {
  const owner = await world.create('one')
  await owner.replace('two', { author: 'Ada' })
  await owner.replace('three', { author: 'Ben' })
  const back = await listen(owner, { query: { since: '0' }, headers: { 'Last-Event-ID': '1' } })
  const filtered = await listen(owner, { query: { since: '1', types: 'content.replaced', excludeActor: 'Ben' } })
  const live = await listen(owner, { query: { since: 'latest' } })
  await owner.share('view')
  await until(() => back.ids().length === 3 && filtered.ids().at(-1) === '4' && live.ids().length === 1, 'the events')
  expect(back.ids()).toEqual(['2', '3', '4'])
  expect(filtered.events().map(({ actor }) => actor)).toEqual(['Ada'])
  expect(filtered.text()).toContain('id: 4\n\n')
  expect(live.ids()).toEqual(['4'])
  for (const stream of [back, filtered, live]) stream.leave()
  const Accept = 'text/event-stream'
  expect(await owner.ask('GET', '/events', { headers: { Accept }, query: { wait: 5 } })).toMatchObject({ status: 400 })
  expect(await owner.ask('GET', '/events', { headers: { Accept, 'Last-Event-ID': 'x' } })).toMatchObject({ status: 400 })
  expect(await world.ask('GET', `/api/docs/${owner.doc}/events`, { headers: { Accept } })).toMatchObject({ status: 401 })
})

test('[SSE-3] comments keep a quiet stream open, and nothing may buffer, transform or compress it', async () => {
  const owner = await world.create('one')
  const stream = await listen(owner, { query: { since: 'latest' }, headers: { 'Accept-Encoding': 'gzip, br' } })
  const beats = (): number => stream.text().split('\n:\n').length - 1
  for (const count of [1, 2]) {
    await until(() => clock.awaits(limits.eventStreamBeatSeconds * 1000), 'the beat')
    clock.advance(limits.eventStreamBeatSeconds * 1000)
    await until(() => beats() === count, 'a sign of life')
  }
  expect(stream.headers.get('Cache-Control')).toBe('no-store, no-transform')
  expect(stream.headers.get('X-Accel-Buffering')).toBe('no')
  expect(stream.headers.get('Content-Encoding')).toBeNull()
  stream.leave()
})

test('[SSE-4] a stream ends at once with its link, role, session, document or the server, and gives the reason', async () => {
  const owner = await world.create('one')
  const [revoked, lowered, expiring] = [
    await owner.share('edit'),
    await owner.share('edit'),
    await owner.share('view', { expiresAt: new Date(clock.now() + 5000).toISOString() })
  ]
  const since = { query: { since: 'latest' } }
  const streams = await Promise.all([revoked, lowered, expiring, owner].map((person) => listen(person, since)))
  await owner.ask('DELETE', `/shares/${revoked.link.id}`)
  expect(await streams[0]?.reason).toBe('credential_invalid')
  expect(kinds(streams[0] as Listener)).not.toContain('share.revoked')
  await owner.ask('PATCH', `/shares/${lowered.link.id}`, { json: { role: 'view' } })
  expect(await streams[1]?.reason).toBe('role_changed')
  clock.advance(5001)
  expect(await streams[2]?.reason).toBe('credential_invalid')
  const account = (await createAccount(world.service, { email: 'sse@example.org', password: 'correct horse battery' })) as Account
  const { token } = await openSession(world.service, account.id, 'app', 'a test')
  const headers = { Authorization: `Bearer ${token}` }
  const mine = world.person((await world.ask('POST', '/api/docs', { headers, json: { content: 'x' } })).json.id, '')
  const own = await fetch(`${world.url}/api/docs/${mine.doc}/events`, { headers: { ...headers, Accept: 'text/event-stream' } })
  const ownText = own.text()
  await world.ask('DELETE', '/api/me/sessions', { headers })
  expect(await ownText).toContain('"reason":"credential_invalid"')
  await owner.ask('DELETE', '', { query: { permanent: 1 } })
  expect(await streams[3]?.reason).toBe('document_deleted')
  expect(kinds(streams[3] as Listener).at(-1)).toBe('doc.deleted')
  const another = await startWorld()
  const last = await listen(await another.create('one'), { at: another })
  await until(() => last.ids().length === 1, 'the first event')
  const stopping = another.stop()
  expect(await last.reason).toBe('shutting_down')
  await stopping
})

test('[SSE-5] a caller has a bounded number of streams, and one that ends frees its slot', async () => {
  const owner = await world.create('one')
  const viewer = await owner.share('view')
  const streams = await Promise.all(Array.from({ length: limits.eventStreamsMax }, () => listen(owner)))
  expect(streams.every(({ status }) => status === 200)).toBe(true)
  const more = await listen(owner)
  expect(more.status).toBe(429)
  expect(more.headers.get('Retry-After')).toBe('5')
  const other = await listen(viewer)
  expect(other.status).toBe(200)
  streams[0]?.leave()
  await until(async () => {
    const next = await listen(owner)
    if (next.status === 200) streams.push(next)
    return next.status === 200
  }, 'the room')
  for (const stream of [...streams, other]) stream.leave()
})

test('[SSE-5] a reader that takes nothing is ended, with little buffered for it, and nobody waits for it', async () => {
  const owner = await world.create('one')
  const socket = connect(Number(new URL(world.url).port), '127.0.0.1')
  socket.write(
    `GET /api/docs/${owner.doc}/events?since=latest HTTP/1.1\r\nHost: ${new URL(world.url).host}\r\nAccept: text/event-stream\r\nX-Share-Key: ${owner.key}\r\n\r\n`
  )
  await new Promise<void>((resolve) => socket.once('data', () => resolve()))
  socket.pause()
  let closed = false
  socket.on('close', () => (closed = true))
  socket.on('error', () => undefined)
  const stalls = (): boolean => clock.awaits(limits.eventStreamStallSecondsMax * 1000)
  expect(stalls()).toBe(false)
  const words = 'x'.repeat(100_000)
  for (let count = 0; count < 5 && !stalls(); count++)
    await world.service.ledger.write(owner.doc, 'system', (draft) => {
      for (let event = 0; event < 100; event++)
        draft.event('chat.mentioned', 'system:', { names: [], author: '', sentAt: '', text: words, line: 1 })
    })
  await until(stalls, 'the stall')
  // Other readers receive everything immediately.
  const other = await listen(owner, { query: { since: 'latest' } })
  await owner.replace('done')
  await until(() => kinds(other).includes('content.replaced'), 'the event')
  other.leave()
  clock.advance(limits.eventStreamStallSecondsMax * 1000)
  socket.resume()
  await until(() => closed, 'the end')
  // `fetch` opens another connection as a replacement. This request uses it, so that the server can close it.
  await owner.read()
}, 60_000)
