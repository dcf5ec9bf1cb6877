/** Records that are kept on this device (IndexedDB) beside a document: by their id, and listed by document. */

export interface Kept {
  readonly id: string
  readonly doc: string
  /** Milliseconds since 1970; orders them. */
  readonly at: number
}

export interface DeviceStore<Item extends Kept> {
  /** Whether it is kept on this device now. */
  put(item: Item): Promise<boolean>
  drop(id: string): Promise<void>
  find(id: string): Promise<Item | undefined>
  /** Those of a document, in the order in which they came; undefined when nothing can be stored here. */
  list(doc: string): Promise<readonly Item[] | undefined>
  /** Removes those of a document. */
  dropAll(doc: string): Promise<void>
}

const openMsMax = 3000

function open(databaseName: string, storeName: string): Promise<IDBDatabase | undefined> {
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

/** Opened when it is first used. */
export function deviceStore<Item extends Kept>(databaseName: string, storeName: string): DeviceStore<Item> {
  let opening: Promise<IDBDatabase | undefined> | undefined

  /** Runs one transaction. Resolves with what it asked for, or undefined when nothing can be stored here. */
  async function inStore<Answer>(
    mode: IDBTransactionMode,
    ask: (store: IDBObjectStore) => IDBRequest<Answer>
  ): Promise<Answer | undefined> {
    const database = await (opening ??= open(databaseName, storeName))
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

  const drop = (id: string): Promise<void> => inStore('readwrite', (store) => store.delete(id))
  const list = async (doc: string): Promise<readonly Item[] | undefined> => {
    const found = await inStore('readonly', (store) => store.index('doc').getAll(doc) as IDBRequest<Item[]>)
    return found?.toSorted((one, other) => one.at - other.at)
  }

  return {
    put: async (item) => (await inStore('readwrite', (store) => store.put(item))) !== undefined,
    drop,
    find: (id) => inStore<Item | undefined>('readonly', (store) => store.get(id) as IDBRequest<Item | undefined>),
    list,
    async dropAll(doc) {
      for (const { id } of (await list(doc)) ?? []) await drop(id)
    }
  }
}
