/** Events that a node announces about the text of another node, on one PostgreSQL. Each node has a clock of its own. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { guestNumberOf } from '../server/domain/rights/guest-numbers.ts'
import { limits } from '../shared/limits.ts'
import { testClock } from './support/clock.ts'
import { type NodeWorlds, startNodeWorlds } from './support/node-worlds.ts'
import { noPostgres } from './support/postgres.ts'
import { type Json, type Person, until, type World } from './support/world.ts'

describe.skipIf(noPostgres !== undefined)('events of another node', () => {
  const clocks = [testClock(), testClock()] as const
  let nodes: NodeWorlds
  let worlds: World[]
  beforeAll(async () => {
    nodes = await startNodeWorlds(2, clocks)
    worlds = nodes.worlds
  })
  afterAll(() => nodes?.stop())

  const chatOf = (...lines: readonly string[]): string => `\`\`\`chat\n${['[2029-12-31T10:00Z] @Cy: Hm', ...lines].join('\n')}\n\`\`\`\n`
  const first = '[2030-01-01T00:00Z] @Bo: Look, @ana'
  const second = '[2030-01-01T00:01Z] @Bo: Look, @dora'
  const quietMs = limits.tidyCheckMs * 2 + limits.tidyQuietMs

  const eventsOf = async (person: Person, types: string): Promise<Json[]> => (await person.events({ types })).events

  test('[NODES-16] a node that takes over from the node of the writer waits longer, and names the writer', async () => {
    // The clock of the first node stands still, as if the node had ended.
    const owner = await worlds[0]!.create(chatOf())
    const bo = await owner.connect({ name: 'Bo' })
    onTestFinished(bo.close)
    bo.type(bo.text().indexOf('\n```\n', 9), `\n${first}`)
    await bo.saved()
    const there = worlds[1]!.person(owner.doc, owner.key)
    const reader = await there.connect({ name: 'Cy' })
    onTestFinished(reader.close)
    for (let ms = 0; ms <= quietMs; ms += limits.tidyCheckMs) {
      clocks[1].advance(limits.tidyCheckMs)
      expect(await eventsOf(owner, 'content.changed,chat.mentioned')).toEqual([])
    }
    clocks[1].advance(limits.announceLateMs)
    await until(async () => (await eventsOf(owner, 'content.changed')).length === 1, 'the change')
    expect(await eventsOf(owner, 'content.changed')).toMatchObject([{ actor: 'Bo', payload: { actors: ['Bo'] } }])
    await until(async () => {
      clocks[1].advance(quietMs)
      return (await eventsOf(owner, 'chat.mentioned')).length === 1
    }, 'the mention')

    // The document is open on the other node. It leaves memory there before the message is stable.
    bo.type(bo.text().indexOf('\n```\n', 9), `\n${second}`)
    await reader.shows((text) => text.includes('@dora'))
    const opened = await worlds[1]!.service.live.open(owner.doc)
    await opened.follower.settle()
    opened.release()
    expect(await eventsOf(owner, 'chat.mentioned')).toHaveLength(1)
    await until(async () => {
      clocks[1].advance(limits.announceLateMs)
      return (await eventsOf(owner, 'chat.mentioned')).length === 2
    }, 'the second mention')
    const mentions = await eventsOf(owner, 'chat.mentioned')
    expect(mentions.map(({ actor, payload }) => [actor, payload.names])).toEqual([
      ['Bo', ['ana']],
      ['Bo', ['dora']]
    ])

    // The node of the writer learns that the mentions were reported.
    clocks[0].advance(quietMs)
    await owner.ask('POST', '/comments', { json: { body: 'Done.' } })
    expect(await eventsOf(owner, 'chat.mentioned')).toHaveLength(2)
  })

  test('[WHO-30] guests who come to two nodes at once get distinct numbers, which both nodes know', async () => {
    const { doc } = await worlds[0]!.create('text')
    const devices = Array.from({ length: 30 }, (_, index) => `device ${index}`)
    const numberAt = (node: number, device: string): Promise<number> => guestNumberOf(worlds[node]!.service, doc, device)
    const numbers = await Promise.all(devices.map((device, index) => numberAt(index % 2, device)))
    expect(new Set(numbers).size).toBe(devices.length)
    expect(Math.max(...numbers)).toBeGreaterThanOrEqual(100)
    expect(await Promise.all(devices.map((device, index) => numberAt((index + 1) % 2, device)))).toEqual(numbers)
  })
})
