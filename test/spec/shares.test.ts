import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Account, createAccount } from '../../server/domain/accounts/accounts.ts'
import { openSession } from '../../server/domain/accounts/sessions.ts'
import { limits } from '../../shared/limits.ts'
import { roles } from '../../shared/roles.ts'
import { testClock } from '../support/clock.ts'
import { withLimit } from '../support/limits.ts'
import { type Answer, type Json, type Person, settledWithin, startWorld, until, type World } from '../support/world.ts'

const clock = testClock()
let world: World
beforeAll(async () => {
  world = await startWorld({ clock })
})
afterAll(() => world.stop())

const refused = { status: 401, json: { code: 'credential_invalid' } }
const inAnHour = (): string => new Date(clock.now() + 3_600_000).toISOString()

test.each(roles)('[SHARE-1] a link grants its role and nothing more: %s', async (role) => {
  const owner = await world.create('text')
  const { status, json } = await owner.ask('POST', '/shares', { json: { role, label: 'For Ada' } })
  expect(status).toBe(201)
  expect(json).toMatchObject({ role, label: 'For Ada', expiresAt: null, lastUsedAt: null, revoked: false })
  expect(json.secret).toMatch(/^[A-Za-z0-9_-]{32}$/)
  expect(json.key).toBe(json.secret)
  expect(json.url).toBe(`${world.url}/d/${owner.doc}?key=${json.secret}`)
  expect((await fetch(json.agentUrl)).status).toBe(200)
  const { share, ...flat } = json
  expect(share).toEqual(flat)
  expect((await world.person(owner.doc, json.secret).ask('GET', '')).json.role).toBe(role)
})

test('[SHARE-2] every link has its own secret', async () => {
  const owner = await world.create('text')
  const people = await Promise.all([1, 2, 3].map(() => owner.share('view')))
  expect(new Set([owner.key, ...people.map(({ key }) => key)]).size).toBe(4)
})

test('[SHARE-3] an editor makes links up to edit; owner links, listing and revoking are for the owner', async () => {
  const owner = await world.create('text')
  const editor = await owner.share('edit')
  const viewer = await editor.share('view')
  expect(await editor.ask('POST', '/shares', { json: { role: 'owner' } })).toMatchObject({
    status: 403,
    json: { code: 'forbidden', requiredRole: 'owner', role: 'edit' }
  })
  for (const person of [editor, viewer]) {
    expect((await person.ask('GET', '/shares')).status).toBe(403)
    expect((await person.ask('DELETE', `/shares/${viewer.key}`)).status).toBe(403)
  }
  const second = await owner.share('owner')
  expect((await second.ask('GET', '/shares')).status).toBe(200)
})

test('[SHARE-4] the owner lists all links with their secrets, newest first', async () => {
  const owner = await world.create('text')
  clock.advance(1000)
  const viewer = await owner.share('view', { label: 'one' })
  clock.advance(1000)
  const editor = await owner.share('edit', { expiresAt: inAnHour() })
  const { shares } = (await owner.ask('GET', '/shares')).json
  expect(shares.map((share: { secret: string }) => share.secret)).toEqual([editor.key, viewer.key, owner.key])
  expect(shares[0]).toMatchObject({ role: 'edit', label: null, revoked: false, expiresAt: inAnHour() })
})

test('[SHARE-5] the list shows when a link was last used', async () => {
  const owner = await world.create('text')
  const viewer = await owner.share('view')
  await viewer.read()
  await world.service.ledger.idle()
  const lastUsed = async (): Promise<unknown> =>
    (await owner.ask('GET', '/shares')).json.shares.find((share: { id: string }) => share.id === viewer.link.id).lastUsedAt
  expect(await lastUsed()).toBe(new Date(clock.now()).toISOString())
  clock.advance(limits.lastUsedSeconds * 1000)
  await viewer.read()
  await world.service.ledger.idle()
  expect(await lastUsed()).toBe(new Date(clock.now()).toISOString())
  // An open page counts as using the link now, even if it was opened long ago.
  const here = await viewer.connect()
  clock.advance(10 * limits.lastUsedSeconds * 1000)
  const now = clock.now()
  expect(await lastUsed()).toBe(new Date(now).toISOString())
  here.close()
  clock.advance(1000)
  await until(async () => (await lastUsed()) !== new Date(clock.now()).toISOString(), 'the socket is gone')
})

test('[SHARE-6] a link ends at its expiry: requests, sockets and long polls', async () => {
  const owner = await world.create('text')
  const guest = await owner.share('edit', { expiresAt: inAnHour() })
  const editor = await guest.connect()
  clock.advance(3_590_000)
  await guest.read()
  const poll = guest.ask('GET', '/events', { query: { since: 'latest', wait: 50 } })
  expect(await settledWithin(poll, 50)).toBe('waiting')
  clock.advance(10_000)
  expect(await guest.ask('GET', '')).toMatchObject(refused)
  await until(() => editor.closes.length > 0, 'the close', 1)
  expect(editor.closes[0]?.code).toBe(4401)
  expect(await settledWithin(poll, 1000)).toMatchObject(refused)
})

test.each([
  { role: 'admin' },
  {},
  { role: 'view', expiresAt: 'tomorrow' },
  { role: 'view', expiresAt: '2001-01-01T00:00:00Z' },
  { role: 'view', label: 'a\nb' },
  { role: 'view', label: 7 }
])('[SHARE-7] an invalid role, expiry or label returns 400 and names the field: %j', async (json) => {
  const owner = await world.create('text')
  const answer = await owner.ask('POST', '/shares', { json })
  expect(answer).toMatchObject({ status: 400, json: { code: 'invalid_request' } })
  expect(answer.json.details[0].path).toBe(Object.keys(json).at(-1) ?? 'role')
  expect((await owner.ask('GET', '/shares')).json.shares.length).toBe(1)
})

test.each(['secret', 'id'] as const)(
  '[SHARE-8] a link revoked by its %s is invalid at once, and revoking it again returns 200',
  async (by) => {
    const owner = await world.create('text')
    const guest = await owner.share('edit')
    for (const _twice of [1, 2])
      expect(await owner.ask('DELETE', `/shares/${guest.link[by]}`)).toMatchObject({ status: 200, json: { ok: true, revoked: true } })
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/content'],
      ['PUT', '/content']
    ] as const)
      expect(await guest.ask(method, path, method === 'PUT' ? { json: { content: 'x' } } : {})).toMatchObject(refused)
    expect((await owner.ask('GET', '/shares')).json.shares.find((share: { id: string }) => share.id === guest.link.id).revoked).toBe(true)
    const { events } = await owner.events({ types: 'share.revoked' })
    expect(events).toMatchObject([{ payload: { shareId: guest.link.id, role: 'edit' } }])
  }
)

test('[SHARE-8] a link revoked twice at the same moment is revoked once', async () => {
  const owner = await world.create('text')
  const guest = await owner.share('edit')
  await Promise.all([1, 2, 3, 4, 5].map(() => owner.ask('DELETE', `/shares/${guest.key}`)))
  expect((await owner.events({ types: 'share.revoked' })).events.length).toBe(1)
})

test('[SHARE-9] revoking a link of another document, or an unknown one, returns 404', async () => {
  const [owner, other] = [await world.create('text'), await world.create('text')]
  for (const name of [other.key, (await other.share('view')).link.id, 'A'.repeat(32), 'nonsense'])
    expect(await owner.ask('DELETE', `/shares/${name}`)).toMatchObject({ status: 404, json: { code: 'not_found' } })
  expect((await other.ask('GET', '')).status).toBe(200)
})

test('[SHARE-10] revoking ends the sockets and long polls of that link within a second, and of no other', async () => {
  const owner = await world.create('text')
  const [leaver, stayer] = [await owner.share('edit'), await owner.share('edit')]
  const [gone, here] = [await leaver.connect(), await stayer.connect()]
  const query = { since: 'latest', wait: 55, types: 'content.replaced' }
  const [ended, waits] = [leaver.ask('GET', '/events', { query }), stayer.ask('GET', '/events', { query })]
  expect(await settledWithin(Promise.race([ended, waits]), 50)).toBe('waiting')
  const start = performance.now()
  await owner.ask('DELETE', `/shares/${leaver.key}`)
  await until(() => gone.closes.length > 0, 'the close', 1)
  expect(await settledWithin(ended, 1000)).toMatchObject(refused)
  expect(performance.now() - start).toBeLessThan(1000)
  expect(gone.closes[0]?.code).toBe(4401)
  gone.type(0, 'too late ')
  here.type(0, 'still here ')
  await here.saved()
  expect(here.closes).toEqual([])
  expect(await settledWithin(waits, 20)).toBe('waiting')
  await owner.replace('end')
  expect((await waits).json.events.length).toBe(1)
})

test('[SHARE-11] a key of another document returns 404, like a document that does not exist', async () => {
  const [owner, other] = [await world.create('text'), await world.create('text')]
  const there = await world.person(other.doc, owner.key).ask('GET', '')
  const nowhere = await world.person('AAAAAAAAAAAAAAAA', owner.key).ask('GET', '')
  expect(there).toMatchObject({ status: 404, json: { code: 'not_found' } })
  const strip = (json: Record<string, unknown>): unknown => ({ ...json, requestId: '', instance: '' })
  expect(strip(there.json)).toEqual(strip(nowhere.json))
})

test('[SHARE-12] an invalid credential returns 401, no matter what else is sent, and is never ignored', async () => {
  const owner = await world.create('text')
  const wrong = 'A'.repeat(32)
  const at = `/api/docs/${owner.doc}`
  const attempts: [string, Record<string, string>][] = [
    [`${at}?key=${wrong}`, {}],
    [`${at}?key=short`, {}],
    [at, { 'X-Share-Key': wrong }],
    [`${at}?key=${owner.key}`, { Authorization: 'Bearer asess_nonsense' }],
    [`${at}?key=${owner.key}`, { Authorization: 'Basic YTpi' }],
    [`${at}?key=${owner.key}`, { 'X-Share-Key': wrong }],
    [`${at}?key=${wrong}`, { 'X-Share-Key': owner.key }],
    [`${at}?key=${owner.key}&key=${wrong}`, {}],
    [`/api/health?key=${wrong}`, {}]
  ]
  for (const [path, headers] of attempts) expect(await world.ask('GET', path, { headers }), path).toMatchObject(refused)
  expect(await world.ask('POST', '/new', { key: wrong, json: {} })).toMatchObject(refused)
  expect((await world.ask('GET', `${at}?key=${owner.key}`, { headers: { 'X-Share-Key': owner.key } })).status).toBe(200)
})

test('[SHARE-13] secrets appear neither in the log nor in the data folder', async () => {
  const own = await startWorld()
  const owner = await own.create('text')
  const guests = [await owner.share('edit'), await owner.share('view')]
  const secrets = [owner.key, ...guests.map(({ key }) => key)]
  for (const key of secrets) {
    await own.ask('GET', `/d/${owner.doc}.md?key=${key}`)
    await own.ask('GET', `/d/${owner.doc}?key=${key}`, { headers: { Accept: 'text/html' } })
    await own.ask('GET', `/nowhere?key=${key}`)
    await own.ask('PUT', `/api/docs/${owner.doc}/content?key=${key}`, { body: '{', type: 'application/json' })
    await own.person(owner.doc, key).connect()
  }
  await owner.ask('POST', '/shares', { json: { role: 'view' }, headers: { 'Idempotency-Key': 'once' } })
  await owner.ask('DELETE', `/shares/${guests[0]?.link.id}`)
  const { shares } = (await owner.ask('GET', '/shares')).json
  secrets.push(...shares.map((share: { secret: string }) => share.secret))
  expect(own.lines.length).toBeGreaterThan(10)
  for (const secret of secrets) expect(own.lines.filter((line) => line.includes(secret))).toEqual([])
  const names = await readdir(own.folder, { recursive: true, withFileTypes: true })
  const files = await Promise.all(names.filter((entry) => entry.isFile()).map((entry) => readFile(join(entry.parentPath, entry.name))))
  expect(files.length).toBeGreaterThan(0)
  for (const secret of secrets) expect(files.some((file) => file.includes(secret))).toBe(false)
  await own.stop()
})

test('[SHARE-13] a secret in a path does not appear in the log either', async () => {
  const owner = await world.create('text')
  const editor = await owner.share('edit')
  await editor.ask('DELETE', `/shares/${owner.key}`)
  expect(world.lines.filter((line) => line.includes(owner.key))).toEqual([])
})

test('[SHARE-14] a document has a limited number of live links; a revoked or expired one frees its place', async () => {
  const owner = await world.create('text')
  const make = (json: Json = {}): Promise<Answer> => owner.ask('POST', '/shares', { json: { role: 'view', ...json } })
  await withLimit('sharesMax', 3, async () => {
    const { json: first } = await make()
    const { json: short } = await make({ expiresAt: new Date(clock.now() + 60_000).toISOString() })
    expect(await make()).toMatchObject({ status: 400 })
    await owner.ask('DELETE', `/shares/${first.id}`)
    expect(await make()).toMatchObject({ status: 201 })
    expect(await make()).toMatchObject({ status: 400 })
    clock.advance(61_000)
    expect(await make()).toMatchObject({ status: 201 })
    expect(await make()).toMatchObject({ status: 400 })
    // An expired link no longer counts, so revoking it does not make room for another one.
    await owner.ask('DELETE', `/shares/${short.id}`)
    expect(await make()).toMatchObject({ status: 400 })
  })
})

test('[SHARE-17] links are listed newest first, page by page, with or without ended ones', async () => {
  const owner = await world.create('text')
  const made: string[] = [(await owner.ask('GET', '/shares')).json.shares[0].id]
  for (let count = 0; count < 6; count++) {
    clock.advance(count % 2)
    made.push((await owner.share('view')).link.id)
  }
  await owner.ask('DELETE', `/shares/${made[3]}`)
  const pages = async (query: Json): Promise<string[]> => {
    const ids: string[] = []
    for (let before: string | undefined; ;) {
      const { json } = await owner.ask('GET', '/shares', { query: { ...query, limit: 2, ...(before !== undefined && { before }) } })
      ids.push(...json.shares.map(({ id }: Json) => id))
      if (json.nextBefore === null) return ids
      before = json.nextBefore
    }
  }
  expect((await pages({})).toSorted()).toEqual(made.toSorted())
  expect((await pages({ ended: 'false' })).toSorted()).toEqual(made.filter((id) => id !== made[3]).toSorted())
  const { shares } = (await owner.ask('GET', '/shares')).json
  expect(shares.map(({ createdAt }: Json) => createdAt)).toEqual(
    shares
      .map(({ createdAt }: Json) => createdAt)
      .toSorted()
      .toReversed()
  )
  expect((await owner.ask('GET', '/shares', { query: { before: 'x' } })).status).toBe(400)
})

test('[LINK-1] the owner changes the role of a link in place; it applies at once to requests, sockets and admitted connections', async () => {
  const owner = await world.create('one')
  const ana = await owner.share('edit', { label: 'Ana' })
  const page = await ana.connect()
  page.type(3, ' two')
  await page.saved()
  const { status, json } = await owner.ask('PATCH', `/shares/${ana.link.id}`, { json: { role: 'comment' } })
  expect(status).toBe(200)
  expect(json).toMatchObject({ id: ana.link.id, role: 'comment', secret: ana.key, label: 'Ana', lowered: [], ended: [] })
  expect(await ana.ask('POST', '/edits', { json: { operations: [{ op: 'append', markdown: 'no' }] } })).toMatchObject({
    status: 403,
    json: { code: 'forbidden', role: 'comment' }
  })
  expect((await ana.ask('POST', '/comments', { json: { body: 'Yes.' } })).status).toBe(201)
  // The open page reconnects with the new role, and typing on it changes nothing.
  const roleNow = (): unknown => page.messages.findLast(({ type }) => type === 'role')?.['role']
  await until(() => roleNow() === 'comment', 'the new role')
  page.type(0, 'no ')
  expect((await owner.read()).content).toBe('one two')
  await owner.ask('PATCH', `/shares/${ana.key}`, { json: { role: 'edit' } })
  await until(() => roleNow() === 'edit', 'the former role')
  expect((await owner.events()).events.filter(({ kind }: { kind: string }) => kind === 'share.changed')).toMatchObject([
    { payload: { shareId: ana.link.id, role: 'comment', label: 'Ana' } },
    { payload: { shareId: ana.link.id, role: 'edit', label: 'Ana' } }
  ])
  // Setting the same role again is not a change.
  const before = (await owner.events()).latest
  expect((await owner.ask('PATCH', `/shares/${ana.key}`, { json: { role: 'edit' } })).status).toBe(200)
  expect((await owner.events()).latest).toBe(before)
})

test('[LINK-2] a link never grants more than its parent, no matter which of them changes', async () => {
  const owner = await world.create('text')
  const second = await owner.share('owner')
  const editor = await second.share('edit')
  const [viewer, other] = [await editor.share('view'), await editor.share('edit')]
  const roleOf = async ({ doc, key }: { doc: string; key: string }): Promise<string> =>
    (await world.person(doc, key).ask('GET', '')).json.role
  expect(await owner.ask('PATCH', `/shares/${editor.link.id}`, { json: { role: 'comment' } })).toMatchObject({
    json: { lowered: [other.link.id], ended: [] }
  })
  expect(await Promise.all([editor, viewer, other].map(roleOf))).toEqual(['comment', 'view', 'comment'])
  expect(await owner.ask('PATCH', `/shares/${viewer.link.id}`, { json: { role: 'suggest' } })).toMatchObject({
    status: 400,
    json: { code: 'invalid_request', details: [{ path: 'role' }] }
  })
  // Reviewers make suggestions, so the link of an assignment ends when its maker may no longer suggest.
  const { json } = await second.ask('POST', '/tasks', { json: { requestId: 'one', title: 'Check', instructions: 'Read it.' } })
  const task = new URL(json.task.share.url).searchParams.get('key') ?? ''
  expect((await owner.ask('PATCH', `/shares/${task}`, { json: { role: 'edit' } })).status).toBe(400)
  const lowered = await owner.ask('PATCH', `/shares/${second.link.id}`, { json: { role: 'view' } })
  expect(lowered.json.ended).toEqual([json.task.share.id])
  expect(await world.person(owner.doc, task).ask('GET', '')).toMatchObject(refused)
  expect(await Promise.all([second, editor, viewer, other].map(roleOf))).toEqual(['view', 'view', 'view', 'view'])
})

test('[LINK-3] only owners change roles, and one owner remains', async () => {
  const owner = await world.create('text')
  const editor = await owner.share('edit')
  expect((await editor.ask('PATCH', `/shares/${editor.key}`, { json: { role: 'owner' } })).status).toBe(403)
  expect(await owner.ask('PATCH', `/shares/${owner.key}`, { json: { role: 'view' } })).toMatchObject({
    status: 409,
    json: { code: 'last_owner_link' }
  })
  expect((await owner.ask('PATCH', '/shares/unknown', { json: { role: 'view' } })).status).toBe(404)
  const gone = await owner.share('view')
  await owner.ask('DELETE', `/shares/${gone.key}`)
  expect((await owner.ask('PATCH', `/shares/${gone.key}`, { json: { role: 'edit' } })).status).toBe(404)
  const second = await owner.share('owner', { label: 'Second' })
  // The second link was made through the first one, and would lose its role when the first one does.
  expect((await second.ask('PATCH', `/shares/${owner.key}`, { json: { role: 'view' } })).json.code).toBe('last_owner_link')
})

const inTheWay = { status: 400, json: { code: 'invalid_request', details: [{ path: 'role' }] } }
const setRole = (by: Person, { id }: Json, role: string): Promise<Answer> => by.ask('PATCH', `/shares/${id}`, { json: { role } })

/** Creates a document of an account, and returns functions that send requests as the account and make links. */
const linksOfAccount = async (email: string) => {
  const account = (await createAccount(world.service, { email, password: 'correct horse battery' })) as Account
  const headers = { Authorization: `Bearer ${(await openSession(world.service, account.id, 'app', 'a test')).token}` }
  const { id } = (await world.ask('POST', '/api/docs', { headers, json: { content: 'text' } })).json
  const mine = (method: string, path: string, json?: unknown): Promise<Answer> =>
    world.ask(method, `/api/docs/${id}${path}`, { headers, ...(json === undefined ? {} : { json }) })
  const make = async (role: string, fields: Json = {}): Promise<Person & { link: Json }> => {
    const { json } = await mine('POST', '/shares', { role, ...fields })
    return { ...world.person(id, json.key), link: json }
  }
  return { mine, make }
}

test('[LINK-5] a caller with a link raises the role only of links made through it, and lowers that of any link', async () => {
  const first = await world.create('text')
  const { link: viewer } = await first.share('view')
  const short = await first.share('owner', { expiresAt: inAnHour() })
  const second = await first.share('owner')
  for (const by of [short, second]) for (const role of ['owner', 'comment']) expect(await setRole(by, viewer, role)).toMatchObject(inTheWay)
  const { link: editor } = await first.share('edit')
  expect(await setRole(short, editor, 'view')).toMatchObject({ status: 200, json: { role: 'view' } })
  expect(await setRole(short, editor, 'edit')).toMatchObject(inTheWay)
  // Links made through a link that expires, directly or not, end no later than their maker and have no higher role.
  const own = await short.share('edit')
  const { link: below } = await own.share('view')
  expect(await setRole(short, below, 'owner')).toMatchObject(inTheWay)
  expect(await setRole(short, own.link, 'owner')).toMatchObject({ status: 200, json: { role: 'owner', expiresAt: short.link.expiresAt } })
  expect(await setRole(short, below, 'owner')).toMatchObject({ status: 200 })
  expect(await setRole(second, own.link, 'view')).toMatchObject({ status: 200 })
  expect(await setRole(second, own.link, 'owner')).toMatchObject(inTheWay)
  expect(await setRole(first, viewer, 'owner')).toMatchObject({ status: 200, json: { role: 'owner' } })
})

test('[LINK-5] [LINK-6] among the links of an account, its lasting owner link raises those without a maker, and they end with it', async () => {
  const { mine, make } = await linksOfAccount('links@example.org')
  const [viewer, lasting, short] = [await make('view'), await make('owner'), await make('owner', { expiresAt: inAnHour() })]
  const other = await make('owner')
  const ofOther = await other.share('view')
  expect(await setRole(short, viewer.link, 'owner')).toMatchObject(inTheWay)
  expect(await setRole(lasting, ofOther.link, 'comment')).toMatchObject(inTheWay)
  expect(await setRole(lasting, viewer.link, 'owner')).toMatchObject({ status: 200, json: { madeThrough: lasting.link.id } })
  // A link whose role was raised ends with the link that raised it, as if it had been made through that link.
  expect(await mine('DELETE', `/shares/${lasting.link.id}`)).toMatchObject({ json: { ended: [viewer.link.id] } })
  expect(await viewer.ask('GET', '')).toMatchObject(refused)
  // If the account raises the role of a link, the link has no maker.
  const second = await make('view')
  const patched = await mine('PATCH', `/shares/${second.link.id}`, { role: 'edit' })
  expect(patched).toMatchObject({ status: 200, json: { role: 'edit', madeThrough: null } })
})

const setEnd = (by: Person, { id }: Json, expiresAt: string | null): Promise<Answer> =>
  by.ask('PATCH', `/shares/${id}`, { json: { expiresAt } })
const tooLate = { status: 400, json: { code: 'invalid_request', details: [{ path: 'expiresAt' }] } }
const inMinutes = (minutes: number): string => new Date(clock.now() + minutes * 60_000).toISOString()

test('[LINK-9] [LINK-44] the owner changes the name and the end of a link; the end applies at once to requests and open pages', async () => {
  const owner = await world.create('one')
  const ana = await owner.share('edit', { label: 'Anna' })
  const page = await ana.connect()
  const change = (json: Json): Promise<Answer> => owner.ask('PATCH', `/shares/${ana.link.id}`, { json })
  expect(await change({ label: 'Ana' })).toMatchObject({
    status: 200,
    json: { label: 'Ana', role: 'edit', expiresAt: null, secret: ana.key }
  })
  const end = inMinutes(2)
  expect(await change({ expiresAt: end })).toMatchObject({ status: 200, json: { label: 'Ana', role: 'edit', expiresAt: end, lowered: [] } })
  expect((await owner.ask('GET', `/shares/${ana.link.id}`)).json.share).toMatchObject({ label: 'Ana', expiresAt: end })
  const connections = (): number => page.messages.filter(({ type }) => type === 'role').length
  await until(() => connections() === 2, 'the page with the new end')
  const later = inMinutes(4)
  expect(await change({ expiresAt: later })).toMatchObject({ status: 200, json: { expiresAt: later } })
  await until(() => connections() === 3, 'the page with the later end')
  const ends = page.messages.filter(({ type }) => type === 'role').map(({ expiresAt }) => expiresAt)
  expect(ends).toEqual([undefined, end, later])
  clock.advance(3 * 60_000)
  expect((await ana.ask('GET', '')).status).toBe(200)
  clock.advance(60_000)
  await until(() => page.closes.some(({ code }) => code === 4401), 'the end of the connection')
  expect(await ana.ask('GET', '')).toMatchObject(refused)
  expect((await owner.events()).events.filter(({ kind }: Json) => kind === 'share.changed')).toHaveLength(3)

  const other = await owner.share('view', { expiresAt: inMinutes(5) })
  const lasts = await owner.ask('PATCH', `/shares/${other.link.id}`, { json: { label: null, expiresAt: null, role: 'comment' } })
  expect(lasts).toMatchObject({ status: 200, json: { label: null, expiresAt: null, role: 'comment' } })
  const { latest } = await owner.events()
  for (const json of [{}, { author: 'Ana' }, { expiresAt: inMinutes(-1) }, { expiresAt: 'tomorrow' }, { label: 7 }])
    expect((await owner.ask('PATCH', `/shares/${other.link.id}`, { json })).status).toBe(400)
  expect((await owner.ask('PATCH', `/shares/${other.link.id}`, { json: { label: null, expiresAt: null, role: 'comment' } })).status).toBe(
    200
  )
  expect((await owner.events()).latest).toBe(latest)
  const { json } = await owner.ask('POST', '/tasks', { json: { requestId: 'one', title: 'Check', instructions: 'Read it.' } })
  for (const change of [{ label: 'Ben' }, { expiresAt: inMinutes(5) }])
    expect((await owner.ask('PATCH', `/shares/${json.task.share.id}`, { json: change })).status).toBe(400)
})

test('[LINK-50] the first link of a document stays the first one under another name, and no other link becomes it', async () => {
  const owner = await world.create('text')
  const second = await owner.share('owner', { label: 'Owner' })
  const firsts = async (): Promise<unknown[]> => (await owner.ask('GET', '/shares')).json.shares.filter(({ first }: Json) => first === true)
  expect(await firsts()).toMatchObject([{ secret: owner.key, label: 'Owner' }])
  expect((await second.ask('PATCH', `/shares/${owner.key}`, { json: { label: 'Boss' } })).status).toBe(200)
  expect(await firsts()).toMatchObject([{ secret: owner.key, label: 'Boss' }])
  const page = await owner.connect()
  await until(() => page.messages.some(({ type }) => type === 'role'), 'the role')
  expect(page.messages.find(({ type }) => type === 'role')?.['name']).toBeUndefined()
})

test('[LINK-10] children end no later than their parent when its end changes', async () => {
  const owner = await world.create('text')
  const second = await owner.share('owner')
  const child = await second.share('edit', { expiresAt: inMinutes(30) })
  const lasting = await second.share('edit')
  const grandchild = await lasting.share('view')
  const endsOf = async (): Promise<readonly (string | null)[]> => {
    const { shares } = (await owner.ask('GET', '/shares')).json
    return [second, child, lasting, grandchild].map(({ link }) => shares.find(({ id }: Json) => id === link.id).expiresAt)
  }
  const end = inMinutes(60)
  const shortened = await setEnd(owner, second.link, end)
  expect(new Set(shortened.json.lowered)).toEqual(new Set([lasting.link.id, grandchild.link.id]))
  expect(await endsOf()).toEqual([end, child.link.expiresAt, end, end])
  expect(await setEnd(owner, child.link, inMinutes(90))).toMatchObject(tooLate)
  expect(await setEnd(owner, second.link, null)).toMatchObject({ status: 200, json: { expiresAt: null, lowered: [] } })
  expect(await endsOf()).toEqual([null, child.link.expiresAt, end, end])
  // A null end is the end of the parent.
  const early = inMinutes(10)
  expect(await setEnd(owner, lasting.link, early)).toMatchObject({ status: 200, json: { lowered: [grandchild.link.id] } })
  expect(await setEnd(owner, grandchild.link, null)).toMatchObject({ status: 200, json: { expiresAt: early } })
})

test('[LINK-11] a caller with a link extends only links made through it, and never their own', async () => {
  const first = await world.create('text')
  const short = await first.share('owner', { expiresAt: inMinutes(60) })
  const second = await first.share('owner')
  const viewer = await first.share('view', { expiresAt: inMinutes(30) })
  const later = inMinutes(45)
  for (const by of [short, second]) for (const end of [later, null]) expect(await setEnd(by, viewer.link, end)).toMatchObject(tooLate)
  for (const end of [inMinutes(90), null]) expect(await setEnd(short, short.link, end)).toMatchObject(tooLate)
  expect(await setEnd(second, short.link, null)).toMatchObject(tooLate)
  // Links made through a link that ends stay within its end.
  const own = await short.share('owner', { expiresAt: inMinutes(20) })
  expect(await setEnd(own, short.link, null)).toMatchObject(tooLate)
  expect(await setEnd(short, own.link, inMinutes(90))).toMatchObject(tooLate)
  expect(await setEnd(short, own.link, later)).toMatchObject({ status: 200, json: { expiresAt: later } })
  expect(await setEnd(second, own.link, inMinutes(10))).toMatchObject({ status: 200 })
  expect(await setEnd(first, short.link, null)).toMatchObject({ status: 200, json: { expiresAt: null } })

  const { link: over } = await first.share('view', { expiresAt: inMinutes(1) })
  clock.advance(60_000)
  expect(await setEnd(first, over, null)).toMatchObject(tooLate)
})

test('[LINK-11] among the links of an account, its lasting owner link extends those without a maker, and they end with it', async () => {
  const { mine, make } = await linksOfAccount('ends@example.org')
  const [viewer, lasting] = [await make('view', { expiresAt: inMinutes(30) }), await make('owner')]
  const short = await make('owner', { expiresAt: inMinutes(60) })
  expect(await setEnd(short, viewer.link, inMinutes(45))).toMatchObject(tooLate)
  expect(await setEnd(lasting, viewer.link, null)).toMatchObject({ status: 200, json: { expiresAt: null, madeThrough: lasting.link.id } })
  const both = await make('view', { expiresAt: inMinutes(30) })
  const raised = await lasting.ask('PATCH', `/shares/${both.link.id}`, { json: { role: 'edit', expiresAt: null } })
  expect(raised).toMatchObject({ status: 200, json: { role: 'edit', expiresAt: null, madeThrough: lasting.link.id } })
  expect(await mine('DELETE', `/shares/${both.link.id}`)).toMatchObject({ status: 200 })
  expect(await mine('DELETE', `/shares/${lasting.link.id}`)).toMatchObject({ json: { ended: [viewer.link.id] } })
  expect(await mine('PATCH', `/shares/${short.link.id}`, { expiresAt: null })).toMatchObject({ status: 200, json: { madeThrough: null } })
})

test('[LINK-12] one owner link without an end remains in a document without an account', async () => {
  const owner = await world.create('text')
  const first = (await owner.ask('GET', '/shares')).json.shares[0]
  const refusal = { status: 409, json: { code: 'last_owner_link' } }
  expect(await setEnd(owner, first, inMinutes(60))).toMatchObject(refusal)
  const second = await owner.share('owner')
  // The second link was made through the first one, and would end with it.
  expect(await setEnd(second, first, inMinutes(60))).toMatchObject(refusal)
  expect(await setEnd(owner, second.link, inMinutes(60))).toMatchObject({ status: 200 })
})

test('[LINK-7] callers who are not owners see label and id only of their own link, in the feed and live', async () => {
  const owner = await world.create('text')
  const editor = await owner.share('edit', { label: 'Ana' })
  const page = await editor.connect()
  const other = await owner.share('view', { label: 'Difficult customer' })
  await setRole(owner, other.link, 'comment')
  await setRole(owner, editor.link, 'suggest')
  await until(() => page.messages.some(({ type, role }) => type === 'role' && role === 'suggest'), 'the new role')
  await owner.ask('POST', '/tasks', { json: { requestId: 'one', title: 'Check', instructions: 'Read it.' } })
  await owner.ask('DELETE', `/shares/${other.link.id}`)
  const { events } = await editor.events()
  const { id } = editor.link
  expect(events.slice(1).map(({ kind, payload }: Json) => [kind, payload])).toEqual([
    ['share.created', { role: 'edit', shareId: id, label: 'Ana' }],
    ['share.created', { role: 'view' }],
    ['share.changed', { role: 'comment' }],
    ['share.changed', { role: 'suggest', shareId: id, label: 'Ana' }],
    ['task.created', { taskId: expect.any(String), title: 'Check' }],
    ['share.revoked', { role: 'comment' }]
  ])
  const live = (): Json[] => page.messages.filter(({ type }) => type === 'event').map(({ event }) => event)
  await until(() => live().some(({ kind }) => kind === 'share.revoked'), 'the last event')
  expect(JSON.stringify(page.messages)).not.toMatch(new RegExp(`Difficult|${other.link.id}|madeThrough`))
  // Each event is sent once, and the owner receives all of its fields.
  expect(live().filter(({ kind }) => kind === 'share.revoked')).toEqual([events.at(-1)])
  expect((await owner.events({ types: 'share.changed' })).events[0]).toMatchObject({
    payload: { shareId: other.link.id, role: 'comment', label: 'Difficult customer' }
  })
})
