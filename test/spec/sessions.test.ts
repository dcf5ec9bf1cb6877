/** The access that sessions give, and their end, which takes effect everywhere at once. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Account, createAccount } from '../../server/domain/accounts/accounts.ts'
import { sweep } from '../../server/domain/records/expiry.ts'
import { openSession } from '../../server/domain/accounts/sessions.ts'
import { limits } from '../../shared/limits.ts'
import { type TestClock, testClock } from '../support/clock.ts'
import { type Answer, type Ask, type Json, settledWithin, startWorld, type World } from '../support/world.ts'

let world: World
let clock: TestClock
let ana: Account
beforeAll(async () => {
  clock = testClock()
  world = await startWorld({ clock })
  ana = (await createAccount(world.service, { email: 'ana@example.org', password: 'correct horse battery' })) as Account
})
afterAll(() => world.stop())

const days = (count: number): number => count * 24 * 3600 * 1000
const bearer = async (name = 'a program'): Promise<string> => (await openSession(world.service, ana.id, 'app', name)).token
const cookieName = (): string => `agmd-session-${new URL(world.url).port}`
const browser = async (): Promise<string> => `${cookieName()}=${(await openSession(world.service, ana.id, 'browser', 'Firefox')).token}`
const by = (token: string, method: string, path: string, what: Ask = {}): Promise<Answer> =>
  world.ask(method, path, { ...what, headers: { Authorization: `Bearer ${token}`, ...what.headers } })
const statusOf = async (token: string): Promise<number> => (await by(token, 'GET', '/api/me')).status
const createOwn = async (token: string): Promise<Json> => (await by(token, 'POST', '/api/docs', { json: { content: '# Own' } })).json

test('[SESSION-1] sessions are listed to their account, most recently used first, without their secrets', async () => {
  const token = await bearer('agmd on a laptop')
  await browser()
  const { json, text } = await by(token, 'GET', '/api/me/sessions')
  const own = json.sessions.find((session: Json) => session.current)
  expect(own).toEqual({
    id: expect.any(String),
    kind: 'app',
    name: 'agmd on a laptop',
    createdAt: new Date(clock.now()).toISOString(),
    lastUsedAt: new Date(clock.now()).toISOString(),
    expiresAt: new Date(clock.now() + days(limits.sessionDaysMax)).toISOString(),
    current: true
  })
  expect(json.sessions.map((session: Json) => session.kind)).toContain('browser')
  expect(text).not.toMatch(/[ab]sess_/)
})

test('[SESSION-2] an account ends one of its sessions by id; another stays', async () => {
  const [one, two] = [await bearer('one'), await bearer('two')]
  const { json } = await by(two, 'GET', '/api/me/sessions')
  const id = json.sessions.find((session: Json) => session.name === 'one').id
  const bob = (await createAccount(world.service, { email: 'bob@example.org', password: 'correct horse battery' })) as Account
  const { token: bobs } = await openSession(world.service, bob.id, 'app', 'bob')
  expect((await by(bobs, 'DELETE', `/api/me/sessions/${id}`)).status).toBe(404)
  expect(await statusOf(one)).toBe(200)
  expect((await by(two, 'DELETE', `/api/me/sessions/${id}`)).json).toEqual({ ok: true, revoked: true })
  expect([await statusOf(one), await statusOf(two)]).toEqual([401, 200])
})

test('[SESSION-3] ending all ends this one too, and no other account’s', async () => {
  const [one, two] = [await bearer(), await bearer()]
  const cookie = await browser()
  const { json } = await by(one, 'DELETE', '/api/me/sessions')
  expect(json).toMatchObject({ ok: true })
  expect(json.revoked).toBeGreaterThanOrEqual(3)
  expect([await statusOf(one), await statusOf(two)]).toEqual([401, 401])
  expect((await world.ask('GET', '/api/me', { headers: { Cookie: cookie } })).status).toBe(401)
})

test('[SESSION-4] a session ends after 30 days, and after 7 without use', async () => {
  const [used, idle] = [await bearer(), await bearer()]
  // The time of use is written after the answer.
  const noted = async (): Promise<void> => {
    const { sessions } = (await by(used, 'GET', '/api/me/sessions')).json
    expect(sessions.find((session: Json) => session.current).lastUsedAt).toBe(new Date(clock.now()).toISOString())
  }
  for (let day = 0; day < 6; day++) {
    clock.advance(days(1))
    expect(await statusOf(used)).toBe(200)
    await expect.poll(noted).toBeUndefined()
  }
  clock.advance(days(1))
  expect([await statusOf(used), await statusOf(idle)]).toEqual([200, 401])
  for (let day = 7; day < limits.sessionDaysMax; day++) {
    expect(await statusOf(used)).toBe(200)
    await expect.poll(noted).toBeUndefined()
    clock.advance(days(1))
  }
  expect(await statusOf(used)).toBe(401)
  clock.advance(1)
  await sweep(world.service)
  expect((await world.service.storage.list(['session'])).length).toBe(0)
})

test('[SESSION-5] the sockets and long polls of a session end with it, and others stay', async () => {
  const [one, two] = [await bearer('one'), await bearer('two')]
  const doc = await createOwn(one)
  const ended = await world.person(doc.id, one).connect()
  const stays = await world.person(doc.id, two).connect()
  const poll = by(one, 'GET', `/api/docs/${doc.id}/events`, { query: { since: 'latest', wait: 30 } })
  const other = by(two, 'GET', `/api/docs/${doc.id}/events`, { query: { since: 'latest', wait: 30 } })
  expect(await settledWithin(Promise.race([poll, other]), 100)).toBe('waiting')
  const { json } = await by(two, 'GET', '/api/me/sessions')
  await by(two, 'DELETE', `/api/me/sessions/${json.sessions.find((session: Json) => session.name === 'one').id}`)
  expect((await poll).status).toBe(401)
  await expect.poll(() => ended.closes[0]?.code).toBe(4401)
  expect(ended.messages).toContainEqual({ type: 'ended', code: 'credential_invalid' })
  stays.type(0, 'still ')
  await stays.saved()
  expect(stays.closes).toEqual([])
  clock.advance(limits.announceMs)
  expect((await other).status).toBe(200)
})

test('[SESSION-5] a socket opened with a cookie ends with the session; with a link it may reconnect, with the role of the link alone', async () => {
  const token = await bearer()
  const doc = await createOwn(token)
  const { json: link } = await by(token, 'POST', `/api/docs/${doc.id}/shares`, { json: { role: 'edit' } })
  const headers = { Cookie: await browser() }
  const sockets = [await world.socket({ origin: world.url, headers }), await world.socket({ origin: world.url, headers })]
  await sockets[0]?.open(doc.id, '')
  await sockets[1]?.open(doc.id, link.secret)
  expect(sockets.map((socket) => socket.closed())).toEqual([undefined, undefined])
  await by(token, 'DELETE', '/api/me/sessions')
  expect((await sockets[0]?.end())?.code).toBe(4401)
  expect((await sockets[1]?.end())?.code).toBe(1013)
  const again = await world.socket({ origin: world.url, headers })
  await again.open(doc.id, link.secret)
  expect(Buffer.from(again.frames[0] ?? []).toString()).toContain('read-write')
  const alone = await world.socket({ origin: world.url, headers })
  await alone.open(doc.id, '')
  expect(Buffer.from(alone.frames[0] ?? []).toString()).toContain('credential_required')
})

test('[SESSION-5] a socket ends when its session expires', async () => {
  const token = await bearer()
  const doc = await createOwn(token)
  const editor = await world.person(doc.id, token).connect()
  clock.advance(days(limits.sessionDaysMax))
  await expect.poll(() => editor.closes[0]?.code).toBe(4401)
})

test('[SESSION-6] a cookie authorizes a write only if the browser reports that our own page sent it', async () => {
  const cookie = await browser()
  const create = (headers: Record<string, string>): Promise<Answer> =>
    world.ask('POST', '/api/docs', { json: { content: 'text' }, headers: { Cookie: cookie, ...headers } })
  expect((await create({})).json.code).toBe('origin_refused')
  for (const site of ['cross-site', 'same-site', 'none']) expect((await create({ 'Sec-Fetch-Site': site })).status, site).toBe(403)
  expect((await create({ Origin: 'https://evil.example' })).status).toBe(403)
  expect((await create({ Origin: 'null' })).status).toBe(403)
  expect((await create({ Origin: world.url })).json.owner).toMatchObject({ kind: 'account', id: ana.id })
  expect((await create({ 'Sec-Fetch-Site': 'same-origin' })).status).toBe(201)
})

test('[SESSION-6] a socket without an origin, or from elsewhere, does not get the cookie’s rights', async () => {
  const token = await bearer()
  const doc = await createOwn(token)
  const headers = { Cookie: await browser() }
  await expect(world.socket({ origin: 'https://evil.example', headers })).rejects.toThrow('403')
  const bare = await world.socket({ headers })
  await bare.open(doc.id, '')
  expect(Buffer.from(bare.frames[0] ?? []).toString()).toContain('credential_required')
})

test('[SESSION-7] an account has at most 100 sessions: a new one ends the least recently used', async () => {
  const first = await bearer('first')
  for (let count = 0; count < limits.sessionsMax; count++) {
    clock.advance(1000)
    await openSession(world.service, ana.id, 'app', `number ${count}`)
  }
  expect(await statusOf(first)).toBe(401)
  const last = await bearer('last')
  expect((await by(last, 'GET', '/api/me/sessions')).json.sessions.length).toBeLessThanOrEqual(limits.sessionsMax)
})

test('[SESSION-8] session secrets are stored as hashes, appear in no log, and survive a restart', async () => {
  const token = await bearer()
  const cookie = await browser()
  await statusOf(token)
  const entries = [...(await world.service.storage.list(['session'])), ...(await world.service.storage.list(['account']))]
  const all = entries.map(({ key, value }) => `${JSON.stringify(key)} ${Buffer.from(value).toString()}`).join('\n')
  for (const secret of [token, cookie.split('=')[1] ?? '']) {
    expect(all).not.toContain(secret)
    expect(world.lines.join('\n')).not.toContain(secret)
  }
  world = await world.restart()
  expect(await statusOf(token)).toBe(200)
})

test('[SESSION-9] the secret of a browser changes every day, and the previous one ends when the new one is used', async () => {
  const first = await browser()
  const ask = async (cookie: string): Promise<{ status: number; next: string | undefined; maxAge: number }> => {
    const { status, headers } = await world.ask('GET', '/api/me', { headers: { Cookie: cookie } })
    const set = headers.getSetCookie()[0]
    return { status, next: set?.split(';')[0], maxAge: Number(/Max-Age=(\d+)/.exec(set ?? '')?.[1]) }
  }
  expect(await ask(first)).toMatchObject({ status: 200, next: undefined })
  clock.advance(days(1))
  // If several requests arrive at once, all are answered, and one of them returns the new secret.
  const answers = await Promise.all(Array.from({ length: 4 }, () => ask(first)))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  const [given, ...others] = answers.filter(({ next }) => next !== undefined)
  expect(others).toEqual([])
  expect(given?.maxAge).toBe((days(limits.sessionDaysMax) - days(1)) / 1000)
  const second = given?.next ?? ''
  expect(second).not.toBe(first)
  // The answer with the new secret was lost. A minute later, the browser still sends the old secret and gets another one.
  clock.advance(limits.sessionOverlapSeconds * 1000)
  const third = (await ask(first)).next ?? ''
  expect((await ask(second)).status).toBe(401)
  expect(await ask(third)).toMatchObject({ status: 200, next: undefined })
  expect((await ask(first)).status).toBe(200)
  clock.advance(limits.sessionOverlapSeconds * 1000)
  expect((await ask(first)).status).toBe(401)
  expect((await ask(third)).status).toBe(200)
})

test('[SESSION-9] whatever its current secret, a session is one session, and ends with all its secrets', async () => {
  const first = await browser()
  clock.advance(days(1))
  const answer = await world.ask('GET', '/api/me', { headers: { Cookie: first } })
  const second = answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const list = async (cookie: string): Promise<Json[]> =>
    (await world.ask('GET', '/api/me/sessions', { headers: { Cookie: cookie } })).json.sessions.filter((session: Json) => session.current)
  const [one] = await list(first)
  expect(await list(second)).toEqual([{ ...one, lastUsedAt: expect.any(String) }])
  const token = await bearer()
  await by(token, 'DELETE', `/api/me/sessions/${one.id}`)
  for (const cookie of [first, second]) expect((await world.ask('GET', '/api/me', { headers: { Cookie: cookie } })).status).toBe(401)
})

test('[SESSION-9] signing out with the previous secret ends the whole session', async () => {
  const first = await browser()
  clock.advance(days(1))
  const answer = await world.ask('GET', '/api/me', { headers: { Cookie: first } })
  const second = answer.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const headers = { Cookie: first, Origin: world.url }
  await world.ask('POST', '/sign-out', { body: '', type: 'application/x-www-form-urlencoded', headers })
  for (const cookie of [first, second]) expect((await world.ask('GET', '/api/me', { headers: { Cookie: cookie } })).status).toBe(401)
})
