/** Notifications about changes of resources, on the stream of a session. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { limits } from '../../shared/limits.ts'
import { rpc } from '../support/mcp.ts'
import { type Json, type Person, settledWithin, startWorld, until, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.stop())

const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }

const queryOf = ({ doc, key }: Person): string => `?doc=${doc}&key=${key}`

const begin = async (person: Person, from = world): Promise<string> =>
  (await rpc(from.url, 'initialize', hello, { query: queryOf(person) })).headers.get('Mcp-Session-Id') ?? ''

/** Opens the stream of a session. `ended` resolves when the stream ends. */
const listen = async (
  person: Person,
  id: string,
  from = world
): Promise<{ status: number; said: string[]; ended: Promise<void>; leave: () => void }> => {
  const leaving = new AbortController()
  const response = await fetch(`${from.url}/mcp${queryOf(person)}`, {
    headers: { Accept: 'text/event-stream', 'Mcp-Session-Id': id },
    signal: leaving.signal
  })
  const said: string[] = []
  const read = async (): Promise<void> => {
    if (response.status === 200)
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) said.push(new TextDecoder().decode(chunk))
  }
  return { status: response.status, said, ended: read().catch(() => undefined), leave: () => leaving.abort() }
}

const subscribe = async (person: Person, id: string, path = ''): Promise<Json> =>
  (
    await rpc(
      world.url,
      'resources/subscribe',
      { uri: `agmd://doc/${person.doc}${path}` },
      { query: queryOf(person), headers: { 'Mcp-Session-Id': id } }
    )
  ).json

test('[MCP-41] the official client subscribes and is notified when the text or the comments change', async () => {
  const owner = await world.create('# Plan\n')
  const client = new Client({ name: 'test', version: '1' })
  const told: string[] = []
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => void told.push(params.uri))
  const transport = new StreamableHTTPClientTransport(new URL(`${world.url}/mcp${queryOf(owner)}`))
  await client.connect(transport as never)
  const uri = `agmd://doc/${owner.doc}`
  // The order matters: a notification about the comments would arrive first.
  await client.subscribeResource({ uri: `${uri}/comments` })
  await client.subscribeResource({ uri })
  await owner.replace('# Plan\n\nMore.\n')
  await until(() => told.includes(uri), 'a notice of the text')
  expect(told).toEqual([uri])
  await owner.ask('POST', '/comments', { json: { body: 'Why?' } })
  await until(() => told.includes(`${uri}/comments`), 'a notice of the comment')
  expect(told).toEqual([uri, `${uri}/comments`])
  await client.unsubscribeResource({ uri: `${uri}/comments` })
  await owner.ask('POST', '/comments', { json: { body: 'Again?' } })
  await owner.replace('# Plan\n\nEven more.\n')
  await until(() => told.length > 2, 'the next notice of the text')
  expect(told).toEqual([uri, `${uri}/comments`, uri])
  await client.close()
})

test('[MCP-42] the stream ends with its link, and so does the session', async () => {
  const owner = await world.create('text')
  const guest = await owner.share('view')
  const id = await begin(guest)
  const stream = await listen(guest, id)
  expect((await subscribe(guest, id)).result).toEqual({})
  const idle = await listen(guest, await begin(guest))
  expect(await settledWithin(stream.ended, 150)).toBe('waiting')
  await owner.ask('DELETE', `/shares/${guest.link.id}`)
  for (const { ended } of [stream, idle]) expect(await settledWithin(ended, 1000)).not.toBe('waiting')
  const before = stream.said.join('')
  await owner.replace('changed')
  expect(stream.said.join('')).toBe(before)
  expect((await listen(guest, id)).status).toBe(401)
  expect((await listen(owner, id)).status).toBe(404)
})

test('[MCP-42] a session ends with its connection, and after a restart', async () => {
  const owner = await world.create('text')
  const id = await begin(owner)
  const stream = await listen(owner, id)
  await subscribe(owner, id)
  stream.leave()
  await stream.ended
  const isOver = async (): Promise<boolean> => (await subscribe(owner, id, '/outline')).error?.data.error.code === 'not_found'
  await until(isOver, 'the session to be over')
  expect((await listen(owner, id)).status).toBe(404)
  expect((await subscribe(owner, id)).error.data.error.code).toBe('not_found')
  const other = await startWorld()
  const elsewhere = await other.create('text')
  expect((await listen(elsewhere, await begin(owner), other)).status).toBe(404)
  const last = await listen(elsewhere, await begin(elsewhere, other), other)
  expect(last.status).toBe(200)
  await other.stop()
  await last.ended
})

test('[MCP-42] without a document or an account there is no session, and without a valid credential no stream', async () => {
  const owner = await world.create('text')
  const { headers } = await rpc(world.url, 'initialize', hello)
  expect(headers.get('Mcp-Session-Id')).toBeNull()
  const id = await begin(owner)
  expect((await listen({ ...owner, key: 'A'.repeat(32) } as Person, id)).status).toBe(401)
  expect((await listen({ ...owner, doc: (await world.create('other')).doc } as Person, id)).status).toBe(404)
  expect((await listen(owner, 'nonsense')).status).toBe(404)
  expect((await subscribe(owner, '')).error.data.error.hint).toContain('Mcp-Session-Id')
  expect((await subscribe({ ...owner, key: 'A'.repeat(32) } as Person, id)).error.data.error.code).toBe('credential_invalid')
})

test('[MCP-43] the subscriptions of a session are bounded', async () => {
  const owner = await world.create('text')
  const id = await begin(owner)
  const stream = await listen(owner, id)
  for (let n = 0; n < limits.mcpSubscriptionsMax; n++) expect((await subscribe(owner, id, `/section/${n}`)).result, String(n)).toEqual({})
  expect((await subscribe(owner, id, '/section/0')).result).toEqual({})
  expect((await subscribe(owner, id, '/section/more')).error.data.error.code).toBe('rate_limited')
  stream.leave()
})
