import fc from 'fast-check'
import * as encoding from 'lib0/encoding'
import { expect, test } from 'vitest'
import * as Y from 'yjs'
import { lengthAfter } from '../server/live/text-length.ts'
import { checkUpdate, parseUpdate, UpdateRefused } from '../server/live/update-check.ts'
import { textRootName } from '../shared/names.ts'

const textOf = (ydoc: Y.Doc): Y.Text => ydoc.getText('content')

const accept = (ydoc: Y.Doc, update: Uint8Array): void => {
  checkUpdate(parseUpdate(update), { clockOf: (client) => Y.getState(ydoc.store, client), takenByOther: () => false })
  Y.applyUpdate(ydoc, update)
}

const refusal = (ydoc: Y.Doc, update: Uint8Array): UpdateRefused | undefined => {
  try {
    accept(ydoc, update)
    return undefined
  } catch (error) {
    if (error instanceof UpdateRefused) return error
    throw error
  }
}

/** Checks that a document has no pending updates, and one root with plain text. */
const isSound = (ydoc: Y.Doc): void => {
  expect(ydoc.store.pendingStructs).toBeNull()
  expect(ydoc.store.pendingDs).toBeNull()
  expect([...ydoc.share.keys()]).toEqual(['content'])
  const text = textOf(ydoc)
  for (const part of text.toDelta() as { insert: unknown; attributes?: unknown }[]) {
    expect(typeof part.insert).toBe('string')
    expect(part.attributes).toBeUndefined()
  }
  expect(text.length).toBe(text.toString().length)
}

type Step = readonly [client: number, kind: 'insert' | 'delete' | 'sync' | 'offline' | 'online' | 'undo', at: number, text: string]

const step: fc.Arbitrary<Step> = fc.tuple(
  fc.nat(2),
  fc.constantFrom('insert', 'insert', 'insert', 'delete', 'sync', 'offline', 'online', 'undo'),
  fc.nat(1000),
  fc.constantFrom('a', 'word', '😀', '\n', 'é', '{"a":1}')
) as fc.Arbitrary<Step>

/** Plays steps of three people with real Y.Docs, some of them offline for a while. Passes the updates to the server in order, and checks that it accepts them. */
const play = (steps: readonly Step[], take: (server: Y.Doc, update: Uint8Array) => void): Y.Doc => {
  const server = new Y.Doc()
  textOf(server)
  const people = [0, 1, 2].map((index) => {
    const ydoc = new Y.Doc({ gc: index !== 2 })
    const person = { ydoc, online: true, undo: new Y.UndoManager(textOf(ydoc)) }
    ydoc.on('update', (update: Uint8Array, origin: unknown) => {
      if (origin !== 'server' && person.online) take(server, update)
    })
    return person
  })
  for (const [client, kind, at, text] of steps) {
    const person = people[client] as (typeof people)[number]
    const ytext = textOf(person.ydoc)
    const from = at % (ytext.length + 1)
    if (kind === 'insert') ytext.insert(from, text)
    if (kind === 'delete') ytext.delete(from, Math.min(text.length, ytext.length - from))
    if (kind === 'undo') person.undo.undo()
    if (kind === 'offline') person.online = false
    if (kind === 'online') {
      person.online = true
      take(server, Y.encodeStateAsUpdate(person.ydoc, Y.encodeStateVector(server)))
    }
    if (kind === 'sync') Y.applyUpdate(person.ydoc, Y.encodeStateAsUpdate(server, Y.encodeStateVector(person.ydoc)), 'server')
  }
  for (const { ydoc } of people) take(server, Y.encodeStateAsUpdate(ydoc, Y.encodeStateVector(server)))
  for (const { ydoc } of people) {
    Y.applyUpdate(ydoc, Y.encodeStateAsUpdate(server), 'server')
    expect(textOf(ydoc).toString()).toBe(textOf(server).toString())
  }
  return server
}

test('[UPDATE-1] every update of real clients is accepted in order: typing, deleting, undo, offline sessions', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      isSound(play(steps, accept))
    }),
    { numRuns: 500 }
  )
})

test('[UPDATE-2] every truncation and mutation of an update is refused or harmless', { timeout: 60_000 }, () => {
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 5, maxLength: 25 }),
      fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 20, maxLength: 20 }),
      (steps, changes) => {
        const seen: [Uint8Array, Uint8Array][] = []
        play(steps, (server, update) => {
          seen.push([Y.encodeStateAsUpdate(server), update])
          accept(server, update)
        })
        for (const [index, [at, value]] of changes.entries()) {
          const [state, update] = seen[at % seen.length] ?? [new Uint8Array(), new Uint8Array()]
          const place = value % Math.max(1, update.length)
          const bad = index % 2 === 0 ? update.slice(0, place) : update.with(at % Math.max(1, update.length), value)
          const server = new Y.Doc()
          textOf(server)
          if (state.length > 0) Y.applyUpdate(server, state)
          const before = textOf(server).toString()
          if (refusal(server, bad) !== undefined) expect(textOf(server).toString()).toBe(before)
          isSound(server)
        }
      }
    ),
    { numRuns: 150 }
  )
})

/** Returns an update made by hand. */
const written = (write: (encoder: encoding.Encoder) => void): Uint8Array => {
  const encoder = encoding.createEncoder()
  write(encoder)
  return encoding.toUint8Array(encoder)
}
const numbers = (encoder: encoding.Encoder, ...values: number[]): void => values.forEach((value) => encoding.writeVarUint(encoder, value))
const rootItem = (encoder: encoding.Encoder, text: string): void => {
  encoding.writeUint8(encoder, 4)
  encoding.writeVarUint(encoder, 1)
  encoding.writeVarString(encoder, 'content')
  encoding.writeVarString(encoder, text)
}
const itemAfter = (encoder: encoding.Encoder, client: number, clock: number, text: string): void => {
  encoding.writeUint8(encoder, 4 | 0x80)
  numbers(encoder, client, clock)
  encoding.writeVarString(encoder, text)
}

const inRoot = (change: (ydoc: Y.Doc) => void): Uint8Array => {
  const ydoc = new Y.Doc()
  change(ydoc)
  return Y.encodeStateAsUpdate(ydoc)
}

test.each<[string, string, Uint8Array]>([
  ['another root', 'foreign', inRoot((ydoc) => ydoc.getText('other').insert(0, 'x'))],
  ['a map', 'foreign', inRoot((ydoc) => ydoc.getMap('content').set('a', 1))],
  ['an array', 'foreign', inRoot((ydoc) => ydoc.getArray('content').push([1]))],
  ['XML', 'foreign', inRoot((ydoc) => ydoc.getXmlFragment('content').insert(0, [new Y.XmlElement('a')]))],
  ['a nested type', 'foreign', inRoot((ydoc) => ydoc.getArray('content').push([new Y.Text('x')]))],
  ['a subdocument', 'foreign', inRoot((ydoc) => ydoc.getMap('content').set('a', new Y.Doc()))],
  ['an embed', 'foreign', inRoot((ydoc) => ydoc.getText('content').insertEmbed(0, { image: 'x' }))],
  ['a format', 'foreign', inRoot((ydoc) => ydoc.getText('content').insert(0, 'x', { bold: true }))],
  ['an attribute', 'foreign', inRoot((ydoc) => ydoc.getText('content').setAttribute('a', 1))],
  ['no bytes', 'malformed', new Uint8Array()],
  ['a count of clients that is a lie', 'malformed', written((encoder) => numbers(encoder, 2 ** 31, 1))],
  ['a count of structs that is a lie', 'malformed', written((encoder) => numbers(encoder, 1, 2 ** 40, 1, 0))],
  ['a count of ranges that is a lie', 'malformed', written((encoder) => numbers(encoder, 0, 1, 1, 2 ** 40))],
  [
    'a length of zero',
    'malformed',
    written((encoder) => (numbers(encoder, 1, 1, 1, 0), encoding.writeUint8(encoder, 0), numbers(encoder, 0, 0)))
  ],
  [
    'a huge length',
    'malformed',
    written((encoder) => (numbers(encoder, 1, 1, 1, 0), encoding.writeUint8(encoder, 0), numbers(encoder, 2 ** 45, 0)))
  ],
  ['a skip', 'malformed', written((encoder) => (numbers(encoder, 1, 1, 1, 0), encoding.writeUint8(encoder, 10), numbers(encoder, 1, 0)))],
  ['bytes after the end', 'malformed', Uint8Array.of(0, 0, 7)],
  ['a deletion of what is not there', 'gap', written((encoder) => numbers(encoder, 0, 1, 5, 1, 0, 10))],
  ['a clock gap', 'gap', written((encoder) => (numbers(encoder, 1, 1, 5, 3), rootItem(encoder, 'x'), numbers(encoder, 0)))],
  [
    'an origin that is not there',
    'gap',
    written((encoder) => (numbers(encoder, 1, 1, 5, 0), itemAfter(encoder, 6, 0, 'x'), numbers(encoder, 0)))
  ],
  ['an item after itself', 'gap', written((encoder) => (numbers(encoder, 1, 1, 5, 0), itemAfter(encoder, 5, 0, 'x'), numbers(encoder, 0)))],
  [
    'an item after a later one of its own',
    'gap',
    written((encoder) => (numbers(encoder, 1, 2, 5, 0), itemAfter(encoder, 5, 1, 'x'), rootItem(encoder, 'y'), numbers(encoder, 0)))
  ],
  [
    'two items after each other',
    'gap',
    written(
      (encoder) => (
        numbers(encoder, 2, 1, 5, 0),
        itemAfter(encoder, 6, 0, 'x'),
        numbers(encoder, 1, 6, 0),
        itemAfter(encoder, 5, 0, 'y'),
        numbers(encoder, 0)
      )
    )
  ],
  [
    'the same client twice',
    'malformed',
    written(
      (encoder) => (
        numbers(encoder, 2, 1, 5, 0),
        rootItem(encoder, 'x'),
        numbers(encoder, 1, 5, 1),
        rootItem(encoder, 'y'),
        numbers(encoder, 0)
      )
    )
  ]
])('[UPDATE-3] refused: %s', (_what, reason, update) => {
  const server = new Y.Doc()
  textOf(server).insert(0, 'text')
  const before = Y.encodeStateAsUpdate(server)
  expect(refusal(server, update)?.reason).toBe(reason)
  expect(Y.encodeStateAsUpdate(server)).toEqual(before)
})

test('[UPDATE-4] new content under a client id of another connection is refused, known content is not', () => {
  const [one, server] = [new Y.Doc(), new Y.Doc()]
  textOf(one).insert(0, 'mine')
  const update = Y.encodeStateAsUpdate(one)
  const state = { clockOf: (client: number) => Y.getState(server.store, client), takenByOther: (client: number) => client === one.clientID }
  expect(() => checkUpdate(parseUpdate(update), state)).toThrow(UpdateRefused)
  Y.applyUpdate(server, update)
  expect(checkUpdate(parseUpdate(update), state)).toEqual([])
})

test('[UPDATE-5] checking a hostile update takes time proportional to its bytes', () => {
  const state = { clockOf: () => 0, takenByOther: () => false }
  const timed = (update: Uint8Array): void => {
    const start = performance.now()
    try {
      checkUpdate(parseUpdate(update), state)
    } catch (error) {
      expect(error).toBeInstanceOf(UpdateRefused)
    }
    expect(performance.now() - start).toBeLessThan(2000)
  }
  const clients = (count: number, item: (encoder: encoding.Encoder, client: number) => void): Uint8Array =>
    written((encoder) => {
      numbers(encoder, count)
      for (let client = 1; client <= count; client++) {
        numbers(encoder, 1, client, 0)
        item(encoder, client)
      }
      numbers(encoder, 0)
    })
  timed(clients(200_000, (encoder) => rootItem(encoder, 'x')))
  // Each item comes after the next one, first in a long chain and then in a cycle.
  timed(clients(10_000, (encoder, client) => (client === 10_000 ? rootItem(encoder, 'x') : itemAfter(encoder, client + 1, 0, 'x'))))
  timed(clients(10_000, (encoder, client) => itemAfter(encoder, (client % 10_000) + 1, 0, 'x')))
  // Two long runs wait for each other at every step, and thousands of items wait for the end of the runs.
  timed(
    written((encoder) => {
      numbers(encoder, 9_002)
      for (const [client, other] of [
        [1, 2],
        [2, 1]
      ] as const) {
        numbers(encoder, 50_000, client, 0)
        for (let clock = 0; clock < 50_000; clock++) {
          const before = clock - (client === 1 ? 1 : 0)
          if (before < 0) rootItem(encoder, 'x')
          else itemAfter(encoder, other, before, 'x')
        }
      }
      for (let client = 3; client <= 9_002; client++) {
        numbers(encoder, 1, client, 0)
        itemAfter(encoder, 1, 49_999, 'x')
      }
      numbers(encoder, 0)
    })
  )
})

test('[UPDATE-5] a long chain without a cycle is accepted', () => {
  const chain = written((encoder) => {
    numbers(encoder, 2000)
    for (let client = 1; client <= 2000; client++) {
      numbers(encoder, 1, client, 0)
      if (client === 2000) rootItem(encoder, 'x')
      else itemAfter(encoder, client + 1, 0, 'x')
    }
    numbers(encoder, 0)
  })
  const server = new Y.Doc()
  textOf(server)
  accept(server, chain)
  isSound(server)
  expect(textOf(server).toString()).toBe('x'.repeat(2000))
})

test('[UPDATE-6] the check of an update reports carriage returns or NUL', () => {
  for (const [text, untidy] of [
    ['a\nb', false],
    ['a\r\nb', true],
    ['a\0', true]
  ] as const)
    expect(parseUpdate(inRoot((ydoc) => ydoc.getText('content').insert(0, text))).untidy).toBe(untidy)
})

test('[LOOP-11] the length of the text after an update is computed without a copy, and is exact', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(2), fc.boolean(), fc.nat(40), fc.integer({ min: 1, max: 6 })), { maxLength: 40 }),
      fc.nat(40),
      (steps, from) => {
        const docs = [11, 7, 30].map((clientID) => Object.assign(new Y.Doc(), { clientID }))
        const updates: Uint8Array[] = []
        for (const [index, [who, inserts, at, length]] of steps.entries()) {
          const doc = docs[who] as Y.Doc
          const text = doc.getText(textRootName)
          if (inserts || text.length === 0) text.insert(at % (text.length + 1), 'abcdef'.slice(0, length))
          else text.delete(at % text.length, Math.min(length, text.length - (at % text.length)))
          if (index % 5 === 4) for (const other of docs) Y.applyUpdate(other, Y.encodeStateAsUpdate(doc))
          updates.push(Y.encodeStateAsUpdate(doc))
        }
        const server = new Y.Doc()
        const seen = updates[from % Math.max(1, updates.length)]
        if (seen !== undefined) Y.applyUpdate(server, seen)
        for (const update of updates) {
          const expected = lengthAfter(server, parseUpdate(update))
          Y.applyUpdate(server, update)
          expect(server.getText(textRootName).length).toBe(expected)
        }
      }
    ),
    { numRuns: 300 }
  )
})
