/** Reading single items, and answers without unnecessary content. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Account, createAccount } from '../../server/domain/accounts/accounts.ts'
import { openSession } from '../../server/domain/accounts/sessions.ts'
import { told } from '../support/mcp.ts'
import { comment, suggest } from '../support/annotations.ts'
import { assign } from '../support/reviews.ts'
import { type Json, startWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

test('[BRIEF-1] a single comment, suggestion or link can be read by its id, and the lists accept it, too', async () => {
  const owner = await world.create('The quick brown fox.\n')
  const viewer = await owner.share('view')
  // The test does not use this link, because the service would write the time of the last use after its answer.
  const unused = await owner.share('view')
  const stranger = await world.create('Another.\n')
  await comment(owner, { body: 'Another.' })
  const { id: commentId } = await comment(owner, { body: 'Whose?', find: 'quick' })
  await owner.ask('POST', `/comments/${commentId}/replies`, { json: { body: 'Mine.' } })
  await suggest(owner, { operation: 'insert', text: 'x' })
  const { id: suggestionId } = await suggest(owner, { operation: 'replace', find: 'brown', text: 'red' })
  const kinds = [
    ['comments', 'comment', commentId, viewer],
    ['suggestions', 'suggestion', suggestionId, viewer],
    ['shares', 'share', unused.link.id, owner]
  ] as const
  for (const [list, one, id, reader] of kinds) {
    const { json } = await reader.ask('GET', `/${list}/${id}`)
    const all = (await reader.ask('GET', `/${list}`)).json[list]
    expect(all.length).toBeGreaterThan(1)
    expect(json).toEqual({ [one]: all.find((each: { id: string }) => each.id === id) })
    expect((await reader.ask('GET', `/${list}`, { query: { id } })).json[list]).toEqual([json[one]])
    expect(await owner.ask('GET', `/${list}/none`)).toMatchObject({ status: 404, json: { code: 'not_found' } })
    expect((await stranger.ask('GET', `/${list}/${id}`)).status).toBe(404)
  }
  expect((await owner.ask('GET', `/shares/${viewer.key}`)).json.share.id).toBe(viewer.link.id)
  expect((await viewer.ask('GET', `/shares/${viewer.link.id}`)).status).toBe(403)
  const place = { doc: owner.doc, key: owner.key }
  expect((await told(world.url, 'list_comments', { ...place, id: commentId })).comments).toMatchObject([
    { id: commentId, replies: [{ body: 'Mine.' }] }
  ])
  expect((await told(world.url, 'list_suggestions', { ...place, id: suggestionId })).suggestions).toHaveLength(1)
})

/** Returns the paths at which an answer contains the same text or record more than once. List items are compared individually. */
const twice = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(twice)
  if (typeof value !== 'object' || value === null) return []
  const all: [path: string, text: string][] = []
  const lists: unknown[] = []
  const walk = (of: object, path: string): void => {
    for (const [name, each] of Object.entries(of)) {
      if (Array.isArray(each)) lists.push(...each)
      const text = JSON.stringify(each) ?? ''
      if ((typeof each === 'string' || typeof each === 'object') && text.length > 10) all.push([path + name, text])
      if (typeof each === 'object' && each !== null && !Array.isArray(each)) walk(each as object, `${path}${name}.`)
    }
  }
  walk(value, '')
  const same = [...Map.groupBy(all, ([, text]) => text).values()].filter((paths) => paths.length > 1)
  return [...same.map((paths) => paths.map(([path]) => path).join(' ')), ...lists.flatMap(twice)]
}

test('[BRIEF-5] an answer contains text or record twice only where the contract says so', async () => {
  const owner = await world.create('# Title\n\nThe quick brown fox.\n')
  const found: string[] = []
  const send = async (method: string, path: string, json?: object): Promise<Json> => {
    const answer = await owner.ask(method, path, { headers: { Accept: 'application/json' }, ...(json && { json }) })
    expect(answer.status, `${method} ${path} ${answer.text}`).toBeLessThan(300)
    found.push(...twice(answer.json))
    return answer.json
  }
  found.push(...twice((await world.ask('POST', '/api/docs', { json: { content: '# A title of its own\n' } })).json))
  await send('POST', '/shares', { role: 'view', label: 'Somebody' })
  const { id: commentId } = await send('POST', '/comments', { body: 'What is this?', find: 'quick brown' })
  await send('POST', `/comments/${commentId}/replies`, { body: 'A reply to it' })
  const { id } = await send('POST', '/suggestions', { operation: 'replace', find: 'brown fox', text: 'red foxes' })
  await send('POST', `/suggestions/${id}`, { action: 'accept' })
  await send('POST', '/edits', { operations: [{ op: 'replace', find: 'quick', with: 'fast and quick' }] })
  await send('POST', '/edits', { mode: 'suggest', operations: [{ op: 'replace', find: 'quick', with: 'very quick' }] })
  await send('PUT', '/content', { content: '# New\n\nSomething other.\n' })
  const parts = ['', '/content', '/shares', '/comments', '/suggestions', '/revisions', '/revisions/1', '/outline', '/events?since=0']
  for (const path of [...parts, '/search?q=other']) await send('GET', path)
  found.push(...twice(await assign(world, owner)))
  await send('GET', '/tasks')
  const told = [
    /^(\w+(?:\.\w+)?) doc\.\1$/,
    /^(?:share\.)?secret (?:share\.)?key(?: share\.secret share\.key)?$/,
    /^(\w+) share\.\1$/,
    /^id (?:(?:comment|suggestion)Id )?(?:comment|suggestion|reply)\.id$/,
    /^type kind$/,
    /^id task\.id task\.taskId$/,
    /^(?:task\.)?id (?:task\.)?taskId$/
  ]
  // Times that are equal by chance, and versions in the call that undoes the change, are allowed.
  const chance = /createdAt|updatedAt|lastUsedAt|version|Version/
  expect([...new Set(found)].filter((paths) => !chance.test(paths) && !told.some((each) => each.test(paths)))).toEqual([])
})

const bytes = (json: unknown): number => Buffer.byteLength(JSON.stringify(json))

test('[BRIEF-2] [BRIEF-3] brief answers of writes are ids, versions and states, within their budgets; a repeated request gets the same', async () => {
  const owner = await world.create('The quick brown fox.\n')
  const brief = { brief: true, author: 'Ada' }
  const sizes: Record<string, number> = {}
  const send = async (method: string, path: string, json: object, headers: Record<string, string> = {}): Promise<Record<string, never>> => {
    const answer = await owner.ask(method, path, { json: { ...brief, ...json }, headers })
    expect(answer.status).toBeLessThan(300)
    return answer.json
  }
  const again = { 'Idempotency-Key': 'once' }
  const made = await send('POST', '/comments', { body: 'Whose?', find: 'quick' }, again)
  expect(made).toEqual({ id: expect.any(String), anchored: true, comment: { id: made['id'], status: 'open' } })
  expect(await send('POST', '/comments', { body: 'Whose?', find: 'quick' }, again)).toEqual(made)
  sizes['comment'] = bytes(made)
  const answered = await send('POST', `/comments/${made['id']}/replies`, { body: 'Mine.' })
  expect(answered).toEqual({ id: expect.any(String), comment: { id: made['id'], status: 'open' } })
  sizes['reply'] = bytes(answered)
  expect(await send('POST', `/comments/${made['id']}/resolve`, {})).toEqual({ ok: true, comment: { id: made['id'], status: 'resolved' } })
  const proposed = await send('POST', '/suggestions', { operation: 'replace', find: 'brown', text: 'red' })
  expect(proposed).toEqual({ id: expect.any(String), suggestion: { id: proposed['id'], status: 'pending' } })
  sizes['suggestion'] = bytes(proposed)
  const decided = await send('POST', `/suggestions/${proposed['id']}`, { action: 'accept' })
  const { version } = await owner.read()
  expect(decided).toEqual({ ok: true, version, suggestion: { id: proposed['id'], status: 'accepted', resultVersion: version } })
  sizes['decision'] = bytes(decided)
  const edited = await send('POST', '/edits', { operations: [{ op: 'replace', find: 'fox', with: 'cat' }] })
  expect(edited).toEqual({ ok: true, version: (await owner.read()).version, revisionId: expect.any(Number), changed: true, results: [{}] })
  sizes['edit'] = bytes(edited)
  const shown = await send('POST', '/edits', { dryRun: true, operations: [{ op: 'append', markdown: 'x' }] })
  expect(shown['diff']).toContain('+x')
  expect((await owner.ask('POST', '/comments', { query: { brief: 1 }, json: { body: 'x', find: 'nowhere' } })).json.hint).toBeTruthy()
  expect(sizes['edit']).toBeLessThanOrEqual(200)
  for (const each of ['comment', 'reply', 'suggestion', 'decision']) expect(sizes[each], each).toBeLessThanOrEqual(250)
  const place = { doc: owner.doc, key: owner.key }
  expect(await told(world.url, 'add_comment', { ...place, body: 'Hm.', brief: true })).toEqual({
    id: expect.any(String),
    anchored: false,
    comment: { id: expect.any(String), status: 'open' }
  })
})

test('[BRIEF-2] [BRIEF-3] a row of a brief list shows its subject, within its budget', async () => {
  const owner = await world.create(`The quick brown fox. ${'word '.repeat(100)}\n`)
  const long = 'x'.repeat(300)
  const { id: commentId } = await comment(owner, { body: long, find: 'quick', author: 'Ada' })
  await owner.ask('POST', `/comments/${commentId}/replies`, { json: { body: 'Mine.' } })
  const { id: suggestionId } = await suggest(owner, { operation: 'replace', find: 'brown', text: 'red', author: 'Ada' })
  const list = async (name: string, query = {}): Promise<Record<string, never>[]> =>
    (await owner.ask('GET', `/${name}`, { query })).json[name]
  const [comments, suggestions, events] = await Promise.all(['comments', 'suggestions', 'events'].map((name) => list(name, { brief: 1 })))
  expect(comments).toEqual([
    { id: commentId, status: 'open', author: 'Ada', line: 1, body: 'x'.repeat(200), quote: 'quick', cut: ['body'], replies: 1 }
  ])
  expect(suggestions).toEqual([
    { id: suggestionId, operation: 'replace', status: 'pending', author: 'Ada', line: 1, original: 'brown', text: 'red' }
  ])
  expect(Object.keys(events?.at(-1) ?? {})).toEqual(['seq', 'kind', 'at', 'actor', 'version', 'payload'])
  expect(bytes(comments?.[0])).toBeLessThanOrEqual(450)
  for (const name of ['comments', 'suggestions', 'events'])
    expect(bytes(await list(name, { brief: 1 }))).toBeLessThan(0.8 * bytes(await list(name)))
})

test('[BRIEF-4] [BRIEF-3] brief lists of links and documents have one row each, within its budget', async () => {
  const owner = await world.create('# Plan\n')
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString()
  const { json: link } = await owner.ask('POST', '/shares', { json: { role: 'suggest', label: 'x'.repeat(200), expiresAt } })
  const { json: ended } = await owner.ask('POST', '/shares', { json: { role: 'view' } })
  await owner.ask('DELETE', `/shares/${ended.id}`)
  const { shares } = (await owner.ask('GET', '/shares', { query: { brief: 1 } })).json
  expect(shares.slice(0, 2)).toEqual([
    { id: ended.id, role: 'view', url: ended.url, revoked: true },
    { id: link.id, role: 'suggest', url: link.url, expiresAt, label: 'x'.repeat(200) }
  ])
  expect(bytes(shares[1])).toBeLessThanOrEqual(450)
  const account = (await createAccount(world.service, { email: 'ana@example.org', password: 'correct horse battery' })) as Account
  const { token } = await openSession(world.service, account.id, 'app', 'a test')
  const headers = { Authorization: `Bearer ${token}` }
  await world.ask('POST', '/api/docs', { headers, json: { title: 'y'.repeat(250), content: 'x' } })
  const { docs } = (await world.ask('GET', '/api/docs?brief=1', { headers })).json
  expect(docs).toEqual([
    {
      id: expect.any(String),
      role: 'owner',
      version: expect.any(String),
      updatedAt: expect.any(String),
      title: 'y'.repeat(200),
      cut: ['title']
    }
  ])
  expect(bytes(docs[0])).toBeLessThanOrEqual(450)
  await world.ask('DELETE', `/api/docs/${docs[0].id}`, { headers })
  const trashed = { id: docs[0].id, restorableUntil: expect.any(String), title: 'y'.repeat(200), cut: ['title'] }
  expect((await world.ask('GET', '/api/trash?brief=1', { headers })).json.docs).toEqual([trashed])
  const call = { name: 'svc.list_docs', arguments: { trash: true, brief: true } }
  const { json: answer } = await world.ask('POST', '/mcp', { headers, json: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call } })
  expect(answer.result.structuredContent.docs).toEqual([trashed])
})
