/** The account page, as a browser without script uses it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { finishDeletions } from '../../server/domain/documents.ts'
import { limits } from '../../shared/limits.ts'
import { type TurnedClock, turnedClock } from '../support/clock.ts'
import { newVisitor, signUp, type Visitor } from '../support/visitor.ts'
import { type Json, startWorld, type World } from '../support/world.ts'

let world: World
let clock: TurnedClock
beforeAll(async () => {
  clock = turnedClock()
  world = await startWorld({ clock })
})
afterAll(() => world.stop())

let people = 0
const join = (): Promise<Visitor> => signUp(world.url, `person-${++people}@example.org`)

const create = async (visitor: Visitor, content: string): Promise<Json> => {
  clock.turn(1000)
  const response = await visitor.request(`${world.url}/api/docs`, {
    method: 'POST',
    body: JSON.stringify({ content }),
    headers: { 'Content-Type': 'application/json', Origin: world.url }
  })
  return response.json()
}

const open = (visitor: Visitor, query = ''): Promise<unknown> => visitor.visit(`${world.url}/account${query}`)
const titles = ({ page }: Visitor): string[] =>
  [...page.text.matchAll(/<a class="entry-link" href="[^"]+"><span class="entry-title"><bdi>([^<]*)</g)].map(([, title = '']) => title)

/** Sends the form of a page that holds all of these fields; a field that the page has several of is told by its value. */
const send = (visitor: Visitor, action: string, fields: Record<string, string>): Promise<{ status: number; text: string }> =>
  visitor.submit(action, fields)

test('[PAGE-1] who is not signed in gets to the sign-in page, and back', async () => {
  const visitor = newVisitor()
  await open(visitor)
  expect(visitor.page.text).toContain('<h1>Sign in</h1>')
})

test('[PAGE-2] documents are listed in the order that was asked for, and searched by title and text', async () => {
  const visitor = await join()
  const first = await create(visitor, '# Banana')
  await create(visitor, '# apple\n\nwith herring')
  await create(visitor, '# Cherry <b>')
  clock.turn(1000)
  await visitor.request(`${world.url}/api/docs/${first.id}/content`, {
    method: 'PUT',
    body: JSON.stringify({ content: '# Banana 2' }),
    headers: { 'Content-Type': 'application/json', Origin: world.url }
  })
  await open(visitor)
  expect(titles(visitor)).toEqual(['Banana 2', 'Cherry &lt;b&gt;', 'apple'])
  await open(visitor, '?sort=created')
  expect(titles(visitor)).toEqual(['Cherry &lt;b&gt;', 'apple', 'Banana 2'])
  await open(visitor, '?sort=title')
  expect(titles(visitor)).toEqual(['apple', 'Banana 2', 'Cherry &lt;b&gt;'])
  await open(visitor, '?query=herring&sort=title')
  expect(titles(visitor)).toEqual(['apple'])
  expect(visitor.page.text).toContain('value="herring"')
  await open(visitor, `?query=${encodeURIComponent('"><script>')}`)
  expect(visitor.page.text).not.toContain('"><script>')
  expect(visitor.page.text).toContain('No document of yours')
})

test('[PAGE-3] long lists go on page by page, in every order', async () => {
  const visitor = await join()
  const all = []
  for (let number = 0; number < limits.pageDefault + 5; number++)
    all.push((await create(visitor, `# N ${String(number).padStart(3, '0')}`)).title)
  for (const sort of ['updated', 'created', 'title']) {
    await open(visitor, `?sort=${sort}`)
    const seen = titles(visitor)
    const next = /<a class="button" href="([^"]+)">More<\/a>/.exec(visitor.page.text)?.[1]?.replaceAll('&amp;', '&') ?? 'none'
    await visitor.visit(`${world.url}${next}`)
    seen.push(...titles(visitor))
    expect(seen.toSorted()).toEqual(all)
    expect(visitor.page.text).not.toContain('>More</a>')
  }
})

test('[PAGE-4] a deletion ends every way in at once, and is taken back whole', async () => {
  const visitor = await join()
  const { id } = await create(visitor, '# Kept\n\ntext')
  const link = (await (
    await visitor.request(`${world.url}/api/docs/${id}/shares`, {
      method: 'POST',
      body: JSON.stringify({ role: 'edit' }),
      headers: { 'Content-Type': 'application/json', Origin: world.url }
    })
  ).json()) as Json
  const person = world.person(id, link.secret)
  const editor = await person.connect()
  editor.type(6, '!')
  await editor.saved()
  await open(visitor)
  await send(visitor, '/account/delete', {})
  expect(visitor.page.text).toContain('“<bdi>Kept!</bdi>” was deleted')
  expect(titles(visitor)).toEqual([])
  await expect.poll(() => editor.closes[0]?.code).toBe(4404)
  expect((await person.ask('GET', '')).status).toBe(410)
  expect((await world.ask('GET', `/d/${id}.md`, { key: link.secret })).status).toBe(410)
  expect((await visitor.request(`${world.url}/api/docs/${id}`)).status).toBe(410)
  const form = visitor.page.text
  await send(visitor, '/account/undo', {})
  // A second click is no failure.
  const token = /name="token" value="([^"]+)"/.exec(form)?.[1] ?? ''
  const twice = await visitor.request(`${world.url}/account/undo`, {
    method: 'POST',
    body: new URLSearchParams({ doc: id, token }).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: world.url }
  })
  expect(twice.status).toBe(303)
  expect(titles(visitor)).toEqual(['Kept!'])
  expect((await person.read()).content).toBe('# Kept!\n\ntext')
  const again = await person.connect()
  again.type(6, '?')
  await again.saved()
  expect((await person.read()).content).toBe('# Kept?!\n\ntext')
})

test('[PAGE-5] a deletion that nobody took back is final: after ten minutes nothing of the text is left', async () => {
  const visitor = await join()
  const { id } = await create(visitor, '# Gone for good')
  await open(visitor)
  await send(visitor, '/account/delete', {})
  const form = visitor.page
  clock.turn(limits.undoMinutes * 60_000)
  await expect.poll(async () => (await world.service.storage.list(['d', id])).length).toBe(0)
  const late = await visitor.submit('/account/undo', {})
  expect(late.status).toBe(410)
  expect(form.text).toContain('Gone for good')
  await open(visitor)
  expect(visitor.page.text).not.toContain('Gone for good')
  const left = await Promise.all([['d'], ['deletion'], ['undoable'], ['owned']].map((prefix) => world.service.storage.list(prefix)))
  expect(left.flat().filter(({ key, value }) => `${key.join(' ')} ${Buffer.from(value).toString()}`.includes('Gone for good'))).toEqual([])
  expect(left.flat().some(({ key }) => key[0] !== 'd' && key.includes(id))).toBe(false)
})

test('[PAGE-5] a deletion outlives a restart, and can still be taken back', async () => {
  const visitor = await join()
  const { id } = await create(visitor, '# Restarted')
  await open(visitor)
  await send(visitor, '/account/delete', {})
  await finishDeletions(world.service)
  const port = new URL(world.url).port
  world = await world.restart({ env: { AGMD_PORT: port } })
  expect((await visitor.request(`${world.url}/api/docs/${id}`)).status).toBe(410)
  await open(visitor)
  await send(visitor, '/account/undo', {})
  expect(titles(visitor)).toEqual(['Restarted'])
})

test('[PAGE-6] forms act for their own session and on their own documents alone', async () => {
  const [ana, bob] = [await join(), await join()]
  const { id } = await create(ana, '# Ana’s')
  await create(bob, '# Bob’s')
  await open(bob)
  expect((await send(bob, '/account/delete', { doc: id })).status).toBe(404)
  await open(bob)
  expect((await send(bob, '/account/delete', { token: 'A'.repeat(43) })).status).toBe(403)
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
  await open(ana)
  await send(ana, '/account/delete', {})
  await open(bob)
  const undo = await bob.request(`${world.url}/account/undo`, {
    method: 'POST',
    body: new URLSearchParams({ doc: id, token: /name="token" value="([^"]+)"/.exec(bob.page.text)?.[1] ?? '' }).toString(),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', Origin: world.url }
  })
  expect(undo.status).toBe(404)
})

test('[PAGE-7] a form leads back to the account page and nowhere else', async () => {
  const visitor = await join()
  for (const back of ['https://evil.example/', '//evil.example', '/account?x=1//evil.example\\', '/account/../d/x']) {
    await create(visitor, '# One')
    await open(visitor)
    await send(visitor, '/account/delete', { back })
    expect(new URL(visitor.page.url).origin).toBe(world.url)
    expect(new URL(visitor.page.url).pathname).toBe('/account')
  }
})

test('[PAGE-8] sessions are listed by what they were opened with, and ended one by one', async () => {
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
  await send(visitor, '/account/end-session', {})
  expect((await phone.request(`${world.url}/api/me`)).status).toBe(401)
  expect((await visitor.request(`${world.url}/api/me`)).status).toBe(200)
  // Nor does the broker let the browser in again.
  await open(phone)
  expect(phone.page.text).toContain('name="password"')
  await visitor.visit(`${world.url}/sign-in`)
  expect(visitor.page.url).toBe(`${world.url}/account`)
})

test('[PAGE-8] a session that was renewed without a password, or by a later sign-in, is ended with the broker’s as well', async () => {
  const visitor = await join()
  const phone = newVisitor()
  await phone.visit(`${world.url}/sign-in`)
  await phone.submit('/sign-in', { email: `person-${people}@example.org`, password: 'correct horse battery' })
  await phone.visit(`${world.url}/sign-in`)
  clock.turn(limits.sessionRotateHours * 3600 * 1000)
  await phone.request(`${world.url}/api/me`)
  await phone.request(`${world.url}/api/me`)
  await open(visitor)
  await send(visitor, '/account/end-session', {})
  await open(phone)
  expect(phone.page.text).toContain('name="password"')
})

test('[ACCOUNT-14] a title cannot turn or break the page', async () => {
  const visitor = await join()
  await create(visitor, '# safe\u202Egpj.exe \u2066x')
  await open(visitor)
  expect(visitor.page.text).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/)
  await send(visitor, '/account/delete', {})
  expect(visitor.page.text).toContain('“<bdi>safe gpj.exe  x</bdi>” was deleted')
  expect(visitor.page.text).not.toMatch(/[\u202A-\u202E\u2066-\u2069]/)
})
