/**
 * Sends frames that no honest client sends, from sockets of every role and before any token. They are random bytes, or complete frames with flipped
 * bits, cuts, long numbers, odd names, foreign sessions and documents, and updates with false counts. A seed reproduces the same frames.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import * as encoding from 'lib0/encoding'
import { Awareness, encodeAwarenessUpdate } from 'y-protocols/awareness'
import * as Y from 'yjs'
import { roles } from '../../shared/roles.ts'
import { seeded } from '../support/typist.ts'
import { type Editor, frameOf, type Person, startWorld, until, type World } from '../support/world.ts'

type Random = (below: number) => number

const framesPerSocket = 25
const lanes = 4

/** Numbers that a decoder must survive: ten or more bytes without an end, the largest number, and numbers that overflow. */
const longNumbers = [
  new Uint8Array(10).fill(0xff),
  new Uint8Array(20).fill(0x80),
  Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f),
  Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x0f),
  Uint8Array.of(0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01)
]

const bytesOf = (random: Random, length: number): Uint8Array => Uint8Array.from({ length }, () => random(256))

const inserting = (text: string, client: number): Uint8Array => {
  const ydoc = new Y.Doc()
  ydoc.clientID = client
  ydoc.getText('content').insert(0, text)
  return Y.encodeStateAsUpdate(ydoc)
}

/** Returns a well-formed update with false counts, clocks, lengths and origins. */
const lying = (random: Random): Uint8Array => {
  const encoder = encoding.createEncoder()
  const number = (): number => [0, 1, 2, 7, 127, 128, 65_536, 2 ** 31 - 1, 2 ** 32 - 1, 2 ** 53 - 1][random(10)] ?? 0
  encoding.writeVarUint(encoder, random(3) === 0 ? number() : 1)
  for (let value = 0; value < 3; value++) encoding.writeVarUint(encoder, number())
  encoding.writeUint8(encoder, random(256))
  for (let value = 0; value < random(5); value++) encoding.writeVarUint(encoder, number())
  encoding.writeVarString(encoder, ['content', '__proto__', 'constructor', 'x'.repeat(random(50))][random(4)] ?? '')
  encoding.writeVarUint(encoder, number())
  for (let value = 0; value < random(4); value++) encoding.writeVarUint(encoder, number())
  return encoding.toUint8Array(encoder)
}

const presenceOf = (random: Random): Uint8Array => {
  const awareness = new Awareness(new Y.Doc())
  awareness.setLocalState({ user: { name: `n${random(1000)}` }, cursor: { anchor: random(100) } })
  const update = encodeAwarenessUpdate(awareness, [awareness.clientID])
  awareness.destroy()
  return update
}

const sync = (address: string, type: number, payload: Uint8Array): Uint8Array =>
  frameOf(address, 0, (encoder) => (encoding.writeVarUint(encoder, type), encoding.writeVarUint8Array(encoder, payload)))

const token = (address: string, key: string): Uint8Array =>
  frameOf(address, 2, (encoder) => (encoding.writeVarUint(encoder, 0), encoding.writeVarString(encoder, key)))

/** Returns a frame as clients send it. */
const whole = (random: Random, address: string, key: string): Uint8Array => {
  const makers: (() => Uint8Array)[] = [
    () => sync(address, 2, inserting('mutant ', random(2 ** 31))),
    () => sync(address, 1, inserting('late ', random(2 ** 31))),
    () => sync(address, 0, Y.encodeStateVectorFromUpdate(inserting('known', random(2 ** 31)))),
    () => sync(address, random(3), lying(random)),
    () => frameOf(address, 1, (encoder) => encoding.writeVarUint8Array(encoder, presenceOf(random))),
    () => frameOf(address, 5, (encoder) => encoding.writeVarString(encoder, '{"type":"x"}')),
    () => frameOf(address, 7, (encoder) => encoding.writeVarString(encoder, 'bye')),
    () => token(address, random(2) === 0 ? key : 'A'.repeat(32))
  ]
  return makers[random(makers.length)]?.() ?? new Uint8Array()
}

const addressOf = (random: Random, doc: string, other: string): string =>
  [doc, doc, doc, doc, other, `${doc}\0${random(30)}`, `${doc}\0`, '__proto__', '\0', '', 'constructor', `${doc}__proto__`][random(12)] ??
  doc

const spliced = (random: Random, frame: Uint8Array): Uint8Array => {
  const at = random(frame.length + 1)
  const number = longNumbers[random(longNumbers.length)] ?? new Uint8Array()
  return Uint8Array.from([...frame.subarray(0, at), ...number, ...frame.subarray(at + random(3))])
}

const flipped = (random: Random, frame: Uint8Array): Uint8Array => {
  const copy = frame.slice()
  for (let flips = 0; flips <= random(4); flips++) copy[random(copy.length)]! ^= 1 << random(8)
  return copy
}

const frameFrom = (random: Random, doc: string, other: string, key: string): Uint8Array => {
  const frame = whole(random, addressOf(random, doc, other), key)
  const mutations: (() => Uint8Array)[] = [
    () => frame,
    () => flipped(random, frame),
    () => frame.slice(0, random(frame.length)),
    () => Uint8Array.from([...frame, ...bytesOf(random, random(40))]),
    () => spliced(random, frame),
    () => bytesOf(random, random(80)),
    () => frameOf(doc, random(16), (encoder) => encoding.writeUint8Array(encoder, bytesOf(random, random(40))))
  ]
  return mutations[random(mutations.length)]?.() ?? frame
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Returns the number of live bytes in memory. */
const memory = async (): Promise<number> => {
  for (let round = 0; round < 3; round++) {
    collect()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** A sender of frames, with its key and its document. */
interface Sender {
  readonly name: string
  readonly doc: string
  readonly key: string
}

interface Scene {
  readonly world: World
  readonly senders: readonly Sender[]
  /** A document to which only callers without the right to write send frames. */
  readonly readable: Person
  readonly writable: Person
  readonly elsewhere: Person
}

const prepare = async (world: World): Promise<Scene> => {
  const [readable, writable, elsewhere] = [await world.create('readable'), await world.create('writable'), await world.create('elsewhere')]
  const readers = await Promise.all((['view', 'comment', 'suggest'] as const).map((role) => readable.share(role)))
  const gone = await readable.share('edit')
  await readable.ask('DELETE', `/shares/${gone.link.id}`)
  const senders: Sender[] = [
    ...readers.map(({ key }, at) => ({ name: roles[at] ?? 'reader', doc: readable.doc, key })),
    { name: 'revoked', doc: readable.doc, key: gone.key },
    { name: 'stranger', doc: readable.doc, key: writable.key },
    { name: 'nobody', doc: readable.doc, key: '' },
    { name: 'edit', doc: writable.doc, key: (await writable.share('edit')).key },
    { name: 'owner', doc: writable.doc, key: writable.key }
  ]
  return { world, senders, readable, writable, elsewhere }
}

/** Sends a number of frames from sockets of all kinds. */
const attack = async ({ world, senders }: Scene, random: Random, count: number): Promise<void> => {
  let sent = 0
  const other = senders.at(-1)?.doc ?? ''
  const lane = async (): Promise<void> => {
    while (sent < count) {
      const { doc, key } = senders[random(senders.length)] as Sender
      const socket = await world.socket()
      if (key !== '') await socket.open(doc, key)
      // No key used here opens the other document, so frames for it arrive before any valid token.
      const aim = doc === other ? 'AAAAAAAAAAAAAAAA' : other
      for (let at = 0; at < framesPerSocket && socket.closed() === undefined; at++, sent++) {
        socket.send(frameFrom(random, doc, aim, key))
        if (at % 5 === 4) await new Promise((resolve) => setImmediate(resolve))
      }
      socket.close()
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

const expectSame = (what: string, found: unknown, wanted: unknown): void => {
  if (JSON.stringify(found) !== JSON.stringify(wanted))
    throw new Error(`${what}: ${JSON.stringify(found).slice(0, 300)} is not ${JSON.stringify(wanted).slice(0, 300)}`)
}

const typesOn = async (editor: Editor, who: string): Promise<void> => {
  editor.type(0, 'still ')
  await editor.saved()
  expectSame(`${who} was disturbed`, editor.closes, [])
}

const left = ({ world }: Scene): Promise<void> =>
  until(() => world.counts().sockets === 0 && world.counts().documents === 0, 'the end of all sockets and documents', 60)

/** Returns the bytes in memory once nobody is connected. Throws if sockets or documents stay open. */
const memoryAtRest = async (scene: Scene): Promise<number> => {
  await left(scene)
  return memory()
}

export interface Figures {
  readonly frames: number
  /** Bytes in memory before the attack, with nobody connected. `after` is the same figure after the attack. */
  readonly before: number
  readonly after: number
}

/** Sends a number of frames. Throws if it finds a fault. */
export const fuzzFrames = async (count: number, seed: number, onProgress: (sent: number) => void = () => undefined): Promise<Figures> => {
  const unhandled: unknown[] = []
  const note = (error: unknown): number => unhandled.push(error)
  process.on('unhandledRejection', note)
  process.on('uncaughtException', note)
  const world = await startWorld({ env: { AGMD_IDLE_UNLOAD_SECONDS: '0', AGMD_LOG_LEVEL: 'error' } })
  try {
    const random = seeded(seed)
    const scene = await prepare(world)
    // Code that is compiled and cached on first use is not a leak.
    await attack(scene, random, Math.min(2000, Math.ceil(count / 4)))
    const before = await memoryAtRest(scene)
    const untouched = await scene.readable.read()
    const [honest, bystander] = [await scene.writable.connect(), await scene.elsewhere.connect()]
    const watcher = await scene.readable.connect()
    const atOnce = 5000
    for (let sent = 0; sent < count; sent += atOnce) {
      await attack(scene, random, Math.min(atOnce, count - sent))
      await typesOn(bystander, 'a bystander')
      await typesOn(honest, 'another writer')
      onProgress(Math.min(count, sent + atOnce))
    }
    expectSame('a document that nobody may write changed', await scene.readable.read(), untouched)
    expectSame('its page', [watcher.text(), watcher.closes], [untouched.content, []])
    const { content, version } = await scene.writable.read()
    await honest.shows(content)
    expectSame('the history', await scene.writable.at(version), content)
    expectSame('errors in the log', world.lines, [])
    for (const editor of [honest, bystander, watcher]) editor.close()
    const after = await memoryAtRest(scene)
    expectSame('unhandled errors', unhandled.map(String), [])
    return { frames: count, before, after }
  } finally {
    process.off('unhandledRejection', note)
    process.off('uncaughtException', note)
    await world.stop()
  }
}
