/** The rate limits of one caller, and the checks that come before anything is read. */
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { createRateLimiter } from '../../server/http/rate-limit.ts'
import { limits, type RateLimitName, rateLimits } from '../../shared/limits.ts'
import { testClock } from '../support/clock.ts'
import { post, refused, rpc } from '../support/mcp.ts'
import { signUp } from '../support/visitor.ts'
import { type Ask, type Answer, startWorld, until, type World } from '../support/world.ts'

/** Starts a service with rate limits behind a proxy, which reports the address of each caller. The clock stands still, so no bucket refills. */
const limited = (env: Record<string, string> = {}): Promise<World> =>
  startWorld({ clock: testClock(), env: { AGMD_RATE_LIMITS: 'on', AGMD_TRUST_PROXY: '1', ...env } })

const from = (address: string): Record<string, string> => ({ 'X-Forwarded-For': address })

/** Returns the remaining limit that an answer reports. */
const left = ({ headers }: { readonly headers: Headers }): readonly [string, number] => {
  const [, name = '', remaining = ''] = /^"(\w+)";r=(\d+)/.exec(headers.get('RateLimit') ?? '') ?? []
  return [name, Number(remaining)]
}

const message = (pad: number, args: object = {}): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'svc.create_doc', arguments: { ...args, content: 'a'.repeat(pad) } }
  })

const wrongKey = 'B'.repeat(32)

// ——— MCP ———

test('[BUDGET-1] until a credential in header or query is verified, a message to /mcp has at most 64 KiB', async () => {
  const world = await startWorld()
  const { key } = await world.create('text')
  const large = message(limits.bodyBytesMax)
  for (const [headers, query] of [
    [{}, ''],
    [{ Authorization: 'Bearer nonsense' }, ''],
    [{ 'X-Share-Key': wrongKey }, ''],
    [{}, `?key=${wrongKey}`]
  ] as const) {
    const answer = await post(world.url, large, headers, query)
    expect(answer.status).toBe(413)
    expect(JSON.parse(answer.text)).toMatchObject({ code: 'body_too_large', bodyBytesMax: limits.bodyBytesMax })
    expect(JSON.parse(answer.text).hint).toContain('X-Share-Key')
  }
  for (const [headers, query] of [
    [{ 'X-Share-Key': key }, ''],
    [{}, `?key=${key}`]
  ] as const)
    expect((await post(world.url, large, headers, query)).json.result.structuredContent).toMatchObject({
      title: expect.stringMatching(/^a+$/)
    })
  await world.stop()
})

test('[BUDGET-2] a wrong credential at /mcp counts once per message, and does not change whose limit counts', async () => {
  const world = await limited()
  const ping = (n: number): Promise<{ status: number; headers: Headers }> =>
    rpc(world.url, 'ping', {}, { headers: { Authorization: `Bearer nonsense-${n}`, ...from('192.0.2.1') } })
  for (let n = 0; n < rateLimits.failedKey.burst - 1; n++) expect((await ping(n)).status).toBe(401)
  const last = await refused(world.url, 'create_doc', {}, { 'X-Share-Key': wrongKey, ...from('192.0.2.1') })
  expect(last.code).toBe('credential_invalid')
  expect((await ping(99)).status).toBe(429)
  expect((await rpc(world.url, 'ping', {}, { headers: from('192.0.2.2') })).status).toBe(200)
  await world.stop()
})

test('[BUDGET-3] a message to /mcp with more names than any call is refused before schemas copy them', async () => {
  const world = await startWorld()
  const { key } = await world.create('text')
  const names = (count: number): string => Array.from({ length: count }, (_, n) => `"k${n}":1`).join(',')
  const sent = async (params: string): Promise<{ status: number; text: string }> =>
    post(world.url, `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":${params}}`, { 'X-Share-Key': key })
  const crowded = `{${names(limits.fieldsMax + 1)}}`
  for (const params of [
    `{"name":"svc.read_doc","arguments":${crowded}}`,
    `{"_meta":${crowded}}`,
    `{"name":"svc.read_doc","arguments":{"a":[[${crowded}]]}}`
  ])
    expect(await sent(params)).toMatchObject({ status: 400, json: { id: null, error: { code: -32600 } } })
  expect(await sent(`{"name":"svc.get_skill","arguments":{${names(limits.fieldsMax)}}}`)).toMatchObject({ status: 200 })
  expect(await sent(`{"name":"svc.read_doc","arguments":{${names(350_000)}}}`)).toMatchObject({ status: 400 })
  await world.stop()
})

// ——— limits ———

test('[BUDGET-4] every request counts toward the limit of its address, no matter what it requests', async () => {
  const world = await limited()
  const owner = await world.create('text')
  await owner.ask('POST', '/publish')
  const paths = [
    '/',
    '/new',
    `/d/${owner.doc}`,
    `/pub/${owner.doc}`,
    `/f/${'a'.repeat(24)}.png`,
    '/openapi.json',
    '/llms.txt',
    '/api/health',
    '/mcp',
    '/downloads/agmd',
    '/install.sh',
    '/widget',
    '/sw.js',
    '/.well-known/oauth-authorization-server',
    '/auth/oauth2/jwks',
    '/nothing',
    '/account'
  ]
  const spare = rateLimits.request.burst - paths.length
  const health = (): Promise<Answer> => world.ask('GET', '/api/health', { headers: from('192.0.2.7') })
  for (const [n, path] of paths.entries()) {
    const answer = await world.ask('GET', path, { headers: { Accept: 'text/html', ...from('192.0.2.7') } })
    expect(answer.headers.get('RateLimit'), path).toMatch(/^"\w+";r=\d+;t=\d+$/)
    expect(left(await world.ask('GET', '/openapi.json', { headers: from(`192.0.3.${n}`) }))).toEqual([
      'request',
      rateLimits.request.burst - 1
    ])
  }
  expect(left(await world.ask('GET', '/openapi.json', { headers: from('192.0.2.7') }))).toEqual(['request', spare - 1])
  expect((await health()).status).toBe(200)
  await world.stop()
})

test('[BUDGET-5] a credential is verified before it selects a bucket: an invalid one counts toward the limit of its address', async () => {
  const world = await limited({ AGMD_ANONYMOUS_CREATE: 'on' })
  const { doc } = await world.create('text')
  const other = await world.create('other')
  const ask = (n: number, what: Ask = {}): Promise<Answer> =>
    world.ask('GET', `/api/docs/${doc}`, { ...what, headers: { ...from('192.0.2.1'), ...what.headers } })
  // A valid key of another document opens nothing here.
  for (let n = 0; n < 3; n++) expect(left(await ask(n, { key: other.key }))).toEqual(['address', rateLimits.address.burst - n - 1])
  for (let n = 0; n < 3; n++)
    expect(left(await ask(n, { headers: { Authorization: `Bearer asess_${n}` } }))).toEqual([
      'failedKey',
      rateLimits.failedKey.burst - n - 1
    ])
  // A write request does not get around the limit.
  const put = await world.ask('PUT', `/api/docs/${doc}/content`, { key: wrongKey, json: { content: '' }, headers: from('192.0.2.1') })
  expect(left(put)).toEqual(['failedKey', rateLimits.failedKey.burst - 4])
  await world.stop()
})

test('[BUDGET-12] wrong keys from the same address do not block people with a valid key', async () => {
  const world = await limited()
  const owner = await world.create('text')
  const ask = (key: string): Promise<Answer> => world.ask('GET', `/api/docs/${owner.doc}`, { key, headers: from('192.0.2.1') })
  for (let n = 0; n <= rateLimits.failedKey.burst; n++) await ask(wrongKey)
  expect((await ask(wrongKey)).status).toBe(429)
  expect((await ask(owner.key)).status).toBe(200)
  const call = await rpc(world.url, 'ping', {}, { headers: { 'X-Share-Key': owner.key, ...from('192.0.2.1') } })
  expect(call.status).toBe(200)
  await world.stop()
})

test('[BUDGET-13] a refused request whose body does not arrive is answered, and cut off ten seconds later', async () => {
  const clock = testClock()
  const world = await startWorld({ clock })
  const { port, hostname } = new URL(world.url)
  const socket = connect(Number(port), hostname)
  const [heard, ended] = [[] as string[], new Promise((resolve) => socket.once('close', resolve))]
  socket.on('data', (bytes) => heard.push(bytes.toString()))
  socket.on('error', () => undefined)
  const head = ['POST /api/docs/x/comments HTTP/1.1', 'Host: localhost', `X-Share-Key: ${wrongKey}`, 'Content-Type: application/json']
  socket.write(`${[...head, 'Content-Length: 100', '', '{'].join('\r\n')}`)
  await until(() => heard.join('').includes('credential_invalid'), 'the answer')
  clock.advance(limits.refusedBodySecondsMax * 1000)
  await ended
  // If a request was read completely, its connection stays open.
  const whole = [...head, 'Content-Length: 2', '', '{}'].join('\r\n')
  const twice = await world.raw(whole + whole, (answer) => answer.split('HTTP/1.1 401').length > 2)
  expect(twice.match(/HTTP\/1.1 401/g)).toHaveLength(2)
  await world.stop()
})

test('[BUDGET-6] reads count toward the limit of the admitted caller: each link has its own, and all sessions of an account share one', async () => {
  const world = await limited()
  const owner = await world.create('text')
  const guest = await owner.share('view')
  const read = (key: string, address: string): Promise<Answer> =>
    world.ask('GET', `/api/docs/${owner.doc}`, { key, headers: from(address) })
  expect(left(await read(guest.key, '192.0.2.1'))).toEqual(['read', rateLimits.read.burst - 1])
  expect(left(await read(guest.key, '192.0.2.2'))).toEqual(['read', rateLimits.read.burst - 2])
  expect(left(await read(owner.key, '192.0.2.1'))).toEqual(['read', rateLimits.read.burst - 1])
  const one = await signUp(world.url, 'one@example.org')
  const me = async (headers: Record<string, string>): Promise<readonly [string, number]> =>
    left(await one.request(`${world.url}/api/docs`, { headers: { Origin: world.url, ...headers } }))
  const first = await me({})
  expect(await me({})).toEqual(['read', first[1] - 1])
  // If the key of a link is added, the request still counts toward the limit of the same caller.
  expect(await me({ 'X-Share-Key': guest.key })).toEqual(['read', first[1] - 2])
  await world.stop()
})

test('[BUDGET-7] created documents count toward the limit of the address even with a key, and with an account toward the limits of both', async () => {
  const world = await limited()
  const { key } = await world.create('text')
  const create = (headers: Record<string, string>): Promise<Answer> => world.ask('POST', '/new', { json: {}, headers })
  expect(left(await create({ 'X-Share-Key': key, ...from('192.0.2.1') }))).toEqual(['create', rateLimits.create.burst - 1])
  expect(left(await create(from('192.0.2.1')))).toEqual(['create', rateLimits.create.burst - 2])
  const one = await signUp(world.url, 'two@example.org')
  const own = (address: string): Promise<Response> =>
    one.request(`${world.url}/new`, {
      method: 'POST',
      body: '{}',
      headers: { 'Content-Type': 'application/json', Origin: world.url, ...from(address) }
    })
  expect(left(await own('192.0.2.1'))).toEqual(['createAccount', rateLimits.createAccount.burst - 1])
  expect(left(await own('192.0.2.9'))).toEqual(['createAccount', rateLimits.createAccount.burst - 2])
  expect(left(await create(from('192.0.2.1')))).toEqual(['create', rateLimits.create.burst - 3])
  await world.stop()
})

test('[BUDGET-8] a flood of addresses neither resets a bucket nor lets memory grow; full buckets are forgotten', () => {
  const clock = testClock()
  const limiter = createRateLimiter(clock, true)
  const name: RateLimitName = 'signIn'
  const spent = (who: string): number => {
    let taken = 0
    try {
      for (; taken <= rateLimits[name].burst; taken++) limiter.take(name, who)
    } catch {
      // The limiter refused the request.
    }
    return taken
  }
  expect(spent('guesser')).toBe(rateLimits[name].burst)
  for (let n = 0; n < limits.rateBucketsMax; n++) limiter.take(name, `flood ${n}`)
  expect(spent('guesser')).toBe(0)
  // Newcomers share the remaining buckets, so nobody gets a bucket for each address.
  let passed = 0
  for (let n = 0; n < 2 * limits.rateBucketsShared * rateLimits[name].burst; n++)
    try {
      limiter.take(name, `late ${n}`)
      passed++
    } catch {
      // The limiter refused the request.
    }
  expect(passed).toBeLessThanOrEqual(limits.rateBucketsShared * rateLimits[name].burst)
  // Another limit is not affected.
  expect(limiter.take('signUp', 'newcomer')?.remaining).toBe(rateLimits.signUp.burst - 1)
  clock.advance((rateLimits[name].burst / rateLimits[name].perSecond) * 1000)
  for (let n = 0; n <= limits.rateBucketsShared; n++) expect(spent(`later ${n}`)).toBe(rateLimits[name].burst)
})
