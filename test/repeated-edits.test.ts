/** Finds edits that two nodes accepted (server/domain/text/repeated-edits.ts). */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as Y from 'yjs'
import { createAnchorSet } from '../server/domain/review/annotation-anchors.ts'
import type { JournalEntry } from '../server/domain/text/journal.ts'
import { OpenDocument } from '../server/domain/text/open-document.ts'
import { anchorsAt } from '../shared/text/anchors.ts'
import type { Clock } from '../server/domain/ports.ts'
import type { Head } from '../server/domain/records/keys.ts'
import type { Ledger, Transaction } from '../server/domain/records/transaction.ts'
import { UpdateQueue } from '../server/domain/text/update-queue.ts'
import { contradict, restOf } from '../server/domain/text/repeated-edits.ts'

/** Types words at random positions, and deletes some characters. Returns the document and an update for each step. */
const typed = (client: number, steps: readonly (readonly [at: number, words: string])[]) => {
  const ydoc = new Y.Doc()
  ydoc.clientID = client
  const text = ydoc.getText('content')
  const updates: Uint8Array[] = []
  ydoc.on('update', (update: Uint8Array) => updates.push(update))
  for (const [at, words] of steps) {
    if (words === '') text.delete(at % (text.length + 1), Math.min(1, text.length - (at % (text.length + 1))))
    else text.insert(at % (text.length + 1), words)
  }
  return { ydoc, updates }
}

const steps = fc.array(fc.tuple(fc.nat(50), fc.constantFrom('', 'a', 'bc', 'é', 'word ')), { minLength: 1, maxLength: 20 })

test('[NODES-26] edits that a page sent twice do not contradict each other, however they are divided', () => {
  fc.assert(
    fc.property(steps, fc.nat(20), (list, cut) => {
      const { ydoc, updates } = typed(1, list)
      const whole = Y.encodeStateAsUpdate(ydoc)
      expect(contradict(updates, [whole])).toBe(false)
      expect(contradict([whole], updates)).toBe(false)
      // The rest after a part leads to the same document.
      const part = updates.slice(0, cut)
      const other = new Y.Doc()
      for (const update of part) Y.applyUpdate(other, update)
      const clocks = Y.decodeStateVector(Y.encodeStateVector(other))
      for (const update of updates) {
        const rest = restOf(update, clocks)
        if (rest !== undefined) Y.applyUpdate(other, rest)
      }
      expect(other.getText('content').toJSON()).toBe(ydoc.getText('content').toJSON())
      expect(other.store.pendingStructs).toBeNull()
    })
  )
})

test('[NODES-26] nothing is left of an update that is known, and an update of another page stays as it is', () => {
  const [update] = typed(1, [[0, 'word']]).updates
  expect(restOf(update!, new Map([[1, 4]]))).toBeUndefined()
  expect(restOf(update!, new Map([[2, 4]]))).toBe(update)
  const text = new Y.Doc()
  Y.applyUpdate(text, restOf(update!, new Map([[1, 2]]))!)
  expect(text.store.pendingStructs?.missing).toEqual(new Map([[1, 1]]))
})

test.each([
  ['other characters', [[0, 'word']], [[0, 'text']]],
  [
    'another position',
    [
      [0, 'ab'],
      [2, 'c']
    ],
    [
      [0, 'ab'],
      [1, 'c']
    ]
  ],
  [
    'other characters in a part',
    [
      [0, 'ab'],
      [2, 'cd']
    ],
    [[0, 'abcx']]
  ]
] as const)('[NODES-26] different edits with the same ids contradict each other: %s', (_name, one, other) => {
  expect(contradict(typed(1, one).updates, typed(1, other).updates)).toBe(true)
  expect(contradict(typed(1, one).updates, typed(2, other).updates)).toBe(false)
})

const head = { seq: 3, tag: '000000000000', unsaved: { added: 0, removed: 0, actors: [] } } as unknown as Head

const first = typed(1, [[0, 'first']]).updates[0]!
const second = typed(2, [[0, 'second']]).updates[0]!

/** Returns a queue in which updates wait for a store that never responds. */
const queueOf = (...updates: readonly Uint8Array[]): UpdateQueue & { readonly failures: unknown[] } => {
  const failures: unknown[] = []
  const queue = new UpdateQueue({
    id: 'doc',
    head,
    tail: { records: 0, bytes: 0 },
    ledger: { write: () => new Promise(() => undefined) } as unknown as Ledger,
    clock: { now: () => 0 } as Clock,
    onFailure: (cause) => failures.push(cause)
  })
  queue.add(
    updates.map((update) => ({ actor: 'guest:', update, added: 5, removed: 0 })),
    false
  )
  return Object.assign(queue, { failures })
}

test('[NODES-26] an update that another node has written does not acknowledge an earlier one that still waits', () => {
  const queue = queueOf(first, second)
  queue.removeWritten([second])
  expect([queue.mark, queue.durableMark]).toEqual([2, 0])
  queue.removeWritten([first])
  expect([queue.mark, queue.durableMark]).toEqual([2, 2])
})

test('[NODES-26] an annotation follows the text although the document has the same number of updates as before', async () => {
  const ydoc = new Y.Doc()
  const both = typed(2, [
    [0, 'one '],
    [4, 'two']
  ])
  const other = typed(1, [[0, 'other ']])
  // The other node wrote both updates that wait here as one, and an update of its own.
  const entries = [Y.encodeStateAsUpdate(both.ydoc), other.updates[0]!].map((update) => ({ update, actor: 'guest:' }) as JournalEntry)
  const openDoc = new OpenDocument({
    id: 'doc',
    ydoc,
    head: { ...head, seq: 0 },
    tail: { records: 0, bytes: 0 },
    ledger: { write: () => new Promise(() => undefined) } as unknown as Ledger,
    clock: { now: () => 0 } as Clock,
    actorOf: () => 'guest:',
    entriesTo: () => Promise.resolve(entries),
    onFailure: (cause) => expect.fail(String(cause))
  })
  for (const update of both.updates) Y.applyUpdate(ydoc, update)
  const anchors = createAnchorSet(openDoc, () => undefined)
  const { seq, content } = openDoc.snapshot()
  const range = { from: 4, to: 7 }
  const [anchor] = anchorsAt(openDoc.text, content, [range])
  anchors.load('comment', 'on two', anchor!)
  expect(anchors.rangeOf('on two')).toEqual(range)
  await openDoc.catchUp({ ...head, seq: 2 })
  const now = openDoc.snapshot()
  expect(now).toMatchObject({ seq, content: 'other one two' })
  const { from, to } = anchors.rangeOf('on two')!
  expect(now.content.slice(from, to)).toBe('two')
})

/** Returns the head after the updates that wait are written after it. */
const journaled = (queue: UpdateQueue, after: Partial<Head> = {}): Head => {
  const tx = { head: { ...head, ...after }, now: 0, put: () => undefined } as unknown as Transaction
  queue.journalInto(tx)
  return tx.head
}

test('[NODES-28] updates are written only after the head on which they were numbered', () => {
  const queue = queueOf(first, second)
  const { seq, tag } = journaled(queue)
  expect(seq).toBe(5)
  // Changes that share a commit find the updates written.
  expect(journaled(queue, { seq, tag })).toMatchObject({ seq, tag })
  expect(queue.failures).toEqual([])
  for (const other of [{ tag: '111111111111' }, { seq: 4 }, { seq: 5 }, { seq: 6 }, { seq: 2 }]) {
    const wrong = queueOf(first, second)
    expect(() => journaled(wrong, other)).toThrow(expect.objectContaining({ code: 'storage_unavailable' }))
    expect(String(wrong.failures)).toContain('do not follow')
  }
  expect(journaled(queueOf(), { seq: 9 }).seq).toBe(9)
})
