/** Requests every operation of the table in every role, with hostile values in every text field. */
import { roles } from '../../shared/roles.ts'
import type { Operation } from '../../shared/operation.ts'
import { operations } from '../../shared/operations/index.ts'
import { families, type Attack } from './loop-guard.ts'
import { isLong } from './repeats.ts'
import { ask, type Json } from './world.ts'

/** Strings that have made parsers slow. */
const hostile: readonly string[] = [' ', '[', '<!--', '> $$x\n', '#\n', '@a ', '\\', '# \u2028', '[2026-11-20T10:02Z] @a: ']

type Fields = Readonly<Record<string, unknown>>

/** Returns input fields for an operation. `text(units)` is hostile text. An operation without a recipe gets its example, with hostile text. */
type Recipe = (text: (units: number) => string) => readonly Fields[]

const find = 50_000
const said = 9_000
const name = 200

const edits: Recipe = (text) => [
  { operations: [{ op: 'replace', find: text(find), with: 'x' }] },
  { operations: [{ op: 'append', section: text(name), markdown: 'x' }] },
  { operations: [{ op: 'append', markdown: text(find) }] }
]

const recipes: Readonly<Record<string, Recipe>> = {
  createDocument: (text) => [{ content: text(find), title: text(name) }],
  readContent: (text) => [
    {},
    { section: text(name) },
    { lines: text(name) },
    { version: text(name) },
    { since: text(name) },
    { values: '1' }
  ],
  replaceContent: (text) => [{ content: text(find) }, { content: text(find), baseVersion: text(name) }],
  editContent: edits,
  patchContent: edits,
  labelRevision: (text) => [{ label: text(name) }],
  restoreRevision: (text) => [{ revision: 1, label: text(name) }],
  createShare: (text) => [{ role: 'view', label: text(name) }],
  createComment: (text) => [
    { body: text(said) },
    { body: 'x', find: text(find) },
    { body: 'x', find: 'words', prefix: text(900), suffix: text(900) },
    { body: 'x', line: 1 }
  ],
  replyToComment: (text) => [{ body: text(said) }],
  editComment: (text) => [{ body: text(said) }],
  editReply: (text) => [{ body: text(said) }],
  listComments: () => [{}, { status: 'all' }],
  createSuggestion: (text) => [
    { operation: 'replace', find: text(find), text: 'x' },
    { operation: 'insert', at: 'end', text: text(find) },
    { operation: 'insert', at: 'end', text: 'x', note: text(said) }
  ],
  draftSuggestion: (text) => [
    { step: 1, operation: 'replace', find: text(find), text: 'x' },
    { step: 2, operation: 'insert', at: 'end', text: text(find), done: true }
  ],
  replyToSuggestion: (text) => [{ body: text(said) }],
  decideSuggestion: () => [{ action: 'reject' }],
  listEvents: () => [{ since: '0' }, { since: 'latest' }],
  createTask: (text) => [{ requestId: text(name), title: text(name), instructions: text(said) }],
  reportTask: (text) => [{ reviewedVersion: text(name), summary: text(said), commentIds: [], suggestionIds: [] }],
  startDeviceLogin: (text) => [{ client_name: text(name) }],
  pollDeviceLogin: (text) => [{ device_code: text(name) }]
}

/** Returns the example of an operation, and a copy for each of its strings in which that string is hostile. */
const ofExample =
  ({ example = {} }: Operation): Recipe =>
  (text) => [
    example,
    ...Object.keys(example)
      .filter((field) => typeof example[field] === 'string')
      .map((field) => ({ ...example, [field]: text(said) }))
  ]

/** Creates a request with these fields in the places where the operation expects them. `ids` contains path parameters by name. */
const requestOf = ({ rest }: Operation, ids: Readonly<Record<string, string>>, fields: Fields) => {
  const { method, path, query = [], body } = rest
  const asked = Object.entries(fields).filter(([field]) => method === 'GET' || query.includes(field))
  const sent = Object.fromEntries(Object.entries(fields).filter(([field]) => method !== 'GET' && !query.includes(field)))
  return {
    method,
    path: path.replaceAll(/\{(\w+)\}/g, (_match, parameter: string) => ids[parameter] ?? 'none'),
    query: Object.fromEntries(asked.map(([field, value]) => [field, String(value)])),
    ...(method === 'GET' ? {} : body === 'media' ? { body: ' '.repeat(find), type: 'image/png' } : { json: sent })
  }
}

/** Returns the id of one item of each kind in a document. */
const idsOf = async (url: string, id: string, key: string): Promise<Record<string, string>> => {
  const made = async (path: string, json: object): Promise<Json> => (await ask(url, 'POST', `/api/docs/${id}/${path}`, { key, json })).json
  const { commentId } = await made('comments', { body: 'x' })
  const { id: replyId } = await made(`comments/${commentId}/replies`, { body: 'x' })
  const { suggestionId } = await made('suggestions', { operation: 'insert', at: 'end', text: 'x' })
  const { task } = await made('tasks', { requestId: 'r', title: 't', instructions: 'i' })
  const { id: share } = await made('shares', { role: 'view' })
  return { id, commentId, replyId, suggestionId, taskId: task.id, share, revisionId: '1' }
}

/** Returns the hostile text for the operation at this place of the table. */
const piecesFor = (index: number): readonly string[] =>
  isLong ? hostile : [0, 4].map((step) => hostile[(index + step) % hostile.length] as string)

const textOf =
  (piece: string) =>
  (units: number): string =>
    piece.repeat(Math.floor(units / piece.length))

/**
 * Returns one attack per operation. Each attack sends requests in every role and without a credential, with hostile text. The short run gives each
 * operation two of the strings, and each string to many operations. The deletion comes last.
 */
export const roleAttacks = async (url: string): Promise<Map<string, Attack>> => {
  const content = families['prose']?.().slice(0, 256 * 1024) ?? ''
  const { id, key } = (await ask(url, 'POST', '/api/docs', { json: { content } })).json as { id: string; key: string }
  const ids = await idsOf(url, id, key)
  const keys = await Promise.all(
    roles.map(async (role) => (await ask(url, 'POST', `/api/docs/${id}/shares`, { key, json: { role } })).json.secret as string)
  )
  const table = Object.entries(operations as unknown as Readonly<Record<string, Operation>>)
  const last = ([name]: readonly [string, Operation]): number => Number(name === 'deleteDocument')
  const attack =
    (operation: Operation, pieces: readonly string[], recipe: Recipe = ofExample(operation)): Attack =>
    async () => {
      const seen = new Map<number, number>()
      const wishes = new Map(pieces.flatMap((piece) => recipe(textOf(piece))).map((fields) => [JSON.stringify(fields), fields]))
      for (const fields of wishes.values())
        for (const by of [...keys, undefined]) {
          const { method, path, ...what } = requestOf(operation, ids, fields)
          const { status } = await ask(url, method, path, { ...what, key: by, signal: AbortSignal.timeout(60_000) })
          seen.set(status, (seen.get(status) ?? 0) + 1)
        }
      return [...seen].map(([status, count]) => `${count} × ${status}`).join(', ')
    }
  return new Map(
    table
      .toSorted((one, other) => last(one) - last(other))
      .map(([name, operation], index) => [`${name} by every role`, attack(operation, piecesFor(index), recipes[name])])
  )
}
