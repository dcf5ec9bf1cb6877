import { expect, test } from 'vitest'
import { decodeRecord, encodeRecord, type Head } from '../server/domain/records/keys.ts'
import { createLedger } from '../server/domain/records/ledger.ts'
import type { DocumentCopy, Transaction, Ledger } from '../server/domain/records/transaction.ts'
import type { Key, Storage } from '../server/domain/ports.ts'
import { createMemoryStorage } from '../server/storage/memory.ts'
import { testClock } from './support/clock.ts'

const doc = 'document'
const counter: Key = ['d', doc, 'counter']

/** Creates a ledger with one empty document. */
const ledgerOn = async (storage: Storage): Promise<Ledger> => {
  const ledger = createLedger({ storage, clock: testClock(), onEvent: () => undefined })
  await ledger.create({ id: doc, owner: { kind: 'anonymous' }, deletedAt: null, event: 0 } as Head, 'system', () => undefined)
  return ledger
}

const increase = (tx: Transaction): number => {
  const next = (tx.read<number>(counter) ?? 0) + 1
  tx.put(counter, encodeRecord(next))
  return next
}

const stored = async (storage: Storage): Promise<number | undefined> => {
  const entry = await storage.get(counter)
  return entry && decodeRecord<number>(entry.value)
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_each, index) => index + 1)

test('[LEDGER-1] of concurrent and consecutive changes to one record none is lost', async () => {
  const storage = createMemoryStorage()
  const ledger = await ledgerOn(storage)
  const write = (): Promise<number> => ledger.write(doc, 'system', increase, { reads: [counter] })
  expect(await Promise.all(upTo(50).map(write))).toEqual(upTo(50))
  expect(await write()).toBe(51)
  await ledger.write(doc, 'system', (tx) => tx.delete(counter))
  expect(await write()).toBe(1)
  expect(await stored(storage)).toBe(1)
})

test('[LEDGER-1] reading a record that the change did not name is a bug, not an absent record', async () => {
  const ledger = await ledgerOn(createMemoryStorage())
  await expect(ledger.write(doc, 'system', increase)).rejects.toThrow('not named')
})

test('[LEDGER-2] nobody reads the writes of a failed change', async () => {
  const storage = createMemoryStorage()
  const ledger = await ledgerOn(storage)
  const failing = (tx: Transaction): number => {
    increase(tx)
    throw new Error('after all')
  }
  const outcomes = await Promise.allSettled(
    [failing, increase, failing, increase].map((each) => ledger.write(doc, 'system', each, { reads: [counter] }))
  )
  expect(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'failed'))).toEqual(['failed', 1, 'failed', 2])
  expect(await stored(storage)).toBe(2)
})

test('[LEDGER-3] a record that cannot be read fails the changes that read it, and no others of the same commit', async () => {
  const memory = createMemoryStorage()
  const damaged: Key = ['d', doc, 'damaged']
  const get = (key: Key): ReturnType<Storage['get']> => (key.at(-1) === 'damaged' ? Promise.reject(new Error('damaged')) : memory.get(key))
  const ledger = await ledgerOn({ ...memory, get })
  const reading = ledger.write(doc, 'system', (tx) => tx.read(damaged), { reads: [damaged] })
  const other = ledger.write(doc, 'system', increase, { reads: [counter] })
  await expect(reading).rejects.toThrow('damaged')
  expect(await other).toBe(1)
})

test('[LEDGER-4] when another node commits first, a change runs again on the new state', async () => {
  const memory = createMemoryStorage()
  const other = await ledgerOn(memory)
  let interruptions = 3
  const commit: Storage['commit'] = async (batch) => {
    if (interruptions-- > 0) await other.write(doc, 'system', increase, { reads: [counter] })
    return memory.commit(batch)
  }
  const ledger = createLedger({ storage: { ...memory, commit }, clock: testClock(), onEvent: () => undefined })
  expect(await ledger.write(doc, 'system', increase, { reads: [counter] })).toBe(4)
  expect(await stored(memory)).toBe(4)
})

const copyOf = (): DocumentCopy => ({ written: () => undefined, isCurrent: () => true, catchUp: () => Promise.resolve() })

test('[LEDGER-5] the changes to an open document read its head once', async () => {
  const memory = createMemoryStorage()
  let reads = 0
  const get = (key: Key): ReturnType<Storage['get']> => {
    if (key.length === 2) reads++
    return memory.get(key)
  }
  const ledger = await ledgerOn({ ...memory, get })
  const write = (): Promise<number> => ledger.write(doc, 'system', increase, { reads: [counter] })
  const unfollow = ledger.follow(doc, copyOf())
  for (const expected of upTo(5)) expect(await write()).toBe(expected)
  expect(reads).toBe(1)
  unfollow()
  expect(await write()).toBe(6)
  expect(reads).toBe(2)
})

test('[LEDGER-6] a change to an open document counts on the head that another program has written', async () => {
  const memory = createMemoryStorage()
  const ledger = await ledgerOn(memory)
  const other = createLedger({ storage: memory, clock: testClock(), onEvent: () => undefined })
  const count = (tx: Transaction): number => {
    tx.head = { ...tx.head, event: tx.head.event + 1 }
    return tx.head.event
  }
  ledger.follow(doc, copyOf())
  expect(await ledger.write(doc, 'system', count)).toBe(1)
  expect(await other.write(doc, 'system', count)).toBe(2)
  expect(await ledger.write(doc, 'system', count)).toBe(3)
})

test('[LEDGER-6] a change to an open document does not fail because of a head that another program has replaced', async () => {
  const memory = createMemoryStorage()
  const ledger = await ledgerOn(memory)
  const other = createLedger({ storage: memory, clock: testClock(), onEvent: () => undefined })
  const deletedAt = (at: number | null) => (tx: Transaction) => {
    tx.head = { ...tx.head, deletedAt: at }
  }
  ledger.follow(doc, copyOf())
  await ledger.write(doc, 'system', deletedAt(1))
  await expect(ledger.write(doc, 'system', increase, { reads: [counter] })).rejects.toMatchObject({ code: 'document_deleted' })
  await other.write(doc, 'system', deletedAt(null), { afterDeletion: true })
  expect(await ledger.write(doc, 'system', increase, { reads: [counter] })).toBe(1)
})
