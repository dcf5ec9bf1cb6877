import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expiring, sweep } from '../../server/domain/records/expiry.ts'
import type { Put } from '../../server/domain/ports.ts'
import { limits } from '../../shared/limits.ts'
import { testClock } from '../support/clock.ts'
import { type Answer, type Ask, startWorld, type World } from '../support/world.ts'

const clock = testClock()
let world: World
beforeAll(async () => {
  world = await startWorld({ clock })
})
afterAll(() => world.stop())

const once = (key: string = randomUUID()): { headers: Record<string, string> } => ({ headers: { 'Idempotency-Key': key } })
const replayed = ({ headers }: Answer): boolean => headers.get('Idempotency-Replayed') === 'true'

/** Sends the same request twice and expects the same answer. */
const twice = async (send: (how: Ask) => Promise<Answer>): Promise<Answer> => {
  const how = once()
  const [first, second] = [await send(how), await send(how)]
  expect(first.status).toBeLessThan(300)
  expect([replayed(first), replayed(second)]).toEqual([false, true])
  expect({ status: second.status, json: second.json }).toEqual({ status: first.status, json: first.json })
  return second
}

test('[RETRY-1] a repeated creation does not create a second document and returns the same answer, with its key', async () => {
  const before = (await world.service.storage.list(['key'])).length
  const { json, headers } = await twice((how) => world.ask('POST', '/new', { json: { content: 'one' }, ...how }))
  expect(headers.get('Location')).toBe(json.url)
  expect((await world.person(json.id, json.key).read()).content).toBe('one')
  expect((await world.service.storage.list(['key'])).length).toBe(before + 1)
})

test('[RETRY-1] a PUT repeated after another change returns the same answer and changes nothing', async () => {
  const owner = await world.create('one')
  const how = once()
  const put = (): Promise<Answer> => owner.ask('PUT', '/content', { json: { content: 'two', baseVersion: owner.created.version }, ...how })
  const first = await put()
  await owner.replace('three')
  const second = await put()
  expect({ status: second.status, json: second.json, replayed: replayed(second) }).toEqual({
    status: 200,
    json: first.json,
    replayed: true
  })
  expect((await owner.read()).content).toBe('three')
})

test('[RETRY-1] repeated share, revocation, restore and deletion act once', async () => {
  const owner = await world.create('one')
  await owner.replace('two')
  const { json } = await twice((how) => owner.ask('POST', '/shares', { json: { role: 'view' }, ...how }))
  expect((await owner.ask('GET', '/shares')).json.shares.length).toBe(2)
  await twice((how) => owner.ask('DELETE', `/shares/${json.secret}`, how))
  await twice((how) => owner.ask('POST', '/restore', { json: { revision: 1 }, ...how }))
  expect((await owner.revisions()).total).toBe(3)
  await twice((how) => owner.ask('DELETE', '', how))
  expect(await owner.ask('DELETE', '', once())).toMatchObject({ status: 410 })
})

test('[RETRY-2] the same key with other contents returns 422 and changes nothing', async () => {
  const owner = await world.create('one')
  const how = once()
  await owner.ask('PUT', '/content', { json: { content: 'two' }, ...how })
  const others: Ask[] = [
    { json: { content: 'three' }, ...how },
    { json: { content: 'two' }, headers: { ...how.headers, 'If-Match': '*' } },
    { json: { content: 'two' }, query: { label: 'x' }, ...how },
    { body: '{"content":"two"}', type: 'text/markdown', ...how }
  ]
  for (const other of others)
    expect(await owner.ask('PUT', '/content', other)).toMatchObject({ status: 422, json: { code: 'idempotency_key_reused' } })
  expect((await owner.read()).content).toBe('two')
})

test('[RETRY-3] many concurrent copies of a request act once and get the same answer', async () => {
  const owner = await world.create('one')
  const how = once()
  const shares = await Promise.all(Array.from({ length: 20 }, () => owner.ask('POST', '/shares', { json: { role: 'view' }, ...how })))
  expect(new Set(shares.map(({ json }) => json.secret)).size).toBe(1)
  expect(shares.filter((answer) => !replayed(answer)).length).toBe(1)
  const made = once()
  const documents = await Promise.all(Array.from({ length: 20 }, () => world.ask('POST', '/api/docs', { json: {}, ...made })))
  expect(new Set(documents.map(({ json }) => json.id)).size).toBe(1)
})

test('[RETRY-4] a remembered answer survives a restart', async () => {
  let own = await startWorld()
  const owner = await own.create('one')
  const how = once()
  const made = await own.ask('POST', '/new', { json: {}, ...how })
  const put = await owner.ask('PUT', '/content', { json: { content: 'two' }, ...how })
  own = await own.restart()
  const again = own.person(owner.doc, owner.key)
  const putAgain = await again.ask('PUT', '/content', { json: { content: 'two' }, ...how })
  expect({ json: putAgain.json, replayed: replayed(putAgain) }).toEqual({ json: put.json, replayed: true })
  expect((await own.ask('POST', '/new', { json: {}, ...how })).json.key).toBe(made.json.key)
  await own.stop()
})

test('[RETRY-5] a key is scoped to one caller, document and operation', async () => {
  const [owner, other] = [await world.create('one'), await world.create('one')]
  const guest = await owner.share('edit')
  const how = once()
  for (const person of [owner, guest, other]) {
    const answer = await person.ask('PUT', '/content', { json: { content: person.key }, ...how })
    expect({ status: answer.status, replayed: replayed(answer) }).toEqual({ status: 200, replayed: false })
  }
  expect(await owner.ask('POST', '/restore', { json: { revision: 1 }, ...how })).toMatchObject({ status: 200 })
})

test('[RETRY-5] people who share a link but have different names are different callers', async () => {
  const owner = await world.create('one')
  const how = (author: string): Ask => ({ json: { role: 'view' }, headers: { ...once('same').headers, 'X-Agent-Author': author } })
  const ada = await owner.ask('POST', '/shares', how('Ada'))
  const bob = await owner.ask('POST', '/shares', how('Bob'))
  expect([replayed(ada), replayed(bob)]).toEqual([false, false])
  expect(bob.json.id).not.toBe(ada.json.id)
  expect(replayed(await owner.ask('POST', '/shares', how('Bob')))).toBe(true)
})

test('[RETRY-10] a key is scoped to its path: a revocation does not answer for another link', async () => {
  const owner = await world.create('one')
  const [one, other] = [await owner.share('view'), await owner.share('view')]
  const how = once()
  for (const { link } of [one, other]) {
    const answer = await owner.ask('DELETE', `/shares/${link.id}`, how)
    expect({ status: answer.status, revoked: answer.json.revoked, replayed: replayed(answer) }).toEqual({
      status: 200,
      revoked: true,
      replayed: false
    })
  }
  for (const { key } of [one, other]) expect((await world.person(owner.doc, key).ask('GET', '')).status).toBe(401)
  const comments = await Promise.all(['a', 'b'].map((body) => owner.ask('POST', '/comments', { json: { body } })))
  const reply = once()
  for (const { json } of comments) {
    const answer = await owner.ask('POST', `/comments/${json.id}/replies`, { json: { body: 'Yes.' }, ...reply })
    expect({ status: answer.status, comment: answer.json.comment.id, replayed: replayed(answer) }).toEqual({
      status: 201,
      comment: json.id,
      replayed: false
    })
  }
})

test('[RETRY-6] a refused request is not remembered', async () => {
  const owner = await world.create('one')
  const how = once()
  const put = (): Promise<Answer> => owner.ask('PUT', '/content', { json: { content: 'two', baseVersion: '1-000000000000' }, ...how })
  expect((await put()).status).toBe(409)
  const again = await put()
  expect({ status: again.status, replayed: replayed(again) }).toEqual({ status: 409, replayed: false })
  expect((await owner.ask('PUT', '/content', { json: { content: 'three' }, ...how })).status).toBe(200)
})

test('[RETRY-7] answers are kept for 24 hours', async () => {
  const owner = await world.create('one')
  const how = once()
  const put = (): Promise<Answer> => owner.ask('PUT', '/content', { json: { content: 'two' }, ...how })
  await put()
  clock.advance(limits.idempotencyHours * 3_600_000)
  expect(replayed(await put())).toBe(true)
  clock.advance(1)
  expect(replayed(await put())).toBe(false)
})

test('[RETRY-8] a key that is too long returns 400; one on a GET is ignored', async () => {
  const owner = await world.create('one')
  const long = once('k'.repeat(limits.idempotencyKeyUnitsMax + 1))
  expect(await owner.ask('PUT', '/content', { json: { content: 'x' }, ...long })).toMatchObject({ status: 400 })
  const how = once()
  await owner.ask('GET', '/content', how)
  expect(replayed(await owner.ask('GET', '/content', how))).toBe(false)
})

test('[RETRY-9] a revoked key gets no remembered answer', async () => {
  const owner = await world.create('one')
  const guest = await owner.share('edit')
  const how = once()
  await guest.ask('PUT', '/content', { json: { content: 'two' }, ...how })
  await owner.ask('DELETE', `/shares/${guest.key}`)
  expect(await guest.ask('PUT', '/content', { json: { content: 'two' }, ...how })).toMatchObject({ status: 401 })
})

test('[RETRY-11] remembered answers are removed after 24 hours, however many there are', async () => {
  const own = await startWorld({ clock })
  const owner = await own.create('one')
  const dues = async (): Promise<number> => (await own.service.storage.list(['due'])).length
  const kept = async (): Promise<number> =>
    (await own.service.storage.list(['request'])).length + (await own.service.storage.list(['d', owner.doc, 'request'])).length
  await sweep(own.service)
  const before = await dues()
  for (let round = 0; round < 3; round++) {
    await owner.ask('PUT', '/content', { json: { content: `text ${round}` }, ...once() })
    await own.ask('POST', '/new', { json: {}, ...once() })
  }
  const due: Put[] = Array.from({ length: 2 * limits.sweepRecordsMax }, (_, n) =>
    expiring(['request', `flood ${n}`], { expiresAt: clock.now() + 1000 })
  ).flat()
  await own.service.storage.commit({ puts: due })
  await sweep(own.service)
  // The store lists at most `limits.listMax` entries of the flood, although there are more.
  expect(await kept()).toBe(limits.listMax + 3)
  clock.advance(limits.idempotencyHours * 3_600_000 + 2)
  await sweep(own.service)
  expect([await kept(), await dues()]).toEqual([0, before])
  await own.stop()
})

test('[RETRY-11] a key used again after 24 hours is remembered for another 24', async () => {
  const owner = await world.create('one')
  const how = once()
  const put = (): Promise<Answer> => owner.ask('PUT', '/content', { json: { content: 'two' }, ...how })
  await put()
  clock.advance(limits.idempotencyHours * 3_600_000 + 1)
  expect(replayed(await put())).toBe(false)
  await sweep(world.service)
  expect(replayed(await put())).toBe(true)
})
