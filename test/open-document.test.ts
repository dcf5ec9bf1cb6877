/** The server's copy of a document in memory, with a journal and without sockets. */
import { expect, test } from 'vitest'
import * as Y from 'yjs'
import type { Head } from '../server/domain/records/keys.ts'
import { createLedger } from '../server/domain/records/ledger.ts'
import { createOpenDocument } from '../server/domain/text/open-document.ts'
import { createMemoryStorage } from '../server/storage/memory.ts'
import { textRootName } from '../shared/names.ts'
import { turnedClock } from './support/clock.ts'

test('[LIVE-30] an edit that cannot be applied ends the copy in memory, with the edits before it', async () => {
  const clock = turnedClock()
  const ledger = createLedger({ storage: createMemoryStorage(), clock, onEvent: () => undefined })
  const head = { id: 'document', owner: { kind: 'anonymous' }, deletedAt: null, event: 0, seq: 0, tag: '' } as unknown as Head
  await ledger.create(head, 'system', () => undefined)
  const failures: unknown[] = []
  const openDoc = createOpenDocument({
    id: 'document',
    ydoc: new Y.Doc(),
    head,
    tail: { records: 0, bytes: 0 },
    ledger,
    clock,
    actorOf: () => 'system',
    onFailure: (cause) => failures.push(cause)
  })
  const writer = new Y.Doc()
  writer.getText(textRootName).insert(0, 'Words')
  openDoc.takeTogether('socket', (take) => {
    take(Y.encodeStateAsUpdate(writer), 'guest', 5, true)
    take(Uint8Array.of(255, 255, 255), 'guest', 0, true)
  })
  expect(failures).toHaveLength(1)
  expect(openDoc.failed).toBe(true)
  await expect(openDoc.durable()).rejects.toBe(failures[0])
})
