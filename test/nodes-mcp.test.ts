/** Sessions of MCP clients whose requests reach different nodes on one PostgreSQL. */
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { withLimit } from './support/limits.ts'
import { rpc } from './support/mcp.ts'
import { type NodeWorlds, startNodeWorlds } from './support/node-worlds.ts'
import { noPostgres } from './support/postgres.ts'
import { startProcess } from './support/start.ts'
import { type Json, type Person, settledWithin, startWorld, until, type World } from './support/world.ts'

const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }

const queryOf = ({ doc, key }: Person): string => `?doc=${doc}&key=${key}`

const begin = async ({ url }: { url: string }, person: Person): Promise<string> =>
  (await rpc(url, 'initialize', hello, { query: queryOf(person) })).headers.get('Mcp-Session-Id') ?? ''

interface Stream {
  readonly status: number
  /** Returns the URIs of the notifications so far. */
  told(): string[]
  readonly ended: Promise<void>
  leave(): void
}

const listen = async ({ url }: { url: string }, person: Person, id: string): Promise<Stream> => {
  const leaving = new AbortController()
  const headers = { Accept: 'text/event-stream', 'Mcp-Session-Id': id }
  const response = await fetch(`${url}/mcp${queryOf(person)}`, { headers, signal: leaving.signal })
  let said = ''
  const read = async (): Promise<void> => {
    if (response.status === 200)
      for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) said += new TextDecoder().decode(chunk)
  }
  onTestFinished(() => leaving.abort())
  return {
    status: response.status,
    told: () => [...said.matchAll(/^data: (.*)$/gm)].map(([, json = '']) => (JSON.parse(json) as Json).params.uri),
    ended: read().catch(() => undefined),
    leave: () => leaving.abort()
  }
}

describe.skipIf(noPostgres !== undefined)('MCP sessions', () => {
  let nodes: NodeWorlds
  let worlds: World[]
  beforeAll(async () => {
    nodes = await startNodeWorlds(3)
    worlds = nodes.worlds
  })
  afterAll(() => nodes?.stop())

  const change = async (
    world: { url: string },
    person: Person,
    id: string,
    what: 'subscribe' | 'unsubscribe',
    path = ''
  ): Promise<Json> => {
    const uri = `agmd://doc/${person.doc}${path}`
    return (await rpc(world.url, `resources/${what}`, { uri }, { query: queryOf(person), headers: { 'Mcp-Session-Id': id } })).json
  }
  const subscribe = async (world: { url: string }, person: Person, id: string, path = ''): Promise<void> =>
    expect((await change(world, person, id, 'subscribe', path)).result).toEqual({})

  const isOver = async (world: World, person: Person, id: string): Promise<void> =>
    until(async () => (await change(world, person, id, 'subscribe', '/outline')).error?.data.error.code === 'not_found', 'the end')

  test('[NODES-15] the stream on one node reports the resources that were subscribed to on others', async () => {
    await withLimit('mcpNotifySeconds', 0.05, async () => {
      const owner = await worlds[0]!.create('# Plan\n')
      const uri = `agmd://doc/${owner.doc}`
      const id = await begin(worlds[0]!, owner)
      await subscribe(worlds[2]!, owner, id)
      const stream = await listen(worlds[1]!, owner, id)
      expect(stream.status).toBe(200)
      await subscribe(worlds[0]!, owner, id, '/comments')
      await worlds[1]!.person(owner.doc, owner.key).replace('# Plan\n\nMore.\n')
      await until(() => stream.told().includes(uri), 'the notice of the text')
      await owner.ask('POST', '/comments', { json: { body: 'Why?' } })
      await until(() => stream.told().includes(`${uri}/comments`), 'the notice of the comment')
      expect(stream.told()).toEqual([uri, `${uri}/comments`])

      // The subscription of another node ends, and one on the node of the stream takes the place of another.
      expect((await change(worlds[2]!, owner, id, 'unsubscribe', '/comments')).result).toEqual({})
      await subscribe(worlds[1]!, owner, id)
      await owner.ask('POST', '/comments', { json: { body: 'Again?' } })
      await owner.replace('# Plan\n\nEven more.\n')
      await until(() => stream.told().length > 2, 'the next notice')
      await owner.replace('# Plan\n\nStill more.\n')
      await until(() => stream.told().length > 3, 'the last notice')
      expect(stream.told()).toEqual([uri, `${uri}/comments`, uri, uri])
    })
  })

  test('[NODES-15] a new stream on another node takes over the subscriptions, and its end ends the session everywhere', async () => {
    const owner = await worlds[0]!.create('text')
    const id = await begin(worlds[0]!, owner)
    const first = await listen(worlds[0]!, owner, id)
    await subscribe(worlds[0]!, owner, id)
    const second = await listen(worlds[1]!, owner, id)
    await first.ended
    await owner.replace('changed')
    await until(() => second.told().length > 0, 'the notice')
    expect(first.told()).toEqual([])
    second.leave()
    for (const world of worlds) await isOver(world, owner, id)
    for (const world of worlds) expect((await listen(world, owner, id)).status).toBe(404)
    expect((await listen(worlds[2]!, owner, `${worlds[0]!.service.storage.nodes!.id}x`)).status).toBe(404)
  })

  test('[NODES-15] the session ends with the link of its stream, and with a subscription of a node that stops or is killed', async () => {
    const owner = await worlds[0]!.create('text')
    const guest = await owner.share('view')
    const ofGuest = await begin(worlds[0]!, guest)
    await subscribe(worlds[0]!, guest, ofGuest)
    const ofLink = await listen(worlds[1]!, guest, ofGuest)
    await worlds[2]!.person(owner.doc, owner.key).ask('DELETE', `/shares/${guest.link.id}`)
    expect(await settledWithin(ofLink.ended, 1000)).not.toBe('waiting')
    await isOver(worlds[0]!, owner, ofGuest)

    const { env } = nodes
    const last = await startWorld({ env, besides: worlds[0]! })
    const [stopped, killed] = [await begin(worlds[0]!, owner), await begin(worlds[1]!, owner)]
    const ofStopped = await listen(worlds[0]!, owner, stopped)
    await subscribe(last, owner, stopped)
    await last.stop()
    expect(await settledWithin(ofStopped.ended, 1000)).not.toBe('waiting')

    const folder = await mkdtemp(join(tmpdir(), 'agmd-nodes-'))
    await copyFile(join(worlds[0]!.folder, 'secret'), join(folder, 'secret'))
    const child = await startProcess({ folder, env: { ...env, AGMD_BASE_URL: 'http://agmd.test' } })
    onTestFinished(async () => {
      await child.stop()
      await rm(folder, { recursive: true, force: true })
    })
    await withLimit('mcpHeartbeatSeconds', 0.1, async () => {
      const ofKilled = await listen(worlds[1]!, owner, killed)
      await subscribe({ url: child.listening }, owner, killed)
      expect(await settledWithin(ofKilled.ended, 500)).toBe('waiting')
      await child.kill('SIGKILL')
      await ofKilled.ended
    })
    await isOver(worlds[2]!, owner, killed)
  })
})
