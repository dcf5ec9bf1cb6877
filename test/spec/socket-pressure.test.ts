/** Bytes that wait on a socket: their limit, and which clients are slowed down or disconnected. */
import * as encoding from 'lib0/encoding'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as Y from 'yjs'
import { limits } from '../../shared/limits.ts'
import { testClock } from '../support/clock.ts'
import { frameOf, settledWithin, startWorld, until, updateFrame, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  for (const level of ['log', 'warn', 'error'] as const) console[level] = () => undefined
  world = await startWorld()
})
afterAll(() => world.stop())

const megabyte = 1024 * 1024

/** Returns updates of one letter each, like those of a program that types an entire book. */
const lettersOf = (count: number): Uint8Array[] => {
  const ydoc = new Y.Doc()
  const updates: Uint8Array[] = []
  ydoc.on('update', (update: Uint8Array) => updates.push(update))
  for (let at = 0; at < count; at++) ydoc.getText('content').insert(at, 'x')
  return updates
}

const step1 = (doc: string, vector: Uint8Array = new Uint8Array([0])): Uint8Array =>
  frameOf(doc, 0, (encoder) => (encoding.writeVarUint(encoder, 0), encoding.writeVarUint8Array(encoder, vector)))

test('[SOCKET-1] a writer that sends faster than any limit is slowed down and never closed', async () => {
  const owner = await world.create('')
  const socket = await world.socket()
  await socket.open(owner.doc, owner.key)
  const updates = lettersOf(10_000)
  for (const update of updates) socket.send(updateFrame(owner.doc, update))
  const acknowledged = (): number => socket.frames.filter((frame) => frame[owner.doc.length + 1] === 8).length
  await until(() => acknowledged() === updates.length || socket.closed() !== undefined, 'all acknowledgements', 25)
  expect(socket.closed()).toBeUndefined()
  expect((await owner.read()).content).toHaveLength(updates.length)
})

test('[SOCKET-2] messages without edits are read at a limited rate, and their socket stays open', async () => {
  const owner = await world.create('text')
  const socket = await world.socket()
  await socket.open(owner.doc, (await owner.share('view')).key)
  // Messages that arrive before the document is loaded have another limit.
  socket.send(step1(owner.doc))
  await until(() => socket.frames.some((frame) => frame[owner.doc.length + 1] === 0), 'the document')
  const stateless = frameOf(owner.doc, 5, (encoder) => encoding.writeVarString(encoder, 'x'.repeat(200)))
  const begun = performance.now()
  const count = limits.socketMessagesBurst + limits.socketMessagesPerSecond
  for (let sent = 0; sent < count; sent++) socket.send(stateless)
  const before = socket.frames.length
  socket.send(step1(owner.doc))
  await until(() => socket.frames.length > before || socket.closed() !== undefined, 'the answer behind them')
  expect(socket.closed()).toBeUndefined()
  expect(performance.now() - begun).toBeGreaterThan(700)
})

test('[SOCKET-3] from a socket that sends without reading, the server reads a limited number of bytes', async () => {
  const owner = await world.create('x'.repeat(4_000_000))
  const socket = await world.socket()
  await socket.open(owner.doc, (await owner.share('view')).key)
  socket.pause()
  // Each frame requests the entire document and sends bytes that would have to wait.
  const asking = step1(
    owner.doc,
    Uint8Array.from({ length: megabyte }, (_, at) => (at === 0 ? 0 : 1))
  )
  let taken = 0
  const sending = (async () => {
    for (let sent = 0; sent < 100; sent++) {
      await socket.sent(asking)
      taken++
    }
  })()
  for (let before = -1; before !== taken;) {
    before = taken
    await settledWithin(sending, 500)
  }
  expect(taken).toBeLessThan(40)
  const before = socket.frames.length
  socket.resume()
  await until(() => socket.frames.length > before || socket.closed() !== undefined, 'an answer')
  expect(socket.closed()).toBeUndefined()
  socket.close()
})

test('[SOCKET-4] a socket that reads nothing for half a minute while bytes wait for it is closed with 4408', async () => {
  const clock = testClock()
  const own = await startWorld({ clock })
  const owner = await own.create('x'.repeat(4_000_000))
  const [lazy, slow] = [await own.socket(), await own.socket()]
  for (const socket of [lazy, slow]) {
    await socket.open(owner.doc, (await owner.share('view')).key)
    socket.pause()
    for (let asked = 0; asked < 3; asked++) socket.send(step1(owner.doc))
  }
  await until(() => own.counts().waitingBytes > megabyte, 'answers that wait')
  for (let passed = 0; passed < limits.socketStallSeconds + limits.socketCheckSeconds; passed += limits.socketCheckSeconds) {
    slow.resume()
    const before = slow.frames.length
    if (passed === 10) await until(() => slow.frames.length > before, 'an answer')
    clock.advance(limits.socketCheckSeconds * 1000)
  }
  lazy.resume()
  expect((await lazy.end()).code).toBe(4408)
  expect(slow.closed()).toBeUndefined()
  await own.stop()
})

test('[SOCKET-18] messages to a reader that does not read add up to a limit, then it is dropped', async () => {
  const owner = await world.create('')
  const [lazy, reader] = [await world.socket(), await owner.connect()]
  await lazy.open(owner.doc, (await owner.share('view')).key)
  lazy.pause()
  let most = 0
  const contents = Array.from({ length: 16 }, (_, at) => String.fromCharCode(97 + at).repeat(2 * megabyte))
  for (const content of contents) {
    await owner.replace(content)
    most = Math.max(most, world.counts().waitingBytes)
    if (world.counts().sockets === 1) break
  }
  expect(most).toBeGreaterThan(megabyte)
  expect(most).toBeLessThan(limits.socketBufferBytesMax + 3 * megabyte)
  await until(() => world.counts().waitingBytes === 0, 'the end of what waits')
  lazy.resume()
  await lazy.end()
  expect(reader.closes).toEqual([])
})
