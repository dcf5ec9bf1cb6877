/** Personal access tokens: the access that they give, its limits, and how they end. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Account, createAccount } from '../../server/domain/accounts/accounts.ts'
import { openSession } from '../../server/domain/accounts/sessions.ts'
import { limits } from '../../shared/limits.ts'
import { testClock } from '../support/clock.ts'
import { newVisitor, password, signIn } from '../support/visitor.ts'
import { type Ask, type Json, settledWithin, startWorld, until, type World } from '../support/world.ts'

const email = 'ana@example.org'
const clock = testClock()
const dayMs = 24 * 3600 * 1000

let world: World
let session: string
let doc: string
beforeAll(async () => {
  world = await startWorld({ clock })
  session = (await openSession(world.service, (await account(email, 'Ana')).id, 'app', 'A test')).token
  doc = await newDoc('# Notes\n\nSome words.')
})
afterAll(() => world.stop())

const account = async (mail: string, name: string): Promise<Account> =>
  (await createAccount(world.service, { email: mail, name, password })) as Account

const as = (bearer: string, method: string, path: string, what: Ask = {}) =>
  world.ask(method, path, { ...what, headers: { ...what.headers, Authorization: `Bearer ${bearer}` } })

const newDoc = async (content: string, bearer = session): Promise<string> =>
  String((await as(bearer, 'POST', '/api/docs', { json: { content } })).json.id)

const make = async (what: object = {}, bearer = session): Promise<{ id: string; secret: string; token: Json }> => {
  const { status, json } = await as(bearer, 'POST', '/api/me/tokens', { json: { name: 'Review bot', ...what } })
  expect(status, JSON.stringify(json)).toBe(201)
  return { id: json.token.id, secret: json.secret, token: json.token }
}

const listed = async (bearer = session): Promise<Json[]> => (await as(bearer, 'GET', '/api/me/tokens')).json.tokens

test('[TOKEN-1] a token is shown once, stored as a hash, listed with its last use, revoked, and expires', async () => {
  const { id, secret, token } = await make({ role: 'view', days: 7 })
  expect(token).toMatchObject({ kind: 'token', name: 'Review bot', role: 'view', docs: null, host: null, lastUsedAt: null })
  expect(Date.parse(token.expiresAt) - Date.parse(token.createdAt)).toBe(7 * dayMs)
  expect((await as(secret, 'GET', `/api/docs/${doc}`)).json).toMatchObject({ role: 'view' })
  await until(async () => (await listed()).find((each) => each.id === id)?.lastUsedAt !== null)
  expect(JSON.stringify(await listed())).not.toContain(secret)
  const entries = await Promise.all([['program'], ['account']].map((prefix) => world.service.storage.list(prefix)))
  expect(entries.flat().length).toBeGreaterThan(0)
  for (const { value } of entries.flat()) expect(Buffer.from(value).toString()).not.toContain(secret.slice(5, 40))
  const other = await make()
  expect((await as(session, 'DELETE', `/api/me/tokens/${other.id}`)).status).toBe(200)
  expect((await as(other.secret, 'GET', `/api/docs/${doc}`)).status).toBe(401)
  expect((await listed()).map((each) => each.id)).not.toContain(other.id)
  clock.advance(7 * dayMs)
  session = (await openSession(world.service, (await world.service.storage.list(['account']))[0]?.key[1] as string, 'app', 'A test')).token
  expect((await as(secret, 'GET', `/api/docs/${doc}`)).status).toBe(401)
  expect((await listed()).some((each) => each.id === id)).toBe(false)
})

test.each([
  [{ name: '' }, 400],
  [{ days: 0 }, 400],
  [{ days: limits.tokenDaysMax + 1 }, 400],
  [{ role: 'admin' }, 400],
  [{ docs: [] }, 400],
  [{ docs: Array.from({ length: limits.tokenDocumentsMax + 1 }, (_, index) => `document-${index}-xx`) }, 400],
  [{ docs: ['AAAAAAAAAAAAAAAA'] }, 404],
  [{ expiresAt: '2027-01-01T00:00:00Z' }, 400]
])('[TOKEN-7] a token of %j is refused with %i, and none is made', async (what, status) => {
  const before = (await listed()).length
  expect((await as(session, 'POST', '/api/me/tokens', { json: { name: 'Bot', ...what } })).status).toBe(status)
  expect(await listed()).toHaveLength(before)
})

test('[TOKEN-7] a token is for documents of its own account, which may have a limited number', async () => {
  const bob = (await openSession(world.service, (await account('bob@example.org', 'Bob')).id, 'app', 'A test')).token
  expect((await as(bob, 'POST', '/api/me/tokens', { json: { name: 'Bot', docs: [doc] } })).status).toBe(404)
  for (let made = 0; made < limits.programsMax; made++) await make({}, bob)
  const { status, json } = await as(bob, 'POST', '/api/me/tokens', { json: { name: 'Bot' } })
  expect({ status, code: json.code }).toEqual({ status: 409, code: 'too_many_tokens' })
})

test('[TOKEN-2] the lower role counts, and a document outside the scope is unknown, even with a key', async () => {
  const other = await newDoc('# Other')
  const { json: link } = await as(session, 'POST', `/api/docs/${other}/shares`, { json: { role: 'owner' } })
  const { secret } = await make({ role: 'comment', docs: [doc] })
  expect((await as(secret, 'GET', `/api/docs/${doc}`)).json).toMatchObject({ role: 'comment' })
  expect((await as(secret, 'PUT', `/api/docs/${doc}/content`, { json: { content: 'x' } })).json).toMatchObject({
    code: 'forbidden',
    requiredRole: 'edit',
    role: 'comment'
  })
  const unknown = (await as(secret, 'GET', '/api/docs/AAAAAAAAAAAAAAAA')).json
  for (const what of [{}, { key: String(link.secret) }]) {
    const { status, json } = await as(secret, 'GET', `/api/docs/${other}`, what)
    expect({ status, code: json.code, message: json.message }).toEqual({ status: 404, code: 'not_found', message: unknown.message })
  }
  const { json: view } = await as(session, 'POST', `/api/docs/${doc}/shares`, { json: { role: 'view' } })
  expect((await as(secret, 'GET', `/api/docs/${doc}`, { key: view.secret })).json).toMatchObject({ role: 'view' })
  const { docs } = (await as(secret, 'GET', '/api/docs')).json
  expect(docs.map((each: Json) => [each.id, each.role])).toEqual([[doc, 'comment']])
  await as(session, 'DELETE', `/api/docs/${other}`)
  expect((await as(secret, 'GET', '/api/trash')).json.docs).toEqual([])
})

test('[TOKEN-3] a token manages no account and creates no tokens', async () => {
  const { secret, id } = await make({ role: 'owner' })
  for (const [method, path, json] of [
    ['POST', '/api/me/tokens', { name: 'More' }],
    ['GET', '/api/me/tokens'],
    ['DELETE', `/api/me/tokens/${id}`],
    ['PATCH', '/api/me', { name: 'Eve' }],
    ['GET', '/api/me/sessions'],
    ['DELETE', '/api/me/sessions'],
    ['POST', '/api/me/nodes', {}]
  ] as const) {
    const answer = await as(secret, method, path, json === undefined ? {} : { json })
    expect([path, answer.status, answer.json.code]).toEqual([path, 403, 'account_required'])
  }
  expect((await as(secret, 'GET', '/api/me')).json).toMatchObject({ kind: 'account', user: { name: 'Ana', email } })
})

test('[TOKEN-8] a restricted token sees neither address nor usage', async () => {
  for (const what of [{ role: 'edit' }, { role: 'owner', docs: [doc] }]) {
    const { json, text } = await as((await make(what)).secret, 'GET', '/api/me')
    expect(json, JSON.stringify(what)).toMatchObject({ kind: 'account', user: { name: 'Ana', email: null } })
    expect(json).not.toHaveProperty('usage')
    expect(text).not.toContain(email)
  }
  for (const bearer of [(await make({ role: 'owner' })).secret, session])
    expect((await as(bearer, 'GET', '/api/me')).json).toMatchObject({ user: { email }, usage: {} })
})

test.each([
  [{ role: 'owner' }, 201],
  [{ role: 'edit' }, 201],
  [{ role: 'suggest' }, 403],
  ['one', 403]
] as const)('[TOKEN-3] creating a document with a token of %j returns %i', async (what, status) => {
  const { secret } = await make(what === 'one' ? { role: 'owner', docs: [doc] } : what)
  expect((await as(secret, 'POST', '/api/docs', { json: { content: 'x' } })).status).toBe(status)
})

test('[TOKEN-4] revoking ends the waiting requests and connections of a token at once, and of no other', async () => {
  const [one, other] = [await make({ role: 'edit' }), await make({ role: 'edit' })]
  const wait = (bearer: string) => as(bearer, 'GET', `/api/docs/${doc}/events`, { query: { since: 'latest', wait: 50 } })
  const [first, second] = [wait(one.secret), wait(other.secret)]
  const editor = await world.person(doc, one.secret).connect()
  expect(await settledWithin(Promise.race([first, second]), 100)).toBe('waiting')
  expect((await as(session, 'DELETE', `/api/me/tokens/${one.id}`)).json).toEqual({ ok: true, revoked: true })
  expect((await first).status).toBe(401)
  await until(() => editor.closes.some(({ code }) => code === 4401))
  expect((await as(one.secret, 'GET', '/api/me')).status).toBe(401)
  expect(await settledWithin(second, 100)).toBe('waiting')
  await as(session, 'DELETE', `/api/me/tokens/${other.id}`)
  expect((await second).status).toBe(401)
  expect((await as(session, 'DELETE', `/api/me/tokens/${one.id}`)).status).toBe(404)
})

test('[TOKEN-4] signing out everywhere, a new password and deleting the account end all tokens', async () => {
  const visitor = newVisitor()
  const start = async (mail: string): Promise<string> => {
    const own = (await openSession(world.service, (await account(mail, 'Cleo')).id, 'app', 'A test')).token
    return (await make({}, own)).secret
  }
  const works = async (secret: string): Promise<number> => (await as(secret, 'GET', '/api/me')).status
  const first = await start('cleo@example.org')
  expect(await works(first)).toBe(200)
  await signIn(world.url, 'cleo@example.org', visitor)
  await visitor.visit(`${world.url}/account`)
  await visitor.submit('/sign-out', { everywhere: 'yes' })
  expect(await works(first)).toBe(401)

  const second = await start('dora@example.org')
  await signIn(world.url, 'dora@example.org', visitor)
  await visitor.visit(`${world.url}/account/password`)
  await visitor.submit('/account/password', { current_password: password, password: 'another horse battery' })
  expect(await works(second)).toBe(401)

  const third = await start('emil@example.org')
  const gone = newVisitor()
  await signIn(world.url, 'emil@example.org', gone)
  await gone.visit(`${world.url}/account/delete-account`)
  await gone.submit('/account/delete-account', { current_password: password, documents: 'keep' })
  expect(await works(third)).toBe(401)
})

test('[TOKEN-5] the actions of a program show its name and that of its account', async () => {
  const { secret } = await make({ role: 'edit' })
  const person = await world.person(doc, session).connect()
  const named = 'Review bot · for Ana'
  const { json: comment } = await as(secret, 'POST', `/api/docs/${doc}/comments`, { json: { body: 'Why?', find: 'Some words' } })
  expect(comment.comment).toMatchObject({ author: named, authorKind: 'account' })
  const { json: read } = await as(secret, 'GET', `/api/docs/${doc}/content`, { headers: { Accept: 'application/json' } })
  await as(secret, 'PUT', `/api/docs/${doc}/content`, { json: { content: `${read.content}\nMore.`, baseVersion: read.version } })
  const { events } = (await as(session, 'GET', `/api/docs/${doc}/events`)).json
  expect(events.filter((each: Json) => each.actor === named).map((each: Json) => each.kind)).toContain('comment.created')
  expect((await as(session, 'GET', `/api/docs/${doc}/revisions`)).json.revisions[0].author).toBe(named)
  const shown = () => [...(person.provider.awareness?.getStates().values() ?? [])].map((state) => (state['user'] as Json)?.name)
  await until(() => shown().includes(named))
  // On its own socket, the program has the same name, regardless of the name that it sends.
  const watcher = await world.person(doc, (await make({ name: 'Watcher' })).secret).connect()
  watcher.provider.awareness?.setLocalStateField('user', { name: 'Eve' })
  await until(() => shown().includes('Watcher · for Ana'))
  expect(shown()).not.toContain('Eve')
  // With any bearer token, the header names the program. The person's own name does not.
  for (const [bearer, author, wanted] of [
    [secret, 'Lint bot', 'Lint bot · for Ana'],
    [session, 'Lint bot', 'Lint bot · for Ana'],
    [session, 'Ana', 'Ana'],
    [secret, 'Ana', named]
  ] as const) {
    const headers = { 'X-Agent-Author': author }
    const { json } = await as(bearer, 'POST', `/api/docs/${doc}/comments`, { json: { body: 'Hm' }, headers })
    expect(json.comment.author).toBe(wanted)
  }
  const { json: inBody } = await as(session, 'POST', `/api/docs/${doc}/comments`, { json: { body: 'Hm', author: 'Lint bot' } })
  expect(inBody.comment.author).toBe('Lint bot · for Ana')
})

test.each([
  ['en', 'Programs and tokens', 'Create token', 'Never used'],
  ['de', 'Programme und Token', 'Token erstellen', 'Nie benutzt']
])('[TOKEN-6] the account page creates, lists and revokes tokens, in %s', async (language, title, button, never) => {
  const visitor = newVisitor({ headers: { 'Accept-Language': language } })
  await signIn(world.url, email, visitor)
  await visitor.visit(`${world.url}/account`)
  expect(visitor.page.text).toContain(title)
  expect(visitor.page.text).toContain(button)
  await visitor.submit('/account/tokens', { name: `Bot <${language}>`, role: 'suggest', days: '30', docs: `${world.url}/d/${doc}\n` })
  const secret = /apat_[\w-]+/.exec(visitor.page.text)?.[0] ?? ''
  expect((await as(secret, 'GET', `/api/docs/${doc}`)).json).toMatchObject({ role: 'suggest' })
  await visitor.visit(`${world.url}/account`)
  expect(visitor.page.text).toContain(`Bot &lt;${language}&gt;`)
  expect(visitor.page.text).not.toContain(secret)
  const { id } = (await listed()).find((each) => each.name === `Bot <${language}>`)
  await visitor.submit('/account/end-token', { id })
  expect((await as(secret, 'GET', `/api/docs/${doc}`)).status).toBe(401)
  await make()
  expect((await visitor.visit(`${world.url}/account`)).text).toContain(never)
  // A form without the session's token has no effect.
  await visitor.submit('/account/tokens', { name: 'Forged', role: 'view', days: '7', docs: '', token: 'x' })
  expect(visitor.page.status).toBe(403)
})
