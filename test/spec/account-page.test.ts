/** The account page, as a browser without scripts uses it. */
import { onTurnedWorld } from '../support/turned-world.ts'
import { expect, test } from 'vitest'
import { limits } from '../../shared/limits.ts'
import type { TestClock } from '../support/clock.ts'
import { newVisitor, signUp, type Visitor } from '../support/visitor.ts'
import { type Json, type World } from '../support/world.ts'

let world: World
let clock: TestClock
onTurnedWorld((turned) => ({ world, clock } = turned))

let people = 0
const join = (): Promise<Visitor> => signUp(world.url, `person-${++people}@example.org`)

const open = (visitor: Visitor): Promise<unknown> => visitor.visit(`${world.url}/account`)
/** Submits the form that has all of these fields. If the page has several such forms, the value of a field identifies one. */
const send = (visitor: Visitor, action: string, fields: Record<string, string>): Promise<{ status: number; text: string }> =>
  visitor.submit(action, fields)

test('[PAGE-1] a person who is not signed in gets the sign-in page, and then returns', async () => {
  const visitor = newVisitor()
  await open(visitor)
  expect(visitor.page.text).toContain('<h1>Sign in</h1>')
})

test('[PAGE-2] the account page has settings and links to the documents', async () => {
  const visitor = await join()
  await open(visitor)
  expect(visitor.page.text).toContain('<a class="button" href="/">Your documents</a>')
  expect(visitor.page.text).not.toContain('New document')
})

test('[PAGE-6] forms act only for their own session and on their own documents', async () => {
  const [ana, bob] = [await join(), await join()]
  await open(bob)
  expect((await send(bob, '/account/nodes', { name: 'Theirs', token: 'A'.repeat(43) })).status).toBe(403)
  const { json } = { json: (await (await ana.request(`${world.url}/api/me/sessions`)).json()) as Json }
  await ana.visit(`${world.url}/sign-in`)
  await open(bob)
  const response = await bob.request(`${world.url}/account/end-session`, {
    method: 'POST',
    body: new URLSearchParams({
      session: json.sessions[0].id,
      token: /name="token" value="([^"]+)"/.exec(bob.page.text)?.[1] ?? ''
    }).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: world.url }
  })
  expect(response.status).toBe(404)
})

test('[PAGE-7] a form redirects to the account page and nowhere else', async () => {
  const visitor = await join()
  const phone = async (): Promise<void> => {
    const other = newVisitor()
    await other.visit(`${world.url}/sign-in`)
    await other.submit('/sign-in', { email: `person-${people}@example.org`, password: 'correct horse battery' })
  }
  for (const back of ['https://evil.example/', '//evil.example', '/account?x=1//evil.example\\', '/account/../d/x']) {
    await phone()
    await open(visitor)
    await send(visitor, '/account/end-session', { back })
    expect(new URL(visitor.page.url).origin).toBe(world.url)
    expect(new URL(visitor.page.url).pathname).toBe('/account')
  }
})

test('[PAGE-9] the account page signs out at once, and the home page is told', async () => {
  const visitor = await join()
  await open(visitor)
  const form =
    /<form method="post" action="\/sign-out"><input type="hidden" name="token" value="([^"]+)"><button[^>]*>Sign out<\/button><\/form>/
  const token = form.exec(visitor.page.text)?.[1] ?? ''
  const foreign = await visitor.request(`${world.url}/sign-out`, { method: 'POST', body: new URLSearchParams({ token: `${token}x` }) })
  expect(foreign.status).toBe(403)
  const response = await visitor.request(`${world.url}/sign-out`, { method: 'POST', body: new URLSearchParams({ token }) })
  expect([response.status, response.headers.get('Location')]).toEqual([303, '/#signed-out'])
  expect((await visitor.request(`${world.url}/api/me/sessions`)).status).toBe(401)
})

test('[PAGE-8] sessions are listed by the browser or program that opened them, and ended one by one', async () => {
  const visitor = await join()
  const phone = newVisitor({
    userAgent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1'
  })
  await phone.visit(`${world.url}/sign-in`)
  await phone.submit('/sign-in', { email: `person-${people}@example.org`, password: 'correct horse battery' })
  await open(visitor)
  expect(visitor.page.text).toContain('Safari on iOS')
  expect(visitor.page.text).toContain('Firefox on Linux')
  const german = await (await visitor.request(visitor.page.url, { headers: { 'accept-language': 'de' } })).text()
  expect(german).toContain('Safari unter iOS')
  expect(german).toContain('Zuletzt benutzt: <time')
  await send(visitor, '/account/end-session', {})
  expect((await phone.request(`${world.url}/api/me`)).status).toBe(401)
  expect((await visitor.request(`${world.url}/api/me`)).status).toBe(200)
  // The broker does not let the browser in without a password either.
  await open(phone)
  expect(phone.page.text).toContain('name="password"')
  await visitor.visit(`${world.url}/sign-in`)
  expect(visitor.page.url).toBe(`${world.url}/`)
})

test('[WHO-33] this device comes first among the sessions, and then the ones that were used last', async () => {
  const visitor = await join()
  for (const userAgent of ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)', 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)']) {
    clock.advance(60_000)
    const other = newVisitor({ userAgent })
    await other.visit(`${world.url}/sign-in`)
    await other.submit('/sign-in', { email: `person-${people}@example.org`, password: 'correct horse battery' })
  }
  await open(visitor)
  const names = [...visitor.page.text.matchAll(/<span class="entry-title"><bdi>([^<]*)<\/bdi>/g)].map(([, name]) => name)
  expect(names).toEqual(['Firefox on Linux', expect.stringContaining('macOS'), expect.stringContaining('iOS')])
})

test('[WHO-34] the page that asks before signing out leads back to where the person was, but to no other site', async () => {
  const visitor = await join()
  const backFrom = async (query: string): Promise<string | undefined> => {
    await visitor.visit(`${world.url}/sign-out${query}`)
    return /<a class="[^"]*" href="([^"]*)">Cancel<\/a>/.exec(visitor.page.text)?.[1]
  }
  expect(await backFrom('?return_to=%2Fd%2Fabcdefghijkl')).toBe('/d/abcdefghijkl')
  expect(await backFrom('?return_to=https%3A%2F%2Fevil.example%2F')).toBe('/')
  expect(await backFrom('')).toBe('/')
  expect(visitor.page.text).toContain(`(person-${people}@example.org)`)
})

test('[PAGE-8] a session that was renewed without a password, or by a later sign-in, ends together with the broker’s', async () => {
  const visitor = await join()
  const phone = newVisitor()
  await phone.visit(`${world.url}/sign-in`)
  await phone.submit('/sign-in', { email: `person-${people}@example.org`, password: 'correct horse battery' })
  await phone.visit(`${world.url}/sign-in`)
  clock.advance(limits.sessionRotateHours * 3600 * 1000)
  await phone.request(`${world.url}/api/me`)
  await phone.request(`${world.url}/api/me`)
  await open(visitor)
  await send(visitor, '/account/end-session', {})
  await open(phone)
  expect(phone.page.text).toContain('name="password"')
})
