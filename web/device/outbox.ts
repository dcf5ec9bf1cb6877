/**
 * The outbox of a document: entries that a person sent and the service has not acknowledged. They survive a reload, a day without a network and
 * closing the browser. The service identifies each entry by its id, so an entry sent twice takes effect once.
 *
 * - **Store.** An entry is stored in the database before anything else happens to it. A plain-text entry is also in local storage until the database
 *   has it, because IndexedDB may not finish its writes when a page closes.
 * - **Claim.** Only one page of the device sends an entry. Entries that are sent in order (`inTurn`) share one lock per document. Entries that belong
 *   to one page (`claimed`) have a lock each, which ends with the page. Another page takes over entries whose lock is free and queues for the other
 *   locks, because a reloaded page may start before the browser has released the locks of its predecessor.
 * - **Retry.** An entry that could not be sent is retried after a delay, or when the network or the connection returns, whichever comes first.
 */
import { effect, signal, type ReadonlySignal } from '@preact/signals'
import { followChanges } from './channel.ts'
import type { Queue } from './device.ts'
import { dropClosing, storeClosing, closingEntries } from './closing-entries.ts'
import { opens, records, type StoredRecord, type Records } from './records.ts'
import { openRetries } from './retries.ts'

/** Everything that an outbox needs from its page. Tests pass their own implementation. */
export interface Page {
  readonly entries: Records<StoredRecord & { readonly queue: Queue }>
  /** Resolves to true if the browser opens the database, however long that takes. */
  opens(): Promise<boolean>
  /**
   * Calls `run` under a lock that only one page of the device can hold. With `isWaiting`, the call waits for the lock. Otherwise `run` is called
   * immediately, and `isHeld` says whether the page has the lock.
   */
  lock(name: string, isWaiting: boolean, run: (isHeld: boolean) => Promise<void>): Promise<void>
  /**
   * Calls `changed` when another page has changed something, or when entries of an earlier version were moved here. `tell` reports a change to the
   * other pages, and `stop` ends the listening.
   */
  follow(doc: string, changed: (isCarried: boolean) => void): { tell(): void; stop(): void }
  /** Listens to an event. Returns a function that stops listening. */
  on(event: 'online' | 'pagehide' | 'hidden', listener: () => void): () => void
}

export interface Outbox<Entry extends StoredRecord> {
  /** Number of entries that only this page has, and that closing it would lose. */
  readonly onlyHere: ReadonlySignal<number>
  /** Returns the time for a new entry. It is later than the times of all earlier entries of this page. */
  now(): number
  /** Stores an entry and replaces one with the same id. Resolves to true if the device has stored the entry. */
  put(entry: Entry): Promise<boolean>
  /** Removes an entry that was acknowledged or discarded. This page will not restore it. */
  drop(id: string): Promise<void>
  /** Returns the entries of all pages, oldest first. */
  read(): Promise<readonly Entry[]>
  /** Takes over the entries of pages that have closed, oldest first. Also takes over the entries of pages that close later. */
  restore(take: (entry: Entry) => void): Promise<void>
  /** Runs `work` when no other page of this device is sending for this document. */
  inTurn(work: () => Promise<void>): Promise<void>
  /** Delays the next attempt to send an entry. */
  later(id: string, afterMs: number): void
  /** Whether an entry is due. */
  isDue(id: string): boolean
  /** Makes all entries due. Called when a person asks for a retry. */
  wake(): void
  start(follow: Following): () => void
}

interface Following {
  /** Sends the due entries. It is called at the start, when an entry becomes due, and when the network or the connection returns. */
  readonly work: () => void
  readonly connected?: ReadonlySignal<boolean>
  /** Called when another page has changed the outbox. */
  readonly onChanged?: () => void
  /** Called when the outbox has entries that belong to no open page. */
  readonly onCarried?: () => void
  /** Called when the page is closing. */
  readonly onLeave?: () => void
}

const thisPage: Page = {
  entries: records('outbox'),
  opens,
  async lock(name, isWaiting, run) {
    const { locks } = navigator as { locks?: LockManager }
    // Without locks, which need a secure origin, each page handles all entries that it finds.
    await (locks === undefined ? run(true) : locks.request(name, { ifAvailable: !isWaiting }, (lock) => run(lock !== null)))
  },
  follow: followChanges,
  on(event, listener) {
    const target = event === 'hidden' ? document : window
    const name = event === 'hidden' ? 'visibilitychange' : event
    const heard = (): void => {
      if (event !== 'hidden' || document.visibilityState === 'hidden') listener()
    }
    target.addEventListener(name, heard)
    return () => target.removeEventListener(name, heard)
  }
}

export function openOutbox<Entry extends StoredRecord>(queue: Queue, doc: string, page: Page = thisPage): Outbox<Entry> {
  /** Review entries are plain text and are sent in order. Other entries may include a file and belong to one page. */
  const isText = queue === 'review'
  const onlyHere = signal(0)
  /** Entries that the device could not store, by id. */
  const here = new Map<string, Entry>()
  /** Entries that are being written to disk, by id. */
  const unwritten = new Map<string, Entry>()
  /** Ids of the entries that this page removed. They do not return even if the disk fails to delete them. */
  const dropped = new Set<string>()
  /** For each entry that this page has claimed, a function that releases its lock. */
  const claimed = new Map<string, () => void>()
  /** Ids of other pages' entries whose locks this page is waiting for. */
  const awaited = new Set<string>()
  let hasStopped = false
  /** The last write to the device. Each write and each read waits for the writes before it. */
  let writes: Promise<unknown> = Promise.resolve()
  let last = 0
  let work: () => void = () => undefined
  const retries = openRetries(() => work())
  let channel: { tell(): void; stop(): void } | undefined

  const count = (): void => {
    onlyHere.value = here.size
  }
  const leaveAll = (): void => {
    if (isText) storeClosing(doc, [...unwritten.values(), ...here.values()])
  }

  // Pages of earlier versions use these lock names too.
  const lockOf = (id: string): string => `agmd-upload:${id}`
  /** Holds the lock of an entry until the entry is released. */
  const hold = async (id: string): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>()
    claimed.set(id, resolve)
    await promise
  }
  const claim = async (id: string): Promise<boolean> => {
    if (claimed.has(id)) return true
    const { promise, resolve } = Promise.withResolvers<boolean>()
    page
      .lock(lockOf(id), false, async (isHeld) => {
        resolve(isHeld)
        if (isHeld) await hold(id)
      })
      .catch(() => resolve(false))
    return promise
  }
  const release = (id: string): void => {
    claimed.get(id)?.()
    claimed.delete(id)
  }

  /** Writes an entry again if the database opened only after the first attempt. */
  const putLate = async (entry: Entry): Promise<void> => {
    if ((await page.opens()) && here.get(entry.id) === entry) await put(entry, true)
  }
  const put = async (entry: Entry, isLate = false): Promise<boolean> => {
    if (dropped.has(entry.id)) return false
    unwritten.set(entry.id, entry)
    // Until the database confirms the write, local storage is the only place that has a text entry.
    leaveAll()
    const written = writes.then(async () => {
      // The entry was removed while it waited to be written.
      if (!unwritten.has(entry.id)) return false
      if (!isText) await claim(entry.id)
      const isKept = await page.entries.put({ ...entry, queue })
      if (isKept) here.delete(entry.id)
      else if (!dropped.has(entry.id)) {
        here.set(entry.id, entry)
        if (!isLate) void putLate(entry)
      }
      count()
      if (unwritten.get(entry.id) === entry) unwritten.delete(entry.id)
      if (isKept && isText) dropClosing(doc, entry.id)
      channel?.tell()
      return isKept
    })
    writes = written
    return written
  }

  const read = async (): Promise<readonly Entry[]> => {
    const before = writes
    await before
    const found = (await page.entries.list(doc)) ?? []
    // The list lacks an entry that this page added meanwhile.
    if (writes !== before) return read()
    const ours = found.filter((entry) => entry.queue === queue && !here.has(entry.id)) as readonly unknown[] as readonly Entry[]
    return [...ours, ...here.values()].filter(({ id }) => !dropped.has(id)).toSorted((one, other) => one.at - other.at)
  }

  /** Takes over a claimed entry. Its previous page may have since changed or finished it. */
  const takeOver = async (id: string, take: (entry: Entry) => void): Promise<void> => {
    const entry = await page.entries.find(id)
    if (entry === undefined || dropped.has(id) || hasStopped) release(id)
    else take(entry as unknown as Entry)
  }
  const wait = (id: string, take: (entry: Entry) => void): void => {
    if (awaited.has(id)) return
    awaited.add(id)
    const held = async (): Promise<void> => {
      awaited.delete(id)
      if (hasStopped) return
      const ended = hold(id)
      await takeOver(id, take)
      await ended
    }
    page.lock(lockOf(id), true, held).catch(() => awaited.delete(id))
  }

  return {
    onlyHere,
    put,
    read,
    now() {
      last = Math.max(Date.now(), last + 0.01)
      return last
    },
    async drop(id) {
      dropped.add(id)
      here.delete(id)
      unwritten.delete(id)
      retries.drop(id)
      if (isText) dropClosing(doc, id)
      count()
      writes = writes.then(async () => {
        await page.entries.drop(id)
        release(id)
        channel?.tell()
      })
      await writes
    },
    async restore(take) {
      for (const { id } of await read()) {
        if (claimed.has(id)) continue
        if (await claim(id)) await takeOver(id, take)
        else wait(id, take)
      }
    },
    inTurn: (run) => page.lock(`agmd-review:${doc}`, true, run),
    later: retries.later,
    isDue: retries.isDue,
    wake: retries.wake,
    start({ work: send, connected, onChanged, onCarried, onLeave }) {
      work = send
      hasStopped = false
      channel = page.follow(doc, (isCarried) => {
        onChanged?.()
        if (isCarried) onCarried?.()
      })
      const stops = [
        page.on('online', retries.wake),
        page.on('hidden', leaveAll),
        page.on('pagehide', () => {
          leaveAll()
          onLeave?.()
        }),
        effect(() => {
          if (connected?.value === true) queueMicrotask(retries.wake)
        })
      ]
      if (isText) for (const entry of closingEntries<Entry>(doc)) void put(entry)
      work()
      return () => {
        work = () => undefined
        hasStopped = true
        for (const stop of stops) stop()
        retries.stop()
        channel?.stop()
        channel = undefined
        for (const id of claimed.keys()) release(id)
      }
    }
  }
}
