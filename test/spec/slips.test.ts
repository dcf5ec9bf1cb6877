import { afterAll, beforeAll, expect, test } from 'vitest'
import { fieldMeant } from '../../shared/nearest.ts'
import { refused, rpc } from '../support/mcp.ts'
import { type Answer, type Ask, type Person, startWorld, type World } from '../support/world.ts'

let world: World
let owner: Person
beforeAll(async () => {
  world = await startWorld()
  owner = await world.create('one\n')
})
afterAll(() => world.stop())

test.each([
  ['PUT', '/content', { content: 'two', dryrun: true }, 'dryRun'],
  ['PUT', '/content', { content: 'two', baseVerison: '1-000000000000' }, 'baseVersion'],
  ['PUT', '/content', { content: 'two', base_version: '1-000000000000' }, 'baseVersion'],
  ['PUT', '/content', { content: 'two', 'on-conflict': 'merge' }, 'onConflict'],
  ['POST', '/edits', { operations: [{ op: 'append', markdown: 'x' }], dryRunn: true }, 'dryRun'],
  ['PATCH', '/content', { operations: [{ op: 'append', markdown: 'x' }], BaseVersion: '1-000000000000' }, 'baseVersion'],
  ['POST', '/shares', { role: 'edit', expires: '2030-01-01T00:00:00Z' }, 'expiresAt'],
  ['POST', '/publish', { publishd: false }, 'published'],
  ['POST', '/comments', { body: 'x', occurence: 2 }, 'occurrence'],
  ['POST', '/suggestions', { operation: 'insert', text: 'x', lable: 'x', anchr: { from: 0, to: 0 } }, 'anchor'],
  ['POST', '/restore', { revision: 1, dry: true, base_version: 'x' }, 'baseVersion']
])('[SLIP-1] %s %s %j changes nothing and says %s', async (method, path, json, meant) => {
  const before = (await owner.events()).latest
  const answer = await owner.ask(method, path, { json })
  expect(answer, answer.text).toMatchObject({ status: 400, json: { code: 'invalid_request', hint: expect.stringContaining(meant) } })
  expect((await owner.read()).content).toBe('one\n')
  expect((await owner.events()).latest).toBe(before)
})

test('[SLIP-1] a slip in the query is refused as well', async () => {
  for (const query of [{ 'dry-runn': '1' }, { onconflict: 'merge' }, { lable: 'x' }] as Record<string, string>[])
    expect(await owner.ask('PUT', '/content', { json: { content: 'two' }, query })).toMatchObject({ status: 400 })
  expect(await owner.ask('GET', '/content', { query: { sction: 'x' } })).toMatchObject({ status: 400 })
  expect((await owner.read()).content).toBe('one\n')
})

test.each([
  ['PUT', '/content', { content: 'two', title: 'New' }, 'PATCH /api/docs/{id}'],
  ['PUT', '/content', { content: 'two', preview: true }, 'dryRun'],
  ['PUT', '/content', { body: 'two' }, 'content'],
  ['PUT', '/content', { content: 'two', authors: ['a'], author: 'a' }, 'The fields are: content, label'],
  ['POST', '/edits', { operations: [{ op: 'append', markdown: 'x' }], preview: true }, 'dryRun'],
  ['POST', '/edits', { operations: [{ op: 'append', markdown: 'x', force: true }] }, ''],
  ['POST', '/comments', { body: 'x', selection: 'one' }, 'find'],
  ['POST', '/comments', { body: 'x', find_text: 'one' }, 'find'],
  ['POST', '/comments', { body: 'x', replyTo: 'c1' }, '/replies'],
  ['POST', '/comments', { body: 'x', parentId: 'c1' }, '/replies'],
  ['POST', '/comments', { body: 'x', anchor: { from: 0, to: 3, line: 1 } }, ''],
  ['POST', '/shares', { role: 'edit', readonly: true }, 'The fields are: role'],
  ['GET', '/comments?since=3', undefined, '/events?since='],
  ['GET', '/comments?type=open', undefined, 'status=open'],
  ['GET', '/content?utm_source=x', undefined, 'The fields are: version']
])('[SLIP-2] %s %s %j is not what was meant: refused, with the next step', async (method, path, json, next) => {
  const before = (await owner.events()).latest
  const answer = await owner.ask(method, path, json === undefined ? {} : { json })
  expect(answer, answer.text).toMatchObject({ status: 400, json: { code: 'invalid_request', hint: expect.stringContaining(next) } })
  expect((await owner.read()).content).toBe('one\n')
  expect((await owner.events()).latest).toBe(before)
})

test('[SLIP-6] mode, as and suggest propose, in the body and in the query, and write nothing', async () => {
  const other = await world.create('one\n')
  const writer = await other.share('suggest')
  for (const words of [{ mode: 'suggest' }, { as: 'suggestions' }, { suggest: true }])
    for (const [method, path, json] of [
      ['PUT', '/content', { content: 'two\n' }],
      ['POST', '/edits', { operations: [{ op: 'replace', find: 'one', with: 'two' }] }]
    ] as const) {
      const query = Object.fromEntries(Object.entries(words).map(([name, value]) => [name, String(value)]))
      for (const what of [{ json: { ...json, ...words } }, { json, query }]) {
        const answer = await writer.ask(method, path, what)
        expect(answer, answer.text).toMatchObject({ status: 200, json: { changed: false, suggestions: [{ original: 'one' }] } })
      }
    }
  // The two fields contradict each other, and one of them would cause a write.
  for (const words of [
    { mode: 'apply', suggest: true },
    { mode: 'apply', as: 'suggestions' },
    { as: 'suggestions', suggest: false }
  ])
    expect((await other.ask('PUT', '/content', { json: { content: 'two\n', ...words } })).status).toBe(400)
  expect((await other.read()).content).toBe('one\n')
})

test('[SLIP-3] a version is a base version wherever it is sent', async () => {
  const other = await world.create('one\n')
  const { version } = await other.read()
  await other.replace('two\n')
  const json = { content: 'three\n' }
  expect((await other.ask('PUT', '/content', { json: { ...json, version } })).json.code).toBe('version_conflict')
  expect((await other.ask('PUT', '/content', { json, query: { baseVersion: version } })).json.code).toBe('version_conflict')
  const both = await other.ask('PUT', '/content', { json: { ...json, baseVersion: version }, query: { baseVersion: 'other' } })
  expect(both).toMatchObject({ status: 400, json: { details: [{ path: 'baseVersion' }] } })
  expect((await other.read()).content).toBe('two\n')
})

test('[SLIP-4] words that ask for the opposite of publishing do not publish', async () => {
  for (const [json, status] of [
    [{ public: false }, 200],
    [{ unpublish: true }, 200],
    [{ action: 'unpublish' }, 200],
    [{ action: 'hide' }, 400]
  ] as const) {
    expect((await owner.ask('POST', '/publish', { json })).status).toBe(status)
    expect((await owner.ask('GET', '')).json.published).toBe(false)
  }
})

test('[SLIP-1] arguments of tools and fields within them count, too', async () => {
  const at = { doc: owner.doc, key: owner.key }
  for (const [args, meant] of [
    [{ content: 'x', baseVerison: '1-0' }, 'baseVersion'],
    [{ edits: [{ op: 'replace', find: 'one', with: 'x', occurence: 2 }] }, 'occurrence'],
    [{ edits: [{ op: 'append', markdown: 'x' }], dryRn: true }, 'dryRun'],
    [{ content: 'x', forced: true, baseVersion: '1-0' }, 'force']
  ] as const)
    expect(JSON.stringify(await refused(world.url, 'replace_doc', { ...at, ...args }))).toContain(meant)
  expect((await owner.read()).content).toBe('one\n')
})

test('[SLIP-12] one answer lists all unknown and all missing fields of a body', async () => {
  const paths = async (path: string, json: object): Promise<string[]> =>
    (await owner.ask('POST', path, { json })).json.details.map((fault: { path: string }) => fault.path)
  expect(await paths('/suggestions', { find: 'one', proposal: 'two', why: 'x' })).toEqual(['proposal', 'why', 'operation'])
  expect(await paths('/edits', { changes: [], dryRun: 'yes' })).toEqual(['changes', 'operations', 'dryRun'])
  expect(await paths('/edits', { dry: true, operations: [{ op: 'replace', old: 'one' }] })).toEqual([
    'dry',
    'operations.0.find',
    'operations.0.with',
    'operations.0'
  ])
})

test('[SLIP-5] a name is a slip only if it can hardly mean anything else', () => {
  const fields = ['find', 'kind', 'note', 'author', 'published', 'expiresAt']
  for (const name of ['kinds', 'fins', 'node', 'updatedAt', 'url', 'commentary'])
    expect(fieldMeant(name, fields), name).toBe(name === 'kinds' ? 'kind' : undefined)
  for (const [name, field] of [
    ['auhtor', 'author'],
    ['expires_at', 'expiresAt'],
    ['expires', 'expiresAt'],
    ['PUBLISHED', 'published']
  ] as const)
    expect(fieldMeant(name, fields)).toBe(field)
})

test('[SLIP-7] a replacement without a version reports what it replaced and whose text, and the call that restores it', async () => {
  const other = await world.create('one\n')
  const by = (name: string, content: string, more: Ask['headers'] = {}): Promise<Answer> =>
    other.ask('PUT', '/content', { json: { content }, headers: { 'X-Agent-Author': name, ...more } })
  await by('Ana', 'two\n')
  const { version } = await other.read()
  const { json } = await by('Ben', 'three\n')
  expect(json).toMatchObject({ unguarded: true, replaced: { version, authors: ['Ana'] } })
  expect((await other.events()).events.at(-1)).toMatchObject({ type: 'content.replaced', payload: { unguarded: true } })
  const { path, body } = json.undo
  expect((await world.ask('POST', path, { key: other.key, json: body })).status).toBe(200)
  expect((await other.read()).content).toBe('two\n')
  // Typed text counts too. An empty document has nothing to lose, and a version that was read satisfies the check.
  const editor = await other.connect({ name: 'Eve' })
  editor.provider.awareness?.setLocalState({ user: { name: 'Eve' } })
  editor.type(0, 'typed ')
  await editor.saved()
  expect((await by('Ben', 'four\n', { 'If-Match': '*' })).json).toMatchObject({
    unguarded: true,
    replaced: { authors: [expect.stringMatching(/Eve|guest/i)] }
  })
  const read = await other.read()
  expect((await other.replace('five\n', { ifMatch: read.version })).unguarded).toBeUndefined()
  const empty = await world.create('')
  expect((await empty.ask('PUT', '/content', { json: { content: 'x' } })).json.unguarded).toBeUndefined()
  expect((await other.ask('PUT', '/content', { json: { content: 'six', mode: 'suggest' } })).json.unguarded).toBeUndefined()
})

test('[SLIP-11] an edit replaces an entire document, or a line by number, only with its version; an empty body replaces nothing', async () => {
  const owner = await world.create('one\n')
  const operations = [{ op: 'set_document', markdown: 'gone' }]
  expect(await owner.ask('POST', '/edits', { json: { operations } })).toMatchObject({ status: 428, json: { code: 'version_required' } })
  const lines = [{ op: 'replace_lines', from: 1, to: 1, markdown: 'gone' }]
  expect(await owner.ask('POST', '/edits', { json: { operations: lines } })).toMatchObject({
    status: 428,
    json: { code: 'version_required' }
  })
  const table = await world.create('| a | b |\n|---|---|\n| c | d |\n')
  for (const cell of [
    { row: 1, column: 2 },
    { row: 'c', column: 2 },
    { row: 1, column: 'b' }
  ])
    expect(await table.ask('POST', '/edits', { json: { op: 'set_cell', ...cell, text: 'x' } })).toMatchObject({
      status: 428,
      json: { code: 'version_required', hint: expect.stringMatching(/first cell.*baseVersion/) }
    })
  expect((await table.read()).content).toContain('| c | d |')
  expect((await table.ask('POST', '/edits', { json: { op: 'set_cell', row: 'c', column: 'b', text: 'x' } })).status).toBe(200)
  const byNumber = { op: 'set_cell', row: 1, column: 2, text: 'y', baseVersion: (await table.read()).version }
  expect((await table.ask('POST', '/edits', { json: byNumber })).json.changed).toBe(true)
  const call = { name: 'svc.replace_doc', arguments: { doc: owner.doc, key: owner.key, edits: operations } }
  const { json } = await world.ask('POST', '/mcp', { json: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: call } })
  expect(json.result.structuredContent.error.code).toBe('version_required')
  const { version } = await owner.read()
  const headers = { 'If-Match': `"${version}"` }
  expect(await owner.ask('PUT', '/content', { body: '', type: 'text/markdown', headers })).toMatchObject({ status: 400 })
  expect((await owner.read()).content).toBe('one\n')
  expect((await owner.ask('POST', '/edits', { json: { operations, baseVersion: version } })).json.changed).toBe(true)
  expect((await owner.ask('PUT', '/content', { json: { content: '' } })).json.changed).toBe(true)
})

test('[SLIP-8] an operator can require the version for every replacement', async () => {
  const strict = await startWorld({ env: { AGMD_REQUIRE_VERSION: 'on' } })
  const doc = await strict.create('one\n')
  const json = { content: 'two\n' }
  for (const what of [{ json }, { json, headers: { 'If-Match': '*' } }])
    expect(await doc.ask('PUT', '/content', what)).toMatchObject({ status: 428, json: { code: 'version_required' } })
  // [REV-9] A restore replaces the text as well.
  expect(await doc.ask('POST', '/restore', { json: { revision: 1 } })).toMatchObject({ status: 428, json: { code: 'version_required' } })
  expect((await doc.read()).content).toBe('one\n')
  const { version } = await doc.read()
  expect((await doc.ask('POST', '/restore', { json: { revision: 1, baseVersion: version } })).status).toBe(200)
  for (const allowed of [
    { ...json, dryRun: true },
    { ...json, mode: 'suggest' },
    { ...json, baseVersion: version }
  ])
    expect((await doc.ask('PUT', '/content', { json: allowed })).status).toBe(200)
  await strict.stop()
})

test.each([
  ['read_doc', { doc: undefined, id: 'x' }, 'did you mean doc?'],
  ['read_doc', { start_line: 1 }, 'did you mean lines?'],
  ['read_doc', { format: 'json' }, 'a tool returns Markdown'],
  ['replace_doc', { old_string: 'one', new_string: 'x' }, 'Send a list of edits'],
  ['replace_doc', { body: 'x' }, 'did you mean content?'],
  ['append_doc', { body: 'x' }, 'did you mean content?'],
  ['resolve_comment', { id: 'c1' }, 'did you mean commentId?'],
  ['create_share', { permission: 'edit' }, 'did you mean role?']
])('[SLIP-13] %s with %j names the likely argument, and nothing changes', async (name, args, meant) => {
  const at = { doc: owner.doc, key: owner.key }
  expect(JSON.stringify(await refused(world.url, name, { ...at, ...args }))).toContain(meant)
  expect((await owner.read()).content).toBe('one\n')
})

test.each([
  ['svc_publish', 'svc_set_published'],
  ['svc.list_documents', 'svc.list_docs'],
  ['svc_edit_document', 'svc_replace_doc'],
  ['svc.get_doc', 'svc.read_doc'],
  ['svc.update_comment', 'svc.edit_comment'],
  ['svc.__proto__', '']
])('[SLIP-14] the unknown tool %s returns %s', async (name, meant) => {
  const { json } = await rpc(world.url, 'tools/call', { name, arguments: {} })
  const guess = meant === '' ? '' : ` Did you mean ${meant}?`
  expect(json.error.message).toBe(`Unknown tool: ${name}.${guess} tools/list names all tools.`)
})
