/** The tools other than the basic ones, and the addresses that list only some of them. */
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hintAfter, hintForTools } from '../../server/mcp/hints.ts'
import { operationTools } from '../../server/mcp/tools.ts'
import { type ErrorCode, errorMeanings, signInHint } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import { groups, invitationPath } from '../../shared/mcp-groups.ts'
import { operations } from '../../shared/operations/index.ts'
import { includesRole, roles } from '../../shared/roles.ts'
import { samples } from '../support/media.ts'
import { refused, rpc, told } from '../support/mcp.ts'
import { assign } from '../support/reviews.ts'
import { startProcess } from '../support/start.ts'
import { type Json, type Person, startWorld, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const at = ({ doc, key }: Person): { doc: string; key: string } => ({ doc, key })

const list = async (query: string): Promise<Json[]> => (await rpc(world.url, 'tools/list', {}, { query })).json.result.tools

const names = async (query: string): Promise<string[]> => (await list(query)).map(({ name }) => name.slice('svc.'.length))

// ——— every operation ———

/** Operations that have no tool, with the reason. */
const withoutTool: Readonly<Record<string, string>> = {
  readDiff: 'read_doc with since',
  readComment: 'list_comments with id',
  readSuggestion: 'list_suggestions with id',
  readShare: 'list_shares with id',
  readRevision: 'read_doc with version',
  patchContent: 'the same as editContent',
  draftSuggestion: 'for letters as they are typed in a page',
  listDrawings: 'for the page that draws diagrams',
  storeDrawing: 'for the page that draws diagrams',
  readSpeechAudio: 'bytes; speak_text tells their address, or saves them',
  readRelayStatus: 'a media tool says what is missing',
  readHealth: 'for operators',
  findSession: 'for pages',
  readMe: 'list_docs says whether somebody is signed in',
  updateMe: 'for the person at /account',
  listSessions: 'for the person at /account',
  revokeSession: 'for the person at /account',
  revokeSessions: 'for the person at /account',
  createToken: 'for the person at /account',
  listTokens: 'for the person at /account',
  revokeToken: 'for the person at /account',
  startDeviceLogin: 'for the client',
  pollDeviceLogin: 'for the client',
  createNode: 'for the person at /account',
  listNodes: 'for the person at /account',
  revokeNode: 'for the person at /account'
}

test('[MCP-30] every operation has a tool, or a reason not to have one', () => {
  const reached = new Set(operationTools.flatMap((tool) => tool.operations))
  for (const [name, { mcp }] of Object.entries(operations as Record<string, { mcp?: string }>)) {
    expect(reached.has(name as never), `${name}: give it a tool, or name the reason here`).toBe(withoutTool[name] === undefined)
    expect(mcp !== undefined, `${name}: mcp in the table`).toBe(reached.has(name as never))
  }
})

test('[MCP-31] tools reply, resolve and reopen, edit, delete, withdraw', async () => {
  const owner = await world.create('One two three.\n')
  const place = { ...at(owner), author: 'Ada' }
  const { id: commentId } = await told(world.url, 'add_comment', { ...place, body: 'Why?', find: 'two' })
  const { id: suggestionId } = await told(world.url, 'add_suggestion', { ...place, operation: 'replace', find: 'three', text: '3' })
  expect((await told(world.url, 'reply', { ...place, commentId, body: 'So.' })).comment.replies).toMatchObject([{ body: 'So.' }])
  expect((await told(world.url, 'reply', { ...place, suggestionId, text: 'Good.' })).suggestion.replies).toMatchObject([{ body: 'Good.' }])
  for (const both of [{}, { commentId, suggestionId }])
    expect((await refused(world.url, 'reply', { ...place, ...both, body: 'x' })).details[0].path).toBe('commentId')
  const status = async (args: object): Promise<string> =>
    (await told(world.url, 'resolve_comment', { ...place, commentId, ...args })).comment.status
  expect([await status({}), await status({ resolved: false }), await status({ action: 'resolve' })]).toEqual([
    'resolved',
    'open',
    'resolved'
  ])
  expect((await told(world.url, 'edit_comment', { ...place, commentId, body: 'Whence?' })).comment.body).toBe('Whence?')
  expect((await told(world.url, 'withdraw_suggestion', { ...place, suggestionId })).suggestion.withdrawn).toBe(true)
  await told(world.url, 'delete_comment', { ...place, commentId })
  expect((await told(world.url, 'list_comments', place)).comments).toEqual([])
})

test('[MCP-31] one tool decides one suggestion or several', async () => {
  const owner = await world.create('One two three.\n')
  const suggest = async (find: string): Promise<string> =>
    (await told(world.url, 'add_suggestion', { ...at(owner), operation: 'replace', find, text: find.toUpperCase() })).id
  const ids = [await suggest('One'), await suggest('two'), await suggest('three')]
  const decide = (args: object): Promise<Json> => told(world.url, 'resolve_suggestion', { ...at(owner), ...args })
  expect((await decide({ suggestionId: ids[0], action: 'accept' })).suggestion.status).toBe('accepted')
  expect((await decide({ suggestionIds: ids.slice(1), action: 'accept', dryRun: true })).diff).toContain('TWO THREE')
  expect((await owner.read()).content).toBe('ONE two three.\n')
  const { results } = await decide({
    decisions: [
      { suggestionId: ids[1], action: 'accept' },
      { id: ids[2], action: 'reject' }
    ]
  })
  expect(results.map(({ suggestion }: Json) => suggestion.status)).toEqual(['accepted', 'rejected'])
  expect((await owner.read()).content).toBe('ONE TWO three.\n')
  expect((await refused(world.url, 'resolve_suggestion', { ...at(owner), suggestionId: ids[2] })).details[0].path).toBe('action')
})

test('[MCP-31] revisions are listed, named and restored; a document is renamed, and null resets the title', async () => {
  const owner = await world.create('# One\n')
  await owner.replace('# Two\n')
  const { revisions } = await told(world.url, 'list_revisions', at(owner))
  const [{ version }] = revisions.slice(-1)
  expect((await told(world.url, 'read_doc', { ...at(owner), version })).content).toBe('# One\n')
  const label = (text: string | null): Promise<Json> =>
    told(world.url, 'label_revision', { ...at(owner), revisionId: revisions[0].id, label: text })
  expect((await label('Draft')).label).toBe('Draft')
  expect((await label(null)).label).toBeNull()
  const earlier = { ...at(owner), revision: revisions.at(-1).id }
  expect((await refused(world.url, 'restore_revision', earlier)).code).toBe('version_required')
  await told(world.url, 'restore_revision', { ...earlier, baseVersion: revisions[0].version })
  expect((await owner.read()).content).toBe('# One\n')
  const rename = async (title: string | null): Promise<string> => (await told(world.url, 'rename_doc', { ...at(owner), title })).title
  expect([await rename('Mine'), await rename(null)]).toEqual(['Mine', 'One'])
  expect((await refused(world.url, 'rename_doc', at(owner))).details[0].path).toBe('title')
  expect((await told(world.url, 'read_doc', { ...at(owner), view: 'info' })).role).toBe('owner')
  expect((await told(world.url, 'read_doc', { ...at(owner), view: 'authors' })).lines).toHaveLength(1)
})

test('[MCP-31] links are listed without secrets, changed and revoked; a document goes to the trash and returns', async () => {
  const owner = await world.create('text')
  const guest = await owner.share('view')
  const { shares } = await told(world.url, 'list_shares', at(owner))
  expect(shares.map(({ id }: Json) => id)).toContain(guest.link.id)
  expect(JSON.stringify(shares)).not.toContain(guest.key)
  const link = { ...at(owner), share: guest.link.id }
  expect((await told(world.url, 'change_share', { ...link, role: 'edit' })).role).toBe('edit')
  await told(world.url, 'append_doc', { ...at(guest), content: 'More.' })
  await told(world.url, 'revoke_share', link)
  expect((await refused(world.url, 'read_doc', at(guest))).code).toBe('credential_invalid')
  expect((await refused(world.url, 'delete_doc', { ...at(owner), restore: 'yes' })).details[0].path).toBe('restore')
  expect((await refused(world.url, 'delete_doc', { ...at(owner), permanent: true })).code).toBe('invalid_request')
  expect((await told(world.url, 'delete_doc', at(owner))).restorableUntil).not.toBeNull()
  expect((await refused(world.url, 'read_doc', at(owner))).code).toBe('document_deleted')
  await told(world.url, 'delete_doc', { ...at(owner), restore: true })
  expect((await owner.read()).content).toContain('More.')
})

test('[MCP-36] the bytes of an uploaded file decide its type', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'agmd-upload-'))
  const world = await startWorld({ folder })
  const owner = await world.create('text')
  const data = Buffer.from(samples['png']?.bytes as Uint8Array).toString('base64')
  const asset = await told(world.url, 'upload_asset', { ...at(owner), data, name: 'A dot' }, { 'X-Share-Key': owner.key })
  expect(asset).toMatchObject({ contentType: 'image/png', markdown: expect.stringMatching(/^!\[A dot\]\(\/f\/.+\.png\)$/) })
  expect((await world.ask('GET', new URL(asset.url).pathname)).status).toBe(200)
  expect((await told(world.url, 'upload_asset', { ...at(owner), data: `data:image/png;base64,${data}` })).contentType).toBe('image/png')
  const kept = await world.service.blobs.list()
  const refusal = async (args: object): Promise<string> =>
    (await refused(world.url, 'upload_asset', { ...at(owner), ...args }, { 'X-Share-Key': owner.key })).code
  expect(await refusal({})).toBe('invalid_request')
  expect(await refusal({ data: 'not base64!' })).toBe('invalid_request')
  expect(await refusal({ data: Buffer.from('just words').toString('base64') })).toBe('unsupported_media_type')
  expect(await refusal({ data: data.slice(0, 40) })).toBe('unsupported_media_type')
  expect(await refusal({ data: 'A'.repeat(Math.ceil((limits.assetBytesMax * 4) / 3) + 8) })).toBe('body_too_large')
  expect(await world.service.blobs.list()).toEqual(kept)
  const waiting = (await readdir(folder, { recursive: true, withFileTypes: true })).filter(
    (entry) => entry.isFile() && basename(entry.parentPath) === 'new'
  )
  expect(waiting.map(({ name }) => name)).toEqual([])
  await world.stop()
  await rm(folder, { recursive: true })
})

test('[MCP-50] after many regular expressions, the largest file in base64 is accepted and a larger one is refused', async () => {
  // V8 compiles without these optimizations once a process has 1 MB of compiled expressions.
  const withoutSpace = "import { setFlagsFromString } from 'node:v8'; setFlagsFromString('--no-regexp-optimization')"
  const server = await startProcess({ preload: `data:text/javascript,${encodeURIComponent(withoutSpace)}` })
  const { id: doc, key } = (await (await fetch(`${server.url}/new`, { method: 'POST' })).json()) as Json
  const file = (bytes: number): object => {
    const png = samples['png']?.bytes as Uint8Array
    // The last chunk of a PNG has 12 bytes, and the service checks the end of a file.
    const parts = [png.subarray(0, -12), Buffer.alloc(bytes - png.length), png.subarray(-12)]
    return { doc, data: Buffer.concat(parts).toString('base64') }
  }
  const { size } = await told(server.url, 'upload_asset', file(limits.assetBytesMax), { 'X-Share-Key': key })
  expect(size).toBe(limits.assetBytesMax)
  const { code } = await refused(server.url, 'upload_asset', file(limits.assetBytesMax + 1), { 'X-Share-Key': key })
  expect(code).toBe('body_too_large')
  await server.stop()
})

// ——— addresses with fewer tools ———

test('[MCP-32] an address limits the list to groups; an unknown group is refused with the existing ones', async () => {
  const whole = await names('')
  const parts = await Promise.all(groups.map((group) => names(`?tools=${group}`)))
  expect(
    parts
      .flat()
      .filter((name) => name !== 'get_skill')
      .toSorted()
  ).toEqual(whole.filter((name) => name !== 'get_skill').toSorted())
  for (const part of parts) expect(part).toContain('get_skill')
  expect(await names('?tools=read,edit')).toEqual(whole.filter((name) => [...(parts[0] ?? []), ...(parts[1] ?? [])].includes(name)))
  expect(await names('?tools=Read,%20edit')).toEqual(await names('?tools=read&tools=edit'))
  for (const tools of ['write', '', 'read,', 'constructor']) {
    const { status, json } = await rpc(world.url, 'tools/list', {}, { query: `?tools=${tools}` })
    expect({ status, code: json.code }, tools).toEqual({ status: 400, code: 'invalid_request' })
    expect(json.details[0]).toMatchObject({ path: 'tools', message: expect.stringContaining('read, edit, review, share, media, account') })
  }
  expect((await rpc(world.url, 'tools/list', {}, { query: '?role=king' })).json.details[0].path).toBe('role')
})

test.each([
  ['?names=bogus', 'names', 'the accepted values are underscore'],
  ['?names=underscore&tool=read', 'tool', 'the fields are names, tools, role, doc, sign_in, key, author']
])('[MCP-48] the address %s is refused with the existing fields', async (query, path, message) => {
  const { status, json } = await rpc(world.url, 'tools/list', {}, { query })
  expect({ status, code: json.code }).toEqual({ status: 400, code: 'invalid_request' })
  expect(json.details[0]).toMatchObject({ path, message: expect.stringContaining(message) })
})

test('[MCP-33] a tool that the address excludes is refused, and the answer names the group', async () => {
  const owner = await world.create('text')
  const append = (query: string): Promise<Json> =>
    rpc(world.url, 'tools/call', { name: 'svc_append_doc', arguments: { ...at(owner), content: 'x' } }, { query }).then(({ json }) => json)
  const { error } = await append('?tools=read,review')
  expect(error).toMatchObject({ code: -32602, message: expect.stringMatching(/tools=read,review.*connect with edit in this list/) })
  expect((await owner.read()).content).toBe('text')
  expect((await append('?tools=edit')).result.isError).toBeUndefined()
})

test.each(roles)('[MCP-34] the address of an invitation lists the tools that a link with the role %s can use', async (role) => {
  const owner = await world.create('text')
  const guest = await owner.share(role)
  const query = invitationPath(owner.doc, role).replace('/mcp', '')
  const { text, json } = await rpc(world.url, 'tools/list', {}, { query })
  if (role !== 'owner') expect(Buffer.byteLength(text)).toBeLessThanOrEqual(16 * 1024)
  for (const { name, inputSchema } of json.result.tools) {
    const tool = operationTools.find((each) => `svc_${each.name}` === name)
    expect(includesRole(role, tool?.role ?? 'view'), name).toBe(true)
    expect(Object.keys(inputSchema.properties), name).not.toEqual(expect.arrayContaining(['doc']))
    expect(inputSchema.required ?? [], name).not.toContain('doc')
  }
  const called = await rpc(world.url, 'tools/call', { name: 'svc_read_doc' }, { query, headers: { 'X-Share-Key': guest.key } })
  expect(called.json.result.structuredContent.content).toBe('text')
  // A role in the address grants no rights.
  const asOwner = invitationPath(owner.doc, 'owner').replace('/mcp', '')
  const deleted = await rpc(world.url, 'tools/call', { name: 'svc_delete_doc' }, { query: asOwner, headers: { 'X-Share-Key': guest.key } })
  expect(deleted.json.result.structuredContent.error?.code).toBe(role === 'owner' ? undefined : 'forbidden')
})

test.each([
  '',
  ...groups.map((group) => `?tools=${group}`),
  ...roles.map((role) => invitationPath('x'.repeat(20), role).replace('/mcp', ''))
])('[MCP-35] %j: instructions and skill name only tools that are listed', async (query) => {
  const listed = new Set(await names(query))
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const { instructions } = (await rpc(world.url, 'initialize', hello, { query })).json.result
  const { skill } = (await rpc(world.url, 'tools/call', { name: 'svc.get_skill' }, { query })).json.result.structuredContent
  const named = [...`${instructions}\n${skill}`.matchAll(/svc[._](\w+)/g)].map(([, name = '']) => name)
  expect(named.filter((name) => !listed.has(name))).toEqual([])
  expect(Buffer.byteLength(instructions)).toBeLessThanOrEqual(1536)
})

test('[MCP-37] read-only tools are annotated as such, and every other as destructive or not', async () => {
  for (const { name, annotations } of await list('')) {
    const tool = operationTools.find((each) => `svc.${each.name}` === name)
    const reads = tool?.operations.every((operation) => operations[operation].rest.method === 'GET') ?? true
    expect(annotations.readOnlyHint ?? false, name).toBe(reads)
    expect(typeof annotations.destructiveHint, name).toBe(reads ? 'undefined' : 'boolean')
    expect(annotations.openWorldHint, name).toBe(name === 'svc.set_published' ? undefined : false)
  }
})

// ——— hints ———

const httpCall = /\b(?:GET|POST|PUT|PATCH|DELETE) [/…]/

test('[MCP-49] a hint names the tool of a call, under its listed name', async () => {
  const owner = await world.create('One two.\n')
  const hint = async (query: string, joint: string, name: string, args: object): Promise<string> => {
    const params = { name: `svc${joint}${name}`, arguments: { ...at(owner), ...args } }
    return (await rpc(world.url, 'tools/call', params, { query })).json.result.structuredContent.error.hint
  }
  for (const [query, joint] of [
    ['', '.'],
    ['?names=underscore', '_']
  ] as const) {
    const to = `svc${joint}`
    expect(await hint(query, joint, 'add_comment', { body: 'x', replyTo: 'c1' })).toContain(`with ${to}reply {commentId, body}`)
    expect(await hint(query, joint, 'list_comments', { since: '3' })).toContain(`with ${to}list_events {since}`)
    const title = { content: 'x', title: 'Two', force: true }
    expect(await hint(query, joint, 'replace_doc', title)).toContain(`with ${to}rename_doc {title}`)
    // A tool can also restore a document that was replaced without being read.
    const forced = { name: `${to}replace_doc`, arguments: { ...at(owner), content: `Three ${joint}\n`, force: true } }
    const { undo } = (await rpc(world.url, 'tools/call', forced, { query })).json.result.structuredContent
    expect(undo).toMatchObject({ tool: `${to}restore_revision`, arguments: { revision: expect.any(Number) } })
    await rpc(world.url, 'tools/call', { name: undo.tool, arguments: { ...at(owner), ...undo.arguments } }, { query })
    expect((await owner.read()).content).toBe('One two.\n')
  }
  await told(world.url, 'delete_doc', at(owner))
  expect(await hint('', '.', 'read_doc', {})).toContain('svc.delete_doc {restore: true}')
  const uri = `agmd://doc/${owner.doc}`
  const { error } = (await rpc(world.url, 'resources/read', { uri }, { headers: { 'X-Share-Key': owner.key } })).json
  expect(error.data.error.hint).toContain('svc.delete_doc {restore: true}')
})

test('[MCP-49] the next call of an assignment and of an inbox item is a tool, under its listed name', async () => {
  const owner = await world.create('One two.\n')
  await owner.ask('POST', '/comments', { json: { body: 'Whose, @Bo?', find: 'two', author: 'Ana' } })
  const link = await assign(world, owner)
  for (const [query, to] of [
    ['', 'svc.'],
    ['?names=underscore', 'svc_']
  ] as const) {
    const listed = (await list(query)).map(({ name }) => name)
    const ask = async (name: string, args: object): Promise<Json> =>
      (await rpc(world.url, 'tools/call', { name: `${to}${name}`, arguments: args }, { query })).json.result.structuredContent
    const { items } = await ask('inbox', { ...at(owner), author: 'Bo' })
    expect(items).toMatchObject([{ next: { operation: 'replyToComment', tool: `${to}reply` } }])
    const { assignment } = await ask('read_doc', at(link.by()))
    const { next } = await ask('start_review_task', { ...at(link.by('Rex')), taskId: link.id })
    const named = [items[0].next.tool, ...`${assignment.next} ${next}`.matchAll(/[\w.]*(?:add|report|start)_\w+/g)].map(String)
    expect(named.length).toBeGreaterThan(3)
    expect(listed).toEqual(expect.arrayContaining(named))
  }
})

test('[MCP-49] no hint tells a tool to make a call that a tool makes, and each names only existing tools and arguments', () => {
  const own = Object.entries(errorMeanings).map(([code, { hint }]) => hintAfter(code as ErrorCode, hint, false, 'svc_'))
  const elsewhere = Object.values(operations as Record<string, { mcp?: string; elsewhere?: Record<string, string> }>)
    .filter(({ mcp }) => mcp !== undefined)
    .flatMap((operation) => Object.values(operation.elsewhere ?? {}).map((hint) => hintForTools(hint, 'svc_')))
  const every = Object.values(operations as Record<string, { mcp?: string; rest: { method: string; path: string } }>)
    .filter(({ mcp }) => mcp !== undefined)
    .map(({ rest }) => hintForTools(`Do ${rest.method} ${rest.path}.`, 'svc_'))
  const said = [...own, ...elsewhere, ...every, hintForTools(signInHint, 'svc_')]
  expect(said.filter((hint) => httpCall.test(hint))).toEqual([])
  const named = said.flatMap((hint) => [...hint.matchAll(/svc_(\w+)(?: \{([^}]*)\})?/g)])
  expect(named.length).toBeGreaterThan(50)
  for (const [whole, name, fields = ''] of named) {
    const tool = operationTools.find((each) => each.name === name)
    const known = Object.keys((tool?.inputSchema['properties'] ?? {}) as object)
    expect(known, whole).toEqual(expect.arrayContaining(fields === '' ? [] : fields.split(', ').map((field) => field.split(':')[0])))
    expect(tool, whole).toBeDefined()
  }
  // A call that no tool can perform is not rewritten.
  expect(hintForTools('GET /api/relay/status lists them.', 'svc_')).toBe('GET /api/relay/status lists them.')
})
