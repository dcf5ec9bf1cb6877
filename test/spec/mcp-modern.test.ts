/** Version 2026-07-28 of MCP, which has no handshake and no session, at the same address as the other versions. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { limits } from '../../shared/limits.ts'
import { post, type Rpc } from '../support/mcp.ts'
import { type Person, settledWithin, startWorld, until, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const version = '2026-07-28'
const key = (name: string): string => `io.modelcontextprotocol/${name}`
const meta = { [key('protocolVersion')]: version, [key('clientCapabilities')]: {} }

const queryOf = ({ doc, key: secret }: Person): string => `?doc=${doc}&key=${secret}`

interface Sent {
  readonly params?: Record<string, unknown>
  /** Replaces the correct headers. An empty value omits the header. */
  readonly headers?: Record<string, string>
  readonly query?: string
}

const send = (method: string, { params = {}, headers = {}, query = '' }: Sent = {}): Promise<Rpc> => {
  const name = params['name'] ?? params['uri']
  const right = { 'MCP-Protocol-Version': version, 'Mcp-Method': method, ...(typeof name === 'string' && { 'Mcp-Name': name }) }
  const all = Object.entries({ ...right, ...headers }).filter(([, value]) => value !== '')
  return post(
    world.url,
    JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { _meta: meta, ...params } }),
    Object.fromEntries(all),
    query
  )
}

const connect = async (person: Person, url = world.url): Promise<Client> => {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: { pin: version } } })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp${queryOf(person)}`)))
  return client
}

test('[MCP-44] the official client of that version connects, lists, reads and calls', async () => {
  const owner = await world.create('# Plan\n')
  const client = await connect(owner)
  expect(client.getNegotiatedProtocolVersion()).toBe(version)
  expect(client.getInstructions()).toContain(owner.doc)
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toContain('svc.read_doc')
  const read = await client.callTool({ name: 'svc.read_doc', arguments: {} })
  expect(read.structuredContent).toMatchObject({ content: '# Plan\n' })
  const { resources } = await client.listResources()
  const { contents } = await client.readResource({ uri: resources[0]?.uri ?? '' })
  expect(contents[0]).toMatchObject({ text: '# Plan\n' })
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toContain('review')
  await client.close()
})

test('[MCP-44] a client that supports both versions gets this one', async () => {
  const owner = await world.create('# Plan\n')
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${world.url}/mcp${queryOf(owner)}`)))
  expect(client.getNegotiatedProtocolVersion()).toBe(version)
  await client.close()
})

test('[MCP-44] each result states its type, the server, and how long it may be cached', async () => {
  const owner = await world.create('# Plan\n')
  const query = queryOf(owner)
  const info = { name: 'agmd', version: expect.any(String) }
  const keeping: [string, Record<string, unknown>, object][] = [
    ['server/discover', {}, { supportedVersions: expect.arrayContaining([version]), ttlMs: 300_000, cacheScope: 'private' }],
    ['tools/list', {}, { ttlMs: 300_000, cacheScope: 'public' }],
    ['prompts/list', {}, { ttlMs: 300_000, cacheScope: 'public' }],
    ['resources/templates/list', {}, { ttlMs: 300_000, cacheScope: 'public' }],
    ['resources/list', {}, { ttlMs: 0, cacheScope: 'private' }],
    ['resources/read', { uri: `agmd://doc/${owner.doc}` }, { ttlMs: 0, cacheScope: 'private' }],
    ['tools/call', { name: 'svc.get_skill' }, {}],
    ['prompts/get', { name: 'review' }, {}]
  ]
  for (const [method, params, fields] of keeping) {
    const { status, headers, json } = await send(method, { params, query })
    expect({ method, status, session: headers.get('Mcp-Session-Id') }).toEqual({ method, status: 200, session: null })
    expect(json.result, method).toMatchObject({ resultType: 'complete', ...fields, _meta: { [key('serverInfo')]: info } })
  }
  // Earlier versions still work.
  const { json } = await post(world.url, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }))
  expect(Object.keys(json.result)).toEqual(['tools'])
})

test('[MCP-44] discovery returns what the handshake and the description say: every version, and subscriptions to resources', async () => {
  const owner = await world.create('# Plan\n')
  const spoken = (await fetch(`${world.url}/mcp`, { headers: { Accept: 'application/json' } }).then((answer) => answer.json())) as {
    protocolVersions: string[]
  }
  const shake = async (protocolVersion: string, query: string): Promise<Rpc['json']> => {
    const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    return (await post(world.url, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }), {}, query)).json.result
  }
  for (const query of [queryOf(owner), '']) {
    const { json } = await send('server/discover', { query })
    const { supportedVersions, capabilities, instructions } = json.result
    expect(supportedVersions).toEqual(spoken.protocolVersions)
    expect(capabilities).toMatchObject({ tools: {}, prompts: {}, resources: { subscribe: true } })
    for (const older of supportedVersions.filter((each: string) => each !== version)) {
      const shaken = await shake(older, query)
      expect(shaken).toMatchObject({ protocolVersion: older, instructions })
      // Without a document or an account there is no session, and therefore no stream.
      expect(shaken.capabilities).toEqual(query === '' ? { ...capabilities, resources: {} } : capabilities)
    }
  }
})

test('[MCP-44] a refusal without a valid credential is a 401, as in other versions', async () => {
  const { doc } = await world.create('# Plan\n')
  const { status, headers, json } = await send('tools/call', { params: { name: 'svc.read_doc', arguments: { doc } } })
  expect(status).toBe(401)
  expect(headers.get('WWW-Authenticate')).toContain('/.well-known/oauth-protected-resource/mcp')
  expect(json.result).toMatchObject({ isError: true, resultType: 'complete' })
})

test.each<[string, string, Sent, number, number]>([
  ['no header of the version', 'tools/list', { headers: { 'MCP-Protocol-Version': '' } }, 400, -32020],
  ['another version in the header', 'tools/list', { headers: { 'MCP-Protocol-Version': '2025-11-25' } }, 400, -32020],
  ['no header of the method', 'tools/list', { headers: { 'Mcp-Method': '' } }, 400, -32020],
  ['another method in the header', 'tools/list', { headers: { 'Mcp-Method': 'tools/call' } }, 400, -32020],
  ['no header of the name', 'tools/call', { params: { name: 'svc.get_skill' }, headers: { 'Mcp-Name': '' } }, 400, -32020],
  [
    'another name in the header',
    'tools/call',
    { params: { name: 'svc.delete_doc' }, headers: { 'Mcp-Name': 'svc.get_skill' } },
    400,
    -32020
  ],
  ['another resource in the header', 'resources/read', { params: { uri: 'agmd://doc/a' }, headers: { 'Mcp-Name': 'b' } }, 400, -32020],
  ['no version in the body', 'tools/list', { params: { _meta: { [key('clientCapabilities')]: {} } } }, 400, -32602],
  ['no capabilities', 'tools/list', { params: { _meta: { [key('protocolVersion')]: version } } }, 400, -32602],
  ['no fields at all', 'tools/list', { params: { _meta: {} } }, 400, -32602],
  ['an unknown method', 'tools/forget', {}, 404, -32601],
  ['a method of earlier versions', 'ping', {}, 404, -32601],
  ['a handshake', 'initialize', {}, 404, -32601],
  ['a subscription of earlier versions', 'resources/subscribe', {}, 404, -32601],
  ['a resource that there is not', 'resources/read', { params: { uri: 'agmd://doc/none' } }, 200, -32602],
  ['a filter that is none', 'subscriptions/listen', { params: { notifications: [] } }, 200, -32602]
])('[MCP-45] %s is refused', async (_what, method, sent, status, code) => {
  const answer = await send(method, sent)
  expect({ status: answer.status, json: answer.json }).toMatchObject({ status, json: { id: 1, error: { code } } })
})

test('[MCP-45] an unsupported version returns 400 with the supported ones; a name may be in Base64', async () => {
  const later = { _meta: { ...meta, [key('protocolVersion')]: '2099-01-01' } }
  const { status, json } = await send('tools/list', { params: later, headers: { 'MCP-Protocol-Version': '2099-01-01' } })
  expect({ status, error: json.error }).toMatchObject({
    status: 400,
    error: { code: -32022, data: { supported: [version], requested: '2099-01-01' } }
  })
  const name = `=?base64?${Buffer.from('svc.get_skill').toString('base64')}?=`
  const called = await send('tools/call', { params: { name: 'svc.get_skill' }, headers: { 'Mcp-Name': name } })
  expect(called.json.result).toMatchObject({ structuredContent: { name: 'agmd' } })
})

test('[MCP-46] the official client listens and is notified of changes until its link ends', async () => {
  const owner = await world.create('# Plan\n')
  const guest = await owner.share('view')
  const client = await connect(guest)
  const told: string[] = []
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => void told.push(params.uri))
  const uri = `agmd://doc/${owner.doc}`
  const stream = await client.listen({ resourceSubscriptions: [uri], toolsListChanged: true })
  expect(stream.honoredFilter).toEqual({ resourceSubscriptions: [uri] })
  await owner.ask('POST', '/comments', { json: { body: 'Why?' } })
  await owner.replace('# Plan\n\nMore.\n')
  await until(() => told.length > 0, 'a notice of the text')
  expect(told).toEqual([uri])
  await owner.ask('DELETE', `/shares/${guest.link.id}`)
  expect(await settledWithin(stream.closed, 1000)).not.toBe('waiting')
  expect(await stream.closed).toBe('graceful')
  await client.close()
})

test('[MCP-46] the stream ends with the server, and at once if there is nothing to watch', async () => {
  const other = await startWorld()
  const owner = await other.create('# Plan\n')
  const client = await connect(owner, other.url)
  const idle = await client.listen({ toolsListChanged: true })
  expect(idle.honoredFilter).toEqual({})
  expect(await idle.closed).toBe('graceful')
  const stream = await client.listen({ resourceSubscriptions: [`agmd://doc/${owner.doc}`] })
  await other.stop()
  expect(await settledWithin(stream.closed, 1000)).not.toBe('waiting')
  await client.close()
})

test('[MCP-46] a stream needs the right to read all of it, and respects the limit of a session', async () => {
  const owner = await world.create('# Plan\n')
  const foreign = await world.create('# Other\n')
  const listen = (uris: string[], query: string): Promise<Rpc> =>
    send('subscriptions/listen', { params: { notifications: { resourceSubscriptions: uris } }, query })
  const [mine, theirs] = [`agmd://doc/${owner.doc}`, `agmd://doc/${foreign.doc}`]
  expect((await listen([mine, theirs], queryOf(owner))).json.error.data.error.code).toBe('not_found')
  const { status, json } = await listen([mine], '')
  expect({ status, code: json.error.data.error.code }).toEqual({ status: 401, code: 'credential_required' })
  const many = Array.from({ length: limits.mcpSubscriptionsMax + 1 }, (_none, n) => `${mine}/section/${n}`)
  expect((await listen(many, queryOf(owner))).json.error.data.error.code).toBe('rate_limited')
})
