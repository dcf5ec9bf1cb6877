/** Limits for sockets: sessions per socket, connections per document, sockets per address, and wrong keys. */
import * as encoding from 'lib0/encoding'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Awareness, encodeAwarenessUpdate } from 'y-protocols/awareness'
import * as Y from 'yjs'
import { limits, rateLimits } from '../../shared/limits.ts'
import { frameOf, type Person, type RawSocket, startWorld, until, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  for (const level of ['log', 'warn', 'error'] as const) console[level] = () => undefined
  world = await startWorld({
    env: { AGMD_RATE_LIMITS: 'on', AGMD_SOCKETS_PER_ADDRESS: '40', AGMD_SOCKETS_PER_DOCUMENT: '20', AGMD_TRUST_PROXY: '1' }
  })
})
afterAll(() => world.stop())

const token = (address: string, key: string): Uint8Array =>
  frameOf(address, 2, (encoder) => (encoding.writeVarUint(encoder, 0), encoding.writeVarString(encoder, key)))

const from = (address: string): Promise<RawSocket> => world.socket({ headers: { 'X-Forwarded-For': address } })

/** Returns the answers to tokens on a socket: the address (`doc` or `doc NUL session`), and the reason for a refusal. */
const answersOf = (socket: RawSocket): { address: string; refused: string | undefined }[] =>
  socket.frames.flatMap((frame) => {
    const length = frame[0] ?? 0
    if (frame[length + 1] !== 2) return []
    const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()
    return [
      { address: text(frame.subarray(1, length + 1)), refused: frame[length + 2] === 1 ? text(frame.subarray(length + 4)) : undefined }
    ]
  })

/** Whether a frame announces the role to this session. This announcement is the first message of a document. */
const isRole = (frame: Uint8Array, address: string): boolean =>
  frame[address.length + 1] === 5 && Buffer.from(frame.subarray(1, address.length + 1)).toString() === address

const open = async (doc: string, key: string, address: string): Promise<string | undefined> => {
  const socket = await from(address)
  await socket.open(doc, key)
  return answersOf(socket)[0]?.refused
}

test('[SOCKET-5] a document has one session on each socket: a second is refused, and the first continues', async () => {
  const owner = await world.create('text')
  const socket = await from('192.0.2.1')
  await socket.open(owner.doc, owner.key)
  for (let session = 0; session < 30; session++) socket.send(token(`${owner.doc}\0${session}`, owner.key))
  await until(() => answersOf(socket).length === 31, 'an answer to each token')
  expect(
    answersOf(socket)
      .slice(1)
      .every(({ refused }) => refused === 'a socket can have only one session of a document')
  ).toBe(true)
  expect(socket.closed()).toBeUndefined()
  socket.send(frameOf(`${owner.doc}\0 9`, 0, (encoder) => encoding.writeVarUint(encoder, 0)))
  expect((await socket.end()).code).toBe(4400)
})

test('[SOCKET-5] closing a session frees its place for the next one of its document at once', async () => {
  const owner = await world.create('text')
  const socket = await from('192.0.2.1')
  for (let session = 0; session < 10; session++) {
    // All frames are sent at once. The first session is still being handled when its close and the token of the next session arrive.
    const former = `${owner.doc}\0${session - 1}`
    if (session > 0) for (const type of [5, 7]) socket.send(frameOf(former, type, (encoder) => encoding.writeVarString(encoder, 'bye')))
    socket.send(token(`${owner.doc}\0${session}`, owner.key))
    await until(() => answersOf(socket).length === session + 1, 'an answer')
    await until(() => socket.frames.some((frame) => isRole(frame, `${owner.doc}\0${session}`)), 'the connection')
  }
  expect(answersOf(socket).every(({ refused }) => refused === undefined)).toBe(true)
  socket.close()
})

test('[SOCKET-6] no link and no address takes all connections of a document, and its owner gets in', async () => {
  const owner = await world.create('text')
  const link = await owner.share('view')
  // One address gets a quarter of the 20 connections.
  const one = await Promise.all(Array.from({ length: 8 }, () => open(owner.doc, link.key, '192.0.2.2')))
  expect(one.filter((refused) => refused === 'rate_limited')).toHaveLength(3)
  // One link gets four fifths of the connections, from any number of addresses.
  const others = await Promise.all(Array.from({ length: 20 }, (_, at) => open(owner.doc, link.key, `198.51.100.${at}`)))
  expect(others.filter((refused) => refused === undefined)).toHaveLength(11)
  // Another link gets two more connections. The last tenth is reserved for owners.
  const another = await owner.share('edit')
  const more = await Promise.all(Array.from({ length: 4 }, (_, at) => open(owner.doc, another.key, `203.0.113.${at}`)))
  expect(more.filter((refused) => refused === undefined)).toHaveLength(2)
  expect(await open(owner.doc, owner.key, '203.0.113.9')).toBeUndefined()
})

test('[SOCKET-6] links made through a link share its connections', async () => {
  const owner = await world.create('text')
  const link = await owner.share('edit')
  const minted = await link.share('view')
  const held = await Promise.all(
    Array.from({ length: 20 }, (_, at) => open(owner.doc, (at % 2 === 0 ? link : minted).key, `198.51.100.${at}`))
  )
  expect(held.filter((refused) => refused === undefined)).toHaveLength(16)
})

test('[SOCKET-6] a connection that ends frees its place', async () => {
  const owner = await world.create('text')
  for (let round = 0; round < 12; round++) {
    const socket = await from('192.0.2.3')
    await socket.open(owner.doc, owner.key)
    expect(answersOf(socket)[0]?.refused).toBeUndefined()
    const { sockets } = world.counts()
    socket.close()
    await until(() => world.counts().sockets < sockets, 'the end')
  }
})

test('[SOCKET-7] an address may open as many sockets as the setting allows', async () => {
  const sockets = await Promise.all(Array.from({ length: 40 }, () => from('192.0.2.4')))
  await expect(from('192.0.2.4')).rejects.toThrow('429')
  ;(await from('192.0.2.5')).close()
  for (const socket of sockets) socket.close()
})

test('[SOCKET-7] without rate limits there is no such limit', async () => {
  const own = await startWorld({ env: { AGMD_SOCKETS_PER_ADDRESS: '2', AGMD_SOCKETS_PER_DOCUMENT: '2' } })
  const owner = await own.create('text')
  for (let count = 0; count < 5; count++) {
    const socket = await own.socket()
    await socket.open(owner.doc, owner.key)
    expect(answersOf(socket)[0]?.refused).toBeUndefined()
  }
  await own.stop()
})

test('[SOCKET-8] wrong keys over sockets count toward the limit of their address like those in requests', async () => {
  const owner = await world.create('text')
  const wrong = 'A'.repeat(32)
  const refusals: (string | undefined)[] = []
  const socket = await from('192.0.2.6')
  for (let tries = 0; tries <= rateLimits.failedKey.burst + 2; tries++) {
    socket.send(token(owner.doc, wrong))
    await until(() => answersOf(socket).length === tries + 1, 'an answer')
    refusals.push(answersOf(socket)[tries]?.refused)
  }
  expect(refusals[0]).toBe('credential_invalid')
  expect(refusals.at(-1)).toBe('rate_limited')
  const request = await world.ask('GET', `/api/docs/${owner.doc}`, { key: wrong, headers: { 'X-Forwarded-For': '192.0.2.6' } })
  expect(request.json.code).toBe('rate_limited')
  // A valid key is admitted, even from the same address.
  for (const address of ['192.0.2.6', '192.0.2.7']) expect(await open(owner.doc, owner.key, address)).toBeUndefined()
})

/** Returns a sequence of presence messages with one state each. */
const presencesOf = (doc: string, count: number): Uint8Array[] => {
  const awareness = new Awareness(new Y.Doc())
  const frames = Array.from({ length: count }, (_, at) => {
    awareness.setLocalState({ user: { name: 'Ana' }, cursor: { at } })
    const update = encodeAwarenessUpdate(awareness, [awareness.clientID])
    return frameOf(doc, 1, (encoder) => encoding.writeVarUint8Array(encoder, update))
  })
  awareness.destroy()
  return frames
}

const isPresence = (frame: Uint8Array): boolean => frame[(frame[0] ?? 0) + 1] === 1

test('[SOCKET-9] presence reaches others at a limited rate, and the last state always does', async () => {
  const owner = await world.create('text')
  const [ana, ben] = [await from('192.0.2.8'), await from('192.0.2.8')]
  await ana.open(owner.doc, owner.key)
  await ben.open(owner.doc, owner.key)
  const begun = performance.now()
  const frames = presencesOf(owner.doc, 1500)
  for (const [at, frame] of frames.entries()) {
    ana.send(frame)
    if (at % 100 === 99) await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const shows = (text: string): boolean => ben.frames.some((frame) => isPresence(frame) && Buffer.from(frame).includes(text))
  await until(() => shows('"at":1499'), 'the last state')
  // The limit is twenty messages per second.
  const most = (performance.now() - begun) / 50 + 2
  expect(ben.frames.filter(isPresence).length).toBeLessThanOrEqual(most)
  expect(ana.closed()).toBeUndefined()
})

test('[SOCKET-9] presence that is removed directly after it was sent does not stay', async () => {
  const owner = await world.create('text')
  const watcher = await owner.connect()
  const ana: Person = owner
  const editor = await ana.connect({ name: 'Ana' })
  const others = (): number => (watcher.provider.awareness?.getStates().size ?? 0) - 1
  await until(() => others() === 1, 'the presence')
  for (let round = 0; round < 5; round++) {
    editor.provider.awareness?.setLocalState({ user: { name: 'Ana' }, cursor: { round } })
    editor.provider.awareness?.setLocalState(null)
  }
  await until(() => others() === 0, 'the end of the presence')
  await new Promise((resolve) => setTimeout(resolve, 3 * limits.presenceMs))
  expect(others()).toBe(0)
})

test('[SOCKET-10] a state vector beyond the limit closes its socket with 4400', async () => {
  const owner = await world.create('text')
  const socket = await from('192.0.2.9')
  await socket.open(owner.doc, owner.key)
  // Messages that arrive before the document is loaded have another limit.
  await until(() => socket.frames.some((frame) => isRole(frame, owner.doc)), 'the document')
  const vector = new Uint8Array(limits.stateVectorBytesMax + 1)
  socket.send(frameOf(owner.doc, 0, (encoder) => (encoding.writeVarUint(encoder, 0), encoding.writeVarUint8Array(encoder, vector))))
  expect((await socket.end()).code).toBe(4400)
})
