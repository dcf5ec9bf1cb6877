/** Accepted and refused passkeys. test/browser/account.test.ts does the same in real Chromium. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { findAccountByEmail } from '../../server/domain/accounts/accounts.ts'
import { createLink } from '../../server/domain/accounts/links.ts'
import { limits } from '../../shared/limits.ts'
import { type Ceremony, newAuthenticator } from '../support/authenticator.ts'
import { type TestClock, testClock } from '../support/clock.ts'
import { newVisitor, signUp, type Visitor } from '../support/visitor.ts'
import { startWorld, type World } from '../support/world.ts'

let world: World
let clock: TestClock
let ana: Visitor
let people = 0
beforeAll(async () => {
  clock = testClock(Date.now())
  world = await startWorld({ clock })
})
afterAll(() => world.stop())
beforeEach(async () => {
  ana = await signUp(world.url, `ana-${++people}@example.org`)
})

type Authenticator = ReturnType<typeof newAuthenticator>

const optionsOf = ({ page }: Visitor): string => (/data-options="([^"]+)"/.exec(page.text)?.[1] ?? '').replaceAll('&quot;', '"')
const ceremony = (visitor: Visitor, fields: Partial<Ceremony> = {}): Ceremony => ({
  options: optionsOf(visitor),
  origin: world.url,
  ...fields
})

const add = async (device: Authenticator, fields: Partial<Ceremony> = {}): Promise<number> => {
  await ana.visit(`${world.url}/account`)
  return (await ana.submit('/account/add-passkey', { response: device.make(ceremony(ana, fields)) })).status
}

const openSignIn = async (): Promise<Visitor> => {
  const visitor = newVisitor()
  await visitor.visit(`${world.url}/sign-in`)
  return visitor
}
const isIn = async (visitor: Visitor): Promise<boolean> => (await visitor.request(`${world.url}/api/me`)).status === 200
const signInBy = async (device: Authenticator, fields: Partial<Ceremony> = {}): Promise<boolean> => {
  const visitor = await openSignIn()
  await visitor.submit('/passkey', { response: device.use(ceremony(visitor, fields)) })
  return isIn(visitor)
}

test('[PASSKEY-1] a person adds a passkey and signs in with it, any number of times', async () => {
  const device = newAuthenticator()
  expect(await add(device)).toBe(200)
  expect(ana.page.text).toContain('aria-label="Remove the passkey Firefox on Linux"')
  for (let times = 0; times < 3; times++) expect(await signInBy(device)).toBe(true)
})

const wrong: Record<string, (visitor: Visitor) => Partial<Ceremony>> = {
  'another origin': () => ({ origin: 'https://evil.example' }),
  'another host': () => ({ rpId: 'evil.example' }),
  'another challenge': () => ({ challenge: 'A'.repeat(43) }),
  'a person who was not verified': () => ({ verified: false })
}

test.each(Object.entries(wrong))('[PASSKEY-2] an answer for %s neither adds a passkey nor signs in', async (_name, fields) => {
  expect(await add(newAuthenticator(), fields(ana))).toBe(403)
  const device = newAuthenticator()
  await add(device)
  expect(await signInBy(device, fields(ana))).toBe(false)
  expect(await signInBy(device)).toBe(true)
})

test.each(['', '{}', 'null', '[]', '{"id":7}', '{"id":"AAAA","rawId":"AAAA","type":"public-key","response":{}}', 'x'.repeat(10_000)])(
  '[PASSKEY-2] a malformed answer is refused: %j',
  async (response) => {
    await ana.visit(`${world.url}/account`)
    expect((await ana.submit('/account/add-passkey', { response })).status).toBe(403)
    const visitor = await openSignIn()
    expect((await visitor.submit('/passkey', { response })).status).toBe(422)
    expect(await isIn(visitor)).toBe(false)
  }
)

test('[PASSKEY-3] a challenge is valid once, for its page and for half an hour', async () => {
  const device = newAuthenticator()
  await ana.visit(`${world.url}/account`)
  const made = device.make(ceremony(ana))
  const challenge = /name="challenge" value="([^"]+)"/.exec(ana.page.text)?.[1] ?? ''
  await ana.submit('/account/add-passkey', { response: made })
  expect((await ana.submit('/account/add-passkey', { response: made, challenge })).status).toBe(403)

  const [one, other] = [await openSignIn(), await openSignIn()]
  const used = device.use(ceremony(one))
  const question = /name="challenge" value="([^"]+)"/.exec(one.page.text)?.[1] ?? ''
  // The answer is used in another sign-in, but its challenge names the original sign-in.
  expect((await other.submit('/passkey', { response: used, challenge: question })).status).toBe(422)
  const late = await openSignIn()
  const answer = device.use(ceremony(late))
  clock.advance(limits.signInSecondsMax * 1000)
  await late.submit('/passkey', { response: answer })
  expect(await isIn(late)).toBe(false)
})

test('[PASSKEY-4] a copied device with an earlier counter is refused', async () => {
  const device = newAuthenticator()
  await add(device)
  expect(await signInBy(device)).toBe(true)
  device.turnBack()
  expect(await signInBy(device)).toBe(false)
})

test('[PASSKEY-5] a passkey opens only its own account, and nothing once its owner or a reset removes it', async () => {
  const device = newAuthenticator()
  await add(device)
  const owner = ana
  const bob = await signUp(world.url, `bob-${people}@example.org`)
  const id = /name="passkey" value="([^"]+)"/.exec(owner.page.text)?.[1] ?? ''
  const token = /name="token" value="([^"]+)"/.exec(bob.page.text)?.[1] ?? ''
  const stolen = await bob.request(`${world.url}/account/remove-passkey`, {
    method: 'POST',
    body: new URLSearchParams({ passkey: id, token }).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: world.url }
  })
  expect(stolen.status).toBe(404)
  expect(await signInBy(device)).toBe(true)
  await owner.visit(`${world.url}/account`)
  await owner.submit('/account/remove-passkey')
  expect(await signInBy(device)).toBe(false)

  const another = newAuthenticator()
  await add(another)
  const visitor = newVisitor()
  const account = await findAccountByEmail(world.service, `ana-${people}@example.org`)
  if (account === undefined) throw new Error('no such account')
  await visitor.visit(createLink(world.service.vault, world.url, clock.now(), { kind: 'reset', account }))
  await visitor.submit('/auth/reset', { password: 'another horse battery' })
  expect(await signInBy(another)).toBe(false)
})

test('[PASSKEY-6] passkeys are offered only where browsers can make them', async () => {
  for (const [base, offers] of [
    ['https://docs.example.org', true],
    ['http://192.168.1.9:8080', false],
    ['http://docs.example.org', false]
  ] as const) {
    const other = await startWorld({ env: { AGMD_BASE_URL: base } })
    const headers = { Host: new URL(base).host }
    const begun = await fetch(`${other.listening}/sign-in`, { redirect: 'manual', headers })
    const authorize = new URL(begun.headers.get('Location') ?? '')
    const response = await fetch(`${other.listening}${authorize.pathname}${authorize.search}`, { redirect: 'manual' })
    const cookie = response.headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ')
    const page = await fetch(`${other.listening}${new URL(response.headers.get('Location') ?? '', base).pathname}`, {
      headers: { Cookie: cookie }
    })
    const text = await page.text()
    expect(text, base).toContain('<h1>Sign in</h1>')
    expect(text.includes('data-passkey'), base).toBe(offers)
    // The space for the form is reserved before its script loads, so that no line moves.
    if (offers) expect(/<form[^>]* data-passkey[^>]*>/.exec(text)?.[0]).not.toMatch(/ hidden/)
    await other.stop()
  }
})
