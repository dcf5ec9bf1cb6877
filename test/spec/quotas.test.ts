/** Quotas of text and history per document, per account and per address, over REST and while typing. */
import { randomBytes } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import { type Account, createAccount } from '../../server/domain/accounts/accounts.ts'
import { decodeRecord, encodeRecord, type Head, keys } from '../../server/domain/records/keys.ts'
import { openSession } from '../../server/domain/accounts/sessions.ts'
import { measure } from '../../server/domain/documents/usage.ts'
import { limits } from '../../shared/limits.ts'
import { testClock } from '../support/clock.ts'
import { type Answer, type Ask, type Json, type Person, startWorld, until, type World } from '../support/world.ts'

let world: World
afterEach(() => world.stop())

const mebibyte = 1024 * 1024
const small = { AGMD_DOCUMENT_MEGABYTES: '1', AGMD_ACCOUNT_MEGABYTES: '2', AGMD_ANONYMOUS_MEGABYTES: '2' }

/** Returns text that does not compress. */
const noise = (bytes: number): string =>
  randomBytes(Math.ceil((bytes * 3) / 4))
    .toString('base64url')
    .slice(0, bytes)

const full = (quota: string): Json => ({ status: 507, json: { code: 'quota_exceeded', quota, hint: expect.stringContaining('MEGABYTES') } })

const send = (person: Person, method: string, path: string, json?: unknown): Promise<Answer> =>
  person.ask(method, path, json === undefined ? {} : { json })

const headOf = async (doc: string): Promise<Head> => {
  const entry = await world.service.storage.get(keys.head(doc))
  if (entry === undefined) throw new Error(`there is no ${doc}`)
  return decodeRecord<Head>(entry.value)
}

/** Replaces the text until the service refuses. Returns the last text and the refusal. */
const fill = async (person: Person): Promise<{ content: string; refused: Answer }> => {
  for (let content = ''; ;) {
    const next = noise(200_000)
    const refused = await send(person, 'PUT', '/content', { content: next })
    if (refused.status !== 200) return { content, refused }
    content = next
  }
}

const join = async (email: string): Promise<string> => {
  const account = (await createAccount(world.service, { email, password: 'correct horse battery' })) as Account
  return (await openSession(world.service, account.id, 'app', 'a test')).token
}
const by = (token: string, method: string, path: string, what: Ask = {}): Promise<Answer> =>
  world.ask(method, path, { ...what, headers: { Authorization: `Bearer ${token}`, ...what.headers } })
const usedBy = async (token: string): Promise<number> => (await by(token, 'GET', '/api/me')).json.usage.bytes

test('[QUOTA-1] a full document accepts nothing more over REST: 507 names the quota, and nothing changes', async () => {
  world = await startWorld({ env: small })
  const owner = await world.create('first')
  const { content, refused } = await fill(owner)
  expect(refused).toMatchObject(full('document'))
  expect(refused.json).toMatchObject({ allowedBytes: mebibyte })
  expect(refused.json.usedBytes).toBeGreaterThan(mebibyte - 2 * 200_000)
  const proposed = await send(owner, 'POST', '/suggestions', { operation: 'insert', text: noise(20_000), at: 'end' })
  expect(proposed.status).toBe(201)
  const find = content.slice(0, 30)
  const comment = (): Promise<Answer> => send(owner, 'POST', '/comments', { find, body: noise(10_000) })
  await until(async () => (await comment()).status !== 201, 'a document that takes no comment')
  const { usage } = (await send(owner, 'GET', '')).json
  expect(usage).toEqual({ bytes: await measure(world.service.storage, owner.doc), bytesMax: mebibyte })
  const { revisions } = (await owner.revisions()) as Json
  const { id: revision } = revisions.find((each: Json) => each.cause === 'put' && each.id !== revisions[0].id)
  expect(await comment()).toMatchObject(full('document'))
  expect(await send(owner, 'POST', '/edits', { operations: [{ op: 'append', markdown: noise(20_000) }] })).toMatchObject(full('document'))
  expect(await send(owner, 'POST', '/suggestions', { operation: 'insert', text: noise(20_000), at: 'end' })).toMatchObject(full('document'))
  expect(await send(owner, 'POST', `/suggestions/${proposed.json.id}`, { action: 'accept' })).toMatchObject(full('document'))
  expect(await send(owner, 'POST', '/restore', { revision })).toMatchObject(full('document'))
  expect((await owner.read()).content).toBe(content)
})

test('[QUOTA-2] a full document accepts changes that make it smaller, and deleting comments frees space', async () => {
  // The canonical text, which the server writes after a pause, would take the space that the comments free.
  world = await startWorld({ env: small, clock: testClock() })
  const owner = await world.create('first')
  const comments: string[] = []
  for (let count = 0; count < 20; count++)
    comments.push((await send(owner, 'POST', '/comments', { find: 'first', body: noise(10_000) })).json.id)
  await fill(owner)
  await fill(owner)
  expect((await send(owner, 'POST', `/comments/${comments[0]}/resolve`)).status).toBe(200)
  const link = await owner.share('view')
  expect((await send(owner, 'DELETE', `/shares/${link.link.id}`)).status).toBe(200)
  const { bytes } = (await headOf(owner.doc)) as { bytes: number }
  for (const id of comments) expect((await send(owner, 'DELETE', `/comments/${id}`)).status).toBe(200)
  expect((await headOf(owner.doc)).bytes).toBeLessThan(bytes - 150_000)
  expect((await send(owner, 'PUT', '/content', { content: noise(20_000) })).status).toBe(200)
  expect((await send(owner, 'PUT', '/content', { content: '' })).status).toBe(200)
  expect((await send(owner, 'DELETE', '')).status).toBe(200)
})

test('[QUOTA-3] typing into a full document is refused before it is applied, with 4413; the page keeps it, and saves it once there is space', async () => {
  world = await startWorld({ env: small })
  const owner = await world.create('first')
  const { content } = await fill(owner)
  const editor = await owner.connect()
  const typed = noise(150_000)
  editor.type(0, typed)
  await until(() => editor.closes.length > 0, 'the end of the socket')
  expect(editor.closes[0]).toMatchObject({ code: 4413, reason: expect.stringContaining('used all their space') })
  expect((await owner.read()).content).toBe(content)
  expect(editor.text()).toBe(typed + content)
  editor.close()
  // Reading and deleting still work.
  const other = await owner.connect()
  other.erase(0, 1000)
  await other.saved()
  world = await world.restart({ env: { ...small, AGMD_DOCUMENT_MEGABYTES: '64' } })
  const same = world.person(owner.doc, owner.key)
  const again = await same.connect({ ydoc: editor.ydoc })
  await again.saved()
  expect((await same.read()).content).toBe(again.text())
  expect(again.text()).toContain(typed)
})

test('[QUOTA-4] the documents of an account share a quota; claiming moves a document there, deleting frees its bytes, restoring takes them again', async () => {
  world = await startWorld({ env: { ...small, AGMD_DOCUMENT_MEGABYTES: '0', AGMD_ANONYMOUS_MEGABYTES: '0' } })
  const ana = await join('ana@example.org')
  const create = (bytes: number): Promise<Answer> => by(ana, 'POST', '/api/docs', { json: { content: noise(bytes) } })
  const made = [await create(400_000), await create(100_000)]
  expect(made.map(({ status }) => status)).toEqual([201, 201])
  const before = await usedBy(ana)
  expect(before).toBeGreaterThan(500_000)
  const claimed = await world.create(noise(300_000))
  expect((await by(ana, 'POST', `/api/docs/${claimed.doc}/claim`, { headers: { 'X-Share-Key': claimed.key } })).status).toBe(200)
  await until(async () => (await usedBy(ana)) > before + 300_000, 'the claimed bytes')
  const refused = await create(1_500_000)
  expect(refused).toMatchObject(full('account'))
  expect(refused.json).toMatchObject({ allowedBytes: 2 * mebibyte })
  // The document counts toward the quota of its owner, no matter who writes in it.
  expect(await send(claimed, 'PUT', '/content', { content: noise(1_400_000) })).toMatchObject(full('account'))
  const all = await usedBy(ana)
  world = await world.restart()
  expect(await usedBy(ana)).toBe(all)
  await by(ana, 'DELETE', `/api/docs/${made[0]?.json.id}?permanent=1`)
  await until(async () => (await usedBy(ana)) < all - 400_000, 'the deleted bytes')
  expect((await create(500_000)).status).toBe(201)
})

test('[QUOTA-5] anonymous documents of an address share a quota, also under concurrent requests; claiming and deleting free it; the address is not stored', async () => {
  world = await startWorld({ env: { ...small, AGMD_DOCUMENT_MEGABYTES: '0' } })
  const ana = await join('ana@example.org')
  const answers = await Promise.all(Array.from({ length: 12 }, () => world.ask('POST', '/api/docs', { json: { content: noise(250_000) } })))
  const made = answers.filter(({ status }) => status === 201)
  // Text is stored twice: in the journal and as canonical text.
  expect(made.length).toBeGreaterThanOrEqual(3)
  expect(made.length).toBeLessThanOrEqual(8)
  for (const answer of answers.filter(({ status }) => status !== 201)) expect(answer).toMatchObject(full('address'))
  const create = (): Promise<Answer> => world.ask('POST', '/api/docs', { json: { content: noise(50_000) } })
  await until(async () => (await create()).status === 507, 'a full address')
  const [first, second] = made.map(({ json }) => json)
  expect((await by(ana, 'POST', `/api/docs/${first.id}/claim`, { headers: { 'X-Share-Key': first.key } })).status).toBe(200)
  await until(async () => (await create()).status === 201, 'room after a claim')
  await until(async () => (await create()).status === 507, 'a full address')
  await world.ask('DELETE', `/api/docs/${second.id}?permanent=1`, { key: second.key })
  await until(async () => (await create()).status === 201, 'room after a deletion')
  expect(await headOf(first.id)).not.toHaveProperty('origin')
  const { origin } = await headOf(made[2]?.json.id)
  expect(origin).toMatch(/^[A-Za-z0-9_-]{22}$/)
})

test('[QUOTA-6] a document of an earlier version is never refused before it is counted, and is counted once it is open', async () => {
  world = await startWorld({ env: small })
  const owner = await world.create(noise(300_000))
  const { bytes, usage: _, ...head } = await headOf(owner.doc)
  await world.service.storage.commit({ puts: [{ key: keys.head(owner.doc), value: encodeRecord(head) }] })
  expect((await send(owner, 'GET', '')).json.usage).toBeUndefined()
  expect((await send(owner, 'PUT', '/content', { content: noise(10_000) })).status).toBe(200)
  await until(async () => (await headOf(owner.doc)).bytes !== undefined, 'the count')
  const now = await headOf(owner.doc)
  // The count may miss changes that were made while it ran.
  expect(Math.abs((now.bytes ?? 0) - (await measure(world.service.storage, owner.doc)))).toBeLessThan(30_000)
  expect(now.bytes).toBeGreaterThanOrEqual(bytes ?? 0)
})

test('[QUOTA-7] the head counts every byte after any change; the owner’s record is at most one step behind', async () => {
  const clock = testClock()
  world = await startWorld({ clock })
  const owner = await world.create('# Title\n\ntext\n')
  const editor = await owner.connect()
  for (let count = 0; count < 60; count++) {
    editor.type(0, noise(3000))
    await editor.saved()
  }
  editor.erase(0, 50_000)
  await editor.saved()
  const id = (await send(owner, 'POST', '/comments', { find: 'Title', body: 'a comment' })).json.id
  await send(owner, 'POST', `/comments/${id}/replies`, { body: 'a reply' })
  await send(owner, 'PUT', '/content', { content: 'short' })
  const head = await headOf(owner.doc)
  expect(head.bytes).toBe(await measure(world.service.storage, owner.doc))
  const record = await world.service.storage.get(keys.usage('address', head.origin ?? '', owner.doc))
  expect(Math.abs((record === undefined ? 0 : decodeRecord<number>(record.value)) - (head.bytes ?? 0))).toBeLessThan(limits.usageStepBytes)
  editor.close()
  await until(() => {
    clock.advance(limits.autosaveMaxMs)
    return world.counts().documents === 0
  })
  expect((await headOf(owner.doc)).bytes).toBe(await measure(world.service.storage, owner.doc))
})

test('[QUOTA-9] a document in the trash counts until it is erased', async () => {
  world = await startWorld()
  const account = (await createAccount(world.service, { email: 'bob@example.org', password: 'correct horse battery' })) as Account
  const bob = (await openSession(world.service, account.id, 'app', 'a test')).token
  const { json } = await by(bob, 'POST', '/api/docs', { json: { content: noise(100_000) } })
  const before = await usedBy(bob)
  expect(before).toBeGreaterThan(200_000)
  await by(bob, 'DELETE', `/api/docs/${json.id}`)
  expect(await usedBy(bob)).toBe(before)
  await by(bob, 'POST', `/api/docs/${json.id}/undelete`)
  expect((await headOf(json.id)).bytes).toBe(await measure(world.service.storage, json.id))
  await by(bob, 'DELETE', `/api/docs/${json.id}`)
  await by(bob, 'DELETE', `/api/docs/${json.id}?permanent=1`)
  await until(async () => (await usedBy(bob)) === 0, 'the bytes to be given back')
})
