import * as encoding from 'lib0/encoding'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Awareness, encodeAwarenessUpdate } from 'y-protocols/awareness'
import * as Y from 'yjs'
import type { Batch, Storage } from '../../server/domain/ports.ts'
import { keys } from '../../server/domain/records/keys.ts'
import type { Transaction } from '../../server/domain/records/transaction.ts'
import { anonymous } from '../../server/domain/rights/caller.ts'
import { presentState } from '../../server/live/awareness.ts'
import { decodeEntries, findProjection, formatVersion, type JournalEntry } from '../../server/domain/text/journal.ts'
import { openPerson } from '../../scripts/bench/support/crowd.ts'
import { hueOfName } from '../../shared/hues.ts'
import { limits } from '../../shared/limits.ts'
import { testClock } from '../support/clock.ts'
import { storesInPostgres } from '../support/start.ts'
import { type Editor, frameOf, type Person, startWorld, until, updateFrame, type World } from '../support/world.ts'

let world: World
beforeAll(async () => {
  // Hocuspocus would print each refused frame with its stack.
  for (const level of ['log', 'warn', 'error'] as const) console[level] = () => undefined
  world = await startWorld()
})
afterAll(() => world.stop())

/** Resolves with the states of other people that this editor sees, once there are this many. */
const othersOf = async (editor: Editor, count: number): Promise<Map<number, Record<string, never>>> => {
  const others = (): Map<number, Record<string, never>> =>
    new Map(
      [...(editor.provider.awareness?.getStates() ?? [])].filter(([id]) => id !== editor.ydoc.clientID) as [number, Record<string, never>][]
    )
  await until(() => others().size === count, `${count} others, now ${others().size}`)
  return others()
}

const inserting = (text: string, clientId?: number): Uint8Array => {
  const ydoc = new Y.Doc()
  if (clientId !== undefined) ydoc.clientID = clientId
  ydoc.getText('content').insert(0, text)
  return Y.encodeStateAsUpdate(ydoc)
}

/**
 * Sends frames as an editor. Expects that the socket is closed with one of the codes, that the text does not change, and that a second page is not
 * disturbed.
 */
const refuses = async (frames: (doc: string, owner: Person) => (Uint8Array | string)[], ...codes: number[]): Promise<void> => {
  const owner = await world.create('text')
  const bystander = await owner.connect()
  const guest = await owner.share('edit')
  const socket = await world.socket()
  await socket.open(owner.doc, guest.key)
  for (const frame of frames(owner.doc, owner)) socket.send(frame)
  const { code } = await socket.end()
  expect(codes).toContain(code)
  expect((await owner.read()).content).toBe('text')
  bystander.type(4, '!')
  await bystander.saved()
  expect(bystander.closes).toEqual([])
  expect(await owner.read()).toMatchObject({ content: 'text!' })
}

test.each(['edit', 'owner'] as const)('[LIVE-1] text from %s reaches everyone and the store', async (role) => {
  const owner = await world.create('one')
  const [ana, ben] = [await (await owner.share(role)).connect(), await (await owner.share('view')).connect()]
  ana.type(3, ' two')
  await ana.saved()
  await ben.shows('one two')
  expect((await owner.read()).content).toBe('one two')
})

test.each(['view', 'comment', 'suggest'] as const)('[LIVE-2] text from %s changes nothing and is not acknowledged', async (role) => {
  const owner = await world.create('one')
  const [guest, peer] = [await (await owner.share(role)).connect(), await owner.connect()]
  expect(guest.provider.authorizedScope).toBe('readonly')
  guest.type(0, 'intruder ')
  peer.type(3, ' two')
  await peer.saved()
  await guest.shows((text) => text.includes(' two'))
  expect(guest.provider.hasUnsyncedChanges).toBe(true)
  expect(peer.text()).toBe('one two')
  expect((await owner.read()).content).toBe('one two')
})

test.each([
  ['', 'credential_required'],
  ['A'.repeat(32), 'credential_invalid'],
  ['asess_nonsense', 'credential_invalid']
])('[LIVE-3] an invalid token is refused with its code: %j', async (token, code) => {
  const owner = await world.create('one')
  const editor = await world.person(owner.doc, token).connect({ eager: true })
  await until(() => editor.refusals.length > 0)
  expect(editor.refusals[0]).toBe(code)
  expect(editor.text()).toBe('')
})

test('[LIVE-3] keys of another, a deleted and an unknown document get the same codes as over HTTP', async () => {
  const [owner, other, gone] = [await world.create('one'), await world.create('two'), await world.create('three')]
  await gone.ask('DELETE', '')
  for (const [doc, key, code] of [
    [owner.doc, other.key, 'not_found'],
    ['AAAAAAAAAAAAAAAA', owner.key, 'not_found'],
    [gone.doc, gone.key, 'document_deleted']
  ] as const) {
    const editor = await world.person(doc, key).connect({ eager: true })
    await until(() => editor.refusals.length > 0)
    expect(editor.refusals[0]).toBe(code)
    expect(editor.text()).toBe('')
  }
})

/** Creates a store whose journal can be blocked. */
const held = (): { storage: (storage: Storage) => Storage; hold: () => void; release: () => void } => {
  let release = (): void => undefined
  let gate: Promise<void> | undefined
  return {
    storage: (storage) => ({
      ...storage,
      async commit(batch) {
        await gate
        return storage.commit(batch)
      }
    }),
    hold: () => {
      gate = new Promise((resolve) => (release = resolve))
    },
    release: () => {
      gate = undefined
      release()
    }
  }
}

test('[LIVE-4] an edit is acknowledged, and shown to others, only when it is on disk', async () => {
  const disk = held()
  const own = await startWorld({ storage: disk.storage })
  const owner = await own.create('one')
  const [ana, ben] = [await owner.connect(), await owner.connect()]
  await own.service.ledger.idle()
  disk.hold()
  ana.type(0, 'x')
  await until(
    () => (own.service.live.find(owner.doc)?.seq ?? 0) > (own.service.live.find(owner.doc)?.durableSeq ?? 0),
    'the edit in memory'
  )
  const read = owner.read()
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(ana.provider.hasUnsyncedChanges).toBe(true)
  expect(ben.text()).toBe('one')
  expect(await Promise.race([read, Promise.resolve('waits')])).toBe('waits')
  disk.release()
  await ana.saved()
  await ben.shows('xone')
  expect((await read).content).toBe('xone')
  await own.stop()
})

test('[LIVE-5] a failing journal closes the sockets; clients keep their edit, reconnect and save it', async () => {
  let broken = false
  const own = await startWorld({
    storage: (storage) => ({ ...storage, commit: (batch) => (broken ? Promise.reject(new Error('disk')) : storage.commit(batch)) })
  })
  const owner = await own.create('one')
  const ana = await owner.connect()
  await own.service.ledger.idle()
  broken = true
  ana.type(0, 'kept ')
  await until(() => ana.closes.length > 0, 'the close')
  expect(ana.closes[0]?.code).toBe(1011)
  expect(own.service.live.find(owner.doc)).toBeUndefined()
  broken = false
  await until(async () => (await owner.read()).content === 'kept one', 'the edit')
  await ana.saved()
  await own.stop()
})

test('[LIVE-6] the server sets the name and role that others see: the role of the link, and one sanitized line as the name', async () => {
  const owner = await world.create('one')
  const ana = await owner.connect()
  const ben = await (await owner.share('view')).connect()
  ben.provider.awareness?.setLocalState({
    user: { name: `Boss\n\u202e${'x'.repeat(200)}`, role: 'owner', kind: 'account', hue: 99 },
    cursor: { anchor: 1 },
    extra: 'no'
  })
  const others = await othersOf(ana, 1)
  await until(
    async () => (others.get(ben.ydoc.clientID) ?? {})['cursor'] !== undefined || (await othersOf(ana, 1)).get(ben.ydoc.clientID)?.['cursor']
  )
  const state = (await othersOf(ana, 1)).get(ben.ydoc.clientID) as unknown as { user: { name: string } }
  expect(state).toMatchObject({ user: { role: 'view', kind: 'guest', hue: hueOfName(state.user.name) }, cursor: { anchor: 1 } })
  expect(state).not.toHaveProperty('extra')
  expect(state.user.name).toMatch(/^Boss x+$/)
  expect(state.user.name.length).toBe(limits.authorUnitsMax)
})

test('[LIVE-32] presence has the selected cell of a sheet; any other value of the field is dropped, and the rest is kept', async () => {
  const owner = await world.create('one')
  const ana = await owner.connect()
  const ben = await (await owner.share('view')).connect()
  const fence = `sheet#${'x'.repeat(limits.awarenessFenceUnitsMax - 8)}:1`
  ben.provider.awareness?.setLocalState({ user: { name: 'Ben' }, selected: { fence, cell: 'AB12', extra: 'no' } })
  const seen = (): unknown => ana.provider.awareness?.getStates().get(ben.ydoc.clientID)?.['selected']
  await until(() => seen() !== undefined, 'the cell')
  expect(seen()).toEqual({ fence, cell: 'AB12' })
  const hostile = [
    { fence: `${fence}0`, cell: 'A1' },
    { fence: 'sheet:1', cell: 'A1<b>' },
    { fence: 'sheet:1', cell: `A${'1'.repeat(30)}` },
    { fence: 'sheet:1', cell: 'A0' },
    { fence: 'sheet:1', cell: ['A1'] },
    { fence: { length: 1 }, cell: 'A1' },
    { cell: 'A1' },
    ['sheet:1', 'A1'],
    'A1',
    null
  ]
  for (const selected of hostile) {
    const state = presentState({ user: { name: 'Ben' }, selected }, anonymous, owner.doc, world.service.vault.disguise)
    expect([state.selected, state.user.name], JSON.stringify(selected)).toEqual([undefined, 'Ben'])
  }
})

test('[LIVE-7] nobody speaks for another: presence under another’s id is dropped, and cannot be removed with it', async () => {
  const owner = await world.create('one')
  const [ana, ben] = [await owner.connect({ name: 'Ana' }), await owner.connect({ name: 'Ben' })]
  await othersOf(ben, 1)
  const mallory = await world.socket()
  await mallory.open(owner.doc, (await owner.share('edit')).key)
  const forged = (state: Record<string, unknown> | null): Uint8Array => {
    const ydoc = new Y.Doc()
    ydoc.clientID = ana.ydoc.clientID
    const awareness = new Awareness(ydoc)
    for (let clock = 0; clock < 5; clock++) awareness.setLocalState({ clock })
    awareness.setLocalState(state)
    const update = encodeAwarenessUpdate(awareness, [ana.ydoc.clientID])
    awareness.destroy()
    return frameOf(owner.doc, 1, (encoder) => encoding.writeVarUint8Array(encoder, update))
  }
  mallory.send(forged({ user: { name: 'Eve' } }))
  mallory.send(forged(null))
  // Answers arrive in order, so everything sent before this message has been handled.
  const before = mallory.frames.length
  mallory.send(
    frameOf(owner.doc, 0, (encoder) => (encoding.writeVarUint(encoder, 0), encoding.writeVarUint8Array(encoder, Uint8Array.of(0))))
  )
  await until(() => mallory.frames.length > before)
  ana.type(0, 'x')
  await ana.saved()
  await ben.shows('xone')
  expect((await othersOf(ben, 1)).get(ana.ydoc.clientID)).toMatchObject({ user: { name: 'Ana' } })
})

test('[LIVE-7] a reader who shows presence under the id of an absent editor does not lock the editor out', async () => {
  const owner = await world.create('one')
  const ana = await owner.connect()
  ana.type(0, 'a')
  await ana.saved()
  ana.close()
  const mallory = await world.socket()
  await mallory.open(owner.doc, (await owner.share('view')).key)
  const ydoc = new Y.Doc()
  ydoc.clientID = ana.ydoc.clientID
  const awareness = new Awareness(ydoc)
  for (let clock = 0; clock < 100; clock++) awareness.setLocalState({ clock })
  const update = encodeAwarenessUpdate(awareness, [ydoc.clientID])
  awareness.destroy()
  const watcher = await owner.connect()
  mallory.send(frameOf(owner.doc, 1, (encoder) => encoding.writeVarUint8Array(encoder, update)))
  await until(() => watcher.provider.awareness?.getStates().has(ydoc.clientID), 'the squatter')
  ana.ytext.insert(0, 'offline ')
  const back = await owner.connect({ ydoc: ana.ydoc, eager: true })
  await until(() => watcher.text() === 'offline aone', 'the edit of the editor', 3)
  expect(back.closes).toEqual([])
})

test('[LIVE-8] a person who leaves disappears for the others: on a close and when the socket breaks', async () => {
  const owner = await world.create('one')
  const [ana, ben, cleo] = [
    await owner.connect({ name: 'Ana' }),
    await owner.connect({ name: 'Ben' }),
    await owner.connect({ name: 'Cleo' })
  ]
  await othersOf(ana, 2)
  ben.provider.awareness?.setLocalState(null)
  await othersOf(ana, 1)
  cleo.provider.configuration.websocketProvider.webSocket?.close()
  cleo.provider.configuration.websocketProvider.disconnect()
  await othersOf(ana, 0)
})

/** Creates a seeded random generator (mulberry32), so that a failure can be reproduced. */
const randomFrom = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

test(
  '[LIVE-9] ten thousand random and mutated frames disturb nobody else, and all copies of the text stay equal',
  { timeout: 60_000 },
  async () => {
    const seed = Number(process.env['AGMD_SEED'] ?? 20261121)
    const random = randomFrom(seed)
    const below = (end: number): number => Math.floor(random() * end)
    const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => below(256))
    const owner = await world.create('target')
    const elsewhere = await world.create('elsewhere')
    const [peer, bystander] = [await (await owner.share('edit')).connect(), await elsewhere.connect()]
    const key = (await owner.share('edit')).key
    const good = (): Uint8Array => {
      const update = inserting('mutant ')
      const awareness = new Awareness(new Y.Doc())
      awareness.setLocalState({ user: { name: 'x' } })
      const presence = encodeAwarenessUpdate(awareness, [awareness.clientID])
      awareness.destroy()
      return [
        updateFrame(owner.doc, update),
        frameOf(owner.doc, 0, (encoder) => (encoding.writeVarUint(encoder, 1), encoding.writeVarUint8Array(encoder, update))),
        frameOf(
          owner.doc,
          0,
          (encoder) => (encoding.writeVarUint(encoder, 0), encoding.writeVarUint8Array(encoder, Y.encodeStateVectorFromUpdate(update)))
        ),
        frameOf(owner.doc, 1, (encoder) => encoding.writeVarUint8Array(encoder, presence)),
        frameOf(owner.doc, 5, (encoder) => encoding.writeVarString(encoder, '{"type":"x"}')),
        frameOf(owner.doc, 2, (encoder) => (encoding.writeVarUint(encoder, 0), encoding.writeVarString(encoder, key)))
      ][below(6)] as Uint8Array
    }
    const frame = (): Uint8Array => {
      const kind = below(4)
      if (kind === 0) return bytes(below(60))
      if (kind === 1) return frameOf(owner.doc, below(12), (encoder) => encoding.writeUint8Array(encoder, bytes(below(40))))
      const whole = good()
      if (kind === 2) return whole.slice(0, below(whole.length))
      const start = owner.doc.length + 1
      return whole.with(start + below(whole.length - start), below(256))
    }
    let sent = 0
    const attack = async (): Promise<void> => {
      while (sent < 10_000) {
        const socket = await world.socket()
        await socket.open(owner.doc, key)
        for (let count = 0; count < 25 && socket.closed() === undefined; count++, sent++) {
          socket.send(frame())
          if (count % 5 === 4) await new Promise((resolve) => setImmediate(resolve))
        }
        socket.close()
      }
    }
    await Promise.all([attack(), attack(), attack(), attack()])
    bystander.type(0, 'still ')
    await bystander.saved()
    expect(bystander.closes, `seed ${seed}`).toEqual([])
    expect((await elsewhere.read()).content).toBe('still elsewhere')
    expect(peer.closes, `seed ${seed}`).toEqual([])
    peer.type(0, 'still here ')
    await peer.saved()
    const { content, version } = await owner.read()
    await peer.shows(content)
    expect(await owner.at(version)).toBe(content)
    expect(content).toContain('target')
    const fresh = await owner.connect()
    expect(fresh.text()).toBe(content)
    expect(world.lines.filter((line) => line.includes('"level":"error"'))).toEqual([])
  }
)

const withDoc = (change: (ydoc: Y.Doc) => void): Uint8Array => {
  const ydoc = new Y.Doc()
  change(ydoc)
  return Y.encodeStateAsUpdate(ydoc)
}

test.each<[string, Uint8Array]>([
  ['another root', withDoc((ydoc) => ydoc.getText('other').insert(0, 'x'))],
  ['a map', withDoc((ydoc) => ydoc.getMap('content').set('a', 1))],
  ['an array', withDoc((ydoc) => ydoc.getArray('content').push([1]))],
  ['an embed', withDoc((ydoc) => ydoc.getText('content').insertEmbed(0, { image: 'x' }))],
  ['a format', withDoc((ydoc) => ydoc.getText('content').insert(0, 'x', { bold: true }))],
  ['XML', withDoc((ydoc) => ydoc.getXmlFragment('content').insert(0, [new Y.XmlElement('a')]))],
  ['a count bomb', Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x0f, 1, 0)],
  ['a length bomb', Uint8Array.of(1, 1, 5, 0, 0, 0xff, 0xff, 0xff, 0xff, 0x7f, 0)],
  ['nothing', new Uint8Array()]
])('[LIVE-10] an update that is not plain text in our root type closes its socket with 4400: %s', async (_what, update) => {
  await refuses((doc) => [updateFrame(doc, update)], 4400)
})

test('[LIVE-11] an update under the client id of another connected client is refused, and theirs still work', async () => {
  const owner = await world.create('text')
  const ana = await owner.connect()
  ana.type(4, ' by ana')
  await ana.saved()
  const thief = await world.socket()
  await thief.open(owner.doc, (await owner.share('edit')).key)
  const ydoc = new Y.Doc()
  Y.applyUpdate(ydoc, Y.encodeStateAsUpdate(ana.ydoc))
  ydoc.clientID = ana.ydoc.clientID
  let update = new Uint8Array()
  ydoc.on('update', (bytes: Uint8Array) => {
    update = Uint8Array.from(bytes)
  })
  ydoc.getText('content').insert(0, 'stolen ')
  thief.send(updateFrame(owner.doc, update))
  expect((await thief.end()).code).toBe(1013)
  ana.type(0, 'still ')
  await ana.saved()
  expect((await owner.read()).content).toBe('still text by ana')
  expect(ana.closes).toEqual([])
})

test('[LIVE-12] an update with a gap or a cycle is refused, and a new sync repairs it', async () => {
  const source = new Y.Doc()
  const updates: Uint8Array[] = []
  source.on('update', (update: Uint8Array) => updates.push(update))
  source.getText('content').insert(0, 'a')
  source.getText('content').insert(1, 'b')
  await refuses((doc) => [updateFrame(doc, updates[1] ?? new Uint8Array())], 1013)
  // The update contains two items, each of which follows the other.
  const circle = encoding.createEncoder()
  const item = (client: number, on: number): void => {
    for (const value of [1, client, 0]) encoding.writeVarUint(circle, value)
    encoding.writeUint8(circle, 0x84)
    for (const value of [on, 0]) encoding.writeVarUint(circle, value)
    encoding.writeVarString(circle, 'x')
  }
  encoding.writeVarUint(circle, 2)
  item(5, 6)
  item(6, 5)
  encoding.writeVarUint(circle, 0)
  await refuses((doc) => [updateFrame(doc, encoding.toUint8Array(circle))], 1013)
})

test('[LIVE-13] text beyond the limit, and messages beyond theirs, close the socket with 1009', { timeout: 60_000 }, async () => {
  await refuses((doc) => [updateFrame(doc, inserting('x'.repeat(limits.contentUnitsMax + 1)))], 1009)
  await refuses((doc) => [updateFrame(doc, new Uint8Array(limits.socketMessageBytesMax + 1))], 1009)
})

test('[LIVE-14] text frames, wrong document names, unknown types, large presence and too many documents close the socket with 4400', async () => {
  const presence = new Uint8Array(limits.awarenessBytesMax + 1)
  await refuses(() => ['text'], 4400)
  await refuses(() => [updateFrame('short', inserting('x'))], 4400)
  await refuses(() => [updateFrame('../../etc/passwd', inserting('x'))], 4400)
  await refuses(() => [updateFrame('', inserting('x'))], 4400)
  await refuses((doc) => [frameOf(doc, 77, () => undefined)], 4400)
  await refuses((doc) => [frameOf(doc, 1, (encoder) => encoding.writeVarUint8Array(encoder, presence))], 4400)
})

test('[LIVE-14] a socket holds a limited number of documents', async () => {
  const owners = await Promise.all(Array.from({ length: limits.socketDocumentsMax + 1 }, () => world.create('text')))
  const socket = await world.socket()
  for (const { doc, key } of owners) {
    const before = socket.frames.length
    expect(socket.closed()).toBeUndefined()
    socket.send(frameOf(doc, 2, (encoder) => (encoding.writeVarUint(encoder, 0), encoding.writeVarString(encoder, key))))
    await until(() => socket.frames.length > before || socket.closed() !== undefined)
  }
  expect((await socket.end()).code).toBe(4400)
})

test('[LIVE-15] a large first message, before a document is open, is refused', async () => {
  const owner = await world.create('text')
  const socket = await world.socket()
  socket.send(updateFrame(owner.doc, inserting('x'.repeat(limits.socketHelloBytesMax))))
  expect((await socket.end()).code).toBe(4400)
})

test('[LIVE-16] an update before the token, or after a refused one, changes nothing', async () => {
  const owner = await world.create('text')
  const early = await world.socket()
  early.send(updateFrame(owner.doc, inserting('early')))
  await early.open(owner.doc, 'A'.repeat(32))
  early.send(updateFrame(owner.doc, inserting('late')))
  const peer = await owner.connect()
  peer.type(4, '!')
  await peer.saved()
  expect((await owner.read()).content).toBe('text!')
})

test('[LIVE-23] the queue of messages waiting for credentials is bounded: beyond it the socket is closed with 4429', async () => {
  const owner = await world.create('text')
  const socket = await world.socket()
  const piece = updateFrame(owner.doc, inserting('x'.repeat(limits.socketHelloBytesMax / 2)))
  for (let sent = 0; sent <= limits.socketQueueBytesMax; sent += piece.length) socket.send(piece)
  expect((await socket.end()).code).toBe(4429)
  expect((await owner.read()).content).toBe('text')
})

test('[LIVE-24] one socket may open several documents at once', async () => {
  const owners = await Promise.all(['one', 'two', 'three'].map((content) => world.create(content)))
  const socket = await world.socket()
  for (const { doc, key } of owners)
    socket.send(frameOf(doc, 2, (encoder) => (encoding.writeVarUint(encoder, 0), encoding.writeVarString(encoder, key))))
  const answered = (doc: string): boolean => socket.frames.some((frame) => Buffer.from(frame).includes(doc))
  await until(() => owners.every(({ doc }) => answered(doc)) || socket.closed() !== undefined)
  expect(socket.closed()).toBeUndefined()
  socket.close()
})

test('[LIVE-26] a client that requests a whole document repeatedly delays nobody, and is finally closed with 4429', async () => {
  // The clock stands still, so the budget does not refill, even on a slow machine.
  const still = await startWorld({ clock: testClock() })
  const owner = await still.create('A line of forty characters, more or less.\n'.repeat(95_000))
  const viewer = await owner.share('view')
  const socket = await still.socket()
  await socket.open(owner.doc, viewer.key)
  const wholeState = frameOf(owner.doc, 0, (encoder) => {
    encoding.writeVarUint(encoder, 0)
    encoding.writeVarUint8Array(encoder, new Uint8Array([0]))
  })
  for (let sent = 0; sent < 400; sent++) socket.send(wholeState)
  await until(() => socket.frames.length > 3, 'the first answers')
  expect((await still.ask('GET', '/api/health')).status).toBe(200)
  expect(socket.closed()).toBeUndefined()
  expect((await socket.end()).code).toBe(4429)
  expect((await owner.read()).content).toHaveLength(3_990_000)
  await still.stop()
})

test('[LIVE-27] a large document can be replaced in one update: deleted text frees space for inserted text', async () => {
  const half = Math.ceil(limits.contentUnitsMax * 0.6)
  const owner = await world.create('a'.repeat(half))
  const ana = await owner.connect()
  ana.ydoc.transact(() => {
    ana.ytext.delete(0, half)
    ana.ytext.insert(0, 'b'.repeat(half))
  })
  await ana.saved()
  expect((await owner.read()).content).toBe('b'.repeat(half))
  expect(ana.closes).toEqual([])
})

test('[LIVE-17] only our own pages and programs get sockets: a foreign origin returns 403, another path 404', async () => {
  await expect(world.socket({ origin: 'https://elsewhere.example' })).rejects.toThrow('403')
  await expect(world.socket({ origin: 'null' })).rejects.toThrow('403')
  await expect(world.socket({ path: '/elsewhere' })).rejects.toThrow('404')
  ;(await world.socket({ origin: world.url })).close()
  ;(await world.socket()).close()
})

test('[LIVE-18] carriage returns and NUL do not remain in a document, no matter who typed them', async () => {
  const owner = await world.create('text')
  const [ana, ben] = [await owner.connect(), await owner.connect()]
  ana.type(0, 'a\r\nb\rc\0')
  await ben.shows('a\nb\nctext')
  await ana.shows('a\nb\nctext')
})

test('[LIVE-19] a revision is saved before most of the text is deleted', async () => {
  const content = 'line of text\n'.repeat(200)
  const owner = await world.create('start')
  const ana = await owner.connect()
  ana.type(0, content)
  await ana.saved()
  ana.erase(0, ana.ytext.length)
  await ana.saved()
  const { revisions } = await owner.revisions()
  expect(revisions[0]).toMatchObject({ cause: 'autosave', size: content.length + 5 })
  expect(await owner.at(revisions[0].version)).toBe(`${content}start`)
})

test('[LIVE-34] a client that opens a document receives its text exactly once', async () => {
  const owner = await world.create('read from the store')
  const socket = await world.socket()
  await socket.open(owner.doc, owner.key)
  socket.send(
    frameOf(owner.doc, 0, (encoder) => {
      encoding.writeVarUint(encoder, 0)
      encoding.writeVarUint8Array(encoder, new Uint8Array([0]))
    })
  )
  const having = (text: string): number => socket.frames.filter((frame) => Buffer.from(frame).includes(text)).length
  await until(() => having('read from the store') > 0, 'the text')
  const editor = await owner.connect()
  editor.type(0, 'later')
  await until(() => having('later') > 0, 'an edit')
  expect(having('read from the store')).toBe(1)
})

/** Starts a world whose documents leave memory when nobody uses them. It counts the commits of a document, and the work on its text. */
const startForgetful = async () => {
  const commits: Batch[] = []
  const own = await startWorld({
    env: { AGMD_IDLE_UNLOAD_SECONDS: '0' },
    storage: (storage) => ({
      ...storage,
      commit(batch) {
        commits.push(batch)
        return storage.commit(batch)
      }
    })
  })
  const work: string[] = []
  const { texts, live } = own.service
  const done = texts.do
  const observed: typeof done = (doc, name, ...input) => {
    work.push(name)
    return done(doc, name, ...input)
  }
  Object.assign(texts, { do: observed })
  const unloaded = (doc: string): Promise<void> => until(() => live.find(doc) === undefined, 'the document to leave memory')
  return { own, commits, work, unloaded }
}

test('[LIVE-35] a document that was only read leaves memory without a commit and without work on its text', async () => {
  const { own, commits, work, unloaded } = await startForgetful()
  // A thread does the work on text of this size.
  const owner = await own.create('a line\n'.repeat(limits.textInlineUnitsMax / 7 + 1))
  const read = async (write?: (editor: Editor) => Promise<void>): Promise<void> => {
    const editor = await owner.connect()
    expect(own.service.live.find(owner.doc)).toBeDefined()
    await write?.(editor)
    editor.close()
    await unloaded(owner.doc)
  }
  // The first use of the link is recorded.
  await read()
  commits.length = 0
  await read()
  expect({ commits, work }).toEqual({ commits: [], work: [] })
  await read(async (editor) => {
    editor.type(0, 'typed\n')
    await editor.saved()
  })
  expect(commits.length).toBeGreaterThan(1)
  expect(work).toContain('mentionIndex')
  commits.length = work.length = 0
  await read()
  expect({ commits, work }).toEqual({ commits: [], work: [] })
  await own.stop()
})

// A node that has not written leaves this work to the node that wrote, and on PostgreSQL there may be others.
test.skipIf(storesInPostgres)(
  '[LIVE-36] a document that leaves memory gets its canonical text and its revision, if they are missing or old',
  async () => {
    const { own, unloaded } = await startForgetful()
    const { storage, ledger } = own.service
    const owner = await own.create('first\n')
    const old = (await storage.get(keys.text(owner.doc)))?.value as Uint8Array
    const { version } = await owner.replace('second\n')
    await unloaded(owner.doc)
    const { revision, revisionSeq } = await ledger.head(owner.doc)
    const change = async (changed: (tx: Transaction) => void): Promise<unknown> => {
      await ledger.write(owner.doc, 'system', changed)
      const { release } = await own.service.live.open(owner.doc)
      release()
      await unloaded(owner.doc)
      const stored = await findProjection(storage, owner.doc)
      return { version: stored?.version, content: stored?.content }
    }
    const current = { version, content: 'second\n' }
    expect(await change((tx) => tx.put(keys.text(owner.doc), old))).toEqual(current)
    expect(await change((tx) => tx.put(keys.text(owner.doc), new Uint8Array([99])))).toEqual(current)
    expect(await change((tx) => tx.delete(keys.text(owner.doc)))).toEqual(current)
    expect((await ledger.head(owner.doc)).revision).toBe(revision)
    await change((tx) => (tx.head = { ...tx.head, revisionSeq: revisionSeq - 1 }))
    expect(await ledger.head(owner.doc)).toMatchObject({ revision: revision + 1, revisionSeq })
    await own.stop()
  }
)

test('[LIVE-20] a link revoked while its socket is opening a document gives no access', async () => {
  let gate: Promise<void> | undefined
  let opened = (): void => undefined
  let loading = 0
  const own = await startWorld({
    env: { AGMD_IDLE_UNLOAD_SECONDS: '0' },
    storage: (storage) => ({
      ...storage,
      async list(prefix, range) {
        if (prefix[2] === 'history' && gate !== undefined) {
          loading++
          await gate
        }
        return storage.list(prefix, range)
      }
    })
  })
  const owner = await own.create('secret')
  const guest = await owner.share('edit')
  await until(() => own.service.live.find(owner.doc) === undefined, 'the document to leave memory')
  gate = new Promise((resolve) => (opened = resolve))
  const editor = await guest.connect({ eager: true })
  await until(() => loading > 0, 'loading')
  await owner.ask('DELETE', `/shares/${guest.link.id}`)
  gate = undefined
  opened()
  await until(() => editor.closes.length > 0 || editor.refusals.length > 0, 'the end', 3)
  if (editor.closes.length > 0) expect(editor.closes[0]?.code).toBe(4401)
  await own.stop()
})

test('[LIVE-21] a person who was offline reconnects with all changes, merged once', async () => {
  const owner = await world.create('base\n')
  const ana = await owner.connect()
  const ydoc = ana.ydoc
  ana.close()
  for (let count = 0; count < 100; count++) ydoc.getText('content').insert(0, `offline ${count}\n`)
  await owner.replace('base\nmeanwhile\n')
  const back = await owner.connect({ ydoc })
  await back.saved()
  await back.shows((text) => text.includes('meanwhile'))
  const { content } = await owner.read()
  expect(content).toBe(back.text())
  expect(content.match(/offline \d+\n/g)?.length).toBe(100)
  expect(content.endsWith('base\nmeanwhile\n')).toBe(true)
})

test("[LIVE-25] pages of one device bring along the ids of earlier pages, and each other's; all of it is taken once", async () => {
  const owner = await world.create('base\n')
  const seen = await owner.connect()
  const base = Y.encodeStateAsUpdate(seen.ydoc)
  seen.close()
  // The device is offline. Each page begins with the text stored on the device. Then a person types on it.
  const page = (...kept: readonly Y.Doc[]): Y.Doc => {
    const ydoc = new Y.Doc()
    for (const update of [base, ...kept.map((one) => Y.encodeStateAsUpdate(one))]) Y.applyUpdate(ydoc, update)
    return ydoc
  }
  const type = (ydoc: Y.Doc, text: string): void => ydoc.getText('content').insert(0, text)
  const former = page()
  type(former, 'former, before\n')
  const first = page(former)
  type(former, 'former, later\n')
  type(first, 'first, before\n')
  const second = page(former, first)
  type(first, 'first, later\n')
  type(second, 'second\n')
  // The second page has half of the text typed on the first page. The third page has all of the text typed on the former page.
  const pages = [second, first, page(former)]
  const editors = []
  for (const ydoc of pages) {
    const editor = await owner.connect({ ydoc, name: 'Ana' })
    await editor.saved()
    editors.push(editor)
  }
  editors[1]?.type(0, 'first, at last\n')
  await editors[1]?.saved()
  const { content } = await owner.read()
  const lines = ['base', 'first, at last', 'first, before', 'first, later', 'former, before', 'former, later', 'second', '']
  expect(content.split('\n').sort()).toEqual(lines.sort())
  for (const editor of editors) {
    await editor.shows(content)
    expect(editor.closes).toEqual([])
  }
})

test('[LIVE-22] twenty people typing at once end with the same text, nothing lost or duplicated', async () => {
  const owner = await world.create('')
  const editors = await Promise.all(Array.from({ length: 20 }, () => owner.connect()))
  await Promise.all(
    editors.map(async (editor, index) => {
      for (let count = 0; count < 20; count++) {
        editor.type(editor.ytext.length, `<${index}.${count}>`)
        if (count % 5 === 0) await editor.saved()
      }
      await editor.saved()
    })
  )
  const { content } = await owner.read()
  expect(new Set(content.match(/<\d+\.\d+>/g)).size).toBe(400)
  expect(content.length).toBe(content.match(/<\d+\.\d+>/g)?.join('').length)
  await Promise.all(editors.map((editor) => editor.shows(content)))
})

test('[LIVE-28] edits that arrive together are one record, and each has its author, its version and its acknowledgement', async () => {
  const owner = await world.create('')
  const place = { url: `${world.url.replace('http', 'ws')}/collab`, doc: owner.doc, key: owner.key }
  const people = await Promise.all(
    [100, 101].map(async (client) => {
      let acknowledged = 0
      const person = await openPerson({ place, client, hasCursor: true, onAcknowledged: () => void acknowledged++ })
      return { client, person, acknowledged: () => acknowledged }
    })
  )
  const everybody = async (count: number): Promise<void> =>
    until(() => people.every(({ acknowledged }) => acknowledged() === count), `${count} acknowledgements each`)
  // The names of the writers arrive with their first presence.
  for (const { client, person } of people) person.type(`${client} begins\n`)
  await everybody(1)
  for (let n = 0; n < 100; n++) for (const { client, person } of people) person.type(`${client} ${n}\n`)
  await everybody(101)
  const records = await world.service.storage.list(['d', owner.doc, 'update'])
  const entries = records.flatMap(({ value }) => decodeEntries(value))
  expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 202 }, (_entry, index) => index + 1))
  for (const { client } of people) {
    const own = entries.slice(2).filter(({ update }) => Buffer.from(update).includes(`${client} `))
    expect(own.map(({ actor }) => actor)).toEqual(Array.from({ length: 100 }, () => `guest:Person ${client}`))
  }
  expect(records.length).toBeLessThan(100)
  const { content, version } = await owner.read()
  expect(version).toBe(formatVersion(entries.at(-1) as JournalEntry))
  expect(content.split('\n').length).toBe(203)
  const { json } = await owner.ask('GET', '/attribution')
  expect(json.lines.flatMap(({ authors }: { authors: string[] }) => authors)).toEqual(expect.arrayContaining(['Person 100', 'Person 101']))
  for (const { person } of people) person.close()
})

test('[LIVE-29] moves of several people share frames', async () => {
  const owner = await world.create('text')
  const watcher = await world.socket()
  await watcher.open(owner.doc, owner.key)
  const place = { url: `${world.url.replace('http', 'ws')}/collab`, doc: owner.doc, key: owner.key }
  let acknowledged = 0
  const onAcknowledged = (): void => void acknowledged++
  const clients = [200, 201, 202, 203, 204, 205, 206, 207]
  const people = await Promise.all(clients.map((client) => openPerson({ place, client, hasCursor: true, onAcknowledged })))
  const presences = (): Buffer[] => watcher.frames.filter((frame) => frame[(frame[0] ?? 0) + 1] === 1).map((frame) => Buffer.from(frame))
  const begun = performance.now()
  for (const [index, person] of people.entries()) {
    person.type('x')
    await until(() => acknowledged === index + 1, 'the acknowledgement')
  }
  await until(() => clients.every((client) => presences().some((frame) => frame.includes(`"client":${client},`))), 'all moves')
  expect(presences().length).toBeLessThanOrEqual((performance.now() - begun) / limits.presenceFrameMs + 2)
  for (const person of people) person.close()
})
