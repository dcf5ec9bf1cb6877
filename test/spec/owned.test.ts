/** Documents of accounts: creating, listing, searching and claiming them, and sending a key together with a session. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Account, createAccount } from '../../server/domain/accounts/accounts.ts'
import { openSession } from '../../server/domain/accounts/sessions.ts'
import { type Answer, type Ask, type Json, startWorld, type World } from '../support/world.ts'

let world: World
let ana: string
let bob: string
const join = async (email: string): Promise<string> => {
  const account = (await createAccount(world.service, { email, name: email.split('@')[0], password: 'correct horse battery' })) as Account
  return (await openSession(world.service, account.id, 'app', 'a test')).token
}
beforeAll(async () => {
  world = await startWorld()
  ana = await join('ana@example.org')
  bob = await join('bob@example.org')
})
afterAll(() => world.stop())

const by = (token: string, method: string, path: string, what: Ask = {}): Promise<Answer> =>
  world.ask(method, path, { ...what, headers: { Authorization: `Bearer ${token}`, ...what.headers } })
const create = async (token: string, content: string): Promise<Json> => (await by(token, 'POST', '/api/docs', { json: { content } })).json
const titles = async (token: string, query: Record<string, string | number> = {}): Promise<string[]> =>
  (await by(token, 'GET', '/api/docs', { query })).json.docs.map((doc: Json) => doc.title)

test.each(['/new', '/api/docs'])('[OWN-1] a document that an account creates by POST %s belongs to it, without a key', async (path) => {
  const { status, json, headers } = await by(ana, 'POST', path, { json: { content: '# Mine' } })
  expect(status).toBe(201)
  expect(json).toMatchObject({ role: 'owner', owner: { kind: 'account', name: 'ana' }, url: `${world.url}/d/${json.id}` })
  expect(json).not.toHaveProperty('key')
  expect(headers.get('Location')).toBe(json.url)
  expect((await by(ana, 'GET', `/d/${json.id}.md`)).text).toBe('# Mine')
  expect((await by(ana, 'PUT', `/api/docs/${json.id}/content`, { json: { content: '# Changed' } })).status).toBe(200)
  expect((await world.ask('GET', `/api/docs/${json.id}`)).status).toBe(401)
  expect((await by(bob, 'GET', `/api/docs/${json.id}`)).status).toBe(404)
  expect((await by(ana, 'DELETE', `/api/docs/${json.id}`)).json).toMatchObject({ ok: true, deleted: true })
  expect((await by(ana, 'GET', `/api/docs/${json.id}`)).status).toBe(410)
  expect((await by(bob, 'GET', `/api/docs/${json.id}`)).status).toBe(404)
})

test('[OWN-2] the caller’s documents are listed newest first, page by page, each once', async () => {
  const carl = await join('carl@example.org')
  const made = []
  for (let number = 1; number <= 7; number++) made.unshift((await create(carl, `# Number ${number}`)).title)
  const { json: first } = await by(carl, 'GET', '/api/docs', { query: { limit: 3 } })
  const { json: second } = await by(carl, 'GET', '/api/docs', { query: { limit: 3, before: first.nextBefore } })
  const { json: third } = await by(carl, 'GET', '/api/docs', { query: { limit: 3, before: second.nextBefore } })
  expect([...first.docs, ...second.docs, ...third.docs].map((doc: Json) => doc.title)).toEqual(made)
  expect(third.nextBefore).toBe(null)
  expect(first.docs[0].capabilities).toContain('deleteDocument')
  expect(await titles(bob)).not.toContain('Number 1')
})

test('[OWN-3] a search finds the current title and text, in any case', async () => {
  const dora = await join('dora@example.org')
  const tea = await create(dora, '# Tea\n\nDarjeeling and ÖL')
  await create(dora, '# Coffee\n\nbeans')
  expect(await titles(dora, { query: 'darjeeling' })).toEqual(['Tea'])
  expect(await titles(dora, { query: 'öl' })).toEqual(['Tea'])
  expect(await titles(dora, { query: ' COFFEE ' })).toEqual(['Coffee'])
  expect(await titles(dora, { query: 'nothing of the kind' })).toEqual([])
  await by(dora, 'PUT', `/api/docs/${tea.id}/content`, { json: { content: '# Mate' } })
  expect(await titles(dora, { query: 'darjeeling' })).toEqual([])
  expect(await titles(dora, { query: 'mate' })).toEqual(['Mate'])
  await by(dora, 'DELETE', `/api/docs/${tea.id}`)
  expect(await titles(dora)).toEqual(['Coffee'])
})

test('[OWN-4] the holder of the owner link of an anonymous document can claim it; the link stays valid', async () => {
  const owner = await world.create('# Found')
  const claim = (token: string, json: object = {}): Promise<Answer> =>
    by(token, 'POST', `/api/docs/${owner.doc}/claim`, { key: owner.key, json })
  const { status, json } = await claim(ana)
  expect(status).toBe(200)
  expect(json).toMatchObject({ ok: true, claimed: true, doc: { id: owner.doc, owner: { kind: 'account', name: 'ana' } } })
  expect(json.doc.url).not.toContain('key=')
  expect((await claim(ana)).status).toBe(200)
  const other = await claim(bob)
  expect({ status: other.status, code: other.json.code }).toEqual({ status: 409, code: 'already_claimed' })
  expect((await by(ana, 'GET', `/api/docs/${owner.doc}`)).json.role).toBe('owner')
  expect(await titles(ana)).toContain('Found')
  expect((await owner.read()).content).toBe('# Found')
  const { events } = await owner.events()
  expect(events.filter((event: Json) => event.type === 'doc.claimed')).toMatchObject([{ actor: 'ana', actorKind: 'account' }])
})

test('[OWN-4] the claiming link ends on request, and its users are disconnected', async () => {
  const owner = await world.create('# Found')
  const editor = await owner.connect()
  const view = await owner.share('view')
  await by(ana, 'POST', `/api/docs/${owner.doc}/claim`, { key: owner.key, json: { revokeKey: true } })
  await expect.poll(() => editor.closes[0]?.code).toBe(4401)
  expect((await owner.ask('GET', '')).status).toBe(401)
  expect((await view.ask('GET', '')).status).toBe(200)
  expect((await by(ana, 'GET', `/api/docs/${owner.doc}`)).status).toBe(200)
})

test('[OWN-4] a link with an expiry cannot claim, nor one that ends with it; a repeated claim says that it is done', async () => {
  const owner = await world.create('# Lent')
  const expiresAt = new Date(world.service.clock.now() + 60 * 60_000).toISOString()
  const lent = await owner.share('owner', { expiresAt })
  const through = await lent.share('owner')
  const claim = (key: string): Promise<Answer> => by(ana, 'POST', `/api/docs/${owner.doc}/claim`, { key, json: {} })
  for (const { key } of [lent, through]) {
    const { status, json } = await claim(key)
    expect({ status, code: json.code }).toEqual({ status: 403, code: 'forbidden' })
    expect(json.detail).toContain(expiresAt)
    expect(json.hint).toContain('without an expiry')
  }
  expect((await owner.ask('GET', '')).json.owner.kind).toBe('anonymous')
  expect(await titles(ana)).not.toContain('Lent')
  expect((await claim(owner.key)).status).toBe(200)
  expect((await claim(lent.key)).status).toBe(200)
})

test('[OWN-4] if several accounts claim at once, one succeeds', async () => {
  const owner = await world.create('# Wanted')
  const answers = await Promise.all(
    [ana, bob, ana, bob].map((token) => by(token, 'POST', `/api/docs/${owner.doc}/claim`, { key: owner.key }))
  )
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(2)
  const lists = [await titles(ana), await titles(bob)].filter((list) => list.includes('Wanted'))
  expect(lists).toHaveLength(1)
})

test('[OWN-5] the setting for anonymous documents refuses guests and admits accounts', async () => {
  const closed = await startWorld({ env: { AGMD_ANONYMOUS_CREATE: 'off' } })
  const account = (await createAccount(closed.service, { email: 'ana@example.org', password: 'correct horse battery' })) as Account
  const { token } = await openSession(closed.service, account.id, 'app', 'a test')
  expect((await closed.ask('POST', '/new')).status).toBe(401)
  expect((await closed.ask('GET', '/new')).status).toBe(401)
  expect((await closed.ask('POST', '/new', { headers: { Authorization: `Bearer ${token}` } })).status).toBe(201)
  await closed.stop()
})

test('[OWN-6] owned documents survive a restart', async () => {
  const made = await create(ana, '# Kept')
  world = await world.restart()
  expect(await titles(ana, { query: 'kept' })).toEqual(['Kept'])
  expect((await by(ana, 'GET', `/api/docs/${made.id}`)).json.role).toBe('owner')
})

test('[OWN-7] a page needs the nextBefore of the same order', async () => {
  await create(ana, '# One')
  await create(ana, '# Two')
  const list = (query: Record<string, string>): Promise<Answer> => by(ana, 'GET', '/api/docs', { query })
  for (const sort of ['created', 'updated', 'title']) {
    const { nextBefore } = (await list({ sort, limit: '1' })).json
    expect((await list({ sort, before: nextBefore })).status).toBe(200)
    for (const before of ['zzz', '', '-1', sort === 'created' ? '1' : '000001893456000-aaaaaaaaaaaaaaaa']) {
      const { status, json } = await list({ sort, before })
      expect({ status, path: json.details?.[0]?.path }, `${sort} ${before}`).toEqual({ status: 400, path: 'before' })
    }
  }
})
