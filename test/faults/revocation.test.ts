/** The revocation guard: a request that was admitted before a right ended must not change anything after the end. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Account, createAccount, findAccount } from '../../server/domain/accounts/accounts.ts'
import { expiring } from '../../server/domain/records/expiry.ts'
import { keys } from '../../server/domain/records/keys.ts'
import { createLink } from '../../server/domain/accounts/links.ts'
import { hashSecret } from '../../server/domain/secrets.ts'
import { newSession, openSession } from '../../server/domain/accounts/sessions.ts'
import { limits } from '../../shared/limits.ts'
import type { Operation } from '../../shared/operation.ts'
import { operations } from '../../shared/operations/index.ts'
import { testClock } from '../support/clock.ts'
import { type DeafSocket, openDeaf, typing } from '../support/deaf-socket.ts'
import { type HeldRequest, holdRequest, type RequestParts } from '../support/held-request.ts'
import { type NeededInput, neededInputs, type Sent } from '../support/inputs.ts'
import { mirroredStorage } from '../support/mirrored-storage.ts'
import { startSharedNode } from '../support/nodes.ts'
import { type Assignment, assign } from '../support/reviews.ts'
import { type Person, startWorld, until, updateFrame, type World } from '../support/world.ts'

const clock = testClock()
const disk = mirroredStorage()
let world: World
let ana: Account
beforeAll(async () => {
  for (const level of ['log', 'warn', 'error'] as const) console[level] = () => undefined
  world = await startWorld({ clock, storage: disk.storage, env: { AGMD_NODE_ACCOUNTS: 'node@example.org' } })
  ana = (await createAccount(world.service, { email: 'ana@example.org', password: 'correct horse battery' })) as Account
  await startSharedNode(world, 'node@example.org')
})
afterAll(() => world.stop())

/** Remaining lifetime of an expiring right, in seconds. It is short enough that compute nodes, which must answer heartbeats, stay connected. */
const secondsLeft = 5

const cookieName = (): string => `agmd-session-${new URL(world.url).port}`
const headersOf = ({ key, bearer, cookie }: Sent): Record<string, string> => ({
  ...(key !== undefined && { 'X-Share-Key': key }),
  ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
  ...(cookie !== undefined && { Cookie: `${cookieName()}=${cookie}`, Origin: world.url })
})

/** Opens a session of the account. With `expires`, the session is about to expire. */
const session = async (kind: 'app' | 'browser', expires = false): Promise<string> => {
  ana = (await findAccount(world.service, ana.id)) as Account
  if (!expires) return (await openSession(world.service, ana.id, kind, 'a test')).token
  const { token, session: made, puts } = newSession(world.service, ana, kind, 'a test')
  const short = { ...made, expiresAt: clock.now() + secondsLeft * 1000 }
  const others = puts.filter(({ key }) => key[0] === 'account')
  await world.service.storage.commit({ puts: [...expiring(keys.session(hashSecret(token)), short), ...others] })
  return token
}

/** The ways in which a right can end. For signing out everywhere, another session of the account is used. */
const endings = {
  revoke: (owner: Person, sent: Sent) => owner.ask('DELETE', `/shares/${sent.key}`),
  expire: async (_owner: Person, _sent: Sent) => clock.advance(secondsLeft * 1000),
  delete: (owner: Person, _sent: Sent) => owner.ask('DELETE', ''),
  'sign-out': async (_owner: Person, _sent: Sent) =>
    world.ask('DELETE', '/api/me/sessions', { headers: headersOf({ bearer: await session('app') }) }).then((answer) => answer.status),
  reset: async (_owner: Person, _sent: Sent) => {
    const token = new URL(createLink(world.service.vault, world.url, clock.now(), { kind: 'reset', account: ana })).searchParams.get(
      'token'
    )
    const body = new URLSearchParams({ token: token ?? '', password: `correct horse battery ${clock.now()}` }).toString()
    const answer = await world.ask('POST', '/auth/reset', { body, type: 'application/x-www-form-urlencoded' })
    expect(answer.status).toBeLessThan(400)
  }
} as const
type Ending = keyof typeof endings

const erase = (owner: Person, _sent: Sent) => owner.ask('DELETE', '', { query: { permanent: 1 } })

const endingsOf: Readonly<Record<'link' | 'session', readonly Ending[]>> = {
  link: ['revoke', 'expire', 'delete'],
  session: ['sign-out', 'reset', 'expire', 'delete']
}

/** Creates a document of the account with an owner whose link stays valid, and a person who uses a link or a session. */
const cast = async (how: 'link' | 'session', expires: boolean): Promise<{ owner: Person; sent: Sent; assignment: Assignment }> => {
  const headers = headersOf({ bearer: await session('app') })
  const { json: made } = await world.ask('POST', '/api/docs', { headers, json: { content: 'text' } })
  const { json: link } = await world.ask('POST', `/api/docs/${made.id}/shares`, { headers, json: { role: 'owner' } })
  const owner = world.person(made.id, link.secret)
  const expiresAt = expires ? new Date(clock.now() + secondsLeft * 1000).toISOString() : null
  const sent = how === 'link' ? { key: (await owner.share('owner', { expiresAt })).key } : { bearer: await session('app', expires) }
  return { owner, sent, assignment: await assign(world, owner) }
}

const known = neededInputs(
  () => world,
  ({ key: _key, ...sent }) => headersOf(sent),
  () => session('app')
)
const append = { body: async () => ({ operations: [{ op: 'append', markdown: 'x' }] }) }
const inputs: Readonly<Record<string, NeededInput>> = {
  ...known,
  editContent: append,
  patchContent: append,
  decideSuggestion: { ...known['decideSuggestion'], body: async () => ({ action: 'accept' }) }
}

const requestOf = async (name: string, operation: Operation, { owner, sent, assignment }: Awaited<ReturnType<typeof cast>>) => {
  const fields = { id: owner.doc, ...(await inputs[name]?.path?.(owner, sent, assignment)) } as Record<string, string>
  const path = operation.rest.path.replaceAll(/\{(\w+)\}/g, (_match, parameter: string) => fields[parameter] ?? '')
  const file = inputs[name]?.file?.()
  const body = (file?.body as Uint8Array | undefined) ?? JSON.stringify((await inputs[name]?.body?.(sent, assignment)) ?? {})
  const headers = { ...headersOf(sent), 'Content-Type': file?.type ?? 'application/json' }
  return { method: operation.rest.method, path, headers, body }
}

/** Returns the content of the store once all work in progress has finished. */
const atRest = async (): Promise<ReadonlyMap<string, string>> => {
  await until(() => world.service.relay.openJobs(ana.id) === 0, 'the end of media jobs')
  await world.service.ledger.idle()
  return disk.held()
}

const differences = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key))

/** Ends the right while a request is held, sends the rest of the request, and expects a refusal that changes nothing. */
const refusesHeld = async (held: HeldRequest, end: () => Promise<unknown>): Promise<void> => {
  await end()
  const before = await atRest()
  const { status, text } = await held.finish()
  expect(status, text).toBeGreaterThanOrEqual(300)
  expect(differences(before, await atRest())).toEqual([])
}

const table = Object.entries(operations) as unknown as [string, Operation][]
/** Operations that make changes for a caller. The two steps of a device login are left out, because they are open to everyone. */
const writes = table.filter(([, { rest }]) => rest.method !== 'GET' && rest.oauth !== true)

describe.each(writes)('%s', (name, operation) => {
  const hows = operation.needs === undefined && operation.on === 'document' ? (['link', 'session'] as const) : (['session'] as const)
  const taskOnly = operation.taskLink === true
  const cases = (taskOnly ? (['link'] as const) : hows).flatMap((how) =>
    endingsOf[how].filter((ending) => operation.on === 'document' || ending !== 'delete').map((ending) => [how, ending] as const)
  )
  const castOf = async (how: 'link' | 'session', expires: boolean): ReturnType<typeof cast> => {
    const made = await cast(how, expires && !taskOnly)
    return taskOnly ? { ...made, sent: { key: made.assignment.by().key } } : made
  }

  test('[AUTHORITY-2] is what the guard can ask for', async () => {
    const asked = await requestOf(name, operation, await castOf(cases[0]?.[0] ?? 'link', false))
    const { status, text } = await (await holdRequest(world.url, asked)).finish()
    expect(status, `give ${name} an input in test/support/inputs.ts: ${text}`).toBeLessThan(300)
  })

  test.each(cases)('[AUTHORITY-2] delayed by a %s, changes nothing after %s', async (how, ending) => {
    if (taskOnly && ending === 'expire') return
    const made = await castOf(how, ending === 'expire')
    const held = await holdRequest(world.url, await requestOf(name, operation, made))
    // This operation applies to documents in the trash, so the document is deleted permanently.
    const end = name === 'undeleteDocument' && ending === 'delete' ? erase : endings[ending]
    await refusesHeld(held, async () => end(made.owner, made.sent))
  })
})

test.each(['revoke', 'expire', 'delete'] as const)('[AUTHORITY-2] a delayed tool call changes nothing after %s', async (ending) => {
  const { owner, sent } = await cast('link', ending === 'expire')
  const call = { name: `svc.${operations.createComment.mcp}`, arguments: { doc: owner.doc, body: 'Hm.' } }
  const held = await holdRequest(world.url, {
    method: 'POST',
    path: '/mcp',
    headers: { ...headersOf(sent), 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call })
  })
  await endings[ending](owner, sent)
  const before = await atRest()
  expect((await held.finish()).text).toMatch(/credential_invalid|document_deleted/)
  expect(differences(before, await atRest())).toEqual([])
})

/** The forms on a person's pages, each with its fields other than the page's token. */
const forms: readonly (readonly [string, (owner: Person) => Promise<Record<string, string>>])[] = [
  ['/account/documents', async () => ({})],
  ['/account/delete', async ({ doc }) => ({ doc })],
  ['/account/nodes', async () => ({ name: 'A machine' })],
  [
    '/device',
    async () => {
      const { json } = await world.ask('POST', '/api/cli/device/start', { json: {} })
      return { user_code: json.user_code, decision: 'approve' }
    }
  ]
]

describe.each(forms)('the form of %s', (path, fieldsOf) => {
  test.each(['sign-out', 'reset', 'expire'] as const)('[AUTHORITY-2] delayed, changes nothing after %s', async (ending) => {
    const { owner } = await cast('link', false)
    const fields = await fieldsOf(owner)
    const cookie = await session('browser', ending === 'expire')
    const page = path === '/device' ? `/device?user_code=${fields['user_code']}` : '/account'
    const { text } = await world.ask('GET', page, { headers: headersOf({ cookie }) })
    const token = /name="token" value="([^"]+)"/.exec(text)?.[1] ?? ''
    const form: RequestParts = {
      method: 'POST',
      path,
      headers: { ...headersOf({ cookie }), 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ ...fields, token }).toString()
    }
    const held = await holdRequest(world.url, form)
    await refusesHeld(held, async () => endings[ending](owner, { cookie }))
  })
})

// ——— sockets ———

const socketCases = (['link', 'session'] as const).flatMap((how) => endingsOf[how].map((ending) => [how, ending] as const))

/** Returns the journal of one document. Other records may change later, for example when typed text is announced. */
const journalOf = async (doc: string): Promise<ReadonlyMap<string, string>> =>
  new Map([...(await atRest())].filter(([key]) => key.startsWith(`["d","${doc}","update"`)))

/** Sends edits until the connection is cut off, and expects that none of them took effect. */
const hammer = async (doc: string, socket: DeafSocket, type: (mark: string) => Uint8Array): Promise<void> => {
  const before = await journalOf(doc)
  const started = performance.now()
  while (!socket.ended()) {
    socket.send(updateFrame(doc, type('2')))
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  expect(performance.now() - started).toBeLessThan((limits.socketGoodbyeSecondsMax + 3) * 1000)
  expect(differences(before, await journalOf(doc))).toEqual([])
}

test('[AUTHORITY-1] a socket that ignores the close frame writes nothing after any end of its right, and is cut off', async () => {
  const hammering: Promise<void>[] = []
  // The sockets connect one after another, because ending all sessions would also affect those that are about to connect.
  for (const [how, ending] of socketCases) {
    const { owner, sent } = await cast(how, ending === 'expire')
    const socket = await openDeaf(world.url)
    const type = typing()
    await socket.open(owner.doc, sent.key ?? sent.bearer ?? '')
    socket.send(updateFrame(owner.doc, type('1')))
    await until(() => world.service.live.find(owner.doc)?.snapshot().content.includes('1'), `the first edit of ${how}, ${ending}`)
    await endings[ending](owner, sent)
    await socket.goodbye()
    hammering.push(hammer(owner.doc, socket, type))
  }
  await Promise.all(hammering)
})
