/** Device login (RFC 8628): a program asks for access, and a person compares the code and decides. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { limits, rateLimits } from '../../shared/limits.ts'
import { type TestClock, testClock } from '../support/clock.ts'
import { newVisitor, signUp, type Visitor } from '../support/visitor.ts'
import { type Answer, type Json, startWorld, type World } from '../support/world.ts'

let world: World
let clock: TestClock
let ana: Visitor
beforeAll(async () => {
  clock = testClock(Date.now())
  world = await startWorld({ clock })
  ana = await signUp(world.url, 'ana@example.org')
})
afterAll(() => world.stop())

const begin = async (fields: object = { client_name: 'A program' }): Promise<Json> =>
  (await world.ask('POST', '/api/cli/device/start', { json: fields })).json
const poll = (device: Json): Promise<Answer> => world.ask('POST', '/api/cli/device/token', { json: { device_code: device.device_code } })
const wait = (seconds: number): void => clock.advance(seconds * 1000)

const decide = async (device: Json, decision: 'approve' | 'deny', visitor = ana): Promise<void> => {
  await visitor.visit(device.verification_uri_complete)
  expect(visitor.page.text).toContain(`<p class="code-shown">${device.user_code}</p>`)
  await visitor.submit('/device', { decision })
}

test('[DEVICE-1] a login starts, waits, is approved on the page, and returns an app session', async () => {
  const device = await begin()
  expect(device).toEqual({
    device_code: expect.stringMatching(/^[\w-]{43}$/),
    user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
    verification_uri: `${world.url}/device`,
    verification_uri_complete: `${world.url}/device?user_code=${device.user_code}`,
    expires_in: limits.deviceSecondsMax,
    interval: limits.devicePollSeconds
  })
  const waiting = await poll(device)
  expect(waiting.status).toBe(400)
  expect(waiting.json).toMatchObject({ error: 'authorization_pending', error_description: expect.any(String) })
  expect(waiting.headers.get('Cache-Control')).toBe('no-store')
  await decide(device, 'approve')
  expect(ana.page.text).toContain('<h1>Approved</h1>')
  wait(5)
  const { status, json } = await poll(device)
  expect(status).toBe(200)
  expect(json).toMatchObject({
    access_token: expect.stringMatching(/^asess_[\w-]{50}$/),
    token: json.access_token,
    token_type: 'Bearer',
    expires_in: limits.sessionDaysMax * 24 * 3600,
    user: { name: 'ana', email: 'ana@example.org' }
  })
  const me = await world.ask('GET', '/api/me', { headers: { Authorization: `Bearer ${json.access_token}` } })
  expect(me.json).toMatchObject({ kind: 'account', user: { email: 'ana@example.org' } })
})

test('[DEVICE-2] the endpoints also accept forms, as OAuth clients send them', async () => {
  const type = 'application/x-www-form-urlencoded'
  const begun = await world.ask('POST', '/api/cli/device/start', { body: 'client_name=Form&client_id=agmd&scope=x', type })
  expect(begun.status).toBe(200)
  const body = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    device_code: begun.json.device_code,
    client_id: 'agmd'
  }).toString()
  expect((await world.ask('POST', '/api/cli/device/token', { body, type })).json.error).toBe('authorization_pending')
  const twice = await world.ask('POST', '/api/cli/device/token', { body: `${body}&device_code=x`, type })
  expect({ status: twice.status, error: twice.json.error }).toEqual({ status: 400, error: 'invalid_request' })
})

test.each([
  [{}, 'invalid_request'],
  [{ device_code: 7 }, 'invalid_request'],
  [{ device_code: '' }, 'invalid_request'],
  [{ device_code: 'A'.repeat(43) }, 'expired_token']
])('[DEVICE-3] a poll with %j gets the OAuth refusal %s', async (json, error) => {
  const answer = await world.ask('POST', '/api/cli/device/token', { json })
  expect({ status: answer.status, error: answer.json.error }).toEqual({ status: 400, error })
})

test('[DEVICE-4] a client that polls too fast is told to slow down, by five more seconds each time', async () => {
  const device = await begin()
  await poll(device)
  for (const interval of [10, 15]) {
    const { json } = await poll(device)
    expect(json).toMatchObject({ error: 'slow_down', interval })
  }
  wait(15)
  expect((await poll(device)).json.error).toBe('authorization_pending')
  wait(14)
  expect((await poll(device)).json.error).toBe('slow_down')
})

test('[DEVICE-5] an undecided login expires, on the page and for the program', async () => {
  const device = await begin()
  wait(limits.deviceSecondsMax)
  expect((await poll(device)).json.error).toBe('expired_token')
  const page = await ana.visit(device.verification_uri_complete)
  expect({ status: page.status, shows: page.text.includes('code-shown') }).toEqual({ status: 404, shows: false })
})

test('[DEVICE-6] a refused login stays refused, and a decided code cannot be used again', async () => {
  const device = await begin()
  const second = newVisitor()
  await signUp(world.url, 'bob@example.org', second)
  await second.visit(device.verification_uri_complete)
  await decide(device, 'deny')
  expect(ana.page.text).toContain('<h1>Denied</h1>')
  expect((await second.submit('/device', { decision: 'approve' })).status).toBe(404)
  expect((await poll(device)).json.error).toBe('access_denied')
  expect((await poll(device)).json.error).toBe('access_denied')
})

test('[DEVICE-7] an approved code gives one session, however many requests arrive at once', async () => {
  const device = await begin()
  await decide(device, 'approve')
  const answers = await Promise.all(Array.from({ length: 5 }, () => poll(device)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(answers.filter(({ json }) => json.error === 'expired_token')).toHaveLength(4)
})

test('[DEVICE-8] a code may be typed in any format; a person who is not signed in signs in first and returns', async () => {
  const device = await begin()
  const visitor = newVisitor()
  await visitor.visit(`${world.url}/device?user_code=${device.user_code.toLowerCase().replace('-', ' ')}`)
  expect(visitor.page.text).toContain('<h1>Sign in</h1>')
  await visitor.submit('/sign-in', { email: 'ana@example.org', password: 'correct horse battery' })
  expect(visitor.page.text).toContain(device.user_code)
  await visitor.visit(`${world.url}/device`)
  await visitor.submit('/device', { user_code: ` ${device.user_code.replace('-', '').toLowerCase()} ` })
  expect(visitor.page.text).toContain(device.user_code)
})

test('[DEVICE-9] opening an address, another page, or a request without the form approves nothing', async () => {
  const device = await begin({ client_name: '<b>Program</b>' })
  const page = await ana.visit(device.verification_uri_complete)
  expect(page.text).toContain('&lt;b&gt;Program&lt;/b&gt;')
  expect(page.text).toContain('127.0.0.1')
  const send = (fields: Record<string, string>, origin: string): Promise<Response> =>
    ana.request(`${world.url}/device`, {
      method: 'POST',
      body: new URLSearchParams({ user_code: device.user_code, decision: 'approve', ...fields }).toString(),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: origin }
    })
  expect((await send({}, world.url)).status).toBe(403)
  expect((await send({ token: 'A'.repeat(43) }, world.url)).status).toBe(403)
  expect((await send({}, 'https://evil.example')).status).toBe(403)
  expect((await poll(device)).json.error).toBe('authorization_pending')
})

test('[DEVICE-10] codes cannot be guessed in bulk, neither from one address nor with one account', async () => {
  const turned = testClock(Date.now())
  const limited = await startWorld({ clock: turned, env: { AGMD_RATE_LIMITS: 'on', AGMD_TRUST_PROXY: '1' } })
  const someone = await signUp(limited.url, 'ana@example.org')
  const guess = (address: string): Promise<Response> =>
    someone.request(`${limited.url}/device?user_code=BBBB-BBBB`, { headers: { 'X-Forwarded-For': address } })
  const statuses = []
  for (let tries = 0; tries < rateLimits.userCode.burst + 1; tries++) statuses.push((await guess(`10.0.0.${tries}`)).status)
  expect(statuses).toEqual([...Array.from({ length: rateLimits.userCode.burst }, () => 404), 429])
  const last = await guess('10.0.0.99')
  expect(Number(last.headers.get('Retry-After'))).toBeGreaterThan(0)
  await limited.stop()
})

test('[ACCOUNT-14] the name of a program cannot reverse or break the page', async () => {
  const device = await begin({ client_name: 'Bank\u202Eelgoog\u2066' })
  const page = await ana.visit(device.verification_uri_complete)
  expect(page.text).toContain('<strong><bdi>Bank elgoog</bdi></strong> wants')
  const blank = await ana.visit((await begin({ client_name: '\u202E' })).verification_uri_complete)
  expect(blank.text).toContain('<bdi>A program</bdi>')
})
