/**
 * Moves data from the databases of earlier versions, so that an update loses no unsent entry.
 * - A page of an earlier version may still be open and write data. This code opens its database with a higher version number, which the browser
 *   grants only when no other page has the database open. Until then, that page sends its entries itself. Any remaining entries are moved after that.
 * - Records are added to the new database before they leave the old one, under a lock. A page that closes in between loses no record, and two pages
 *   never move the same record. The service identifies each entry by its id.
 */
import { carriedTo } from './channel.ts'
import type { Queue, StoreName } from './device.ts'

interface Earlier {
  readonly database: string
  readonly store: string
  readonly into: StoreName
  readonly queue?: Queue
}

const all: readonly Earlier[] = [
  { database: 'agmd-review', store: 'deeds', into: 'outbox', queue: 'review' },
  { database: 'agmd-uploads', store: 'uploads', into: 'outbox', queue: 'uploads' },
  { database: 'agmd-media', store: 'jobs', into: 'outbox', queue: 'media' },
  { database: 'agmd-remarks', store: 'lists', into: 'lists' },
  // Pages wrote to this database only to test whether the device can store anything.
  { database: 'agmd-probe', store: 'probe', into: 'lists' }
]

const ended = (transaction: IDBTransaction): Promise<void> =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve()
    transaction.onabort = () => reject(transaction.error ?? new Error('The browser ended the transaction.'))
  })

async function move(from: IDBDatabase, into: IDBDatabase, { database, store, into: name, queue }: Earlier): Promise<void> {
  if (from.objectStoreNames.contains(store) && database !== 'agmd-probe') {
    const reading = from.transaction(store, 'readonly')
    const asked = reading.objectStore(store).getAll() as IDBRequest<{ readonly doc: string }[]>
    await ended(reading)
    const writing = into.transaction(name, 'readwrite')
    for (const record of asked.result) writing.objectStore(name).put(queue === undefined ? record : { ...record, queue })
    await ended(writing)
    const clearing = from.transaction(store, 'readwrite')
    clearing.objectStore(store).clear()
    await ended(clearing)
    for (const doc of new Set(asked.result.map((record) => record.doc))) carriedTo(doc)
  }
  from.close()
  indexedDB.deleteDatabase(database)
}

/** Resolves when the records have been moved, or when moving must wait for a page of an earlier version. */
function carryOne(into: IDBDatabase, earlier: Earlier): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const request = indexedDB.open(earlier.database, 2)
  request.onupgradeneeded = ({ oldVersion }) => {
    // The database does not exist, and opening it must not create it.
    if (oldVersion === 0) request.transaction?.abort()
  }
  request.onblocked = request.onerror = () => resolve()
  request.onsuccess = () => {
    const from = request.result
    from.onversionchange = () => from.close()
    const { locks } = navigator as { locks?: LockManager }
    const moving = locks === undefined ? move(from, into, earlier) : locks.request('agmd-earlier', () => move(from, into, earlier))
    // If moving fails, the entries stay for the next page.
    moving.catch(() => from.close()).finally(resolve)
  }
  return promise
}

export async function carryOver(into: IDBDatabase): Promise<void> {
  await Promise.all(all.map((earlier) => carryOne(into, earlier)))
}
