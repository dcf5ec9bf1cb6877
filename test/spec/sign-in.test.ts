/** The service as a relying party of an issuer whose faults a test can choose. */
import { beforeEach, expect, test } from 'vitest'
import type { TestClock } from '../support/clock.ts'
import { type Issuer, type IssuerFaults, startIssuer } from '../support/issuer.ts'
import { withIssuer } from '../support/issuer-world.ts'
import { newVisitor, type Visitor } from '../support/visitor.ts'
import { startWorld, type World } from '../support/world.ts'

let issuer: Issuer
let world: World
let clock: TestClock
withIssuer('AGMD_AUTH_URL', { AGMD_AUTH_CLIENT_ID: 'docs' }, (started) => ({ issuer, world, clock } = started))
beforeEach(() => {
  issuer.person = { sub: 'person-1', name: 'Ana', email: 'ana@example.org', email_verified: true }
})

const isSignedIn = (visitor: Visitor): boolean => [...visitor.cookies.values()].some(({ name }) => /^agmd-session-\d+$/.test(name))
const me = async (visitor: Visitor): Promise<{ status: number; id?: string; name?: string; email?: string }> => {
  const response = await visitor.request(`${world.url}/api/me`)
  return { status: response.status, ...((await response.json()) as { user?: object }).user }
}
const signedIn = async (visitor = newVisitor()): Promise<Visitor> => {
  await visitor.visit(`${world.url}/sign-in`)
  expect(visitor.page.url).toBe(`${world.url}/`)
  return visitor
}

test.each(['/sign-in', '/sign-up'])('[AUTH-1] %s redirects with 303 to the issuer with state, nonce and a code challenge', async (path) => {
  const { status, headers } = await world.ask('GET', path)
  expect(status).toBe(303)
  const to = new URL(headers.get('Location') ?? '')
  expect(`${to.origin}${to.pathname}`).toBe(`${issuer.url}/authorize`)
  expect(Object.fromEntries(to.searchParams)).toMatchObject({
    client_id: 'docs',
    response_type: 'code',
    scope: 'openid profile email',
    redirect_uri: `${world.url}/auth/callback`,
    code_challenge_method: 'S256',
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/)
  })
  expect(headers.get('Set-Cookie')).toMatch(/^agmd-sign-in-\d+-[\w-]+=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=1800$/)
})

test('[AUTH-2] a person who returns from the issuer is signed in with a cookie, and gets the requested page', async () => {
  const visitor = newVisitor()
  await visitor.visit(`${world.url}/sign-in?return_to=${encodeURIComponent('/d/abc?x=1#y')}`)
  expect(visitor.page.url).toBe(`${world.url}/d/abc?x=1#y`)
  expect(await me(visitor)).toMatchObject({ status: 200, name: 'Ana', email: 'ana@example.org' })
  const again = await visitor.request(`${world.url}/sign-in`)
  const back = await visitor.request(again.headers.get('Location') ?? '')
  const { headers } = await visitor.request(back.headers.get('Location') ?? '')
  const cookie = headers.getSetCookie().find((each) => each.startsWith('agmd-session-'))
  expect(cookie).toMatch(/^agmd-session-\d+=bsess_[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000$/)
})

test('[AUTH-2] over https cookies are Secure and carry __Host-', async () => {
  const secure = await startWorld({ env: { AGMD_AUTH_URL: issuer.url, AGMD_BASE_URL: 'https://docs.example.org' } })
  const response = await fetch(`${secure.listening}/sign-in`, { redirect: 'manual' })
  expect(response.headers.get('Set-Cookie')).toMatch(
    /^__Host-agmd-sign-in-[\w-]+=[\w-]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=1800; Secure$/
  )
  await secure.stop()
})

const claims =
  (changes: object): IssuerFaults['claims'] =>
  (found) => ({ ...found, ...changes })
const past = (): number => Math.floor(Date.now() / 1000) - 3600

const faults: Record<string, () => IssuerFaults> = {
  'another nonce': () => ({ claims: claims({ nonce: 'another' }) }),
  'no nonce': () => ({ claims: claims({ nonce: undefined }) }),
  'another issuer': () => ({ claims: claims({ iss: 'https://elsewhere.example' }) }),
  'another audience': () => ({ claims: claims({ aud: 'another' }) }),
  'an audience next to ours without azp': () => ({ claims: claims({ aud: ['docs', 'another'] }) }),
  'another authorized party': () => ({ claims: claims({ aud: ['docs', 'another'], azp: 'another' }) }),
  'an expired token': () => ({ claims: claims({ exp: past(), iat: past() - 300 }) }),
  'no expiry': () => ({ claims: claims({ exp: undefined }) }),
  'no subject': () => ({ claims: claims({ sub: undefined }) }),
  'a foreign signature': () => ({ foreignKey: true }),
  'no signature': () => ({ alg: 'none' }),
  'a signature with a public key as secret': () => ({ alg: 'HS256' }),
  'another state': () => ({ callback: (url) => url.searchParams.set('state', 'A'.repeat(43)) }),
  'no state': () => ({ callback: (url) => url.searchParams.delete('state') }),
  'two states': () => ({ callback: (url) => url.searchParams.append('state', 'another') }),
  'another issuer in the answer': () => ({ callback: (url) => url.searchParams.set('iss', 'https://elsewhere.example') }),
  'no issuer in the answer': () => ({ callback: (url) => url.searchParams.delete('iss') }),
  'an invented code': () => ({ callback: (url) => url.searchParams.set('code', 'invented') }),
  'no code': () => ({ callback: (url) => url.searchParams.delete('code') }),
  'a refusal': () => ({
    callback: (url) => {
      url.searchParams.delete('code')
      url.searchParams.set('error', 'access_denied')
    }
  })
}

test.each(Object.entries(faults))('[AUTH-3] an answer with %s signs nobody in, and a page says so', async (_name, fault) => {
  issuer.faults = fault()
  const visitor = newVisitor()
  const page = await visitor.visit(`${world.url}/sign-in`)
  expect(page.status).toBe(400)
  expect(page.text).toContain('<h1>That did not work</h1>')
  expect(isSignedIn(visitor)).toBe(false)
  // The next attempt succeeds.
  issuer.faults = {}
  await signedIn(visitor)
})

test('[AUTH-4] an answer is valid once, in the browser that started it, and for half an hour', async () => {
  const visitor = newVisitor({ stopAt: `${world.url}/auth/callback` })
  await visitor.visit(`${world.url}/sign-in`)
  const answer = visitor.page.url
  const other = newVisitor()
  expect((await other.visit(answer)).status).toBe(400)
  expect(isSignedIn(other)).toBe(false)
  expect((await visitor.request(answer)).status).toBe(303)
  expect([...visitor.cookies.values()].filter(({ name }) => name.startsWith('agmd-sign-in'))).toEqual([])
  expect((await visitor.request(answer)).status).toBe(400)
  await visitor.visit(`${world.url}/sign-in`)
  const late = visitor.page.url
  clock.advance(1801 * 1000)
  expect((await visitor.request(late)).status).toBe(400)
})

test('[AUTH-4] several tabs may sign in at once, and abandoned ones do not fill the header', async () => {
  const visitor = newVisitor({ stopAt: `${world.url}/auth/callback` })
  const answers: string[] = []
  for (let tab = 0; tab < 2; tab++) {
    await visitor.visit(`${world.url}/sign-in`)
    answers.push(visitor.page.url)
  }
  for (const answer of answers) expect((await visitor.request(answer)).status).toBe(303)
  for (let tab = 0; tab < 20; tab++) await visitor.visit(`${world.url}/sign-in`)
  expect([...visitor.cookies.values()].filter(({ name }) => name.startsWith('agmd-sign-in')).length).toBeLessThan(8)
})

test.each([
  '//evil.example',
  '/\\evil.example',
  '\\/evil.example',
  '/%2f%2fevil.example',
  '/%5cevil.example',
  '/\t/evil.example',
  '/%09/evil.example',
  'https://evil.example/',
  'https:evil.example',
  'javascript:alert(1)',
  '//[::1',
  '/.//evil.example',
  '/x/..//evil.example',
  '/\n//evil.example',
  '',
  'account',
  `/${'a'.repeat(3000)}`
])('[AUTH-5] a sign-in never redirects elsewhere: %j', async (target) => {
  const visitor = newVisitor()
  await visitor.visit(`${world.url}/sign-in?return_to=${encodeURIComponent(target)}`)
  expect(visitor.page.url).toBe(`${world.url}/`)
})

test('[AUTH-6] issuer and subject identify a person; an email address never does', async () => {
  const ana = await me(await signedIn())
  issuer.person = { sub: 'person-2', name: 'Not Ana', email: 'ana@example.org', email_verified: true }
  const other = await me(await signedIn())
  expect(other.id).not.toBe(ana.id)
  issuer.person = { sub: 'person-1', name: 'Ana Lima', email: 'lima@example.org' }
  expect(await me(await signedIn())).toMatchObject({ id: ana.id, name: 'Ana Lima', email: 'lima@example.org' })
})

test('[AUTH-7] with an external issuer there is no embedded broker', async () => {
  for (const path of ['/auth/oauth2/authorize', '/auth/oauth2/jwks', '/auth/interaction/x', '/auth/invite?token=x', '/auth/reset?token=x'])
    expect((await world.ask('GET', path)).status, path).toBe(404)
  expect((await world.ask('POST', '/auth/oauth2/register', { json: { redirect_uris: ['https://a.example/'] } })).status).toBe(404)
  const { json } = await world.ask('GET', '/.well-known/oauth-protected-resource')
  expect(json.authorization_servers).toEqual([issuer.url])
  const described = await world.ask('GET', '/.well-known/openid-configuration')
  expect(described.json).toMatchObject({ issuer: issuer.url, agent_auth: { register_uri: `${issuer.url}/auth/oauth2/register` } })
})

test('[AUTH-8] signing in replaces the session of the browser: a planted secret is worthless', async () => {
  const visitor = await signedIn()
  const [key, planted] = [...visitor.cookies].find(([, { name }]) => name.startsWith('agmd-session-')) ?? []
  if (key === undefined || planted === undefined) throw new Error('not signed in')
  await signedIn(visitor)
  expect(visitor.cookies.get(key)?.value).not.toBe(planted.value)
  expect((await me(visitor)).status).toBe(200)
  visitor.cookies.set(key, planted)
  expect((await me(visitor)).status).toBe(401)
})

test('[AUTH-9] if an issuer is broken, gone or slow, a page says so, and signed-in people are not affected', async () => {
  const own = await startIssuer()
  const other = await startWorld({ env: { AGMD_AUTH_URL: own.url } })
  const visitor = newVisitor()
  await visitor.visit(`${other.url}/sign-in`)
  const refused = async (someone: Visitor): Promise<void> => {
    const page = await someone.visit(`${other.url}/sign-in`)
    expect(page.status).toBe(503)
    expect(page.text).toContain('Sign-in is not available')
  }
  own.faults = { callback: () => (own.faults = { status: 500 }) }
  await refused(newVisitor())
  const slow = await startWorld({ env: { AGMD_AUTH_URL: own.url } })
  own.faults = { delayMs: 30_000 }
  const started = performance.now()
  expect((await newVisitor().visit(`${slow.url}/sign-in`)).status).toBe(503)
  expect(performance.now() - started).toBeLessThan(10_000)
  await own.stop()
  expect((await newVisitor().visit(`${slow.url}/sign-in`)).status).toBe(503)
  await slow.stop()
  expect((await visitor.request(`${other.url}/api/me`)).status).toBe(200)
  expect((await fetch(`${other.url}/api/health`)).status).toBe(200)
  await other.stop()
})

test('[AUTH-10] signing out asks first and ends the session; everywhere ends all', async () => {
  const [one, two] = [await signedIn(), await signedIn()]
  const foreign = await one.request(`${world.url}/sign-out`, {
    method: 'POST',
    body: 'everywhere=yes',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: 'https://evil.example' }
  })
  expect(foreign.status).toBe(403)
  const bare = await one.request(`${world.url}/sign-out`, {
    method: 'POST',
    body: '',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' }
  })
  expect(bare.status).toBe(403)
  expect((await me(one)).status).toBe(200)
  await one.visit(`${world.url}/sign-out`)
  await one.submit('/sign-out')
  expect(isSignedIn(one)).toBe(false)
  expect((await me(two)).status).toBe(200)
  const three = await signedIn()
  await three.visit(`${world.url}/sign-out`)
  await three.submit('/sign-out', { everywhere: 'yes' })
  expect((await me(two)).status).toBe(401)
})

test('[AUTH-27] a page requested by another name of this machine redirects with 307 to the base address; programs are answered there', async () => {
  const { host, port } = new URL(world.url)
  const asked = async (from: string, path: string, more = 'Accept: text/html'): Promise<string> =>
    world.raw(`GET ${path} HTTP/1.1\r\nHost: ${from}\r\n${more}\r\nConnection: close\r\n\r\n`)
  const placeOf = (answer: string): string | undefined => /^location: (.*)\r$/im.exec(answer)?.[1]
  expect(host).toBe(`localhost:${port}`)
  for (const from of [`127.0.0.1:${port}`, `[::1]:${port}`])
    for (const path of ['/', '/sign-in?return_to=%2Fd%2Fabc', '/d/abc?key=x', '/account', '/nothing']) {
      const answer = await asked(from, path)
      expect(answer).toMatch(/^HTTP\/1\.1 307 /)
      expect(placeOf(answer)).toBe(`${world.url}${path}`)
    }
  // These are the configured name, other ports, and names that only resemble them.
  for (const from of [host, '127.0.0.1', '127.0.0.1:1', `127.0.0.1.evil.example:${port}`, `evil.example:${port}`, `127.0.0.2:${port}`])
    expect(await asked(from, '/')).toMatch(/^HTTP\/1\.1 200 /)
  for (const path of ['//evil.example/', '/\\evil.example/', 'http://evil.example/'])
    expect(placeOf(await asked(`127.0.0.1:${port}`, path))).toBeUndefined()
  const program = await asked(`127.0.0.1:${port}`, '/api/health', 'Accept: */*')
  expect(program).toMatch(/^HTTP\/1\.1 200 /)
  expect(await asked(`127.0.0.1:${port}`, '/api/health')).toMatch(/^HTTP\/1\.1 200 /)
})

test('[AUTH-27] a service with a host name of its own redirects nobody', async () => {
  const named = await startWorld({ env: { AGMD_BASE_URL: 'https://docs.example.org' } })
  const { status } = await fetch(`${named.listening}/`, { redirect: 'manual', headers: { Accept: 'text/html' } })
  expect(status).toBe(200)
  await named.stop()
})
