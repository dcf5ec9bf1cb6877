/**
 * Files on their way, kept on this device (IndexedDB `agmd-uploads`) until they stand in the text: a reload or a day without a network
 * loses none. Where the browser stores nothing they are kept while the page is open.
 */

export interface Waiting {
  /** Also the key under which the server recognises the upload when it is sent again. */
  readonly id: string
  readonly doc: string
  readonly name: string
  readonly blob: Blob
  /** An encoded `Y.RelativePosition`. */
  readonly position: Uint8Array
  /** Whether it came together with the one before it. */
  readonly follows: boolean
  /** Milliseconds since 1970; orders them. */
  readonly at: number
}

const databaseName = 'agmd-uploads'
const storeName = 'uploads'
const openMsMax = 3000

let opening: Promise<IDBDatabase | undefined> | undefined

function open(): Promise<IDBDatabase | undefined> {
  const { promise, resolve } = Promise.withResolvers<IDBDatabase | undefined>()
  try {
    const request = indexedDB.open(databaseName, 1)
    request.onupgradeneeded = () => request.result.createObjectStore(storeName, { keyPath: 'id' }).createIndex('doc', 'doc')
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => resolve(undefined)
    request.onblocked = () => resolve(undefined)
  } catch {
    resolve(undefined)
  }
  setTimeout(() => resolve(undefined), openMsMax)
  return promise
}

/** Runs one transaction. Resolves with what it asked for, or undefined when nothing can be stored here. */
async function inStore<Answer>(mode: IDBTransactionMode, ask: (store: IDBObjectStore) => IDBRequest<Answer>): Promise<Answer | undefined> {
  const database = await (opening ??= open())
  if (database === undefined) return undefined
  const { promise, resolve } = Promise.withResolvers<Answer | undefined>()
  try {
    const transaction = database.transaction(storeName, mode)
    const request = ask(transaction.objectStore(storeName))
    transaction.oncomplete = () => resolve(request.result)
    transaction.onabort = () => resolve(undefined)
  } catch {
    resolve(undefined)
  }
  return promise
}

/** Whether it is kept on this device now. */
export const keepWaiting = async (waiting: Waiting): Promise<boolean> =>
  (await inStore('readwrite', (store) => store.put(waiting))) !== undefined

export const dropWaiting = (id: string): Promise<void> => inStore('readwrite', (store) => store.delete(id))

export const findWaiting = (id: string): Promise<Waiting | undefined> =>
  inStore<Waiting | undefined>('readonly', (store) => store.get(id) as IDBRequest<Waiting | undefined>)

/** Those of a document, in the order in which they came. */
export async function listWaiting(doc: string): Promise<readonly Waiting[]> {
  const found = await inStore('readonly', (store) => store.index('doc').getAll(doc) as IDBRequest<Waiting[]>)
  return (found ?? []).toSorted((one, other) => one.at - other.at)
}

/** Removes what waits for a document. */
export async function dropAllWaiting(doc: string): Promise<void> {
  for (const { id } of await listWaiting(doc)) await dropWaiting(id)
}
