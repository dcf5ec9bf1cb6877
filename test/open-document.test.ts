/** The server's copy of a document in memory, with a journal and without sockets. */
import { type Connection, Document } from '@hocuspocus/server'
import * as decoding from 'lib0/decoding'
import { expect, onTestFinished, test, vi } from 'vitest'
import { applyAwarenessUpdate, Awareness, encodeAwarenessUpdate } from 'y-protocols/awareness'
import * as Y from 'yjs'
import type { Head } from '../server/domain/records/keys.ts'
import { createLedger } from '../server/domain/records/ledger.ts'
import { decodeEntries, formatVersion } from '../server/domain/text/journal.ts'
import { OpenDocument } from '../server/domain/text/open-document.ts'
import type { LoadedDocument } from '../server/live/documents.ts'
import { watchDoubledValues } from '../server/live/doubled-values.ts'
import { createPresenceFrames } from '../server/live/presence-frames.ts'
import { createRounds } from '../server/live/rounds.ts'
import { createTurnEdits } from '../server/live/turn-edits.ts'
import { sendUpdates, takeOverUpdates } from '../server/live/update-frames.ts'
import { createMemoryStorage } from '../server/storage/memory.ts'
import { limits } from '../shared/limits.ts'
import { messageTypes } from '../shared/live-protocol.ts'
import { textRootName } from '../shared/names.ts'
import { testClock } from './support/clock.ts'

const opened = async () => {
  const clock = testClock()
  const storage = createMemoryStorage()
  const ledger = createLedger({ storage, clock, onEvent: () => undefined })
  const unsaved = { added: 0, removed: 0, actors: [] }
  const head = { id: 'document', owner: { kind: 'anonymous' }, deletedAt: null, event: 0, seq: 0, tag: '', unsaved } as unknown as Head
  await ledger.create(head, 'system', () => undefined)
  const failures: unknown[] = []
  const document = new Document('document')
  onTestFinished(() => document.destroy())
  takeOverUpdates(document)
  const openDoc = new OpenDocument({
    id: 'document',
    ydoc: document,
    head,
    tail: { records: 0, bytes: 0 },
    ledger,
    clock,
    actorOf: () => 'system',
    onFailure: (cause) => failures.push(cause)
  })
  sendUpdates(document, openDoc)
  return { storage, document, openDoc, failures }
}

/** Returns the type of a frame, and a decoder at its content. */
const readFrame = (frame: Uint8Array) => {
  const content = decoding.createDecoder(frame)
  decoding.readVarString(content)
  return { type: decoding.readVarUint(content), content }
}

/** Connects a guest without a socket. `frames` contains everything that the server sends to the guest. */
const connected = (document: Document, name: string) => {
  const frames: Uint8Array[] = []
  const send = (frame: Uint8Array): void => void frames.push(frame)
  const peer = { readyState: 1, isOpen: true, send, sendAbout: (_openDoc: unknown, frame: Uint8Array) => send(frame) }
  const caller = { identity: { kind: 'guest', name } }
  const connection = { document, messageAddress: document.name, readOnly: false, context: { peer, caller }, send }
  document.addConnection(connection as unknown as Connection)
  return { peer, connection, frames }
}

test('[LIVE-28] the edits of a turn are one transaction, record and frame, and each has its author, its version and its acknowledgement', async () => {
  const { storage, document, openDoc } = await opened()
  const doubled = watchDoubledValues(document, openDoc)
  const entry = { openDoc, document, owners: new Map(), agents: new Map(), doubled } as unknown as LoadedDocument
  const service = (): never => ({ quotas: { require: () => undefined } }) as never
  const edits = createTurnEdits({ id: document.name, entry: () => entry, service, rounds: createRounds() })
  let transactions = 0
  document.on('afterTransaction', () => transactions++)
  const reader = connected(document, 'Reader')
  const people = ['Ana', 'Ben'].map((name) => ({ ...connected(document, name), ydoc: new Y.Doc() }))
  for (const word of ['one ', 'two '])
    for (const { peer, connection, ydoc } of people) {
      ydoc.once('update', (update: Uint8Array) =>
        edits.add({ peer, connection, update, pass: () => expect.unreachable() } as unknown as Parameters<typeof edits.add>[0])
      )
      ydoc.getText(textRootName).insert(ydoc.getText(textRootName).length, word)
    }
  expect(openDoc.seq).toBe(0)
  await new Promise((resolve) => setImmediate(resolve))
  await openDoc.durable()
  expect(transactions).toBe(1)
  const records = await storage.list(['d', 'document', 'update'])
  expect(records).toHaveLength(1)
  const entries = records.flatMap(({ value }) => decodeEntries(value))
  expect(entries.map(({ seq, actor }) => [seq, actor])).toEqual(
    ['Ana', 'Ben', 'Ana', 'Ben'].map((name, index) => [index + 1, `guest:${name}`])
  )
  expect(new Set(entries.map(formatVersion)).size).toBe(4)
  const typesTo = (frames: readonly Uint8Array[]): number[] => frames.map((frame) => readFrame(frame).type)
  expect(typesTo(reader.frames)).toEqual([messageTypes.sync])
  for (const { frames } of people) expect(typesTo(frames)).toEqual([messageTypes.sync, messageTypes.syncStatus, messageTypes.syncStatus])
  const copy = new Y.Doc()
  const { content } = readFrame(reader.frames[0]!)
  decoding.readVarUint(content)
  Y.applyUpdate(copy, decoding.readVarUint8Array(content))
  expect(copy.getText(textRootName).toJSON()).toBe(openDoc.text.toJSON())
  expect(openDoc.text.length).toBe(16)
})

test.each([
  [1, limits.crowdMin, 10],
  [limits.crowdMin + 1, limits.crowdMin + 1, 4]
])('[LIVE-29] with %d to %d people, one frame shows everyone who moved, at most %d times a second', (least, most, frames) => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  for (const people of [least, most]) {
    const document = new Document('document')
    const { takeOver, stop } = createPresenceFrames(document, () => undefined)
    takeOver()
    const [first] = Array.from({ length: people }, (_person, index) => connected(document, `Person ${index}`))
    const movers = [1, 2, 3].map((client) => {
      const ydoc = new Y.Doc()
      ydoc.clientID = client
      return new Awareness(ydoc)
    })
    for (let at = 0; at < 990; at += 10) {
      for (const mover of movers) {
        mover.setLocalState({ at })
        applyAwarenessUpdate(document.awareness, encodeAwarenessUpdate(mover, [mover.clientID]), 'socket')
      }
      vi.advanceTimersByTime(10)
    }
    const shown = first!.frames.map((frame) => {
      const update = decoding.createDecoder(decoding.readVarUint8Array(readFrame(frame).content))
      return Array.from({ length: decoding.readVarUint(update) }, () => {
        const client = decoding.readVarUint(update)
        decoding.readVarUint(update)
        decoding.readVarString(update)
        return client
      })
    })
    expect(shown).toEqual(Array.from({ length: frames }, () => [1, 2, 3]))
    stop()
    for (const mover of movers) mover.destroy()
    document.destroy()
  }
})

test('[LIVE-30] an edit that cannot be applied ends the copy in memory, with the edits before it', async () => {
  const { openDoc, failures } = await opened()
  const writer = new Y.Doc()
  writer.getText(textRootName).insert(0, 'Words')
  openDoc.takeTogether('socket', (take) => {
    take(Y.encodeStateAsUpdate(writer), 'guest', 5, true)
    take(Uint8Array.of(255, 255, 255), 'guest', 0, true)
  })
  expect(failures).toHaveLength(1)
  expect(openDoc.failed).toBe(true)
  await expect(openDoc.durable()).rejects.toMatchObject({ code: 'storage_unavailable', cause: failures[0] })
})
