/** Keeps one document on this device (IndexedDB), and says plainly when the browser does not let us. */
import { signal, type ReadonlySignal, type Signal } from '@preact/signals'
import { IndexeddbPersistence } from 'y-indexeddb'
import * as Y from 'yjs'
import { databaseName } from './remove.ts'

export interface Keep {
  /** `opening`, then `kept`; `lost` as soon as anything could not be read or written. */
  readonly state: Signal<'opening' | 'kept' | 'lost'>
  /** Changes of the text that this device does not hold on its disk yet: for milliseconds, unless the disk is slow. */
  readonly unwritten: ReadonlySignal<number>
  /** Resolves when the kept text is in the document, or cannot be had. Never rejects. */
  readonly ready: Promise<void>
  close(): Promise<void>
}

/** Longest time to wait for a database that another tab or a broken profile holds, in milliseconds. */
const openMsMax = 3000

interface Parts {
  readonly _db: Promise<IDBDatabase>
  _storeUpdate(update: Uint8Array, origin: unknown): void
}

/** True when a database can be opened and written: a full or broken profile often opens and then fails. */
async function probe(): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  try {
    const request = indexedDB.open('agmd-probe', 1)
    request.onupgradeneeded = () => request.result.createObjectStore('probe')
    request.onerror = () => resolve(false)
    request.onblocked = () => resolve(false)
    request.onsuccess = () => {
      const database = request.result
      const write = database.transaction('probe', 'readwrite')
      write.objectStore('probe').put(new Uint8Array(1024), 'probe')
      write.oncomplete = () => resolve(true)
      write.onabort = () => resolve(false)
      void promise.finally(() => database.close())
    }
  } catch {
    resolve(false)
  }
  setTimeout(() => resolve(false), openMsMax)
  return promise
}

/**
 * Stores what changes, a batch at a time: what comes while one is written goes out with the next, so that a slow disk is never more than one
 * batch behind, and `unwritten` says how many changes wait. y-indexeddb by itself starts a transaction for each and looks away.
 */
function persist(id: string, doc: Y.Doc, unwritten: Signal<number>, ended: AbortSignal, lose: () => void): IndexeddbPersistence {
  const persistence = new IndexeddbPersistence(databaseName(id), doc)
  const parts = persistence as unknown as Parts
  const store = parts._storeUpdate
  let database: IDBDatabase | undefined
  let waiting: Uint8Array[] = []
  let isWriting = false

  const write = (): void => {
    if (database === undefined || waiting.length === 0) return
    const batch = waiting
    waiting = []
    isWriting = true
    // A closed database throws inside the transaction of the editor, which would detach the editor from the text; a full one aborts.
    try {
      store(batch.length === 1 && batch[0] !== undefined ? batch[0] : Y.mergeUpdates(batch), undefined)
      // Transactions on one store run in their order: this one begins when that of the batch is on the disk.
      const after = database.transaction('updates', 'readonly')
      after.oncomplete = () => {
        unwritten.value -= batch.length
        isWriting = false
        write()
      }
    } catch {
      lose()
    }
  }
  doc.off('update', store)
  parts._storeUpdate = (update, origin) => {
    if (origin === persistence) return
    waiting.push(update)
    unwritten.value += 1
    if (!isWriting) write()
  }
  doc.on('update', parts._storeUpdate)
  // The page may be gone before the batch is done.
  addEventListener('pagehide', write, { signal: ended })
  parts._db.then((opened) => {
    for (const event of ['abort', 'error', 'close'] as const) opened.addEventListener(event, lose)
    database = opened
    write()
  }, lose)
  return persistence
}

export function keep(id: string, doc: Y.Doc): Keep {
  const state = signal<'opening' | 'kept' | 'lost'>('opening')
  const unwritten = signal(0)
  const ended = new AbortController()
  let persistence: IndexeddbPersistence | undefined
  let closed = false

  const lose = (): void => {
    if (closed || state.value === 'lost') return
    state.value = 'lost'
    ended.abort()
    void persistence?.destroy().catch(() => undefined)
  }

  const ready = (async () => {
    if (!(await probe()) || closed) return lose()
    persistence = persist(id, doc, unwritten, ended.signal, lose)
    const { promise, resolve } = Promise.withResolvers<void>()
    void persistence.whenSynced.then(() => {
      if (state.value === 'opening') state.value = 'kept'
      resolve()
    })
    const stop = state.subscribe((value) => value === 'lost' && resolve())
    const timer = setTimeout(() => state.value === 'opening' && lose(), openMsMax)
    await promise
    clearTimeout(timer)
    stop()
  })()

  return {
    state,
    unwritten,
    ready,
    async close() {
      closed = true
      ended.abort()
      await persistence?.destroy().catch(() => undefined)
    }
  }
}
