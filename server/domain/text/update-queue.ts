/**
 * An open document's updates that are applied but not on disk. Each gets the next sequence number and tag, and they are journaled in that order.
 * Updates from other nodes come first: the updates that wait here then get new numbers and tags. `mark` counts the updates of this process and is
 * never renumbered.
 */
import * as Y from 'yjs'
import { limits } from '../../../shared/limits.ts'
import type { Clock } from '../ports.ts'
import type { Transaction, Ledger } from '../records/transaction.ts'
import { type Head, keys, type Unsaved } from '../records/keys.ts'
import { encodeEntries, type JournalEntry, nextTag, type Point, type Tail } from './journal.ts'

/** An update, and how many UTF-16 code units of text it adds and removes. */
export interface Taken {
  readonly actor: string
  readonly update: Uint8Array
  readonly added: number
  readonly removed: number
}

/** An update that is not on disk. `isPlanned` is true if the code that made it relies on its number, so no other node may have written before it. */
type Pending = JournalEntry & Taken & { readonly isPlanned: boolean }

const bytesOf = (entries: readonly Taken[]): number => entries.reduce((sum, { update }) => sum + update.length, 0)

export interface UpdateQueue {
  /** The number and tag of the newest applied update. */
  readonly point: Point
  /** The number of the newest update that is on disk. */
  readonly durableSeq: number
  /** The number of updates that this process has applied. */
  readonly mark: number
  /** The number of these updates that are on disk. */
  readonly durableMark: number
  /** The number of times that waiting updates were renumbered. */
  readonly renumberings: number
  /** The number of the newest update that replaced the entire text; 0 if there was none. */
  readonly replacedSeq: number
  /** The size of the updates that wait. */
  readonly waitingBytes: number
  /** When the oldest waiting update was applied, in milliseconds since 1970; undefined if none waits. */
  readonly waitingSince: number | undefined
  readonly failed: boolean
  /** The cause of the failure. */
  readonly failure: unknown
  /** The number and size of the updates in the journal since the last checkpoint. */
  readonly tail: Tail
  /** Counts the size of an update that `add` is about to receive. */
  expectBytes(bytes: number): void
  /** Notes that the next update replaces the entire text. */
  expectReplacement(): void
  /** Numbers updates and begins to write them. With `isPlanned`, no other node may write before them. */
  add(updates: readonly Taken[], isPlanned: boolean): void
  /** Whether updates from another node contradict the updates that wait here. */
  contradicts(updates: readonly Uint8Array[]): boolean
  /** Counts updates that another node has written to the journal. */
  addForeign(bytes: number): void
  /** Gives the updates that wait new numbers after a head on disk. */
  renumber(onDisk: Head): void
  /** Writes into the transaction the updates that wait, up to `upTo` if it is given. Throws the cause if the queue has failed. */
  journalInto(tx: Transaction, upTo?: number): void
  /** Resolves when everything up to `upTo` (by default, the current `mark`) is on disk. Rejects if the journal failed. */
  durable(upTo?: number): Promise<void>
  /** Calls `listener` whenever `durableSeq` advances, and when the journal fails. Returns a function that removes the listener. */
  onDurable(listener: () => void): () => void
  /** Calls the listeners of `onDurable`. */
  notify(): void
  /** Ends the queue. From then on, nothing is written. */
  fail(cause: unknown): void
  /** Records that a checkpoint contains the tail. */
  checkpointed(): void
}

export interface UpdateQueueOptions {
  readonly id: string
  readonly ydoc: Y.Doc
  /** The head that matches the state of the Y.Doc. */
  readonly head: Head
  readonly tail: Tail
  readonly ledger: Ledger
  readonly clock: Clock
  /** Called once when the queue fails. */
  readonly onFailure: (cause: unknown) => void
}

const mergeUnsaved = (one: Unsaved, added: number, removed: number, actors: Iterable<string>): Unsaved => ({
  added: one.added + added,
  removed: one.removed + removed,
  actors: [...new Set([...one.actors, ...actors])].slice(0, limits.revisionAuthorsMax)
})

/** Whether updates contain structs that the document already has, because two nodes accepted different updates with the same client id. */
const overlaps = (ydoc: Y.Doc, updates: readonly Uint8Array[]): boolean => {
  const next = new Map<number, number>()
  return updates.some((update) => {
    const { from, to } = Y.parseUpdateMeta(update)
    const isKnown = [...from].some(([client, clock]) => clock < (next.get(client) ?? Y.getState(ydoc.store, client)))
    for (const [client, clock] of to) next.set(client, clock)
    return isKnown
  })
}

export const createUpdateQueue = ({ id, ydoc, head, tail, ledger, clock, onFailure }: UpdateQueueOptions): UpdateQueue => {
  let point: Point = { seq: head.seq, tag: head.tag }
  let durableSeq = head.seq
  let mark = 0
  let renumberings = 0
  let replacedSeq = head.replacedSeq ?? 0
  let failed = false
  let failure: unknown
  let pending: Pending[] = []
  let waitingBytes = 0
  let draining = false
  let { records, bytes } = tail
  const listeners = new Set<() => void>()

  const notify = (): void => listeners.forEach((listener) => listener())

  const fail = (cause: unknown): void => {
    if (failed) return
    failed = true
    failure = cause
    notify()
    onFailure(cause)
  }

  const settle = (seq: number): void => {
    durableSeq = Math.max(durableSeq, seq)
    pending = (pending.at(-1)?.seq ?? 0) <= durableSeq ? [] : pending.filter((entry) => entry.seq > durableSeq)
    waitingBytes = bytesOf(pending)
    notify()
  }

  const journalInto = (tx: Transaction, upTo = Number.POSITIVE_INFINITY): void => {
    // Writes that were queued behind the failed one must not reach the disk, because another copy may have continued from the state on disk.
    if (failed) throw failure as Error
    const entries = pending.filter((entry) => entry.seq > tx.head.seq && entry.seq <= upTo)
    const last = entries.at(-1)
    if (last === undefined) return
    if (entries[0]?.seq !== tx.head.seq + 1) throw new Error(`journal of ${id}: ${tx.head.seq} is followed by ${entries[0]?.seq}`)
    const record = encodeEntries(entries, tx.head.tag)
    tx.put(keys.update(id, last.seq), record)
    tx.head = {
      ...tx.head,
      seq: last.seq,
      tag: last.tag,
      updatedAt: tx.now,
      ...(replacedSeq > 0 ? { replacedSeq } : {}),
      unsaved: mergeUnsaved(
        tx.head.unsaved,
        entries.reduce((sum, entry) => sum + entry.added, 0),
        entries.reduce((sum, entry) => sum + entry.removed, 0),
        entries.map((entry) => entry.actor)
      )
    }
    records += 1
    bytes += record.length
  }

  const drain = (): void => {
    if (draining) return
    draining = true
    ledger
      .write(id, 'system', (tx) => {
        draining = false
        journalInto(tx)
        return tx.head.seq
      })
      .then(settle, fail)
  }

  const renumber = (onDisk: Head): void => {
    replacedSeq = onDisk.replacedSeq ?? replacedSeq
    point = { seq: onDisk.seq, tag: onDisk.tag }
    pending = pending.map((entry) => {
      point = { seq: point.seq + 1, tag: nextTag(point.tag, entry.update) }
      return { ...entry, ...point }
    })
    durableSeq = onDisk.seq
    if (pending.length > 0) renumberings += 1
  }

  const durable = (upTo = mark): Promise<void> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        const isDurable = mark - pending.length >= upTo
        if (!isDurable && !failed) return
        listeners.delete(check)
        if (isDurable) resolve()
        else reject(failure as Error)
      }
      listeners.add(check)
      check()
    })

  return {
    get point() {
      return point
    },
    get durableSeq() {
      return durableSeq
    },
    get mark() {
      return mark
    },
    get durableMark() {
      return mark - pending.length
    },
    get renumberings() {
      return renumberings
    },
    get replacedSeq() {
      return replacedSeq
    },
    get waitingBytes() {
      return waitingBytes
    },
    get waitingSince() {
      return pending[0]?.at
    },
    get failed() {
      return failed
    },
    get failure() {
      return failure
    },
    get tail() {
      return { records, bytes }
    },
    expectBytes: (count) => void (waitingBytes += count),
    expectReplacement: () => void (replacedSeq = point.seq + 1),
    add(updates, isPlanned) {
      const at = clock.now()
      for (const each of updates) {
        point = { seq: point.seq + 1, tag: nextTag(point.tag, each.update) }
        pending.push({ ...each, ...point, at, isPlanned })
      }
      mark += updates.length
      drain()
    },
    contradicts: (updates) => pending.some((entry) => entry.isPlanned) || (pending.length > 0 && overlaps(ydoc, updates)),
    addForeign(count) {
      records += 1
      bytes += count
    },
    renumber,
    journalInto,
    durable,
    onDurable(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    notify,
    fail,
    checkpointed() {
      records = 0
      bytes = 0
    }
  }
}
