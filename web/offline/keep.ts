/** Keeps one document on this device (IndexedDB), and says plainly when the browser does not let us. */
import { signal, type Signal } from '@preact/signals'
import { IndexeddbPersistence } from 'y-indexeddb'
import type * as Y from 'yjs'
import { databaseName } from './remove.ts'

export interface Keep {
  /** `opening`, then `kept`; `lost` as soon as anything could not be read or written. */
  readonly state: Signal<'opening' | 'kept' | 'lost'>
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

function persist(id: string, doc: Y.Doc, lose: () => void): IndexeddbPersistence {
  const persistence = new IndexeddbPersistence(databaseName(id), doc)
  const parts = persistence as unknown as Parts
  // y-indexeddb starts writes and looks away. A closed database throws inside the transaction of the editor, which would
  // detach the editor from the text; a full one aborts without a word.
  doc.off('update', parts._storeUpdate)
  const store = parts._storeUpdate
  parts._storeUpdate = (update, origin) => {
    try {
      store(update, origin)
    } catch {
      lose()
    }
  }
  doc.on('update', parts._storeUpdate)
  parts._db.then((database) => {
    for (const event of ['abort', 'error', 'close'] as const) database.addEventListener(event, lose)
  }, lose)
  return persistence
}

export function keep(id: string, doc: Y.Doc): Keep {
  const state = signal<'opening' | 'kept' | 'lost'>('opening')
  let persistence: IndexeddbPersistence | undefined
  let closed = false

  const lose = (): void => {
    if (closed || state.value === 'lost') return
    state.value = 'lost'
    void persistence?.destroy().catch(() => undefined)
  }

  const ready = (async () => {
    if (!(await probe()) || closed) return lose()
    persistence = persist(id, doc, lose)
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
    ready,
    async close() {
      closed = true
      await persistence?.destroy().catch(() => undefined)
    }
  }
}
