/**
 * Counts how the work of edits grows with their number, with the age of a document, and with the number of people who ever wrote in it. One test
 * also measures CPU time.
 */
import type { Connection, Document } from '@hocuspocus/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as Y from 'yjs'
import { openPerson, type Person, updateFrame } from '../../scripts/bench/support/crowd.ts'
import type { Context } from '../../server/live/documents.ts'
import { limits } from '../../shared/limits.ts'
import { testClock } from '../support/clock.ts'
import { heldStorage } from '../support/held-storage.ts'
import { withLimit } from '../support/limits.ts'
import { startWorld, until, type World } from '../support/world.ts'

const held = heldStorage()
let world: World
beforeAll(async () => {
  // The clock stands still, so no work that follows an edit later runs while a test counts.
  world = await startWorld({ clock: testClock(), storage: held.storage })
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

/** Returns the document in the memory of the server. */
const openOf = (doc: string): Document => world.service.live.find(doc)?.ydoc as Document

const saved = (writer: Writer): Promise<void> => until(() => writer.acknowledged === writer.sent, `${writer.sent} edits`, 120)

/** Sends many edits at once, and waits until all are acknowledged. */
const typeMany = (writer: Writer, edits: number): Promise<void> => {
  for (let n = 0; n < edits; n++) writer.person.type('edit\n')
  writer.sent += edits
  return saved(writer)
}

/** Returns the CPU time of many edits that are sent at once, in milliseconds. Other work on the machine does not count. */
const costOf = async (writer: Writer, edits: number): Promise<number> => {
  const before = process.threadCpuUsage()
  await typeMany(writer, edits)
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

test(
  '[FAULT-10] a backlog of 100,000 edits on one connection takes few transactions, and four times as long as one of 25,000',
  { timeout: 240_000 },
  async () => {
    const few = await costOf(await writerOf(await place(), 2), 25_000)
    const at = await place()
    const writer = await writerOf(at, 3)
    let transactions = 0
    openOf(at.doc).on('afterTransaction', () => transactions++)
    const many = await costOf(writer, 100_000)
    // Yjs reads the last item in full for each transaction, and the item contains all earlier edits.
    expect(transactions).toBeLessThan(100_000 / 8)
    // If the time grew quadratically, this ratio would be 16.
    expect(many / few).toBeLessThan(8)
  }
)

test('[FAULT-10] edits behind an edit that waits for the store do not fill the array of Hocuspocus', async () => {
  const ydoc = new Y.Doc()
  const at = await place('a'.repeat(4 * limits.wipeUnitsMin))
  const writer = await writerOf(at, 8)
  const [connection] = openOf(at.doc).getConnections() as [Connection]
  const { messageQueue } = connection as unknown as { readonly messageQueue: Uint8Array[] }
  const { backPressure } = (connection.context as Context).peer
  let moved = 0
  // Hocuspocus removes the first message, and all other messages move forward.
  messageQueue.shift = () => {
    moved += messageQueue.length
    return Array.prototype.shift.call(messageQueue) as Uint8Array
  }
  Y.applyUpdate(ydoc, Y.encodeStateAsUpdate(openOf(at.doc)))
  const known = Y.encodeStateVector(ydoc)
  ydoc.getText('content').delete(0, ydoc.getText('content').length)
  held.hold()
  writer.person.send(updateFrame(at.doc, Y.encodeStateAsUpdate(ydoc, known)))
  for (let n = 0; n < 10_000; n++) writer.person.type('edit\n')
  writer.sent = 10_001
  await until(() => backPressure.isPaused || messageQueue.length === 10_001, 'the server to stop reading')
  held.release()
  await saved(writer)
  // If Hocuspocus got all messages at once, each would move 5,000 others on average.
  expect(moved / 10_001).toBeLessThan(limits.editsTogetherMax)
})

test('[FAULT-11] an edit looks at no more items in a document that has taken 20,000', { timeout: 240_000 }, () =>
  // No checkpoint is written while the test counts. A checkpoint reads the entire document.
  withLimit('journalRecordsMax', 100_000, async () => {
    const at = await place()
    const writer = await writerOf(at, 4)
    const page = new Y.Doc()
    page.on('update', (update: Uint8Array) => {
      writer.person.send(updateFrame(at.doc, update))
      writer.sent++
    })
    // Text before the last edit does not join it, so each edit leaves an item.
    const edit = (): void => page.getText('content').insert(0, 'edit\n')
    const looks = countedLooks()
    const looksOfEdits = async (): Promise<number> => {
      const before = looks.count()
      for (let n = 0; n < 20; n++) {
        edit()
        await saved(writer)
      }
      return looks.count() - before
    }
    try {
      const young = await looksOfEdits()
      for (let n = 0; n < 20_000; n++) edit()
      await saved(writer)
      const old = await looksOfEdits()
      // The document in the page is counted, too.
      expect(old).toBeLessThanOrEqual(2 * young + 200)
    } finally {
      looks.stop()
    }
  })
)

/** Counts how often Yjs asks whether an item is deleted. It does so whenever it walks through a document. */
const countedLooks = (): { count(): number; stop(): void } => {
  const original = Object.getOwnPropertyDescriptor(Y.Item.prototype, 'deleted') as PropertyDescriptor
  let count = 0
  Object.defineProperty(Y.Item.prototype, 'deleted', {
    ...original,
    get(this: Y.Item) {
      count++
      return original.get?.call(this) as boolean
    }
  })
  return { count: () => count, stop: () => Object.defineProperty(Y.Item.prototype, 'deleted', original) }
}

test('[FAULT-12] a backlog of 20,000 edits seldom reads the list of the 1,000 people who wrote once', { timeout: 240_000 }, async () => {
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
  before.sent = 1
  await saved(before)
  const { clients } = openOf(crowded.doc).store
  expect(clients.size).toBe(1000)
  let readings = 0
  // Yjs reads the list in each transaction.
  clients.forEach = (each) => {
    readings++
    Map.prototype.forEach.call(clients, each as (value: unknown) => void)
  }
  await typeMany(await writerOf(crowded, 7), 20_000)
  expect(readings).toBeGreaterThan(0)
  expect(readings).toBeLessThan(20_000 / 4)
})
