import { afterAll, beforeAll, expect, test } from 'vitest'
import { callerOfDocument, callerOfService } from '../../server/domain/rights/access.ts'
import { createBrokerStore } from '../../server/auth/broker-store.ts'
import { type Account, createAccount, findAccount, nextEpoch } from '../../server/domain/accounts/accounts.ts'
import type { Caller } from '../../server/domain/rights/caller.ts'
import { createComment } from '../../server/domain/review/comments.ts'
import { replaceContent } from '../../server/domain/text/replacement.ts'
import { decideDevice } from '../../server/domain/accounts/devices.ts'
import { createDocument } from '../../server/domain/documents/documents.ts'
import { encodeRecord, keys, type Share } from '../../server/domain/records/keys.ts'
import type { Transaction } from '../../server/domain/records/transaction.ts'
import { createNode } from '../../server/domain/media/compute-nodes.ts'
import { createLink } from '../../server/domain/accounts/links.ts'
import { endBrowserSession, findSession, openSession, revokeSession, rotateSession } from '../../server/domain/accounts/sessions.ts'
import { createShare } from '../../server/domain/rights/shares.ts'
import { limits } from '../../shared/limits.ts'
import { relayCloseCodes } from '../../shared/relay.ts'
import { testClock } from '../support/clock.ts'
import { openDeaf, typing } from '../support/deaf-socket.ts'
import { heldStorage } from '../support/held-storage.ts'
import { rpc } from '../support/mcp.ts'
import { dialIn } from '../support/nodes.ts'
import { assign } from '../support/reviews.ts'
import { type Json, settledWithin, startWorld, until, updateFrame, type World } from '../support/world.ts'

const clock = testClock()
let world: World
beforeAll(async () => {
  // Hocuspocus would print each refused frame with its stack.
  for (const level of ['log', 'warn', 'error'] as const) console[level] = () => undefined
  world = await startWorld({ clock, env: { AGMD_NODE_ACCOUNTS: 'operator@example.org' } })
})
afterAll(() => world.stop())

test('[AUTHORITY-1] a socket that the server has closed writes nothing more, whether or not it answers', async () => {
  const owner = await world.create('text')
  const guest = await owner.share('edit')
  const socket = await openDeaf(world.url)
  const type = typing()
  const witness = await owner.connect()
  await socket.open(owner.doc, guest.key)
  socket.send(updateFrame(owner.doc, type('1')))
  await witness.shows((text) => text.includes('1'))
  await owner.ask('DELETE', `/shares/${guest.link.id}`)
  await socket.goodbye()
  for (const mark of ['2', '3', '4']) socket.send(updateFrame(owner.doc, type(mark)))
  await socket.answer()
  expect((await owner.read()).content).toBe(witness.text())
  expect(witness.text()).not.toMatch(/[234]/)
})

test('[AUTHORITY-1] an edit that is being checked when its link is revoked is not applied', async () => {
  const disk = heldStorage()
  const own = await startWorld({ storage: disk.storage })
  const owner = await own.create('a'.repeat(limits.wipeUnitsMin + 1))
  const guest = await owner.share('edit')
  const editor = await guest.connect()
  await own.service.ledger.idle()
  disk.hold()
  // Deleting nearly all text makes the service save the previous text first. The edit therefore waits for the disk.
  editor.erase(0, limits.wipeUnitsMin + 1)
  await until(() => disk.waiting() > 0, 'the save before the deletion')
  own.service.live.end(owner.doc, guest.link.id, 'credential_invalid')
  disk.release()
  await until(() => editor.closes.length > 0, 'the goodbye')
  expect((await owner.read()).content.length).toBe(limits.wipeUnitsMin + 1)
  await own.stop()
})

const invalid = { code: 'credential_invalid' }

test.each(['revoke', 'expire'] as const)('[AUTHORITY-3] an admitted request changes neither text nor records after %s', async (ending) => {
  const { service } = world
  const owner = await world.create('text')
  const guest = await owner.share('edit', { expiresAt: new Date(clock.now() + 1000).toISOString() })
  const caller = await callerOfDocument(service, owner.doc, { key: guest.key })
  const editor = await owner.connect()
  if (ending === 'expire') clock.advance(1000)
  else await owner.ask('DELETE', `/shares/${guest.link.id}`)
  await expect(replaceContent(service, caller, owner.doc, { content: 'late' })).rejects.toMatchObject(invalid)
  expect(service.live.find(owner.doc)?.snapshot().content).toBe('text')
  const idsOfLinks = async (): Promise<string[]> => (await owner.ask('GET', '/shares')).json.shares.map(({ id }: Json) => id)
  const before = await idsOfLinks()
  await expect(createShare(service, caller, owner.doc, { role: 'edit' })).rejects.toMatchObject(invalid)
  await expect(createComment(service, caller, owner.doc, { body: 'Hm.' })).rejects.toMatchObject(invalid)
  expect(await idsOfLinks()).toEqual(before)
  expect(editor.text()).toBe('text')
})

test('[AUTHORITY-3] if a revocation and a change wait for the same turn and the change is second, it is refused', async () => {
  const { service } = world
  const owner = await world.create('text')
  const guest = await owner.share('edit')
  const [first, second] = await Promise.all([owner, guest].map(({ key }) => callerOfDocument(service, owner.doc, { key })))
  const key = keys.share(owner.doc, guest.link.id)
  const { write } = service.ledger
  // Both changes are queued before either of them runs.
  const revoke = (tx: Transaction): void => tx.put(key, encodeRecord({ ...(tx.read<Share>(key) as Share), revokedAt: tx.now }))
  const revoking = write(owner.doc, first as Caller, revoke, { reads: [key] })
  const late = write(owner.doc, second as Caller, (tx) => tx.event('doc.published', 'guest:', {}))
  await expect(late).rejects.toMatchObject(invalid)
  await revoking
})

test('[AUTHORITY-3] a session that ended creates no document, node token or approval, although it was admitted before', async () => {
  const { service } = world
  const account = (await createAccount(service, { email: 'ana@example.org', password: 'correct horse battery' })) as Account
  const { token, session } = await openSession(service, account.id, 'app', 'a test')
  const caller = await callerOfService(service, { bearer: token })
  await revokeSession(service, caller, session.id)
  const { json } = await world.ask('POST', '/api/cli/device/start', { json: {} })
  await expect(createDocument(service, caller, { content: 'late' })).rejects.toMatchObject(invalid)
  await expect(createNode(service, caller, {})).rejects.toMatchObject(invalid)
  await expect(decideDevice(service, caller, json.user_code, true)).rejects.toMatchObject(invalid)
  expect(await service.storage.list(keys.accountNodes(account.id))).toEqual([])
})

// ——— links made through links ———

const inSeconds = (seconds: number): string => new Date(clock.now() + seconds * 1000).toISOString()

test('[AUTHORITY-4] revoking a link ends all links made through it, directly or not, with one event each, and nothing else', async () => {
  const owner = await world.create('text')
  const [parent, other] = [await owner.share('edit'), await owner.share('edit')]
  const child = await parent.share('edit')
  const grandchild = await child.share('view')
  expect(grandchild.link.madeThrough).toBe(child.link.id)
  const editor = await grandchild.connect()
  const poll = child.ask('GET', '/events', { query: { since: 'latest', wait: 50 } })
  expect(await settledWithin(poll, 50)).toBe('waiting')
  const since = (await owner.events()).latest
  const { status, json } = await owner.ask('DELETE', `/shares/${parent.link.id}`)
  expect({ status, json }).toEqual({ status: 200, json: { ok: true, revoked: true, ended: [child.link.id, grandchild.link.id] } })
  await until(() => editor.closes.length > 0, 'the close', 1)
  expect(editor.closes[0]?.code).toBe(4401)
  expect(await settledWithin(poll, 1000)).toMatchObject({ status: 401 })
  for (const person of [parent, child, grandchild]) expect((await person.ask('GET', '')).status).toBe(401)
  expect((await other.ask('GET', '')).status).toBe(200)
  const { events } = await owner.events({ since, types: 'share.revoked' })
  expect(events.map(({ payload }: Json) => [payload.shareId, payload.endedWith])).toEqual([
    [parent.link.id, undefined],
    [child.link.id, parent.link.id],
    [grandchild.link.id, parent.link.id]
  ])
})

test('[AUTHORITY-4] a link made at the moment of the revocation ends too', async () => {
  const owner = await world.create('text')
  const parent = await owner.share('edit')
  const making = Array.from({ length: 10 }, () => parent.ask('POST', '/shares', { json: { role: 'edit' } }))
  const revoking = owner.ask('DELETE', `/shares/${parent.link.id}`)
  const made = (await Promise.all(making)).filter(({ status }) => status === 201)
  expect((await revoking).status).toBe(200)
  for (const { json } of made) expect((await world.person(owner.doc, json.key).ask('GET', '')).status).toBe(401)
})

test('[AUTHORITY-5] a link ends no later than its maker', async () => {
  const owner = await world.create('text')
  const parent = await owner.share('edit', { expiresAt: inSeconds(60) })
  const [none, sooner] = [await parent.share('edit'), await parent.share('view', { expiresAt: inSeconds(30) })]
  expect(none.link.expiresAt).toBe(parent.link.expiresAt)
  expect((await none.share('view', { expiresAt: null })).link.expiresAt).toBe(parent.link.expiresAt)
  expect(sooner.link.expiresAt).toBe(inSeconds(30))
  const later = await parent.ask('POST', '/shares', { json: { role: 'view', expiresAt: inSeconds(61) } })
  expect(later).toMatchObject({ status: 400, json: { code: 'invalid_request', details: [{ path: 'expiresAt' }] } })
  clock.advance(60_000)
  expect((await none.ask('GET', '')).status).toBe(401)
})

test('[AUTHORITY-6] an owner who revokes a link may keep the links made through it', async () => {
  const owner = await world.create('text')
  const parent = await owner.share('edit')
  const child = await parent.share('edit')
  const answer = await owner.ask('DELETE', `/shares/${parent.link.id}`, { query: { keep: 'links' } })
  expect(answer).toMatchObject({ status: 200, json: { ended: [] } })
  expect((await child.ask('GET', '')).status).toBe(200)
  const { shares } = (await owner.ask('GET', '/shares')).json
  const root = shares.find(({ key }: Json) => key === owner.key)
  expect(shares.find(({ id }: Json) => id === child.link.id).madeThrough).toBe(root.id)
})

test('[AUTHORITY-7] links made through the owner key of a claimed document survive it, and those of the account have no maker', async () => {
  const owner = await world.create('text')
  const guest = await owner.share('edit')
  const account = (await createAccount(world.service, { email: 'bo@example.org', password: 'correct horse battery' })) as Account
  const { token } = await openSession(world.service, account.id, 'app', 'a test')
  const headers = { Authorization: `Bearer ${token}` }
  expect((await owner.ask('POST', '/claim', { headers, json: { revokeKey: true } })).status).toBe(200)
  expect((await owner.ask('GET', '')).status).toBe(401)
  expect((await guest.ask('GET', '')).status).toBe(200)
  const made = await world.ask('POST', `/api/docs/${owner.doc}/shares`, { headers, json: { role: 'owner' } })
  expect(made.json.madeThrough).toBe(null)
  const { shares } = (await world.ask('GET', `/api/docs/${owner.doc}/shares`, { headers })).json
  expect(shares.find(({ id }: Json) => id === guest.link.id).madeThrough).toBe(null)
  // The account can open the document even if all of its links have ended.
  expect((await world.ask('DELETE', `/api/docs/${owner.doc}/shares/${made.json.id}`, { headers })).status).toBe(200)
})

test('[AUTHORITY-8] the last owner link of a document without an account stays, counting the links made through it', async () => {
  const owner = await world.create('text')
  const { shares } = (await owner.ask('GET', '/shares')).json
  const second = await owner.share('owner')
  const refused = await second.ask('DELETE', `/shares/${shares[0].id}`)
  expect(refused).toMatchObject({ status: 409, json: { code: 'last_owner_link' } })
  for (const person of [owner, second]) expect((await person.ask('GET', '')).status).toBe(200)
  expect((await owner.ask('DELETE', `/shares/${shares[0].id}`, { query: { keep: 'links' } })).status).toBe(200)
  expect((await owner.ask('GET', '')).status).toBe(401)
  expect((await second.ask('GET', '')).json.role).toBe('owner')
  expect((await second.ask('DELETE', `/shares/${second.link.id}`)).status).toBe(409)
  // An owner link that expires does not count as a remaining owner link.
  const expiresAt = new Date(clock.now() + 60 * 60_000).toISOString()
  expect((await second.ask('POST', '/shares', { json: { role: 'owner', expiresAt } })).status).toBe(201)
  expect((await second.ask('DELETE', `/shares/${second.link.id}`, { query: { keep: 'links' } })).status).toBe(409)
})

test('[AUTHORITY-13] an owner link frees neither itself nor its maker from the link that it was made through', async () => {
  const owner = await world.create('text')
  const first = (await owner.ask('GET', '/shares')).json.shares[0].id
  const second = await owner.share('owner')
  const third = await second.share('owner')
  const keeping = { query: { keep: 'links' } }
  for (const [person, id] of [
    [second, first],
    [third, first],
    [third, second.link.id]
  ] as const) {
    const { status, json } = await person.ask('DELETE', `/shares/${id}`, keeping)
    expect({ status, code: json.code, hint: json.hint }).toEqual({ status: 403, code: 'forbidden', hint: expect.stringContaining('claim') })
  }
  for (const person of [owner, second, third]) expect((await person.ask('GET', '')).status).toBe(200)
  // Another owner link may revoke the link and keep the links made through it. So may the holder of the link itself.
  const other = await owner.share('owner')
  expect((await other.ask('DELETE', `/shares/${second.link.id}`, keeping)).status).toBe(200)
  expect((await third.ask('GET', '')).json.role).toBe('owner')
  expect((await owner.ask('DELETE', `/shares/${first}`, keeping)).status).toBe(200)
  expect((await other.ask('GET', '')).json.role).toBe('owner')
})

test('[AUTHORITY-9] the link of a review assignment ends with the owner link that created it, and the assignment shows that', async () => {
  const owner = await world.create('text')
  const second = await owner.share('owner')
  const assignment = await assign(world, second)
  expect((await assignment.by('Ada').ask('GET', '')).status).toBe(200)
  await owner.ask('DELETE', `/shares/${second.link.id}`)
  expect((await assignment.by('Ada').ask('GET', '')).status).toBe(401)
  expect((await owner.ask('GET', `/tasks/${assignment.id}`)).json.task.share.revoked).toBe(true)
})

test('[AUTHORITY-10] the rule is stated where links are made: guide, description, command and tool', async () => {
  const said = /made through another link (?:ends when that link ends|is revoked with that link)/
  const { text } = await world.ask('GET', '/agents.md')
  const description = (await world.ask('GET', '/openapi.json')).json.paths['/api/docs/{id}/shares'].post.description
  const command = (await world.ask('GET', '/cli.md')).text
  const tools = (await rpc(world.url, 'tools/list')).json.result.tools as Json[]
  const tool = tools.find(({ name }) => name === 'svc.create_share').description
  for (const words of [text, description, command, tool]) expect(words).toMatch(said)
})

// ——— the end of an account's access ———

const password = 'correct horse battery'

/** Creates an account whose email address is not verified. */
const newAccount = async (email: string): Promise<Account> => (await createAccount(world.service, { email, password })) as Account

/** Sets a new password with the link that an administrator hands out. */
const reset = async ({ id }: Account): Promise<void> => {
  const account = (await findAccount(world.service, id)) as Account
  const link = createLink(world.service.vault, world.url, clock.now(), { kind: 'reset', account })
  const body = new URLSearchParams({ token: new URL(link).searchParams.get('token') ?? '', password: 'another horse battery' }).toString()
  const { status } = await world.ask('POST', '/auth/reset', { body, type: 'application/x-www-form-urlencoded' })
  expect(status).toBe(303)
}

const everywhere = async ({ id }: Account): Promise<void> => {
  const { token } = await openSession(world.service, id, 'app', 'a test')
  const { status } = await world.ask('DELETE', '/api/me/sessions', { headers: { Authorization: `Bearer ${token}` } })
  expect(status).toBe(200)
}

const ends = [
  ['a new password', reset],
  ['signing out everywhere', everywhere]
] as const
let accounts = 0

test.each(ends)('[AUTHORITY-11] %s ends node tokens, with the sockets of their nodes', async (_what, end) => {
  const account = await newAccount(`nodes-${++accounts}@example.org`)
  const { token } = await openSession(world.service, account.id, 'app', 'a test')
  const caller = await callerOfService(world.service, { bearer: token })
  const made = await createNode(world.service, caller, {})
  const node = await dialIn(world, made.token)
  await end(account)
  expect((await node.end()).code).toBe(relayCloseCodes.tokenEnded)
  await expect(dialIn(world, made.token)).rejects.toThrow('401')
})

test.each(ends)('[AUTHORITY-11] %s ends logins that the account approved but the program has not fetched yet', async (_what, end) => {
  const account = await newAccount(`devices-${++accounts}@example.org`)
  const { token } = await openSession(world.service, account.id, 'app', 'a test')
  const { json } = await world.ask('POST', '/api/cli/device/start', { json: {} })
  expect(await decideDevice(world.service, await callerOfService(world.service, { bearer: token }), json.user_code, true)).toBe(true)
  await end(account)
  const polled = await world.ask('POST', '/api/cli/device/token', { json: { device_code: json.device_code } })
  expect(polled).toMatchObject({ status: 400, json: { error: 'access_denied' } })
})

test.each(ends)('[AUTHORITY-11] %s ends every record of the broker', { timeout: 60_000 }, async (_what, end) => {
  const account = await newAccount(`broker-${++accounts}@example.org`)
  const store = createBrokerStore(world.service)
  const ids = Array.from({ length: limits.listMax + 5 }, (_each, index) => `session ${account.id} ${index}`)
  await Promise.all(ids.map((id) => store.adapter('Session').upsert(id, { accountId: account.id, uid: id, exp: 0 }, 3600)))
  // This sign-in has passed the password step, and waits for the browser to return.
  await store.adapter('Interaction').upsert(account.id, { result: { login: { accountId: account.id } }, exp: 0 }, 3600)
  await end(account)
  expect(await world.service.storage.list(keys.broker('of', account.id))).toEqual([])
  expect((await Promise.all(ids.map((id) => store.adapter('Session').find(id)))).filter((found) => found !== undefined)).toEqual([])
  expect(await store.adapter('Interaction').find(account.id)).toBe(undefined)
})

test('[AUTHORITY-11] a request at the broker that began before the end stores nothing that counts', async () => {
  const account = await newAccount(`late-${++accounts}@example.org`)
  const sessions = createBrokerStore(world.service).adapter('Session')
  const payload = { accountId: account.id, uid: 'late', exp: 0 }
  await sessions.upsert('late', payload, 3600)
  await nextEpoch(world.service, account.id)
  await sessions.upsert('late', payload, 3600)
  expect(await sessions.find('late')).toBe(undefined)
})

test.each(ends)('[AUTHORITY-11] %s ends a session whose secret changes at that moment', async (_what, end) => {
  const account = await newAccount(`rotated-${++accounts}@example.org`)
  const { token } = await openSession(world.service, account.id, 'browser', 'a test')
  clock.advance(limits.sessionRotateHours * 3600 * 1000)
  const [next] = await Promise.all([rotateSession(world.service, token), end(account)])
  for (const secret of [token, next ?? token]) expect(await findSession(world.service, 'browser', secret)).toBe(undefined)
  // After setting a new password, the person is signed in.
  const left = await world.service.storage.list(keys.accountSessions(account.id))
  expect(left.length).toBe(end === reset ? 1 : 0)
})

test('[AUTHORITY-11] a session that is ended while its secret changes stays ended', async () => {
  const account = await newAccount(`single-${++accounts}@example.org`)
  for (let round = 0; round < 10; round++) {
    const { token } = await openSession(world.service, account.id, 'browser', 'a test')
    clock.advance(limits.sessionRotateHours * 3600 * 1000)
    const [next] = await Promise.all([rotateSession(world.service, token), endBrowserSession(world.service, token)])
    for (const secret of [token, next ?? token]) expect(await findSession(world.service, 'browser', secret)).toBe(undefined)
  }
})

test('[AUTHORITY-11] a sign-in that began before a new password opens no session afterward', async () => {
  const account = await newAccount(`early-${++accounts}@example.org`)
  await reset(account)
  const { token } = await openSession(world.service, account.id, 'browser', 'a test', { epoch: 0 })
  expect(await findSession(world.service, 'browser', token)).toBe(undefined)
})

test('[AUTHORITY-12] a new password verifies the address after all else has ended: no stranger’s node serves everyone', async () => {
  const account = await newAccount('operator@example.org')
  const { token } = await openSession(world.service, account.id, 'app', 'a stranger')
  const caller = await callerOfService(world.service, { bearer: token })
  const made = await createNode(world.service, caller, {})
  const node = await dialIn(world, made.token)
  expect(made.node.shared).toBe(false)
  await reset(account)
  expect((await findAccount(world.service, account.id))?.emailVerified).toBe(true)
  expect((await node.end()).code).toBe(relayCloseCodes.tokenEnded)
  expect(world.service.relay.offer(null).nodes).toBe(0)
  await expect(dialIn(world, made.token)).rejects.toThrow('401')
})
