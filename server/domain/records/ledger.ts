/**
 * The write path for records. Each document has a queue, and one commit writes everything that waits in it.
 *
 * A change is a synchronous function on a transaction. Everything that it puts goes to disk together with the new head, or not at all. A change runs
 * again if another node was faster, so it must depend only on the transaction and on values that never change. A record that can change must be named
 * in `reads` and read from the transaction, so that no write can come between reading and writing it.
 */
import type { DocumentCopy, Transaction, Ledger, WriteOptions } from './transaction.ts'
import { ServiceError } from '../../../shared/errors.ts'
import type { EventKind, EventPayload } from '../../../shared/events.ts'
import { limits } from '../../../shared/limits.ts'
import { keysOfRight, requireRight } from '../rights/authority.ts'
import type { By } from '../rights/caller.ts'
import { documentDeleted, isStored } from '../documents/deleted.ts'
import { decodeRecord, encodeRecord, type Head, keys, type Notice, type Revision, type StoredEvent } from './keys.ts'
import { createNotices, type Noticed } from '../events/notices.ts'
import { createTurnWaits } from './turns.ts'
import { bytesMoved, countUsage } from '../documents/usage.ts'
import type { Check, Clock, Key, Put, Storage } from '../ports.ts'

interface Waiting extends WriteOptions {
  readonly by: By
  /** Absent if the copy of the document only has to catch up with other nodes. */
  readonly change?: (tx: Transaction) => unknown
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
}

type Outcome = { readonly result: unknown } | { readonly error: unknown }

/** A value, or the reason why it could not be read. A damaged record fails only the changes that read it. */
type Found = { readonly value: Uint8Array | undefined; readonly version?: number | null } | { readonly error: unknown }

/** The values that the changes in a batch read. `nameOf` makes the keys of the map. */
type Records = Map<string, Found>

const nameOf = (key: Key): string => JSON.stringify(key)

class LedgerTransaction implements Transaction {
  head: Head
  readonly now: number
  readonly puts = new Map<string, Put>()
  readonly deletes: Key[] = []
  erases = false
  readonly events: StoredEvent[] = []
  readonly noticed: Noticed[] = []
  readonly #records: Records

  constructor(head: Head, now: number, records: Records) {
    this.head = head
    this.now = now
    this.#records = records
  }

  read<T>(key: Key): T | undefined {
    const found = this.#records.get(nameOf(key))
    if (found === undefined) throw new Error(`${nameOf(key)} is not named in reads`)
    if ('error' in found) throw found.error
    return found.value && decodeRecord<T>(found.value)
  }

  /** Makes the writes of this change visible to the changes that follow it in the same commit. */
  settle(): void {
    for (const key of this.deletes) this.#records.set(nameOf(key), { value: undefined })
    for (const [name, { value }] of this.puts) this.#records.set(name, { value })
  }

  put(key: Key, value: Uint8Array): void {
    this.puts.set(nameOf(key), { key, value })
  }

  delete(key: Key): void {
    this.deletes.push(key)
  }

  erase(): void {
    this.erases = true
  }

  event<Kind extends EventKind>(kind: Kind, actor: string, payload: EventPayload<Kind>, version?: string): StoredEvent {
    const event = {
      seq: this.head.event + 1,
      kind,
      at: this.now,
      actor,
      ...(version === undefined ? {} : { version }),
      payload
    } as StoredEvent
    this.head = { ...this.head, event: event.seq }
    this.put(keys.event(this.head.id, event.seq), encodeRecord(event))
    this.events.push(event)
    return event
  }

  notify(event: StoredEvent, notice: Notice): void {
    this.noticed.push({ event, notice })
  }

  revision(revision: Omit<Revision, 'id' | 'createdAt'>): Revision {
    const whole: Revision = { ...revision, id: this.head.revision + 1, createdAt: this.now }
    this.head = { ...this.head, revision: whole.id, revisionSeq: revision.seq, unsaved: { added: 0, removed: 0, actors: [] } }
    this.put(keys.revision(this.head.id, whole.id), encodeRecord(whole))
    return whole
  }
}

/** The changes in a commit, and the head after them. */
interface Drawn {
  readonly head: Head
  readonly transactions: readonly LedgerTransaction[]
  readonly outcomes: readonly Outcome[]
}

/** A head with the version that the store has given it. */
interface FoundHead {
  readonly version: number
  readonly head: Head
}

/** An open document. */
interface Followed {
  readonly copy: DocumentCopy
  /**
   * The head that this process wrote last, so that the next commit need not read it. The commit checks its version, so a head that is no longer on
   * disk writes nothing. Undefined if the head must be read.
   */
  kept: FoundHead | undefined
}

interface LedgerOptions {
  readonly storage: Storage
  readonly clock: Clock
  /** Called with each event once it is on disk. */
  readonly onEvent: (doc: string, event: StoredEvent) => void
}

const keysOf = (by: By): Key[] => (by === 'system' ? [] : keysOfRight(by))

/** Checks the caller's access. Throws if the access has ended. */
const requireBy = (by: By, tx: LedgerTransaction, head: Head | undefined): void => {
  if (by !== 'system') requireRight(by, head, tx.now, (key) => tx.read(key))
}

/**
 * Returns checks for the access records outside the document. Without these checks, a commit would not notice that the access has ended.
 */
const checksOf = (doc: string, waiting: readonly Pick<Waiting, 'by' | 'reads'>[], records: Records, hasNodes: boolean): Check[] => {
  const outside = waiting.flatMap(({ by }) => keysOf(by)).filter(([first, second]) => first !== 'd' || second !== doc)
  // The head may already come from another node, while this node has an old record in its cache.
  const read = hasNodes ? waiting.flatMap(({ reads = [] }) => reads) : []
  const named = new Map([...outside, ...read].map((key) => [nameOf(key), key]))
  return [...named].map(([name, key]) => {
    const found = records.get(name)
    return { key, version: found !== undefined && 'version' in found ? (found.version ?? null) : null }
  })
}

/** Returns the puts of changes that run in order. A deletion cancels an earlier change's put of the same key, but not one of the same change. */
const putsOf = (transactions: readonly LedgerTransaction[]): Put[] => {
  const [only] = transactions
  if (only !== undefined && transactions.length === 1) return [...only.puts.values()]
  const puts = new Map<string, Put>()
  for (const tx of transactions) {
    for (const key of tx.deletes) puts.delete(nameOf(key))
    for (const [name, put] of tx.puts) puts.set(name, put)
  }
  return [...puts.values()]
}

/** Whether a commit changes the text, the records about it, or the turn. Only the node that has the turn may do this. */
const changesText = (old: Head, head: Head): boolean =>
  old.seq !== head.seq || old.announcedSeq !== head.announcedSeq || old.annotated !== head.annotated || old.turn !== head.turn

export const createLedger = ({ storage, clock, onEvent }: LedgerOptions): Ledger => {
  const notices = createNotices(storage, clock)
  const queues = new Map<string, Waiting[]>()
  /** Documents whose queue begins in the next turn of the event loop. */
  const starting: string[] = []
  const idlers: (() => void)[] = []
  const followed = new Map<string, Followed>()
  const { nodes } = storage
  const waits = nodes && createTurnWaits(storage, nodes)

  /** Reads the values that the changes need. They are read after the head: if one of them is newer than the head, the head's check fails. */
  const findRecords = async (waiting: readonly Pick<Waiting, 'by' | 'reads'>[]): Promise<Records> => {
    if (waiting.every(({ by, reads = [] }) => by === 'system' && reads.length === 0)) return new Map()
    const find = (key: Key): Promise<[string, Found]> =>
      storage.get(key).then(
        (entry) => [nameOf(key), { value: entry?.value, version: entry?.version ?? null }],
        (error: unknown) => [nameOf(key), { error }]
      )
    return new Map(await Promise.all(waiting.flatMap(({ by, reads = [] }) => [...reads, ...keysOf(by)].map(find))))
  }

  /** Runs the waiting changes one after another on the head. A change that throws writes nothing. */
  const draw = (head: Head, records: Records, waiting: readonly Waiting[]): Drawn => {
    const now = clock.now()
    const transactions: LedgerTransaction[] = []
    const outcomes = waiting.map(({ by, change, afterDeletion = false }, index): Outcome => {
      if (change === undefined) return { result: undefined }
      const tx = new LedgerTransaction(head, now, records)
      try {
        if (head.deletedAt !== null && !afterDeletion) throw documentDeleted(head)
        requireBy(by, tx, head)
        const result = change(tx)
        if (index < waiting.length - 1) tx.settle()
        head = tx.head
        transactions.push(tx)
        return { result }
      } catch (error) {
        return { error }
      }
    })
    return { head, transactions, outcomes }
  }

  /** Returns the head with the document's size after the changes. A document that is being erased is not counted. */
  const weighed = (old: Head, head: Head, puts: readonly Put[], deletes: readonly Key[]): Head | Promise<Head> => {
    const { bytes } = old
    if (bytes === undefined || (old.deletedAt !== null && !(isStored(old) && head.deletedAt === null))) return head
    const resized = (moved: number): Head => ({ ...head, bytes: Math.max(0, bytes + moved) })
    const moved = bytesMoved(storage, head.id, puts, deletes)
    return typeof moved === 'number' ? resized(moved) : moved.then(resized)
  }

  /** Commits the transactions with the new head. `open` has the text of the old head. Resolves to false if a check failed. */
  const commit = async (
    doc: string,
    { version, head: old }: FoundHead,
    drawn: Drawn,
    rights: readonly Check[],
    open: Followed | undefined
  ): Promise<boolean> => {
    const { head, transactions } = drawn
    const puts = putsOf(transactions)
    const deletes = transactions.flatMap((tx) => tx.deletes)
    const weight = weighed(old, head, puts, deletes)
    const usage = countUsage(old, weight instanceof Promise ? await weight : weight, puts)
    const noticed = transactions.flatMap((tx) => tx.noticed)
    const numbered = noticed.length === 0 ? undefined : await notices.prepare(usage.head, noticed)
    const key = keys.head(doc)
    let given: number | undefined
    if (open !== undefined) open.kept = undefined
    const written = await storage.commit({
      checks: [{ key, version }, ...rights],
      puts: [{ key, value: encodeRecord(usage.head) }, ...puts, ...usage.puts, ...(numbered?.() ?? [])],
      deletes: [...deletes, ...usage.deletes],
      erase: transactions.some((tx) => tx.erases),
      onWritten: (newest) => (given = newest)
    })
    if (!written) return false
    if (open !== undefined && nodes === undefined && given !== undefined) open.kept = { version: given, head: usage.head }
    open?.copy.written(usage.head)
    return true
  }

  /** Whether a head is the one on disk, for the case that no commit has checked it. */
  const isOnDisk = async (doc: string, found: FoundHead): Promise<boolean> => {
    const open = followed.get(doc)
    if (open === undefined || open.kept !== found) return true
    const entry = await storage.get(keys.head(doc))
    if (entry?.version === found.version) return true
    open.kept = undefined
    return false
  }

  /** Writes the changes. Resolves to false if another node was faster, and to the name of another node if that node has the turn to write the text. */
  const attempt = async (doc: string, found: FoundHead, waiting: readonly Waiting[]): Promise<boolean | string> => {
    const old = waits === undefined ? found.head : waits.withoutLost(doc, found.head)
    const known = followed.get(doc)
    if (nodes !== undefined && known !== undefined && !known.copy.isCurrent(old)) await known.copy.catchUp(old)
    const records = await findRecords(waiting)
    // The checks are collected before the changes run, because the changes write into the records that they read.
    const rights = checksOf(doc, waiting, records, nodes !== undefined)
    const drawn = draw(old, records, waiting)
    const { head, transactions, outcomes } = drawn
    if (nodes !== undefined && old.turn !== undefined && old.turn !== nodes.id && changesText(old, head)) return old.turn
    // A copy that was loaded meanwhile may lack what other nodes wrote before this head. It looks for that itself.
    const open = nodes === undefined ? followed.get(doc) : known
    // If all changes failed, the head may be the reason.
    const isValid =
      transactions.length > 0 ? await commit(doc, { version: found.version, head: old }, drawn, rights, open) : await isOnDisk(doc, found)
    if (!isValid) return false
    outcomes.forEach((outcome, index) => {
      const { resolve, reject } = waiting[index] as Waiting
      if ('error' in outcome) reject(outcome.error)
      else resolve(outcome.result as never)
    })
    for (const tx of transactions) for (const event of tx.events) onEvent(doc, event)
    return true
  }

  const readHead = async (doc: string): Promise<FoundHead> => {
    const entry = await storage.get(keys.head(doc))
    if (entry === undefined) throw new ServiceError('not_found')
    return { version: entry.version, head: decodeRecord<Head>(entry.value) }
  }

  const flush = async (doc: string, waiting: readonly Waiting[]): Promise<void> => {
    const attemptsMax = nodes === undefined ? limits.commitAttemptsMax : limits.commitAttemptsOfNodesMax
    for (let attempts = 0; attempts < attemptsMax; attempts++) {
      const written = await attempt(doc, followed.get(doc)?.kept ?? (await readHead(doc)), waiting)
      if (written === true) return
      if (written !== false) await waits?.until(doc, written)
    }
    throw new ServiceError('storage_unavailable', {}, { cause: new Error(`the head of ${doc} changed ${attemptsMax} times`) })
  }

  const run = async (doc: string): Promise<void> => {
    for (;;) {
      const waiting = queues.get(doc)?.splice(0) ?? []
      if (waiting.length === 0) break
      try {
        await flush(doc, waiting)
      } catch (error) {
        for (const { reject } of waiting) reject(error)
      }
    }
    queues.delete(doc)
    if (queues.size === 0) for (const wake of idlers.splice(0)) wake()
  }

  const enqueue = (doc: string, waiting: Waiting): void => {
    const queue = queues.get(doc)
    if (queue !== undefined) {
      queue.push(waiting)
      return
    }
    queues.set(doc, [waiting])
    // Changes that arrive in the same turn of the event loop share the commit.
    if (starting.push(doc) === 1) setImmediate(start)
  }

  const start = (): void => {
    for (const doc of starting.splice(0)) void run(doc)
  }

  const findHead = async (doc: string): Promise<Head | undefined> => {
    const entry = await storage.get(keys.head(doc))
    return entry && decodeRecord<Head>(entry.value)
  }

  return {
    write: (doc, by, change, options) => new Promise((resolve, reject) => enqueue(doc, { ...options, by, change, resolve, reject })),
    async create(head, by, change) {
      for (let attempts = 0; attempts < limits.commitAttemptsMax; attempts++) {
        const records = await findRecords([{ by }])
        const tx = new LedgerTransaction(head, clock.now(), records)
        requireBy(by, tx, undefined)
        const result = change(tx)
        const puts = [...tx.puts.values()]
        const bytes = await bytesMoved(storage, head.id, puts, [])
        const usage = countUsage(undefined, { ...tx.head, bytes }, puts)
        const written = await storage.commit({
          checks: [{ key: keys.head(head.id), version: null }, ...checksOf(head.id, [{ by }], records, nodes !== undefined)],
          puts: [{ key: keys.head(head.id), value: encodeRecord(usage.head) }, ...puts, ...usage.puts]
        })
        if (!written) continue
        for (const event of tx.events) onEvent(head.id, event)
        return result
      }
      throw new ServiceError('storage_unavailable', {}, { cause: new Error(`the id ${head.id} is taken`) })
    },
    findHead,
    async head(doc) {
      const head = await findHead(doc)
      if (head === undefined) throw new ServiceError('not_found')
      if (head.deletedAt !== null) throw documentDeleted(head)
      return head
    },
    follow(doc, copy) {
      followed.set(doc, { copy, kept: undefined })
      return () => {
        if (followed.get(doc)?.copy === copy) followed.delete(doc)
      }
    },
    look: (doc) => new Promise((resolve, reject) => enqueue(doc, { by: 'system', resolve: resolve as (result: unknown) => void, reject })),
    async idle() {
      if (queues.size > 0) await new Promise<void>((resolve) => idlers.push(resolve))
    }
  }
}
