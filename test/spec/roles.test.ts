import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as decoding from 'lib0/decoding'
import * as encoding from 'lib0/encoding'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAccount, type Account } from '../../server/domain/accounts/accounts.ts'
import type { Service } from '../../server/domain/service.ts'
import { openSession } from '../../server/domain/accounts/sessions.ts'
import { createMemoryStorage } from '../../server/storage/memory.ts'
import type { ErrorCode } from '../../shared/errors.ts'
import { errorMeanings } from '../../shared/errors.ts'
import type { Operation } from '../../shared/operation.ts'
import { pathParameters } from '../../shared/operation.ts'
import { operations } from '../../shared/operations/index.ts'
import { includesRole, roles, type Role } from '../../shared/roles.ts'
import { type Issuer, startIssuer } from '../support/issuer.ts'
import { call } from '../support/mcp.ts'
import { nodesOfTests } from '../support/spread.ts'
import { type Assignment, assign, stored } from '../support/reviews.ts'
import { neededInputs, type Sent } from '../support/inputs.ts'
import { startSharedNode } from '../support/nodes.ts'
import { type Ask, frameOf, startWorld, until, type Person, type World } from '../support/world.ts'

const table = Object.entries(operations) as unknown as [string, Operation][]

interface CallerKind {
  /** The kind of owner that the document has. */
  readonly of: 'nobody' | 'account' | 'agent'
  readonly sends: (owner: Person, assignment: Assignment) => Promise<Sent>
  readonly is: 'guest' | 'account' | 'agent'
  /** The resulting role, or null if the caller has none on this document. */
  readonly role: Role | null
  /** The reason why every request of this caller is refused. */
  readonly refused?: ErrorCode
  /** Whether the caller has no valid credential. */
  readonly bare?: boolean
  /** The documents that the token opens: all of them (`edit`), or a single one (`one`). */
  readonly scope?: 'edit' | 'one'
  /** Whether the key is the link of a review assignment. */
  readonly task?: boolean
}

let world: World
let issuer: Issuer
let ana: Account
let bob: Account
beforeAll(async () => {
  issuer = await startIssuer()
  // The test creates several thousand documents. On disk this would take minutes, and they need not outlast the test. Several nodes need a common store.
  world = await startWorld({
    env: { AGMD_AGENT_ISSUER: issuer.url, AGMD_NODE_ACCOUNTS: 'node@example.org' },
    ...(nodesOfTests === 1 && { storage: (disk) => ({ ...createMemoryStorage(), close: () => disk.close() }) })
  })
  const make = async (email: string): Promise<Account> =>
    (await createAccount(world.service, { email, password: 'correct horse battery' })) as Account
  ana = await make('ana@example.org')
  bob = await make('bob@example.org')
  await startSharedNode(world, 'node@example.org')
})
afterAll(async () => {
  await world.stop()
  await issuer.stop()
})

const appSession = async (account: Account, service: Service = world.service): Promise<string> =>
  (await openSession(service, account.id, 'app', 'a test')).token
const cookie = async (account: Account, service: Service = world.service): Promise<string> =>
  (await openSession(service, account.id, 'browser', 'a test')).token

/** Returns the service with a clock that is set far in the past. A session opened with it has expired by now. */
const longAgo = (): Service => ({
  ...world.service,
  clock: { ...world.service.clock, now: () => world.service.clock.now() - 31 * 24 * 3600 * 1000 }
})

const revokedSession = async (): Promise<string> => {
  const bearer = await appSession(ana)
  const { json } = await world.ask('GET', '/api/me/sessions', { headers: { Authorization: `Bearer ${bearer}` } })
  const current = json.sessions.find((session: { current: boolean }) => session.current)
  await world.ask('DELETE', `/api/me/sessions/${current.id}`, { headers: { Authorization: `Bearer ${bearer}` } })
  return bearer
}

const revokedKey = async (owner: Person): Promise<string> => {
  const former = await owner.share('owner')
  await owner.ask('DELETE', `/shares/${former.link.id}`)
  return former.key
}

const foreignKey = async (): Promise<string> => (await world.create('another')).key
const agentToken = (claims: object = {}): Promise<string> => issuer.agentToken({ aud: world.url, ...claims })
const past = (): number => Math.floor(Date.now() / 1000) - 3600

/** Every kind of caller, with its credentials and the rights that follow from the rules. */
const callers: Readonly<Record<string, CallerKind>> = {
  none: { of: 'nobody', sends: async () => ({}), is: 'guest', role: null, refused: 'credential_required', bare: true },
  'bad key': { of: 'nobody', sends: async () => ({ key: 'A'.repeat(32) }), is: 'guest', role: null, refused: 'credential_invalid' },
  'key of another document': { of: 'nobody', sends: async () => ({ key: await foreignKey() }), is: 'guest', role: null },
  'revoked key': {
    of: 'nobody',
    sends: async (owner) => ({ key: await revokedKey(owner) }),
    is: 'guest',
    role: null,
    refused: 'credential_invalid'
  },
  ...Object.fromEntries(
    roles.map((role): [string, CallerKind] => [
      `${role} key`,
      { of: 'nobody', sends: async (owner) => ({ key: (await owner.share(role)).key }), is: 'guest', role }
    ])
  ),
  'link of an assignment': {
    of: 'nobody',
    sends: async (_owner, assignment) => ({ key: assignment.by().key }),
    is: 'guest',
    role: 'suggest',
    task: true
  },
  'agent + link of an assignment': {
    of: 'account',
    sends: async (_owner, assignment) => ({ bearer: await agentToken(), key: assignment.by().key }),
    is: 'agent',
    role: 'suggest',
    task: true
  },
  'session of the owner': { of: 'account', sends: async () => ({ bearer: await appSession(ana) }), is: 'account', role: 'owner' },
  'browser of the owner': { of: 'account', sends: async () => ({ cookie: await cookie(ana) }), is: 'account', role: 'owner' },
  'session of a stranger': { of: 'account', sends: async () => ({ bearer: await appSession(bob) }), is: 'account', role: null },
  'browser of a stranger': { of: 'account', sends: async () => ({ cookie: await cookie(bob) }), is: 'account', role: null },
  'session on an anonymous document': { of: 'nobody', sends: async () => ({ bearer: await appSession(ana) }), is: 'account', role: null },
  'session of the owner + view key': {
    of: 'account',
    sends: async (owner) => ({ bearer: await appSession(ana), key: (await owner.share('view')).key }),
    is: 'account',
    role: 'view'
  },
  'browser of the owner + suggest key': {
    of: 'account',
    sends: async (owner) => ({ cookie: await cookie(ana), key: (await owner.share('suggest')).key }),
    is: 'account',
    role: 'suggest'
  },
  'session of the owner + owner key': {
    of: 'account',
    sends: async (owner) => ({ bearer: await appSession(ana), key: (await owner.share('owner')).key }),
    is: 'account',
    role: 'owner'
  },
  'session of a stranger + edit key': {
    of: 'account',
    sends: async (owner) => ({ bearer: await appSession(bob), key: (await owner.share('edit')).key }),
    is: 'account',
    role: 'edit'
  },
  'session of the owner + bad key': {
    of: 'account',
    sends: async () => ({ bearer: await appSession(ana), key: 'A'.repeat(32) }),
    is: 'account',
    role: null,
    refused: 'credential_invalid'
  },
  'session of the owner + revoked key': {
    of: 'account',
    sends: async (owner) => ({ bearer: await appSession(ana), key: await revokedKey(owner) }),
    is: 'account',
    role: null,
    refused: 'credential_invalid'
  },
  'session of the owner + key of another document': {
    of: 'account',
    sends: async () => ({ bearer: await appSession(ana), key: await foreignKey() }),
    is: 'account',
    role: null
  },
  'token to edit': {
    of: 'account',
    sends: async () => ({ bearer: await tokenOf({ role: 'edit' }) }),
    is: 'account',
    role: 'edit',
    scope: 'edit'
  },
  'token of another document + owner key': {
    of: 'account',
    sends: async (owner) => ({ bearer: await tokenOf({ role: 'owner', docs: [await anotherOfAna()] }), key: owner.key }),
    is: 'account',
    role: null,
    scope: 'one'
  },
  'bad session + owner key': {
    of: 'account',
    sends: async (owner) => ({ bearer: `asess_${'A'.repeat(50)}`, key: owner.key }),
    is: 'account',
    role: null,
    refused: 'credential_invalid'
  },
  'expired session': {
    of: 'account',
    sends: async () => ({ bearer: await appSession(ana, longAgo()) }),
    is: 'account',
    role: null,
    refused: 'credential_invalid'
  },
  'revoked session': {
    of: 'account',
    sends: async () => ({ bearer: await revokedSession() }),
    is: 'account',
    role: null,
    refused: 'credential_invalid'
  },
  'cookie sent as a token': {
    of: 'account',
    sends: async () => ({ bearer: await cookie(ana) }),
    is: 'account',
    role: null,
    refused: 'credential_invalid'
  },
  // Browsers send the cookie without being asked. An expired cookie is ignored, and does not invalidate a link.
  'expired browser': {
    of: 'account',
    sends: async () => ({ cookie: await cookie(ana, longAgo()) }),
    is: 'guest',
    role: null,
    refused: 'credential_required',
    bare: true
  },
  'expired browser + comment key': {
    of: 'account',
    sends: async (owner) => ({ cookie: await cookie(ana, longAgo()), key: (await owner.share('comment')).key }),
    is: 'guest',
    role: 'comment'
  },
  'agent that owns it': { of: 'agent', sends: async () => ({ bearer: await agentToken() }), is: 'agent', role: 'owner' },
  'agent that does not': { of: 'agent', sends: async () => ({ bearer: await agentToken({ sub: 'agent-2' }) }), is: 'agent', role: null },
  'agent + edit key': {
    of: 'nobody',
    sends: async (owner) => ({ bearer: await agentToken(), key: (await owner.share('edit')).key }),
    is: 'agent',
    role: 'edit'
  },
  'agent that owns it + view key': {
    of: 'agent',
    sends: async (owner) => ({ bearer: await agentToken(), key: (await owner.share('view')).key }),
    is: 'agent',
    role: 'view'
  },
  'expired agent token': {
    of: 'agent',
    sends: async () => ({ bearer: await agentToken({ exp: past() }) }),
    is: 'agent',
    role: null,
    refused: 'credential_invalid'
  },
  'agent token for another service': {
    of: 'agent',
    sends: async () => ({ bearer: await agentToken({ aud: 'https://elsewhere.example' }) }),
    is: 'agent',
    role: null,
    refused: 'credential_invalid'
  }
}

const mayAsk = ({ needs }: Operation, { is, bare }: CallerKind): boolean =>
  needs === undefined || is === 'account' || (needs === 'identity' && is === 'agent') || (needs === 'access' && bare !== true)

const makes: Operation = operations.createDocument

/** Returns the code of the expected refusal, or undefined if the operation should run. */
const refusalOf = (operation: Operation, caller: CallerKind): ErrorCode | undefined => {
  if (caller.refused === 'credential_invalid') return 'credential_invalid'
  // No token covers operations that manage the account, and a token for one document covers no operation that creates documents.
  if (
    caller.scope !== undefined &&
    ((operation.on === 'account' && operation.byProgram !== true) || (operation === makes && caller.scope === 'one'))
  )
    return 'account_required'
  // With a key, the operation applies to the document of the key.
  if (caller.scope === 'one' && operation.ofLink === true) return 'not_found'
  if (operation.on !== 'document') {
    if (mayAsk(operation, caller)) return undefined
    return caller.bare === true ? 'credential_required' : 'account_required'
  }
  if (caller.refused !== undefined) return caller.refused
  if (caller.role === null) return 'not_found'
  if (!mayAsk(operation, caller)) return 'account_required'
  if (!includesRole(caller.role, operation.role ?? 'owner')) return 'forbidden'
  return operation.taskLink === true && caller.task !== true ? 'task_link_required' : undefined
}

let tokensMade: string[] = []

/** Creates a token of Ana. Earlier tokens are deleted, because an account can have only a limited number of tokens. */
const tokenOf = async (what: object): Promise<string> => {
  const headers = { Authorization: `Bearer ${await appSession(ana)}` }
  for (const id of tokensMade.splice(0)) await world.ask('DELETE', `/api/me/tokens/${id}`, { headers })
  const { json } = await world.ask('POST', '/api/me/tokens', { headers, json: { name: 'A program', ...what } })
  tokensMade = [json.token.id]
  return String(json.secret)
}

const anotherOfAna = async (): Promise<string> =>
  String((await world.ask('POST', '/api/docs', { headers: { Authorization: `Bearer ${await appSession(ana)}` }, json: {} })).json.id)

const headersOf = ({ bearer, cookie: session }: Sent): Record<string, string> => ({
  ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
  ...(session !== undefined && { Cookie: `${cookieName()}=${session}`, Origin: world.url })
})

const cookieName = (): string => `agmd-session-${new URL(world.url).port}`

/** Creates a document, and returns its owner's link. */
const documentOf = async (of: CallerKind['of']): Promise<Person> => {
  if (of === 'nobody') return world.create('text')
  const headers = headersOf({ bearer: of === 'account' ? await appSession(ana) : await agentToken() })
  const { json: made } = await world.ask('POST', '/api/docs', { headers, json: { content: 'text' } })
  const { json: link } = await world.ask('POST', `/api/docs/${made.id}/shares`, { headers, json: { role: 'owner' } })
  return world.person(made.id, link.secret)
}

const inputs = neededInputs(
  () => world,
  (sent) => headersOf(sent),
  () => appSession(bob)
)

const bodyOf = async (name: string, sent: Sent, assignment: Assignment): Promise<Pick<Ask, 'json' | 'body' | 'type'>> =>
  inputs[name]?.file?.() ?? { json: (await inputs[name]?.body?.(sent, assignment)) ?? {} }

const kinds = Object.entries(callers)

/** The actual answers by operation and caller, as the table of test/credential-matrix.md. */
const answers = new Map<string, Map<string, string>>()
const note = (operation: string, caller: string, answer: string): void => {
  const row = answers.get(operation) ?? new Map<string, string>()
  answers.set(operation, row.set(caller, answer))
}

interface Scene {
  readonly owner: Person
  readonly assignment: Assignment
  readonly sent: Sent
}

/** Scenes that a caller left unchanged. The next operation uses them again, which saves three quarters of the time of this file. */
const untouched = new Map<CallerKind, Scene>()

const sceneOf = async (caller: CallerKind): Promise<Scene> => {
  const found = untouched.get(caller)
  untouched.delete(caller)
  // An account keeps only its newest sessions, so each operation gets a new one.
  if (found !== undefined) return caller.is === 'account' ? { ...found, sent: await caller.sends(found.owner, found.assignment) } : found
  const owner = await documentOf(caller.of)
  const assignment = await assign(world, owner)
  return { owner, assignment, sent: await caller.sends(owner, assignment) }
}

/** Keeps a scene that a caller did not change: the caller was refused or only read. A change to an account may affect every scene. */
const keep = (scene: Scene, operation: Operation, caller: CallerKind, isRefused: boolean): void => {
  if (isRefused || operation.rest.method === 'GET') untouched.set(caller, scene)
  else if (operation.on !== 'document') untouched.clear()
}

describe.each(table)('%s', (name, operation) => {
  const { method, path, also = [], status = 200 } = operation.rest
  test.each(kinds)('[ROLE-1] answers %s as the table says', async (kind, caller) => {
    const scene = await sceneOf(caller)
    const { owner, assignment, sent } = scene
    const fields = { id: owner.doc, ...(await inputs[name]?.path?.(owner, sent, assignment)) } as Record<string, string>
    const refusal = refusalOf(operation, caller)
    const before = await stored(world, owner.doc)
    for (const each of [path, ...also]) {
      for (const parameter of pathParameters(each))
        expect(fields, `test/spec/roles.test.ts: give ${name} an input`).toHaveProperty(parameter)
      const target = each.replaceAll(/\{(\w+)\}/g, (_match, parameter: string) => fields[parameter] ?? '')
      const body = method === 'GET' || method === 'DELETE' ? {} : await bodyOf(name, sent, assignment)
      const query = inputs[name]?.query?.(assignment) ?? {}
      const answer = await world.ask(method, target, { key: sent.key, headers: headersOf(sent), query, ...body })
      expect({ status: answer.status, code: answer.json?.code }, `${method} ${target}`).toEqual({
        status: refusal === undefined ? status : errorMeanings[refusal].status,
        code: refusal
      })
      note(name, kind, String(answer.status))
      if (refusal === 'forbidden') expect(answer.json).toMatchObject({ requiredRole: operation.role, role: caller.role })
      // A refused caller must not change anything.
      if (refusal === undefined) continue
      expect((await owner.read()).content).toBe('text')
      expect(await stored(world, owner.doc)).toEqual(before)
    }
    keep(scene, operation, caller, refusal !== undefined)
  })
})

test.each(kinds)('[ROLE-1] replaceContent as suggestions answers %s: the suggest role is enough', async (_kind, caller) => {
  const owner = await documentOf(caller.of)
  const sent = await caller.sends(owner, await assign(world, owner))
  const put = async (query: Record<string, string>, json: Record<string, unknown> = {}): Promise<object> => {
    const what = { key: sent.key, headers: headersOf(sent), query, json: { content: 'other', ...json } }
    const answer = await world.ask('PUT', `/api/docs/${owner.doc}/content`, what)
    return { status: answer.status, code: answer.json?.code }
  }
  const expected = (refusal: ErrorCode | undefined, status: number, code?: ErrorCode): object =>
    refusal === undefined ? { status, code } : { status: errorMeanings[refusal].status, code: refusal }
  expect(await put({ as: 'suggestions' })).toEqual(expected(refusalOf({ ...operations.replaceContent, role: 'suggest' }, caller), 200))
  // No other value lowers the required role.
  const least = refusalOf({ ...operations.replaceContent, role: 'suggest' }, caller)
  for (const mode of ['constructor', '__proto__', '']) expect(await put({ mode })).toEqual(expected(least, 400, 'invalid_request'))
  for (const words of [{ as: 'suggestions' }, { suggest: true }, { mode: 'suggest' }])
    expect(await put({}, words)).toEqual(expected(least, 200))
  expect((await owner.read()).content).toBe('text')
  expect(await put({ mode: 'apply' })).toEqual(expected(refusalOf(operations.replaceContent, caller), 200))
})

/** The argument that selects one of a tool's operations. */
const meant: Readonly<Record<string, object>> = {
  // A tool overwrites text that the caller has not read only if the call says so.
  replaceContent: { force: true },
  restoreRevision: { dryRun: true },
  readDocument: { view: 'info' },
  readOutline: { view: 'outline' },
  readAttribution: { view: 'authors' },
  undeleteDocument: { restore: true },
  listTrash: { trash: true },
  searchDocuments: { doc: undefined },
  saveSpeech: { save: true },
  cancelJob: { cancel: true }
}

/** Calls the tool of an operation with the operation's input. */
const callTool = async (name: string, tool: string, owner: Person, sent: Sent, assignment: Assignment): Promise<string | undefined> => {
  const { json, body } = await bodyOf(name, sent, assignment)
  const { talkId, asrId, ocrId, ...path } = (await inputs[name]?.path?.(owner, sent, assignment)) ?? {}
  const jobId = talkId ?? asrId ?? ocrId
  const key = sent.key === undefined ? {} : { key: sent.key }
  const file = body === undefined ? {} : { data: Buffer.from(body as Uint8Array).toString('base64') }
  const query = inputs[name]?.query?.(assignment)
  const args = {
    doc: owner.doc,
    ...key,
    ...path,
    ...query,
    ...(jobId !== undefined && { jobId }),
    ...(json as object),
    ...file,
    ...meant[name]
  }
  const result = await call(world.url, tool, args, headersOf({ bearer: sent.bearer }))
  return result.isError === true ? result.structuredContent.error.code : undefined
}

/** The kinds of callers for tools. Browsers are left out, because MCP does not accept cookies as credentials. */
const toolCallers = kinds.filter(([kind]) => !kind.includes('browser'))

describe.each(table.filter(([, { mcp }]) => mcp !== undefined))('%s as a tool', (name, operation) => {
  test.each(toolCallers)('[MCP-26] answers %s as by HTTP', async (kind, caller) => {
    const scene = await sceneOf(caller)
    const { owner, assignment, sent } = scene
    const code = await callTool(name, operation.mcp ?? '', owner, sent, assignment)
    expect(code).toBe(refusalOf(operation, caller))
    keep(scene, operation, caller, code !== undefined)
    note(`MCP ${operation.mcp}`, kind, code === undefined ? 'ok' : String(errorMeanings[code as ErrorCode].status))
  })
})

test('[MCP-26] a browser session opens nothing as a tool', async () => {
  const owner = await documentOf('account')
  const headers = { ...headersOf({ cookie: await cookie(ana) }), 'Sec-Fetch-Site': 'same-origin' }
  expect((await world.ask('GET', `/api/docs/${owner.doc}`, { headers })).status).toBe(200)
  expect((await call(world.url, 'read_doc', { doc: owner.doc }, headers)).structuredContent.error.code).toBe('credential_required')
})

const authFrame = 2
const authenticated = 2

/** Returns the live endpoint's answer to a token: `readonly`, `read-write`, or the code of the refusal. */
const scopeOf = async (doc: string, { key, bearer, cookie: session }: Sent): Promise<string> => {
  const headers = session === undefined ? undefined : { Cookie: `${cookieName()}=${session}` }
  const socket = await world.socket({ origin: world.url, ...(headers && { headers }) })
  socket.send(
    frameOf(doc, authFrame, (encoder) => (encoding.writeVarUint(encoder, 0), encoding.writeVarString(encoder, bearer ?? key ?? '')))
  )
  const answerIn = (frame: Uint8Array): string | undefined => {
    const decoder = decoding.createDecoder(frame)
    decoding.readVarString(decoder)
    if (decoding.readVarUint(decoder) !== authFrame) return undefined
    const kind = decoding.readVarUint(decoder)
    return `${kind === authenticated ? '' : 'refused: '}${decoding.readVarString(decoder)}`
  }
  const answer = (): string | undefined => socket.frames.map(answerIn).find((each) => each !== undefined)
  await until(answer, 'an answer to the token')
  socket.close()
  return answer() ?? ''
}

test.each(kinds)('[ROLE-4] the live endpoint answers %s as HTTP does', async (kind, caller) => {
  const owner = await documentOf(caller.of)
  const sent = await caller.sends(owner, await assign(world, owner))
  // A socket accepts one token. A session counts together with a key only if it is the browser's cookie.
  if (sent.bearer !== undefined && sent.key !== undefined) return
  const refusal = caller.refused ?? (caller.role === null ? 'not_found' : undefined)
  const scope = includesRole(caller.role, 'edit') ? 'read-write' : 'readonly'
  const answer = await scopeOf(owner.doc, sent)
  expect(answer).toBe(refusal === undefined ? scope : `refused: ${refusal}`)
  note('WebSocket', kind, refusal === undefined ? (scope === 'readonly' ? 'read' : 'write') : String(errorMeanings[refusal].status))
})

test('[ROLE-2] an operation on a document names the role it needs', () => {
  for (const [name, operation] of table) expect(operation.role !== undefined, name).toBe(operation.on === 'document')
})

test.each(roles)('[ROLE-3] %s includes the permissions of the roles before it', async (role) => {
  const owner = await world.create('text')
  const able = async (held: Role): Promise<string[]> => (await (await owner.share(held)).ask('GET', '')).json.capabilities
  const lower = roles[roles.indexOf(role) - 1]
  if (lower !== undefined) expect(await able(role)).toEqual(expect.arrayContaining(await able(lower)))
})

const matrix = (): string => {
  const names = kinds.map(([kind]) => kind)
  const rows = [...answers].map(([name, row]) => `| ${name} | ${names.map((kind) => row.get(kind) ?? '').join(' | ')} |`)
  return `# Who is answered what

Generated by test/spec/roles.test.ts (AGMD_UPDATE_SNAPSHOTS=1) from what the server answers: the status of every operation by HTTP, what
every MCP tool answers (\`ok\`, or the status of its error), and what the live endpoint lets in, for every kind of caller. A cookie is no
credential for MCP; a socket takes one token, so a token next to a key is not asked there.

${names.map((kind, index) => `${index + 1}. ${kind}`).join('\n')}

| operation | ${names.map((_kind, index) => index + 1).join(' | ')} |
|---|${names.map(() => '---|').join('')}
${rows.join('\n')}
`
}

test('[ROLE-5] the table of credentials and operations equals the committed one', () => {
  const path = join(import.meta.dirname, '..', 'credential-matrix.md')
  if (process.env['AGMD_UPDATE_SNAPSHOTS'] === '1') writeFileSync(path, matrix())
  expect(matrix()).toBe(readFileSync(path, 'utf8'))
})
