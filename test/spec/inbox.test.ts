/** Inbox entries that need somebody's attention, and their delivery. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Account, createAccount } from '../../server/domain/accounts/accounts.ts'
import { callerOfService } from '../../server/domain/rights/access.ts'
import { deleteAccount } from '../../server/domain/accounts/account-end.ts'
import { sweep } from '../../server/domain/records/expiry.ts'
import { keys } from '../../server/domain/records/keys.ts'
import { openSession } from '../../server/domain/accounts/sessions.ts'
import { limits } from '../../shared/limits.ts'
import { testClock } from '../support/clock.ts'
import { withLimit } from '../support/limits.ts'
import { told } from '../support/mcp.ts'
import { assign } from '../support/reviews.ts'
import { nodesOfTests } from '../support/spread.ts'
import { type Answer, type Ask, type Json, type Person, settledWithin, startWorld, until, type World } from '../support/world.ts'

let clock = testClock()
let world: World
beforeAll(async () => {
  world = await startWorld({ clock })
})
afterAll(() => world.stop())

interface Member {
  readonly id: string
  readonly token: string
  ask(method: string, path: string, what?: Ask): Promise<Answer>
  inbox(query?: Ask['query'], what?: Ask): Promise<Json>
  make(content: string): Promise<Person>
}

let people = 0
const join = async (name: string): Promise<Member> => {
  const email = `inbox-${++people}@example.org`
  const { id } = (await createAccount(world.service, { email, password: 'correct horse battery', name })) as Account
  const { token } = await openSession(world.service, id, 'app', 'a test')
  const send = (method: string, path: string, what: Ask = {}): Promise<Answer> =>
    world.ask(method, path, { ...what, headers: { Authorization: `Bearer ${token}`, ...what.headers } })
  return {
    id,
    token,
    ask: send,
    inbox: async (query = {}, what = {}) => (await send('GET', '/api/inbox', { query, ...what })).json,
    async make(content) {
      const doc = (await send('POST', '/api/docs', { json: { content } })).json.id
      const link = (await send('POST', `/api/docs/${doc}/shares`, { json: { role: 'owner' } })).json
      return world.person(doc, link.secret)
    }
  }
}

const as = (author: string): Pick<Ask, 'headers'> => ({ headers: { 'X-Agent-Author': author } })
const inboxOf = async (person: Person, author: string, query: Ask['query'] = {}): Promise<Json> =>
  (await world.ask('GET', '/api/inbox', { key: person.key, query: query as Record<string, string>, ...as(author) })).json
const comment = async (person: Person, author: string, json: Json): Promise<string> =>
  (await person.ask('POST', '/comments', { json, ...as(author) })).json.id
const reply = (person: Person, author: string, id: string, body: string): Promise<Answer> =>
  person.ask('POST', `/comments/${id}/replies`, { json: { body }, ...as(author) })
const said = ({ items }: Json): unknown[] => items.map(({ reason, actor, text, quote }: Json) => [reason, actor, text, quote])

test('[INBOX-1] mentions, replies, decisions and assignments are listed with text, quote, and a next call that works', async () => {
  const owner = await world.create('The quick brown fox.\n')
  const team = await owner.share('suggest')
  const id = await comment(team, 'Ana', { body: 'Whose words, @Bo?', find: 'quick' })
  await reply(owner, 'Bo', id, 'Mine.')
  await reply(owner, 'Cy', id, 'Mine, too.')
  const proposal = { operation: 'replace', find: 'brown', text: 'red', note: 'Livelier' }
  const suggestion = (await team.ask('POST', '/suggestions', { json: proposal, ...as('Ana') })).json.id
  await owner.ask('POST', `/suggestions/${suggestion}/replies`, { json: { body: 'Why?' }, ...as('Bo') })
  await owner.ask('POST', `/suggestions/${suggestion}`, { json: { action: 'reject', reason: 'Brown it is.' }, ...as('Bo') })
  const forAna = await inboxOf(team, 'Ana')
  expect(said(forAna)).toEqual([
    ['reply', 'Bo', 'Mine.', 'quick'],
    ['reply', 'Cy', 'Mine, too.', 'quick'],
    ['reply', 'Bo', 'Why?', 'brown'],
    ['decision', 'Bo', 'red', 'brown']
  ])
  const read = { operation: 'readSuggestion', tool: 'list_suggestions' }
  expect(forAna.items.at(-1)).toMatchObject({ why: 'Brown it is.', suggestionId: suggestion, next: read })
  const forBo = await inboxOf(owner, 'Bo')
  expect(said(forBo)).toEqual([
    ['mention', 'Ana', 'Whose words, @Bo?', 'quick'],
    ['reply', 'Cy', 'Mine, too.', 'quick']
  ])
  const [item] = forBo.items
  expect(item).toMatchObject({
    kind: 'comment.mentioned',
    actorKind: 'guest',
    commentId: id,
    doc: { id: owner.doc, title: 'The quick brown fox.', url: `${world.url}/d/${owner.doc}` },
    next: { operation: 'replyToComment', method: 'POST', path: `/api/docs/${owner.doc}/comments/${id}/replies`, fields: ['body'] }
  })
  expect((await world.ask(item.next.method, item.next.path, { key: owner.key, json: { body: 'Bo here.' } })).status).toBe(201)
  // A caller who may only read gets a next step that this caller can take.
  const viewer = await owner.share('view')
  const [seen] = (await inboxOf(viewer, 'Bo')).items
  expect(seen.next.method).toBe('GET')
  expect((await world.ask('GET', seen.next.path, { key: viewer.key })).status).toBe(200)
  // If the suggestion is reopened and accepted again, each decision is announced.
  for (const action of ['reopen', 'accept']) await owner.ask('POST', `/suggestions/${suggestion}`, { json: { action }, ...as('Bo') })
  const later = await inboxOf(team, 'Ana', { since: forAna.latest })
  const decisions = later.items.filter(({ reason }: Json) => reason === 'decision')
  expect(decisions.map(({ kind }: Json) => kind)).toEqual(['suggestion.reopened', 'suggestion.accepted'])
})

test('[INBOX-1] a person mentioned in a chat gets the message and its position', async () => {
  const owner = await world.create('Hm\n')
  await owner.replace('Hm\n\n```chat\n[2030-01-01T00:00Z] @Bo: @ana-lena, look\n```\n', { author: 'Bo' })
  clock.advance(limits.tidyCheckMs * 2 + limits.tidyQuietMs)
  await until(async () => (await inboxOf(owner, 'Ana Lena')).items.length > 0, 'the mention')
  const { items } = await inboxOf(owner, 'Ana Lena')
  expect(items).toMatchObject([{ reason: 'mention', text: '@ana-lena, look', line: 4, next: { operation: 'readContent' } }])
  expect(items[0].next.path).toMatch(/\?lines=4-4$/)
  expect((await world.ask('GET', items[0].next.path, { key: owner.key })).text).toContain('@ana-lena')
  expect((await inboxOf(owner, 'Bo')).items).toEqual([])
})

test('[INBOX-1] an assignment is in the inbox of its link, its report in that of its creator, and its close in that of its reviewer', async () => {
  const owner = await world.create('Text.\n')
  const made = await assign(world, owner)
  const another = await assign(world, owner)
  const [item, ...more] = (await inboxOf(made.by(), 'Rex')).items
  expect(more).toEqual([])
  expect(item).toMatchObject({ reason: 'assignment', kind: 'task.created', taskId: made.id, text: expect.stringContaining('Is it clear?') })
  const start = await world.ask(item.next.method, item.next.path, { key: made.by().key, ...as('Rex') })
  expect(start.json.task.status).toBe('started')
  await made.by('Rex').report({ summary: 'It is.' })
  await another.by('Rex').start()
  await owner.ask('POST', `/tasks/${another.id}/close`)
  const forOwner = (await world.ask('GET', '/api/inbox', { key: owner.key })).json
  expect(said(forOwner)).toEqual([['assignment', 'Rex', 'It is.', undefined]])
  expect((await inboxOf(another.by(), 'Rex')).items.map(({ kind }: Json) => kind)).toEqual(['task.created', 'task.closed'])
})

test('[INBOX-2] the caller’s own actions are not listed, and a reply that mentions the caller is listed once', async () => {
  const owner = await world.create('Text.\n')
  const id = await comment(owner, 'Ana', { body: 'A note to myself, @Ana' })
  await reply(owner, 'Ana', id, 'And another, @ana')
  expect((await inboxOf(owner, 'Ana')).items).toEqual([])
  await reply(owner, 'Bo', id, 'Well, @ANA?')
  expect(said(await inboxOf(owner, 'Ana'))).toEqual([['mention', 'Bo', 'Well, @ANA?', undefined]])
})

test('[INBOX-3] a link has the inbox of its document, for the given name, else that of the link, else the account that comes with it', async () => {
  const owner = await world.create('Text.\n')
  const link = await owner.share('comment', { label: 'Dee' })
  await comment(owner, 'Bo', { body: '@Dee and @Eve and @Fay' })
  expect((await world.ask('GET', '/api/inbox', { key: link.key })).json.items).toHaveLength(1)
  expect((await inboxOf(link, 'Eve')).items).toHaveLength(1)
  expect((await inboxOf(link, 'Gus')).items).toEqual([])
  const fay = await join('Fay')
  expect((await fay.inbox({}, { key: link.key })).items).toHaveLength(1)
  expect((await fay.inbox()).items).toEqual([])
  const other = await world.create('Another.\n')
  expect((await inboxOf(other, 'Eve')).items).toEqual([])
  expect(await world.ask('GET', '/api/inbox')).toMatchObject({ status: 401, json: { code: 'credential_required' } })
})

test('[INBOX-10] the tool takes the link as doc and the name as author', async () => {
  const owner = await world.create('Text.\n')
  const link = await owner.share('comment')
  await comment(owner, 'Bo', { body: '@Eve only' })
  const inbox = async (args: Json): Promise<Json> => (await told(world.url, 'inbox', args)) as Json
  const doc = `${world.url}/d/${link.doc}?key=${link.key}`
  expect((await inbox({ doc, author: 'Eve' })).items).toHaveLength(1)
  expect((await inbox({ key: link.key, author: 'Eve', since: 0 })).items).toHaveLength(1)
  expect((await inbox({ doc, author: 'Gus' })).items).toEqual([])
})

test('[INBOX-4] [INBOX-5] an account has the inbox of all its documents, in order, as long as it owns them and they are not deleted', async () => {
  const ana = await join('Ana Lena')
  const docs = [await ana.make('# One\n\nText.\n'), await ana.make('# Two\n\nText.\n')] as const
  await comment(docs[0], 'Bo', { body: '@Ana-Lena one', find: 'Text' })
  await comment(docs[1], 'Bo', { body: '@ana-lena two' })
  await comment(docs[0], 'Bo', { body: '@Bo alone' })
  await comment(docs[0], 'Bo', { body: '@Ana-Lena three' })
  const texts = async (): Promise<string[]> => (await ana.inbox()).items.map(({ text }: Json) => text)
  expect(await texts()).toEqual(['@Ana-Lena one', '@ana-lena two', '@Ana-Lena three'])
  const { items } = await ana.inbox()
  expect(items.map(({ doc }: Json) => doc.title)).toEqual(['One', 'Two', 'One'])
  expect(items.map(({ cursor }: Json) => cursor)).toEqual(items.map(({ cursor }: Json) => cursor).toSorted((a: number, b: number) => a - b))
  expect((await ana.inbox({ since: items[0].cursor })).items.map(({ text }: Json) => text)).toEqual(['@ana-lena two', '@Ana-Lena three'])
  await docs[0].ask('DELETE', '')
  expect(await texts()).toEqual(['@ana-lena two'])
  await docs[0].ask('POST', '/undelete')
  expect(await texts()).toHaveLength(3)
  // Mentions are matched with the current name of the account.
  await ana.ask('PATCH', '/api/me', { json: { name: 'Bea' } })
  await comment(docs[0], 'Bo', { body: '@Ana-Lena who?' })
  await comment(docs[0], 'Bo', { body: '@Bea four' })
  expect((await texts()).at(-1)).toBe('@Bea four')
  expect(await texts()).toHaveLength(4)
  // A program receives entries only for its own documents.
  const { json: made } = await ana.ask('POST', '/api/me/tokens', { json: { name: 'Bot', docs: [docs[1].doc] } })
  const scoped = await ana.inbox({}, { headers: { Authorization: `Bearer ${made.secret}` } })
  expect(scoped.items.map(({ text }: Json) => text)).toEqual(['@ana-lena two'])
  const { id } = await join('Dora')
  await world.service.ledger.write(docs[1].doc, 'system', (draft) => {
    draft.head = { ...draft.head, owner: { kind: 'account', id, name: 'Dora' } }
  })
  expect(await texts()).not.toContain('@ana-lena two')
})

test('[OWNED-1] list, search and inbox contain what an account owns, and nothing that others share with it', async () => {
  const ana = await join('Ana Own')
  const guest = await world.create('# Shared\n\nRhubarb.\n')
  const link = await guest.share('owner')
  const key = { headers: { 'X-Share-Key': link.key } }
  // With the link, the account has a role in the document.
  expect((await ana.ask('GET', `/api/docs/${guest.doc}`, key)).json.role).toBe('owner')
  await comment(guest, 'Bo', { body: '@ana-own, look' })
  const all = async (): Promise<unknown[]> => {
    const { docs } = (await ana.ask('GET', '/api/docs')).json
    const { docs: found } = (await ana.ask('GET', '/api/search', { query: { q: 'rhubarb' } })).json
    return [docs, found, (await ana.inbox()).items].map((list) => list.length)
  }
  expect(await all()).toEqual([0, 0, 0])
  expect((await ana.ask('GET', '/api/inbox', key)).json.items).toMatchObject([{ reason: 'mention' }])
  expect((await ana.ask('POST', `/api/docs/${guest.doc}/claim`, { json: {}, ...key })).status).toBe(200)
  await comment(guest, 'Bo', { body: '@ana-own, again' })
  expect(await all()).toEqual([1, 1, 1])
})

test('[INBOX-6] since=latest, limit and capped work; the next item wakes a wait, which ends with its link, session and document', async () => {
  const ana = await join('Ana')
  const doc = await ana.make('Text.\n')
  for (const text of ['one', 'two', 'three']) await comment(doc, 'Bo', { body: `@Ana ${text}` })
  const first = await ana.inbox({ limit: 2 })
  expect(first).toMatchObject({ capped: true, latest: first.items[1].cursor })
  const rest = await ana.inbox({ since: first.latest, limit: 2 })
  expect(rest.items.map(({ text }: Json) => text)).toEqual(['@Ana three'])
  expect(rest.capped).toBeUndefined()
  const { latest } = await ana.inbox({ since: 'latest' })
  expect(latest).toBe(rest.latest)
  // A cursor that is too high would never receive an item, so it is reset.
  expect((await ana.inbox({ since: latest + 1000 })).latest).toBe(latest)
  const poll = ana.inbox({ since: 'latest', wait: 50 })
  const link = await doc.share('comment')
  const linked = inboxOf(link, 'Ana', { since: 'latest', wait: 50 })
  const elsewhere = inboxOf(link, 'Gus', { since: 'latest', wait: 50 })
  expect(await settledWithin(Promise.race([poll, linked, elsewhere]), 50)).toBe('waiting')
  await comment(doc, 'Bo', { body: '@Ana four' })
  expect((await poll).items).toMatchObject([{ text: '@Ana four' }])
  expect((await linked).items).toMatchObject([{ text: '@Ana four' }])
  expect(await settledWithin(elsewhere, 30)).toBe('waiting')
  await doc.ask('DELETE', `/shares/${link.link.id}`)
  expect(await elsewhere).toMatchObject({ code: 'credential_invalid' })
  const own = ana.inbox({ since: 'latest', wait: 50 })
  const other = inboxOf(doc, 'Ana', { since: 'latest', wait: 50 })
  expect(await settledWithin(Promise.race([own, other]), 50)).toBe('waiting')
  await doc.ask('DELETE', '')
  expect(await other).toMatchObject({ code: 'document_deleted' })
  await ana.ask('DELETE', '/api/me/sessions')
  expect(await own).toMatchObject({ code: 'credential_invalid' })
})

test('[INBOX-7] entries survive a restart with their events, and numbers rise even if the clock is set back', async () => {
  const ana = await join('Ana')
  const doc = await ana.make('Text.\n')
  await comment(doc, 'Bo', { body: '@Ana one' })
  const { latest } = await ana.inbox()
  clock = testClock(clock.now() - 3600_000)
  world = await world.restart({ clock })
  await comment(world.person(doc.doc, doc.key), 'Bo', { body: '@Ana two' })
  const { items } = await (
    await world.ask('GET', '/api/inbox', { query: { since: latest }, headers: { Authorization: `Bearer ${ana.token}` } })
  ).json
  expect(items).toMatchObject([{ text: '@Ana two' }])
})

test('[INBOX-8] a read examines a bounded number of entries, and an inbox keeps the newest for a limited time', async () => {
  const ana = await join('Ana')
  const docs = await Promise.all(Array.from({ length: 4 }, () => ana.make('Text.\n')))
  await withLimit('inboxEntriesMax', 10, async () => {
    // Each node trims the inbox after a number of its own entries.
    const untrimmed = limits.inboxTrimEvery * nodesOfTests
    for (let count = 0; count < 30 + untrimmed; count++) await comment(docs[count % docs.length] as Person, 'Bo', { body: `@Ana ${count}` })
    const entries = await world.service.storage.list(keys.inbox('account', ana.id))
    expect(entries.length).toBeLessThanOrEqual(10 + untrimmed)
  })
  await withLimit('inboxReadMax', 5, async () => {
    const page = await ana.inbox()
    expect(page.items).toHaveLength(5)
    expect(page.capped).toBe(true)
  })
  clock.advance(limits.inboxDays * 24 * 3600 * 1000 + 1)
  expect((await ana.ask('GET', '/api/inbox')).status).toBe(401)
  const { token } = await openSession(world.service, ana.id, 'app', 'a test')
  expect((await world.ask('GET', '/api/inbox', { headers: { Authorization: `Bearer ${token}` } })).json.items).toEqual([])
  await sweep(world.service)
  expect(await world.service.storage.list(keys.inbox('account', ana.id))).toEqual([])
})

test('[INBOX-9] erasing a document and deleting an account remove their entries', async () => {
  const ana = await join('Ana')
  const docs = [await ana.make('Text.\n'), await ana.make('Text.\n')] as const
  for (const doc of docs) await comment(doc, 'Bo', { body: '@Ana' })
  const left = async (): Promise<number> => (await world.service.storage.list(keys.inbox('account', ana.id))).length
  expect(await left()).toBe(2)
  await docs[0].ask('DELETE', '', { query: { permanent: 1 } })
  expect(await left()).toBe(1)
  await deleteAccount(world.service, await callerOfService(world.service, { bearer: ana.token }), 'keep')
  expect(await left()).toBe(0)
})
