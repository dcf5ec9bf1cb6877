/** Measures how the cost of edits grows with their number, with the age of a document, and with the number of people who ever wrote in it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as Y from 'yjs'
import { openPerson, type Person, updateFrame } from '../../scripts/bench/support/crowd.ts'
import { startWorld, until, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
  await costOf(await writerOf(await place(), 1), 20_000)
})
afterAll(() => world.stop())

interface Writer {
  readonly person: Person
  acknowledged: number
  sent: number
}

const place = async (content = ''): Promise<{ url: string; doc: string; key: string }> => {
  const { doc, key } = await world.create(content)
  return { url: `${world.url.replace('http', 'ws')}/collab`, doc, key }
}

const writerOf = async (at: Awaited<ReturnType<typeof place>>, client: number): Promise<Writer> => {
  const person = await openPerson({ place: at, client, hasCursor: false, onAcknowledged: () => void writer.acknowledged++ })
  const writer: Writer = { person, acknowledged: 0, sent: 0 }
  return writer
}

/** Sends many edits at once. Returns the CPU time until all are acknowledged, in milliseconds. Other work on the machine does not count. */
const costOf = async (writer: Writer, edits: number): Promise<number> => {
  const before = process.threadCpuUsage()
  for (let n = 0; n < edits; n++) writer.person.type('edit\n')
  writer.sent += edits
  await until(() => writer.acknowledged === writer.sent, `${edits} edits`, 120)
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

test(
  '[FAULT-10] a backlog of 100,000 edits on one connection takes four times as long as one of 25,000',
  { timeout: 240_000 },
  async () => {
    const few = await costOf(await writerOf(await place(), 2), 25_000)
    const many = await costOf(await writerOf(await place(), 3), 100_000)
    // If the time grew quadratically, this ratio would be 16.
    expect(many / few).toBeLessThan(8)
  }
)

test('[FAULT-11] an edit costs no more in a document that has taken 100,000', { timeout: 240_000 }, async () => {
  const writer = await writerOf(await place(), 4)
  const young = await costOf(writer, 20_000)
  for (let n = 0; n < 3; n++) await costOf(writer, 20_000)
  const old = await costOf(writer, 20_000)
  expect(old / young).toBeLessThan(2)
})

test('[FAULT-12] 1,000 people who wrote once do not make typing slow', { timeout: 240_000 }, async () => {
  const crowded = await place()
  const before = await writerOf(crowded, 5)
  const past = new Y.Doc()
  for (let client = 1; client <= 1000; client++) {
    const one = new Y.Doc()
    one.clientID = 10_000 + client
    one.getText('content').insert(0, 'once\n')
    Y.applyUpdate(past, Y.encodeStateAsUpdate(one))
  }
  before.person.send(updateFrame(crowded.doc, Y.encodeStateAsUpdate(past)))
  await until(() => before.acknowledged === 1, 'the past')
  const alone = await costOf(await writerOf(await place(), 6), 20_000)
  const other = await costOf(await writerOf(crowded, 7), 20_000)
  expect(other / alone).toBeLessThan(2)
})
