/** The actions of operators, through the table that the page and the commands share, and through the commands. */
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { admin } from '../../server/admin.ts'
import { AdminError } from '../../server/admin/error.ts'
import { readConfig } from '../../server/config.ts'
import { type Account, findAccount } from '../../server/domain/accounts/accounts.ts'
import { findSession, openSession, revokeSession } from '../../server/domain/accounts/sessions.ts'
import { finishDeletions } from '../../server/domain/documents/trash.ts'
import { type ActInput, type ActName, acts, runAct } from '../../server/domain/operator/acts.ts'
import { consoleOperator, type Operator, operatorOf } from '../../server/domain/operator/operator.ts'
import { type AuditRecord, listAudit } from '../../server/domain/records/audit.ts'
import { askServer } from '../../server/operator-socket.ts'
import { limits } from '../../shared/limits.ts'
import { closeCodes } from '../../shared/live-protocol.ts'
import { refused } from '../support/mcp.ts'
import { removeAll, storageOf } from '../support/start.ts'
import { emptyStreams } from '../support/operator.ts'
import { testClock } from '../support/clock.ts'
import { startIssuer } from '../support/issuer.ts'
import { callAs, join as joinAs, type Joined, newVisitor, password, signIn, signUp, type Visitor } from '../support/visitor.ts'
import { dialIn } from '../support/nodes.ts'
import { type Json, settledWithin, startWorld, until, type World } from '../support/world.ts'

const clock = testClock()
let world: World
beforeAll(async () => {
  // Hocuspocus would print each refused frame with its stack.
  for (const level of ['log', 'warn', 'error'] as const) console[level] = () => undefined
  world = await startWorld({ clock })
})
afterAll(() => world.stop())

const run = <Name extends ActName>(
  name: Name,
  input: ActInput<Name>,
  operator: Operator = consoleOperator
): ReturnType<typeof runAct<Name>> => runAct(world.service, operator, name, input)

const call = (visitor: Visitor, method: string, path: string, json?: unknown): Promise<Response> =>
  callAs(world.url, visitor, method, path, json)
const answer = async (visitor: Visitor, method: string, path: string, json?: unknown): Promise<Json> =>
  (await call(visitor, method, path, json)).json()
const status = async (visitor: Visitor, path = '/api/me'): Promise<number> => (await call(visitor, 'GET', path)).status

let people = 0
const join = (): Promise<Joined> => joinAs(world.url, `operated-${++people}@example.org`)
const create = async (visitor: Visitor, content: string): Promise<string> => (await answer(visitor, 'POST', '/api/docs', { content })).id
const share = (visitor: Visitor, doc: string, role = 'edit'): Promise<Json> => answer(visitor, 'POST', `/api/docs/${doc}/shares`, { role })
const latest = async (filter: object): Promise<AuditRecord | undefined> => (await listAudit(world.service, filter)).records[0]

test('[OPERATOR-1] people are listed with last use, documents and bytes, and found by name, address and id', async () => {
  const { visitor, email, id } = await join()
  await create(visitor, '# One')
  await create(visitor, '# Two')
  const { people: found } = await run('listPeople', { query: email.slice(0, 12).toUpperCase() })
  expect(found.find((person) => person.id === id)).toMatchObject({
    email,
    name: email.split('@')[0],
    lastUsedAt: new Date(clock.now()).toISOString(),
    sessions: 1,
    documents: 2,
    admin: false,
    disabledAt: null
  })
  expect(found.find((person) => person.id === id)?.bytes).toBeGreaterThan(10)
  expect((await run('listPeople', { query: id })).people.map((person) => person.id)).toEqual([id])
  await Promise.all([join(), join(), join(), join()])
  const all: string[] = []
  for (let after: string | undefined; ;) {
    const page = await run('listPeople', { limit: 2, after })
    all.push(...page.people.map((person) => person.id))
    if (page.nextAfter === null) break
    after = page.nextAfter
  }
  expect(new Set(all).size).toBe(people)
  expect(all).toHaveLength(people)
  // A person who has signed out was still here.
  await call(visitor, 'DELETE', '/api/me/sessions')
  expect(await run('readPerson', { account: email })).toMatchObject({ sessions: 0, lastUsedAt: new Date(clock.now()).toISOString() })
})

test('[OPERATOR-2] [AUDIT-10] a disabled account loses its sessions, tokens, nodes and sockets immediately; links still open its documents', async () => {
  const { visitor, email, id } = await join()
  const doc = await create(visitor, 'text')
  const link = await share(visitor, doc)
  const { secret } = await answer(visitor, 'POST', '/api/me/tokens', { name: 'A script' })
  const { token } = await answer(visitor, 'POST', '/api/me/nodes', { name: 'Shed' })
  const node = await dialIn(world, token)
  const app = (await openSession(world.service, id, 'app', 'A test')).token
  const editor = await world.person(doc, app).connect()
  const asProgram = (): Promise<number> =>
    world.ask('GET', '/api/me', { headers: { Authorization: `Bearer ${secret}` } }).then((each) => each.status)
  expect([await status(visitor), await asProgram()]).toEqual([200, 200])
  expect(await run('disable', { account: email })).toMatchObject({
    id,
    disabledAt: new Date(clock.now()).toISOString(),
    sessions: 0,
    tokens: 0,
    nodes: 0
  })
  expect([await status(visitor), await asProgram()]).toEqual([401, 401])
  await until(() => editor.closes.some(({ code }) => code === closeCodes.accountDisabled))
  await until(() => node.closed() !== undefined)
  expect((await world.person(doc, link.secret).read()).content).toBe('text')
  const stranger = newVisitor()
  await stranger.visit(`${world.url}/sign-in`)
  await stranger.submit('/sign-in', { email, password: 'not the password' })
  expect(stranger.page.text).toContain('Wrong email or password.')
  await stranger.submit('/sign-in', { email, password })
  expect([stranger.page.status, stranger.page.text.includes('This account is disabled.')]).toEqual([403, true])
  expect(await status(stranger)).toBe(401)
  expect(await latest({ account: id })).toMatchObject({ kind: 'sign-in.disabled', by: { kind: 'guest' }, address: '127.0.0.1' })
  await expect(openSession(world.service, id, 'app', 'A test')).rejects.toMatchObject({ code: 'account_disabled' })
})

test('[OPERATOR-3] an enabled account can sign in again, and its earlier sessions stay ended', async () => {
  const { visitor, email } = await join()
  await run('disable', { account: email })
  expect(await run('enable', { account: email })).toMatchObject({ disabledAt: null })
  expect(await status(visitor)).toBe(401)
  expect(await status(await signIn(world.url, email))).toBe(200)
})

test('[OPERATOR-3] with an external issuer, a disabled account stays disabled at the next sign-in', async () => {
  const issuer = await startIssuer()
  const own = await startWorld({ env: { AGMD_AUTH_URL: issuer.url } })
  const enter = async (): Promise<Visitor> => {
    const visitor = newVisitor()
    await visitor.visit(`${own.url}/sign-in`)
    return visitor
  }
  const first = await enter()
  const me = (await (await first.request(`${own.url}/api/me`)).json()) as Json
  await runAct(own.service, consoleOperator, 'disable', { account: me.user.id })
  const again = await enter()
  expect([again.page.status, again.page.text.includes('This account is disabled.')]).toEqual([403, true])
  expect((await findAccount(own.service, me.user.id))?.disabledAt).toBeDefined()
  await own.stop()
  await issuer.stop()
})

test('[OPERATOR-4] the documents of a deleted account go to another account, stay accessible through links, or go to the trash', async () => {
  const [heir, gone, kept, dropped] = [await join(), await join(), await join(), await join()]
  const [handed, open, trashed] = [
    await create(gone.visitor, '# A'),
    await create(kept.visitor, '# B'),
    await create(dropped.visitor, '# C')
  ]
  const [link, other] = [await share(kept.visitor, open), await share(dropped.visitor, trashed)]
  const binned = await create(dropped.visitor, '# D')
  await call(dropped.visitor, 'DELETE', `/api/docs/${binned}`)
  const answered = await run('deletePerson', { account: gone.email, documents: 'keep', to: heir.email })
  expect(answered).toEqual({ ok: true, id: gone.id, moved: 1, movedInTrash: 0, inTrash: 0 })
  await run('deletePerson', { account: kept.email, documents: 'keep' })
  const left = await run('deletePerson', { account: dropped.email, documents: 'trash' })
  expect(left).toEqual({ ok: true, id: dropped.id, moved: 0, movedInTrash: 0, inTrash: 1 })
  expect([await status(gone.visitor), await status(kept.visitor), await status(dropped.visitor)]).toEqual([401, 401, 401])
  expect(await status(heir.visitor, `/api/docs/${handed}`)).toBe(200)
  expect((await world.person(open, link.secret).read()).content).toBe('# B')
  expect((await world.person(trashed, other.secret).ask('GET', '/content')).status).toBe(410)
  await expect(run('readPerson', { account: gone.email })).rejects.toMatchObject({ code: 'not_found' })
})

test('[OPERATOR-19] documents in the trash of a deleted account move to the trash of the new owner, who can restore them', async () => {
  const [heir, gone] = [await join(), await join()]
  const docs = [await create(gone.visitor, '# Kept'), await create(gone.visitor, '# Left'), await create(gone.visitor, '# Down')]
  const [kept = '', left = '', down = ''] = docs
  for (const doc of docs) await call(gone.visitor, 'DELETE', `/api/docs/${doc}`)
  await run('takeDown', { doc: down })
  const trashOf = async (visitor: Visitor): Promise<Json[]> => (await (await call(visitor, 'GET', '/api/trash')).json()).docs
  const before = await trashOf(gone.visitor)
  expect(before.map(({ id }) => id)).toEqual(expect.arrayContaining([kept, left]))
  const answered = await run('deletePerson', { account: gone.email, documents: 'trash', to: heir.email })
  expect(answered).toEqual({ ok: true, id: gone.id, moved: 0, movedInTrash: 3, inTrash: 0 })
  expect(await trashOf(heir.visitor)).toEqual(before)
  expect(await status(heir.visitor, `/api/docs/${kept}`)).toBe(410)
  expect((await call(heir.visitor, 'POST', `/api/docs/${kept}/undelete`)).status).toBe(200)
  expect(await status(heir.visitor, `/api/docs/${kept}`)).toBe(200)
  expect((await (await call(heir.visitor, 'GET', '/api/docs')).json()).docs.map(({ id }: Json) => id)).toEqual([kept])
  expect((await run('readPerson', { account: heir.email })).documents).toBe(3)
})

test('[OPERATOR-5] documents are found by title, id and owner, without text and links', async () => {
  const { visitor, email, id } = await join()
  const doc = await create(visitor, '# Harvest 2031\n\nConfidential yield')
  const link = await share(visitor, doc)
  const trashed = await create(visitor, '# Harvest 2030')
  await call(visitor, 'DELETE', `/api/docs/${trashed}`)
  const gone = await create(visitor, '# Harvest 2029')
  await call(visitor, 'DELETE', `/api/docs/${gone}?permanent=true`)
  const expected = { id: doc, title: 'Harvest 2031', owner: { kind: 'account', id }, state: 'open', published: false, links: 1 }
  for (const input of [{ query: 'harvest 2031' }, { query: doc }, { query: '31', owner: email }])
    expect((await run('findDocuments', input)).documents).toMatchObject([expected])
  expect((await run('findDocuments', { query: 'harvest' })).documents.map(({ state }) => state).toSorted()).toEqual(['open', 'trash'])
  const text = JSON.stringify(await run('findDocuments', {}))
  expect(text).not.toContain('Confidential')
  expect(text).not.toContain(link.secret)
  await expect(run('findDocuments', { owner: 'nobody@example.org' })).rejects.toMatchObject({ code: 'not_found' })
  const whole = (await run('findDocuments', { limit: 500 })).documents.map((each) => each.id).toSorted()
  const paged: string[] = []
  for (let after: string | undefined; ;) {
    const page = await run('findDocuments', { limit: 3, after })
    paged.push(...page.documents.map((each) => each.id))
    if (page.nextAfter === null) break
    after = page.nextAfter
  }
  expect(paged.toSorted()).toEqual(whole)
})

test('[OPERATOR-6] a transferred document belongs to the other account; the pages of the former owner are disconnected immediately', async () => {
  const [from, to] = [await join(), await join()]
  const doc = await create(from.visitor, '# Deed')
  const link = await share(from.visitor, doc)
  const mine = (await openSession(world.service, from.id, 'app', 'A test')).token
  const [own, guest] = [await world.person(doc, mine).connect(), await world.person(doc, link.secret).connect()]
  const waits = world.ask('GET', `/api/docs/${doc}/events`, {
    query: { since: 'latest', wait: 50 },
    headers: { Authorization: `Bearer ${mine}` }
  })
  await until(() => world.service.live.find(doc) !== undefined)
  expect(await run('transfer', { doc, to: to.email })).toMatchObject({ id: doc, owner: { kind: 'account', id: to.id } })
  await until(() => own.closes.some(({ code }) => code === 4401))
  expect(await settledWithin(waits, 5000)).not.toBe('waiting')
  expect([await status(from.visitor, `/api/docs/${doc}`), await status(to.visitor, `/api/docs/${doc}`)]).toEqual([404, 200])
  guest.type(0, 'x')
  await guest.saved()
  const listed = async ({ visitor }: { visitor: Visitor }): Promise<string[]> =>
    (await answer(visitor, 'GET', '/api/docs')).docs.map((each: Json) => each.id)
  expect([await listed(from), await listed(to)]).toEqual([[], [doc]])
  expect((await run('readPerson', { account: from.id })).documents).toBe(0)
  expect((await run('readPerson', { account: to.id })).documents).toBe(1)
  await run('transfer', { doc, to: from.email })
  expect(await status(from.visitor, `/api/docs/${doc}`)).toBe(200)
  const again = await world.person(doc, mine).connect()
  again.type(0, 'y')
  await again.saved()
  await call(from.visitor, 'DELETE', `/api/docs/${doc}`)
  await expect(run('transfer', { doc, to: to.email })).rejects.toMatchObject({ code: 'document_deleted' })
})

test('[OPERATOR-7] when a document is taken down, its pages are disconnected; callers with access get 451, and others 404', async () => {
  const { visitor, id } = await join()
  const doc = await create(visitor, '# Libel')
  const link = await share(visitor, doc, 'owner')
  await call(visitor, 'POST', `/api/docs/${doc}/publish`)
  const guest = world.person(doc, link.secret)
  const editor = await guest.connect()
  const waits = guest.ask('GET', '/events', { query: { since: 'latest', wait: 50 } })
  expect(await run('takeDown', { doc })).toMatchObject({ id: doc, title: 'Libel', state: 'taken_down' })
  await until(() => editor.closes.some(({ code }) => code === 4451))
  expect(await settledWithin(waits, 5000)).toMatchObject({ status: 451 })
  const refusals = await Promise.all([
    guest.ask('GET', '/content'),
    guest.ask('PUT', '/content', { json: { content: 'x' } }),
    guest.ask('DELETE', ''),
    guest.ask('POST', '/undelete', { json: {} }),
    guest.ask('GET', '/events'),
    world.ask('GET', `/pub/${doc}`),
    world.ask('GET', `/pub/${doc}.md`),
    world.ask('GET', `/d/${doc}`, { headers: { Accept: 'text/html' }, query: { key: link.secret } })
  ])
  expect(refusals.map((each) => each.status)).toEqual(refusals.map(() => 451))
  expect(refusals[0]?.json).toMatchObject({ code: 'taken_down' })
  expect(await status(visitor, `/api/docs/${doc}`)).toBe(451)
  expect(await refused(world.url, 'read_doc', { doc: link.url })).toMatchObject({ code: 'taken_down' })
  const eager = await guest.connect({ eager: true })
  await until(() => eager.refusals.includes('taken_down'))
  const stranger = await join()
  const unknown = (await call(stranger.visitor, 'GET', '/api/docs/AAAAAAAAAAAAAAAA')).status
  expect([await status(stranger.visitor, `/api/docs/${doc}`), unknown]).toEqual([404, 404])
  expect((await world.ask('GET', `/api/docs/${doc}`)).status).toBe(401)
  expect((await answer(visitor, 'GET', '/api/docs')).docs).toEqual([])
  expect((await answer(visitor, 'GET', '/api/trash')).docs).toEqual([])
  expect((await answer(visitor, 'GET', '/api/docs?query=libel')).docs).toEqual([])
  expect((await run('findDocuments', { owner: id })).documents).toMatchObject([{ id: doc, state: 'taken_down' }])
})

test('[OPERATOR-8] a restored document is complete, and its bytes always counted; a document from the trash goes back to it', async () => {
  const { visitor, id } = await join()
  const doc = await create(visitor, '# Back')
  const link = await share(visitor, doc, 'owner')
  const guest = world.person(doc, link.secret)
  await guest.ask('POST', '/comments', { json: { body: 'Keep this', find: 'Back' } })
  await call(visitor, 'POST', `/api/docs/${doc}/publish`)
  const before = await run('readPerson', { account: id })
  await run('takeDown', { doc })
  await call(visitor, 'PATCH', '/api/me', { name: 'Renamed' })
  expect(await run('readPerson', { account: id })).toMatchObject({ documents: 1, bytes: before.bytes })
  expect(await run('restore', { doc })).toMatchObject({ state: 'open', owner: { name: 'Renamed' } })
  expect((await guest.read()).content).toBe('# Back')
  expect((await guest.ask('GET', '/comments')).json.comments).toHaveLength(1)
  expect((await world.ask('GET', `/pub/${doc}.md`)).status).toBe(200)
  const editor = await guest.connect()
  editor.type(0, 'x')
  await editor.saved()
  editor.close()
  await call(visitor, 'DELETE', `/api/docs/${doc}`)
  await run('takeDown', { doc })
  expect((await guest.ask('POST', '/undelete', { json: {} })).status).toBe(451)
  expect(await run('restore', { doc })).toMatchObject({ state: 'trash' })
  expect((await guest.ask('POST', '/undelete', { json: {} })).status).toBe(200)
  await call(visitor, 'DELETE', `/api/docs/${doc}`)
  await run('takeDown', { doc })
  clock.advance(limits.trashDays * 24 * 3600_000 + 1)
  await finishDeletions(world.service, (_doc, error) => expect.fail(String(error)))
  await expect(run('restore', { doc })).rejects.toMatchObject({ code: 'not_found' })
  expect((await guest.ask('GET', '/content')).status).toBe(410)
})

test('[OPERATOR-9] tokens and nodes of all accounts are listed without secrets and can be revoked', async () => {
  const { visitor, id } = await join()
  const token = await answer(visitor, 'POST', '/api/me/tokens', { name: 'A script' })
  const node = await answer(visitor, 'POST', '/api/me/nodes', { name: 'Shed' })
  const socket = await dialIn(world, node.token)
  const [tokens, nodes] = [await run('listTokens', { limit: 500 }), await run('listNodes', { limit: 500 })]
  expect(tokens.found).toContainEqual(expect.objectContaining({ id: token.token.id, account: id, name: 'A script', role: 'edit' }))
  expect(nodes.found).toContainEqual(expect.objectContaining({ id: node.node.id, account: id, name: 'Shed', connected: true }))
  for (const secret of [token.secret, node.token]) expect(JSON.stringify([tokens, nodes])).not.toContain(secret)
  const inUse = async (): Promise<boolean> =>
    (await run('listTokens', { limit: 500 })).found.find((each) => each.id === token.token.id)?.inUse ?? false
  expect(await inUse()).toBe(false)
  const program = world.person(await create(visitor, 'x'), token.secret)
  // A node shows only its own connections, so each of two nodes gets one.
  await program.connect()
  await program.connect()
  expect(await inUse()).toBe(true)
  expect(await command(world.folder, ['tokens', 'list', '--limit', '500'])).toMatch(/A script .* now /)
  await run('revokeToken', { token: token.token.id })
  await run('revokeNode', { node: node.node.id })
  expect((await world.ask('GET', '/api/me', { headers: { Authorization: `Bearer ${token.secret}` } })).status).toBe(401)
  await until(() => socket.closed() !== undefined)
  await expect(run('revokeToken', { token: token.token.id })).rejects.toMatchObject({ code: 'not_found' })
  await expect(run('revokeNode', { node: node.node.id })).rejects.toMatchObject({ code: 'not_found' })
})

test('[OPERATOR-17] [OPERATOR-18] links are listed without secrets; revoking one ends its connections and the links made through it', async () => {
  const { visitor, email } = await join()
  const [doc, other] = [await create(visitor, '# Plan'), await create(visitor, '# Other')]
  const [link, unused] = [await share(visitor, doc, 'owner'), await share(visitor, other, 'view')]
  const holder = world.person(doc, link.secret)
  const made = await holder.share('view')
  // A node shows only its own connections, so each of two nodes gets one.
  const pages = [await made.connect(), await made.connect()]
  const ofDocument = await run('listLinks', { doc })
  expect(ofDocument.found.map(({ id }) => id)).toEqual(expect.arrayContaining([link.id, made.link['id']]))
  expect(ofDocument.found.find(({ id }) => id === made.link['id'])).toMatchObject({ doc, title: 'Plan', role: 'view', inUse: true })
  const ofAccount = await run('listLinks', { account: email })
  expect(ofAccount.found.find(({ id }) => id === unused.id)).toMatchObject({ doc: other, lastUsedAt: null, inUse: false })
  expect(JSON.stringify([ofDocument, ofAccount])).not.toContain(link.secret)
  const listed: string[] = []
  for (let after: string | undefined; ;) {
    const { found, nextAfter } = await run('listLinks', { account: email, limit: 1, after })
    listed.push(...found.map(({ id }) => id))
    if (nextAfter === null) break
    after = nextAfter
  }
  expect(listed).toEqual(ofAccount.found.map(({ id }) => id))
  expect((await run('listLinks', { limit: 500 })).found.map(({ id }) => id)).toContain(unused.id)
  expect(await command(world.folder, ['links', 'list', '--doc', doc])).toContain(`${doc}/${link.id}`)
  await expect(command(world.folder, ['links', 'revoke', `${doc}/${link.id}`])).rejects.toThrow('--yes')
  expect(await command(world.folder, ['links', 'revoke', `${doc}/${link.id}`, '--yes'])).toContain('Revoked 2 links')
  await until(() => pages.every(({ closes }) => closes.some(({ code }) => code === closeCodes.credentialEnded)))
  expect((await holder.ask('GET', '')).status).toBe(401)
  expect(await latest({ doc })).toMatchObject({ kind: 'link.revoked', by: { kind: 'operator' } })
  await expect(run('revokeLink', { doc, link: link.id })).rejects.toMatchObject({ code: 'not_found' })
  const anonymous = await world.create('x')
  const [own] = (await run('listLinks', { doc: anonymous.doc })).found
  await expect(run('revokeLink', { doc: anonymous.doc, link: own?.id ?? '' })).rejects.toMatchObject({ code: 'last_owner_link' })
})

test('[AUDIT-9] exports and imports are recorded, with the account or the documents; without a log, they run and say so', async () => {
  const { visitor, email, id } = await join()
  const doc = await create(visitor, '# Plan')
  const folder = await mkdtemp(joinPath(tmpdir(), 'agmd-audit-'))
  await command(world.folder, ['export', joinPath(folder, 'mine'), '--owner', email])
  expect(await latest({ account: id })).toMatchObject({ kind: 'admin.export', by: { kind: 'operator' }, account: id })
  await command(world.folder, ['export', joinPath(folder, 'one'), '--doc', doc])
  expect(await latest({ doc })).toMatchObject({ kind: 'admin.export', doc })
  const words = ['import', joinPath(folder, 'one'), '--owner', email]
  await command(world.folder, words)
  expect(await latest({ kind: 'admin.import' })).toBeUndefined()
  await command(world.folder, [...words, '--write'])
  expect(await latest({ kind: 'admin.import' })).toMatchObject({ by: { kind: 'operator' }, account: id })
  await rm(folder, { recursive: true })
})

test('[OPERATOR-10] the use of storage is summed by owner', async () => {
  const { visitor, email, id } = await join()
  await create(visitor, 'x'.repeat(50_000))
  const usage = await run('readUsage', {})
  expect(usage.owners[0]).toMatchObject({ kind: 'account', id, email, documents: 1 })
  expect(usage.owners[0]?.bytes).toBe((await run('readPerson', { account: id })).bytes)
  expect(usage.bytes).toBe(usage.owners.reduce((sum, { bytes }) => sum + bytes, 0))
})

const command = async (folder: string, words: string[], env: Record<string, string> = {}): Promise<string> => {
  const storage = await storageOf(folder)
  const { output } = await admin(words, {
    env: {},
    version: 'test',
    progress: () => () => undefined,
    input: async () => '',
    ...emptyStreams(),
    settings: () => readConfig({ AGMD_DATA_DIR: folder, AGMD_BASE_URL: world.url, ...storage, ...env }, { isTty: false }).config
  })
  return output
}

test('[OPERATOR-11] commands take effect in the running server immediately, print text or JSON, and also work without a server', async () => {
  const own = await startWorld()
  const visitor = await signUp(own.url, 'ana@example.org')
  const me = (): Promise<number> =>
    visitor.request(`${own.url}/api/me`, { headers: { Accept: 'application/json' } }).then((each) => each.status)
  const owner = await own.create('# Plan')
  expect(await command(own.folder, ['users', 'list'])).toMatch(/^ACCOUNT +NAME[\s\S]*\nana@example.org +ana +/)
  expect(await me()).toBe(200)
  expect(await command(own.folder, ['users', 'disable', 'ana@example.org'])).toBe('Disabled ana@example.org.')
  expect(await me()).toBe(401)
  expect(JSON.parse(await command(own.folder, ['users', 'enable', 'ana@example.org', '--json']))).toMatchObject({ disabledAt: null })
  const editor = await owner.connect()
  expect(await command(own.folder, ['docs', 'takedown', owner.doc])).toBe('Took down Plan.')
  await until(() => editor.closes.some(({ code }) => code === 4451))
  editor.close()
  const lines = (await command(own.folder, ['audit', '--account', 'ana@example.org', '--limit', '1']))
    .split('\n')
    .map((line) => JSON.parse(line) as Json)
  expect(lines).toMatchObject([{ kind: 'admin.enable', by: { kind: 'operator' } }])
  const told = JSON.parse(await command(own.folder, ['audit', '--kind', 'admin.takedown'])) as Json
  expect(told).toMatchObject({ doc: owner.doc })
  await expect(command(own.folder, ['users', 'show', 'bob@example.org'])).rejects.toMatchObject({
    message: 'There is no such account.',
    exitCode: 1
  })
  await own.stop()
})

test('[RETAIN-9] usage says which old versions the server removes', async () => {
  const folder = await mkdtemp(joinPath(tmpdir(), 'agmd-test-'))
  await (await startWorld({ folder })).stop()
  const usage = (env: Record<string, string>): Promise<string> => command(folder, ['usage'], env)
  expect(await usage({})).toContain('All versions of documents are kept.')
  const [age, number] = [{ AGMD_HISTORY_DAYS: '30' }, { AGMD_HISTORY_REVISIONS: '50' }]
  expect(await usage(age)).toContain('Versions that are older than 30 days are removed once a day.')
  expect(await usage(number)).toContain('Versions that are not among the newest 50 without a name are removed')
  expect(await usage({ ...age, ...number })).toContain('older than 30 days or not among the newest 50 without a name')
  await rm(folder, { recursive: true })
})

test('[OPERATOR-11] without a running server, a command works on the data folder', async () => {
  const folder = await mkdtemp(joinPath(tmpdir(), 'agmd-test-'))
  const own = await startWorld({ folder })
  const owner = await own.create('# Plan')
  await own.stop()
  expect(await command(folder, ['docs', 'takedown', owner.doc])).toBe('Took down Plan.')
  expect(await command(folder, ['docs', 'list', 'plan'])).toMatch(/taken down/)
  const next = await startWorld({ folder })
  expect((await next.person(owner.doc, owner.key).ask('GET', '/content')).status).toBe(451)
  await next.stop()
  await removeAll(folder)
  await expect(command(joinPath(folder, 'none'), ['docs', 'list'])).rejects.toThrow('Start the server once')
})

test('[OPERATOR-12] only the user that runs the server can open the socket; a socket that was left behind is replaced', async () => {
  const base = await mkdtemp(joinPath(tmpdir(), 'agmd-test-'))
  // The path is longer than the longest path of a socket.
  const folder = joinPath(base, 'a'.repeat(120))
  await mkdir(folder)
  await writeFile(joinPath(folder, 'operator.sock'), 'left behind')
  const own = await startWorld({ folder })
  const socket = await stat(joinPath(folder, 'operator.sock'))
  expect([socket.isSocket(), socket.mode & 0o777]).toEqual([true, 0o600])
  expect(await askServer(folder, 'listPeople', {})).toEqual({ people: [], nextAfter: null })
  await own.stop()
  expect(await askServer(folder, 'listPeople', {})).toBeUndefined()
  await removeAll(base)
})

test('[OPERATOR-13] unknown and invalid fields are refused, and a command that cannot be undone needs --yes', async () => {
  for (const name of Object.keys(acts) as ActName[])
    await expect(run(name, { unknownField: 'x' } as never)).rejects.toMatchObject({ code: 'invalid_request' })
  // Ids may begin with a hyphen.
  const id = '-d3fG5hJ7kL9mN1p'
  await expect(command(world.folder, ['docs', 'show', id])).rejects.toThrow('There is no such document.')
  await expect(command(world.folder, ['links', 'list', '--doc', id])).rejects.toThrow('There is no such document.')
  await expect(command(world.folder, ['links', 'revoke', `${id}/${id}`, '--yes'])).rejects.toThrow('There is no such document.')
  await expect(run('listPeople', { limit: 100_000 })).rejects.toMatchObject({ code: 'invalid_request' })
  const { email } = await join()
  await expect(command(world.folder, ['users', 'delete', email])).rejects.toBeInstanceOf(AdminError)
  expect(await run('readPerson', { account: email })).toMatchObject({ email })
  await command(world.folder, ['users', 'delete', email, '--yes'])
  await expect(run('readPerson', { account: email })).rejects.toMatchObject({ code: 'not_found' })
})

const admins = async (): Promise<{ own: World; visitor: Visitor; account: Account; operator: Operator }> => {
  const own = await startWorld({ env: { AGMD_ADMINS: 'root@example.org' } })
  const visitor = await signUp(own.url, 'root@example.org')
  const cookie = [...visitor.cookies.values()].find(({ name }) => name.startsWith('agmd-session'))?.value ?? ''
  const found = await findSession(own.service, 'browser', cookie)
  // The address of somebody who signed up alone is not verified.
  expect(found && operatorOf(own.service, found)).toBeUndefined()
  const verified = { ...(found as NonNullable<typeof found>), account: { ...(found?.account as Account), emailVerified: true } }
  return { own, visitor, account: verified.account, operator: operatorOf(own.service, verified) as Operator }
}

test('[OPERATOR-14] [OPERATOR-15] [OPERATOR-16] the audit log names the administrator of an act; an act fails when their access ends, and cannot disable their own account', async () => {
  const { own, account, operator } = await admins()
  const owner = await own.create('# Plan')
  const bob = (await (await signUp(own.url, 'bob@example.org')).request(`${own.url}/api/me`)).json() as Promise<Json>
  const { id } = (await bob).user
  const act = <Name extends ActName>(name: Name, input: ActInput<Name>) => runAct(own.service, operator, name, input)
  await act('takeDown', { doc: owner.doc })
  await act('restore', { doc: owner.doc })
  await act('transfer', { doc: owner.doc, to: id })
  await act('disable', { account: id })
  await act('enable', { account: id })
  await act('reset', { account: id })
  await act('endSessions', { account: id })
  await act('invite', { email: 'new@example.org' })
  await act('deletePerson', { account: id, documents: 'keep' })
  const { records } = await listAudit(own.service, { account: account.id })
  expect(
    records
      .filter(({ kind }) => kind.startsWith('admin.'))
      .map(({ kind }) => kind)
      .toReversed()
  ).toEqual(
    ['takedown', 'restore', 'transfer', 'disable', 'enable', 'reset', 'sessions', 'invite', 'delete'].map((kind) => `admin.${kind}`)
  )
  expect(records[0]).toMatchObject({ by: { kind: 'account', id: account.id }, account: id })
  await expect(act('disable', { account: account.id })).rejects.toMatchObject({ code: 'invalid_request' })
  await expect(act('deletePerson', { account: account.id, documents: 'keep' })).rejects.toMatchObject({ code: 'invalid_request' })
  const { by } = operator
  if (by !== 'system') await revokeSession(own.service, by, by.session ?? '')
  await expect(act('takeDown', { doc: owner.doc })).rejects.toMatchObject({ code: 'credential_invalid' })
  await expect(act('disable', { account: account.id })).rejects.toBeDefined()
  expect(await runAct(own.service, consoleOperator, 'readDocument', { doc: owner.doc })).toMatchObject({ state: 'open' })
  await own.stop()
})

test('[OPERATOR-14] a command is recorded as an act of the operator', async () => {
  const { email, id } = await join()
  await run('endSessions', { account: email })
  expect(await latest({ account: id })).toMatchObject({ kind: 'admin.sessions', by: { kind: 'operator' }, account: id })
})
