/** Stores one document on this device (IndexedDB) and reports if the browser refuses. */
import { signal, type ReadonlySignal, type Signal } from '@preact/signals'
import { IndexeddbPersistence } from 'y-indexeddb'
import * as Y from 'yjs'
import { afterPaint } from '../base/after-paint.ts'
import { lastBytesMax, lastChanges, leaveLastChanges } from './last-changes.ts'
import { textDatabase } from './device.ts'
import { canKeep, openMsMax } from './records.ts'

export interface Keep {
  /** `opening`, then `kept`. It becomes `lost` when a read or write fails, and also while the browser takes too long to open the database. */
  readonly state: Signal<'opening' | 'kept' | 'lost'>
  /** Number of text changes that are not yet on this device's disk. A change usually waits for milliseconds. */
  readonly unwritten: ReadonlySignal<number>
  /** Whether the next page would find the complete text if this page closed now. */
  outlivesPage(): boolean
  /** Resolves when the document contains the stored text, or when that text cannot be loaded. Never rejects. */
  readonly ready: Promise<void>
  close(): Promise<void>
}

interface Parts {
  readonly _db: Promise<IDBDatabase>
  _storeUpdate(update: Uint8Array, origin: unknown): void
}

interface Persistence {
  readonly indexedDb: IndexeddbPersistence
  /** Returns the changes that are not on disk yet, oldest first. */
  unwritten(): readonly Uint8Array[]
}

/**
 * Stores changes in batches. Changes that arrive during a write go into the next batch, so a slow disk is at most one batch behind. Changes in
 * `early` are stored first. `onWaiting` receives the number of waiting changes. y-indexeddb itself would start a transaction for each change and
 * ignore the result.
 */
function persist(id: string, doc: Y.Doc, early: readonly Uint8Array[], onWaiting: (count: number) => void, lose: () => void): Persistence {
  const indexedDb = new IndexeddbPersistence(textDatabase(id), doc)
  const parts = indexedDb as unknown as Parts
  const store = parts._storeUpdate
  let database: IDBDatabase | undefined
  let waiting: Uint8Array[] = [...early]
  let batch: Uint8Array[] = []
  let planned = false

  const write = (): void => {
    planned = false
    if (database === undefined || batch.length > 0 || waiting.length === 0) return
    batch = waiting
    waiting = []
    // A closed database throws. Inside the editor's transaction, the error would detach the editor from the text. If the database is full, the
    // transaction aborts.
    try {
      store(batch.length === 1 && batch[0] !== undefined ? batch[0] : Y.mergeUpdates(batch), undefined)
      // Transactions on one store run in order, so this one begins when the batch is on disk.
      const after = database.transaction('updates', 'readonly')
      after.oncomplete = () => {
        batch = []
        onWaiting(waiting.length)
        write()
      }
    } catch {
      lose()
    }
  }
  onWaiting(waiting.length)
  doc.off('update', store)
  parts._storeUpdate = (update, origin) => {
    if (origin === indexedDb) return
    waiting.push(update)
    onWaiting(batch.length + waiting.length)
    if (planned || batch.length > 0) return
    planned = true
    afterPaint(write)
  }
  doc.on('update', parts._storeUpdate)
  parts._db.then((opened) => {
    for (const event of ['abort', 'error', 'close'] as const) opened.addEventListener(event, lose)
    database = opened
    write()
  }, lose)
  return { indexedDb, unwritten: () => [...batch, ...waiting] }
}

export function keep(id: string, doc: Y.Doc): Keep {
  const state = signal<'opening' | 'kept' | 'lost'>('opening')
  const unwritten = signal(0)
  const ended = new AbortController()
  let persistence: Persistence | undefined
  let closed = false
  /** Changes that were typed before the database was open. */
  const early: Uint8Array[] = []

  const lose = (): void => {
    if (closed || ended.signal.aborted) return
    state.value = 'lost'
    ended.abort()
    void persistence?.indexedDb.destroy().catch(() => undefined)
  }
  const hold = (update: Uint8Array, _origin: unknown, _doc: Y.Doc, transaction: Y.Transaction): void => {
    if (transaction.local) early.push(update)
  }
  doc.on('update', hold)

  const pending = (): readonly Uint8Array[] => persistence?.unwritten() ?? early
  addEventListener(
    'pagehide',
    () => {
      const updates = pending()
      if (updates.length > 0) leaveLastChanges(id, updates)
    },
    { signal: ended.signal }
  )

  /** Loads changes that an earlier page could not write before it closed. */
  const recover = (): void => {
    const last = lastChanges(id)
    if (last === undefined) return
    for (const update of last.updates) Y.applyUpdate(doc, update)
    if (state.value !== 'kept') return
    const stop = unwritten.subscribe((count) => {
      if (count > 0) return
      last.done()
      queueMicrotask(() => stop())
    })
  }

  const open = async (): Promise<void> => {
    const can = await canKeep()
    doc.off('update', hold)
    if (!can || closed) return lose()
    persistence = persist(id, doc, early, (count) => (unwritten.value = count), lose)
    await persistence.indexedDb.whenSynced
    if (!ended.signal.aborted) state.value = 'kept'
  }
  const { promise: ready, resolve } = Promise.withResolvers<void>()
  const slow = setTimeout(() => (state.value = 'lost'), openMsMax)
  void open()
  const stop = state.subscribe((value) => {
    if (value === 'opening') return
    clearTimeout(slow)
    stop()
    if (!closed) recover()
    resolve()
  })

  return {
    state,
    unwritten,
    ready,
    outlivesPage: () => state.value === 'kept' && pending().reduce((sum, { length }) => sum + length, 0) <= lastBytesMax,
    async close() {
      closed = true
      clearTimeout(slow)
      ended.abort()
      doc.off('update', hold)
      await persistence?.indexedDb.destroy().catch(() => undefined)
    }
  }
}
