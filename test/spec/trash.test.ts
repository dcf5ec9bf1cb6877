/** Deleting documents, the trash, and erasing. */
import { onTurnedWorld } from '../support/turned-world.ts'
import { expect, test } from 'vitest'
import { type Account, createAccount } from '../../server/domain/accounts/accounts.ts'
import { encodeRecord, keys } from '../../server/domain/records/keys.ts'
import { openSession } from '../../server/domain/accounts/sessions.ts'
import { finishDeletions } from '../../server/domain/documents/trash.ts'
import { limits } from '../../shared/limits.ts'
import type { TestClock } from '../support/clock.ts'
import { withLimit } from '../support/limits.ts'
import { png } from '../support/media.ts'
import { type Answer, type Ask, type Json, type Person, until, type World } from '../support/world.ts'

const trashMs = limits.trashDays * 24 * 3600 * 1000

let world: World
let clock: TestClock
onTurnedWorld((turned) => ({ world, clock } = turned))

const noFailure = (_doc: string, error: unknown): never => {
  throw error
}

let people = 0
const join = async (): Promise<string> => {
  const email = `trash-${++people}@example.org`
  const account = (await createAccount(world.service, { email, password: 'correct horse battery' })) as Account
  return (await openSession(world.service, account.id, 'app', 'a test')).token
}
const by = (token: string, method: string, path: string, what: Ask = {}): Promise<Answer> =>
  world.ask(method, path, { ...what, headers: { Authorization: `Bearer ${token}`, ...what.headers } })
const make = async (token: string, content: string): Promise<string> =>
  (await by(token, 'POST', '/api/docs', { json: { content } })).json.id
const trashOf = async (token: string, query: Record<string, number> = {}): Promise<Json> =>
  (await by(token, 'GET', '/api/trash', { query })).json

test('[TRASH-1] [TRASH-2] [TRASH-13] a deleted document is inaccessible at once, gives its date, and an owner link restores it completely', async () => {
  const owner = await world.create('# Plan\n\nfirst')
  const editor = await owner.share('edit')
  const viewer = await owner.share('view')
  const reviewer = await owner.connect()
  reviewer.type(2, 'My ')
  await reviewer.saved()
  const asset = (await owner.ask('POST', '/assets', { body: png(), type: 'image/png' })).json
  const comment = (await owner.ask('POST', '/comments', { json: { find: 'first', body: 'a comment' } })).json
  const suggestion = (await owner.ask('POST', '/suggestions', { json: { operation: 'replace', find: 'first', text: '1st' } })).json
  await owner.ask('POST', '/publish')
  const before = await Promise.all(
    ['', '/content', '/shares', '/comments', '/suggestions', '/revisions'].map(async (path) =>
      (await owner.ask('GET', path)).text.replaceAll(/"bytes":\d+/g, '')
    )
  )
  const restorableUntil = new Date(clock.now() + trashMs).toISOString()
  const deletedAt = new Date(clock.now()).toISOString()
  expect(await owner.ask('DELETE', '')).toMatchObject({ status: 200, json: { ok: true, deleted: true, restorableUntil } })
  await until(() => reviewer.closes.length > 0, 'the close')
  expect(reviewer.closes[0]).toMatchObject({ code: 4404 })
  for (const [person, role] of [
    [owner, 'owner'],
    [editor, 'edit'],
    [viewer, 'view']
  ] as const) {
    const refused = await person.ask('GET', '')
    expect(refused).toMatchObject({
      status: 410,
      json: { code: 'document_deleted', deletedAt, restorableUntil, role, hint: expect.stringContaining(restorableUntil) }
    })
    expect(refused.json.documentTitle).toBe(role === 'owner' ? 'My Plan' : undefined)
  }
  expect(await editor.ask('PUT', '/content', { json: { content: 'x' } })).toMatchObject({ status: 410 })
  expect((await world.ask('GET', `/pub/${owner.doc}.md`)).status).toBe(404)
  expect((await world.ask('GET', new URL(asset.url).pathname)).status).toBe(404)
  expect((await world.ask('GET', `/api/docs/${owner.doc}`)).status).toBe(401)
  for (const person of [editor, viewer]) {
    expect(await person.ask('POST', '/undelete')).toMatchObject({ status: 410 })
    expect(await person.ask('DELETE', '', { query: { permanent: 1 } })).toMatchObject({ status: 410 })
  }
  expect(await owner.ask('POST', '/undelete')).toMatchObject({ status: 200, json: { ok: true, restored: true, doc: { title: 'My Plan' } } })
  const after = await Promise.all(
    ['', '/content', '/shares', '/comments', '/suggestions', '/revisions'].map(async (path) =>
      (await owner.ask('GET', path)).text.replaceAll(/"bytes":\d+/g, '')
    )
  )
  expect(after).toEqual(before)
  expect([comment.anchored, suggestion.suggestion.status]).toEqual([true, 'pending'])
  expect((await world.ask('GET', `/pub/${owner.doc}.md`)).status).toBe(200)
  expect((await world.ask('GET', new URL(asset.url).pathname)).status).toBe(200)
  const again = await editor.connect()
  again.type(0, '#')
  await again.saved()
  expect((await viewer.read()).content).toContain('## My Plan')
  const { events } = (await owner.ask('GET', '/events')).json
  expect(events.filter(({ type }: Json) => type === 'doc.restored')).toMatchObject([{ payload: { deletedAt } }])
})

test('[TRASH-3] a deletion and a restoration happen once, however often they are requested', async () => {
  const owner = await world.create('# Once')
  const headers = { 'Idempotency-Key': 'delete it' }
  const first = await owner.ask('DELETE', '', { headers })
  clock.advance(1000)
  expect((await owner.ask('DELETE', '', { headers })).json).toEqual(first.json)
  expect(await owner.ask('DELETE', '')).toMatchObject({ status: 410 })
  for (let times = 0; times < 2; times++) expect(await owner.ask('POST', '/undelete')).toMatchObject({ status: 200 })
  const { events } = (await owner.ask('GET', '/events')).json
  expect(events.filter(({ type }: Json) => type === 'doc.restored')).toHaveLength(1)
  const link = await owner.share('owner')
  await owner.ask('DELETE', '')
  expect(await link.ask('POST', '/undelete')).toMatchObject({ status: 200 })
})

test('[TRASH-4] an account has its own trash, page by page, and restores from it', async () => {
  const [ana, bob] = [await join(), await join()]
  const made = []
  for (const title of ['One', 'Two', 'Three']) {
    clock.advance(1000)
    made.unshift(await make(ana, `# ${title}`))
  }
  expect(await trashOf(ana)).toEqual({ docs: [], nextBefore: null })
  for (const id of made.toReversed()) {
    clock.advance(1000)
    await by(ana, 'DELETE', `/api/docs/${id}`)
  }
  const first = await trashOf(ana, { limit: 2 })
  expect(first.docs).toMatchObject([
    { id: made[0], title: 'Three', restorableUntil: new Date(clock.now() + trashMs).toISOString() },
    { id: made[1], title: 'Two' }
  ])
  const second = await trashOf(ana, { limit: 2, before: first.nextBefore })
  expect(second).toMatchObject({ docs: [{ id: made[2], title: 'One' }], nextBefore: null })
  expect((await by(ana, 'GET', '/api/docs')).json.docs).toEqual([])
  expect((await trashOf(bob)).docs).toEqual([])
  expect(await by(bob, 'POST', `/api/docs/${made[0]}/undelete`)).toMatchObject({ status: 404 })
  expect((await world.ask('GET', '/api/trash')).status).toBe(401)
  expect(await by(ana, 'POST', `/api/docs/${made[1]}/undelete`)).toMatchObject({ status: 200 })
  expect((await by(ana, 'GET', '/api/docs')).json.docs).toMatchObject([{ id: made[1], title: 'Two' }])
  expect((await trashOf(ana)).docs.map(({ title }: Json) => title)).toEqual(['Three', 'One'])
})

test('[TRASH-5] [TRASH-7] after its days a document is erased, even across a restart', async () => {
  const ana = await join()
  const trashed = async (content: string): Promise<Person> => {
    const id = await make(ana, content)
    const link = (await by(ana, 'POST', `/api/docs/${id}/shares`, { json: { role: 'owner' } })).json
    await by(ana, 'DELETE', `/api/docs/${id}`)
    return world.person(id, link.key)
  }
  const gone = await trashed('# zebra in the trash')
  clock.advance(1000)
  const kept = await trashed('# kept in the trash')
  clock.advance(trashMs - 1001)
  await finishDeletions(world.service, noFailure)
  expect(await gone.ask('GET', '')).toMatchObject({ status: 410, json: { restorableUntil: expect.any(String) } })
  world = await world.restart({})
  const again = ({ doc, key }: Person): Person => world.person(doc, key)
  expect((await world.service.storage.list(['d', gone.doc])).length).toBeGreaterThan(0)
  clock.advance(1)
  // The sweep may or may not have run. The request is refused in both cases.
  expect(await again(gone).ask('POST', '/undelete')).toMatchObject({ status: 410 })
  await finishDeletions(world.service, noFailure)
  await until(async () => (await world.service.storage.list(['d', gone.doc])).length === 0, 'the end of the document')
  expect(await again(gone).ask('POST', '/undelete')).toMatchObject({ status: 410, json: { restorableUntil: null } })
  const prefixes = [['d'], ['deletion'], ['trash'], ['trashed'], ['owned'], ['usage']]
  const left = (await Promise.all(prefixes.map((prefix) => world.service.storage.list(prefix)))).flat()
  expect(left.filter(({ value }) => Buffer.from(value).toString().includes('zebra'))).toEqual([])
  expect(left.filter(({ key }) => key[0] !== 'd' && key.includes(gone.doc))).toEqual([])
  expect(await again(kept).ask('POST', '/undelete')).toMatchObject({ status: 200 })
})

test('[TRASH-6] permanent deletion erases at once, even from the trash, and only for owners', async () => {
  const owner = await world.create('# zebra for good')
  const editor = await owner.share('edit')
  expect((await editor.ask('DELETE', '', { query: { permanent: 1 } })).status).toBe(403)
  await owner.ask('DELETE', '')
  expect(await owner.ask('DELETE', '', { json: { permanent: true } })).toMatchObject({ status: 200, json: { restorableUntil: null } })
  expect(await world.service.storage.list(['d', owner.doc])).toEqual([])
  expect(await owner.ask('POST', '/undelete')).toMatchObject({ status: 410, json: { restorableUntil: null } })
  expect(await editor.ask('GET', '')).toMatchObject({ status: 410, json: { restorableUntil: null } })
  expect((await world.service.storage.list(['trash'])).some(({ key }) => key.includes(owner.doc))).toBe(false)
})

test('[TRASH-11] a document that cannot be erased delays no other; the log reports it, and the server tries again', async () => {
  const docs = await Promise.all(['# one', '# two', '# three'].map((content) => world.create(content)))
  const [first] = docs
  if (first === undefined) throw new Error('no document')
  for (const each of docs) {
    await each.ask('DELETE', '')
    clock.advance(1)
  }
  const { storage } = world.service
  const head = await storage.get(keys.head(first.doc))
  await storage.commit({ puts: [{ key: keys.head(first.doc), value: new TextEncoder().encode('{') }] })
  clock.advance(trashMs)
  const failed: string[] = []
  // Documents that cannot be erased come first, and must not delay the others.
  await withLimit('sweepRecordsMax', 1, () => finishDeletions(world.service, (doc) => failed.push(doc)))
  expect(failed).toEqual([first.doc])
  const left = async (): Promise<number[]> => Promise.all(docs.map(async ({ doc }) => (await storage.list(['d', doc])).length))
  expect((await left()).map((count) => count > 0)).toEqual([true, false, false])
  // The same applies to documents that are marked for erasure and not yet erased.
  const marked = [await world.create('# four'), await world.create('# five')]
  const ids = marked.map(({ doc }) => doc).toSorted()
  const [broken = '', whole = ''] = ids
  const kept = await storage.get(keys.head(broken))
  await storage.commit({
    puts: [
      { key: keys.head(broken), value: new TextEncoder().encode('{') },
      ...ids.map((doc) => ({ key: keys.deletion(doc), value: encodeRecord({ doc }) }))
    ]
  })
  await finishDeletions(world.service, () => undefined)
  expect(await storage.list(['d', whole])).toEqual([])
  await storage.commit({
    puts: [
      { key: keys.head(first.doc), value: head?.value ?? new Uint8Array() },
      { key: keys.head(broken), value: kept?.value ?? new Uint8Array() }
    ]
  })
  await finishDeletions(world.service, noFailure)
  expect(await left()).toEqual([0, 0, 0])
  expect(await storage.list(['d', broken])).toEqual([])
})
