/** Records in the database of this device. They are found by id and listed by document. */
import { stores, type StoreName } from './device.ts'

export interface StoredRecord {
  readonly id: string
  readonly doc: string
  /** Time of the record, in milliseconds since 1970. Lists are sorted by this time. */
  readonly at: number
}

export interface Records<Item extends StoredRecord> {
  /** Stores a record. Resolves to true if this device has stored the record. */
  put(item: Item): Promise<boolean>
  drop(id: string): Promise<void>
  find(id: string): Promise<Item | undefined>
  /** Returns the records of a document, oldest first, or undefined if the device cannot store anything. */
  list(doc: string): Promise<readonly Item[] | undefined>
}

/** Longest wait for the database, in milliseconds. A slow database is used as soon as it opens. With a broken profile, it never opens. */
export const openMsMax = 3000

interface Opening {
  /** The database, or undefined if the browser refuses. */
  readonly database: Promise<IDBDatabase | undefined>
  readonly late: Promise<undefined>
}

let opening: Opening | undefined
/** Resolves when the data of earlier versions has been moved into this database. */
let carried: Promise<void> | undefined

function open(): Opening {
  const { promise, resolve } = Promise.withResolvers<IDBDatabase | undefined>()
  try {
    const request = indexedDB.open('agmd', 1)
    request.onupgradeneeded = () => {
      for (const name of stores) request.result.createObjectStore(name, { keyPath: 'id' }).createIndex('doc', 'doc')
    }
    request.onsuccess = () => {
      const database = request.result
      // A later version may upgrade the database, and a person may clear it. The page then opens it again when needed.
      database.onversionchange = database.onclose = () => {
        database.close()
        opening = undefined
      }
      resolve(database)
    }
    request.onerror = () => resolve(undefined)
  } catch {
    resolve(undefined)
  }
  return { database: promise, late: new Promise((give) => setTimeout(give, openMsMax, undefined)) }
}

/** Resolves to true if the browser opens the database. This may take any length of time. With a broken profile, it may never resolve. */
export const opens = async (): Promise<boolean> => (await (opening ??= open()).database) !== undefined

const database = (): Promise<IDBDatabase | undefined> => {
  const { database: found, late } = (opening ??= open())
  return Promise.race([found, late])
}

async function carry(): Promise<void> {
  const into = await database()
  if (into === undefined) return
  const names = (await indexedDB.databases?.())?.map(({ name }) => name)
  // The code that moves earlier data is loaded only if there is any.
  if (names === undefined || names.some((name) => name?.startsWith('agmd-'))) await (await import('./earlier.ts')).carryOver(into)
}

const all = (): Promise<void> => (carried ??= carry().catch(() => undefined))

/** Runs one transaction. Resolves with its result, or with undefined if the device cannot store anything. */
async function inStores<Answer>(
  names: StoreName | readonly StoreName[],
  mode: IDBTransactionMode,
  ask: (transaction: IDBTransaction) => IDBRequest<Answer> | undefined
): Promise<Answer | undefined> {
  const opened = await database()
  if (opened === undefined) return undefined
  const { promise, resolve } = Promise.withResolvers<Answer | undefined>()
  try {
    const transaction = opened.transaction(names, mode)
    const request = ask(transaction)
    transaction.oncomplete = () => resolve(request?.result)
    transaction.onabort = () => resolve(undefined)
  } catch {
    resolve(undefined)
  }
  return promise
}

export const records = <Item extends StoredRecord>(name: StoreName): Records<Item> => ({
  put: async (item) => (await inStores(name, 'readwrite', (within) => within.objectStore(name).put(item))) !== undefined,
  drop: (id) => inStores(name, 'readwrite', (within) => within.objectStore(name).delete(id)),
  async find(id) {
    await all()
    return inStores<Item | undefined>(name, 'readonly', (within) => within.objectStore(name).get(id))
  },
  async list(doc) {
    await all()
    const found = await inStores<Item[]>(name, 'readonly', (within) => within.objectStore(name).index('doc').getAll(doc))
    return found?.toSorted((one, other) => one.at - other.at)
  }
})

/** Removes all records of a document. */
export async function dropRecords(doc: string): Promise<void> {
  await all()
  await inStores(stores, 'readwrite', (within) => {
    for (const name of stores) {
      const store = within.objectStore(name)
      const ids = store.index('doc').getAllKeys(doc)
      ids.onsuccess = () => {
        for (const id of ids.result) store.delete(id)
      }
    }
    return undefined
  })
}

/**
 * Resolves to true if the device can store data. A full or broken profile often opens a database and then fails to write. The promise may never
 * resolve.
 */
export const canKeep = async (): Promise<boolean> =>
  (await opens()) &&
  records<StoredRecord & { readonly bytes: Uint8Array }>('lists').put({ id: 'probe', doc: '', at: 0, bytes: new Uint8Array(1024) })
