import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ErrorCode } from '../../shared/errors.ts'
import { errorMeanings } from '../../shared/errors.ts'
import type { Operation } from '../../shared/operation.ts'
import { pathParameters } from '../../shared/operation.ts'
import { operations } from '../../shared/operations/index.ts'
import { includesRole, roles, type Role } from '../../shared/roles.ts'
import { comment, postComment, suggest } from '../support/remarks.ts'
import { type Assignment, assign, requestFor, stored } from '../support/reviews.ts'
import { type Bytes, samples } from '../support/media.ts'
import { type Ask, type Json, type Person, startWorld, type World } from '../support/world.ts'

const callers = ['none', 'bad key', 'key of another document', 'revoked', ...roles, 'link of an assignment'] as const
type CallerKind = (typeof callers)[number]

const table = Object.entries(operations) as unknown as [string, Operation][]

/** What the table says about a caller: the code of the refusal, or undefined where the operation runs. */
const refusalOf = (operation: Operation, caller: CallerKind): ErrorCode | undefined => {
  if (caller === 'bad key' || caller === 'revoked') return 'credential_invalid'
  if (operation.on === 'service') return undefined
  if (caller === 'none') return 'credential_required'
  if (caller === 'key of another document') return 'not_found'
  const role = caller === 'link of an assignment' ? 'suggest' : caller
  if (!includesRole(role, operation.role ?? 'owner')) return 'forbidden'
  return operation.taskLink === true && role === caller ? 'task_link_required' : undefined
}

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

type Owner = Person & { readonly created: Json }

/** A comment of the caller's own, if they may make one. */
const newComment = async (owner: Owner, _assignment: Assignment, key = ''): Promise<Record<string, string>> => {
  const own = await postComment(world.person(owner.doc, key), { body: 'Hm.' })
  return { commentId: own.json.id ?? (await comment(owner, { body: 'Hm.' })).id }
}

const newSuggestion = async (owner: Owner): Promise<Record<string, string>> => ({
  suggestionId: (await suggest(owner, { operation: 'insert', text: 'x' })).id
})

/** Bodies and path parameters that the operation accepts; an operation that needs more than this table knows answers 400 and is named. */
const inputs: Readonly<
  Record<
    string,
    {
      body?: (owner: Owner) => Record<string, unknown>
      file?: () => Blob
      query?: (owner: Owner) => Record<string, string>
      path?: (owner: Owner, assignment: Assignment, key: string | undefined) => Promise<Record<string, string>>
    }
  >
> = {
  replaceContent: { body: () => ({ content: 'new' }) },
  restoreRevision: { body: () => ({ revision: 1 }) },
  readRevision: { path: async () => ({ revisionId: '1' }) },
  createShare: { body: () => ({ role: 'view' }) },
  revokeShare: { path: async (owner) => ({ share: (await owner.share('view')).link.id }) },
  createComment: { body: () => ({ body: 'Hm.', find: 'text' }) },
  replyToComment: { body: () => ({ body: 'Oh.' }), path: newComment },
  resolveComment: { path: newComment },
  editComment: { body: () => ({ body: 'Well.' }), path: newComment },
  deleteComment: { path: newComment },
  createSuggestion: { body: () => ({ operation: 'insert', text: 'x' }) },
  decideSuggestion: { body: () => ({ action: 'reject' }), path: newSuggestion },
  decideSuggestions: { body: () => ({ decisions: [] }) },
  editContent: { body: () => ({ operations: [{ op: 'append', markdown: 'x' }], mode: 'suggest' }) },
  patchContent: { body: () => ({ operations: [{ op: 'append', markdown: 'x' }], mode: 'suggest' }) },
  uploadAsset: { file: () => new Blob([samples['png']?.bytes as Bytes], { type: 'image/png' }) },
  readDiff: { query: ({ created }) => ({ from: created.version }) },
  createTask: { body: () => requestFor() },
  readTask: { path: async (_owner, { id }) => ({ taskId: id }) },
  startTask: { path: async (_owner, { id }) => ({ taskId: id }) },
  reportTask: {
    body: ({ created }) => ({ reviewedVersion: created.version, summary: 'Fine.' }),
    path: async (_owner, { id, by }) => (await by().start(), { taskId: id })
  },
  closeTask: { path: async (_owner, { id }) => ({ taskId: id }) }
}

const bodyOf = async (name: string, owner: Owner): Promise<Pick<Ask, 'json' | 'body' | 'type'>> => {
  const file = inputs[name]?.file?.()
  return file === undefined
    ? { json: inputs[name]?.body?.(owner) ?? {} }
    : { body: new Uint8Array(await file.arrayBuffer()), type: file.type }
}

const keyOf = async (owner: Person, assignment: Assignment, caller: CallerKind): Promise<string | undefined> => {
  if (caller === 'none') return undefined
  if (caller === 'bad key') return 'A'.repeat(32)
  if (caller === 'key of another document') return (await world.create('another')).key
  if (caller === 'revoked') {
    const former = await owner.share('owner')
    await owner.ask('DELETE', `/shares/${former.link.id}`)
    return former.key
  }
  return caller === 'link of an assignment' ? assignment.by().key : (await owner.share(caller)).key
}

describe.each(table)('%s', (name, operation) => {
  const { method, path, also = [], status = 200 } = operation.rest
  test.each(callers)('[ROLE-1] answers %s as the table says', async (caller) => {
    const owner = await world.create('text')
    const assignment = await assign(world, owner)
    const key = await keyOf(owner, assignment, caller)
    const fields = { id: owner.doc, ...(await inputs[name]?.path?.(owner, assignment, key)) } as Record<string, string>
    const refusal = refusalOf(operation, caller)
    const before = await stored(world, owner.doc)
    for (const each of [path, ...also]) {
      for (const parameter of pathParameters(each))
        expect(fields, `test/spec/roles.test.ts: give ${name} an input`).toHaveProperty(parameter)
      const target = each.replaceAll(/\{(\w+)\}/g, (_match, parameter: string) => fields[parameter] ?? '')
      const body = method === 'GET' || method === 'DELETE' ? {} : await bodyOf(name, owner)
      const answer = await world.ask(method, target, { key, query: inputs[name]?.query?.(owner) ?? {}, ...body })
      expect({ status: answer.status, code: answer.json?.code }, `${method} ${target}`).toEqual({
        status: refusal === undefined ? status : errorMeanings[refusal].status,
        code: refusal
      })
      if (refusal === 'forbidden')
        expect(answer.json).toMatchObject({ requiredRole: operation.role, role: caller === 'link of an assignment' ? 'suggest' : caller })
      // A refused caller changes nothing.
      if (refusal === undefined) continue
      expect((await owner.read()).content).toBe('text')
      expect(await stored(world, owner.doc)).toEqual(before)
    }
  })
})

test.each(callers)('[ROLE-1] replaceContent as suggestions answers %s: the suggest role is enough', async (caller) => {
  const owner = await world.create('text')
  const assignment = await assign(world, owner)
  const key = await keyOf(owner, assignment, caller)
  const operation = { ...operations.replaceContent, role: 'suggest' } as const
  const refusal = refusalOf(operation, caller)
  const path = `/api/docs/${owner.doc}/content`
  const answer = await world.ask('PUT', path, { key, json: { content: 'other' }, query: { as: 'suggestions' } })
  expect({ status: answer.status, code: answer.json?.code }).toEqual({
    status: refusal === undefined ? 200 : errorMeanings[refusal].status,
    code: refusal
  })
  // No other word lowers the role.
  const plain = refusalOf(operations.replaceContent, caller)
  for (const as of ['constructor', '__proto__', 'suggestion', '']) {
    const { status, json } = await world.ask('PUT', path, { key, json: { content: 'other' }, query: { as } })
    expect({ status, code: json?.code }).toEqual(
      plain === undefined ? { status: 400, code: 'invalid_request' } : { status: errorMeanings[plain].status, code: plain }
    )
  }
  expect((await world.ask('PUT', path, { key, json: { content: 'text', as: 'suggestions' } })).status).toBe(
    plain === undefined ? 200 : errorMeanings[plain].status
  )
  expect((await owner.read()).content).toBe('text')
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
