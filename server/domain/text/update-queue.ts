/**
 * An open document's updates that are applied but not on disk. Each gets the next sequence number and tag, and they are journaled in that order.
 * Updates from other nodes come first: the updates that wait here then get new numbers and tags. `mark` counts the updates of this process and is
 * never renumbered.
 */
import * as Y from 'yjs'
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import type { Clock } from '../ports.ts'
import type { Transaction, Ledger } from '../records/transaction.ts'
import { type Head, keys, type Unsaved } from '../records/keys.ts'
import { encodeEntries, formatVersion, type JournalEntry, nextTag, type Point, type Tail } from './journal.ts'
import { contradict, restOf } from './repeated-edits.ts'

/** An update, and how many UTF-16 code units of text it adds and removes. */
export interface Taken {
  readonly actor: string
  readonly update: Uint8Array
  readonly added: number
  readonly removed: number
}

/** An update that is not on disk. */
interface Pending extends JournalEntry, Taken {
  /** The value of `UpdateQueue.mark` after this update. */
  readonly mark: number
  /** Whether the code that made the update relies on its number, so no other node may have written before it. */
  readonly isPlanned: boolean
}

const bytesOf = (entries: readonly Taken[]): number => entries.reduce((sum, { update }) => sum + update.length, 0)

export interface UpdateQueueOptions {
  readonly id: string
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

export class UpdateQueue {
  readonly #options: UpdateQueueOptions
  readonly #listeners = new Set<() => void>()
  #pending: Pending[] = []
  #draining = false
  #failed = false
  #failure: unknown
  #records: number
  #bytes: number
  /** The number and tag of the newest applied update. */
  point: Point
  /** The number of the newest update that is on disk. */
  durableSeq: number
  /** The number of updates that this process has applied. */
  mark = 0
  /** The number of times that waiting updates were renumbered. */
  renumberings = 0
  /** The number of the newest update that replaced the entire text; 0 if there was none. */
  replacedSeq: number
  /** The size of the updates that wait. */
  waitingBytes = 0

  constructor(options: UpdateQueueOptions) {
    const { head, tail } = options
    this.#options = options
    this.point = { seq: head.seq, tag: head.tag }
    this.durableSeq = head.seq
    this.replacedSeq = head.replacedSeq ?? 0
    this.#records = tail.records
    this.#bytes = tail.bytes
  }

  /** The number of the updates counted by `mark` that are on disk. */
  get durableMark(): number {
    return (this.#pending[0]?.mark ?? this.mark + 1) - 1
  }

  /** When the oldest waiting update was applied, in milliseconds since 1970; undefined if none waits. */
  get waitingSince(): number | undefined {
    return this.#pending[0]?.at
  }

  get failed(): boolean {
    return this.#failed
  }

  /** The error for callers after the failure. */
  get failure(): unknown {
    return this.#failure
  }

  /** The number and size of the updates in the journal since the last checkpoint. */
  get tail(): Tail {
    return { records: this.#records, bytes: this.#bytes }
  }

  /** Counts the size of an update that `add` is about to receive. */
  expectBytes(count: number): void {
    this.waitingBytes += count
  }

  /** Notes that the next update replaces the entire text. */
  expectReplacement(): void {
    this.replacedSeq = this.point.seq + 1
  }

  /** Numbers updates and begins to write them. With `isPlanned`, no other node may write before them. */
  add(updates: readonly Taken[], isPlanned: boolean): void {
    const at = this.#options.clock.now()
    for (const each of updates) {
      this.point = { seq: this.point.seq + 1, tag: nextTag(this.point.tag, each.update) }
      this.mark += 1
      this.#pending.push({ ...each, ...this.point, mark: this.mark, at, isPlanned })
    }
    this.#drain()
  }

  /** Whether updates from another node contradict the updates that wait here. */
  contradicts(updates: readonly Uint8Array[]): boolean {
    const pending = this.#pending
    if (pending.length === 0) return false
    const waiting = pending.map(({ update }) => update)
    return pending.some((entry) => entry.isPlanned) || contradict(waiting, updates)
  }

  /** Removes from the updates that wait here the edits that another node has also written. They are on disk. */
  removeWritten(updates: readonly Uint8Array[]): void {
    if (this.#pending.length === 0) return
    const clocks = new Map<number, number>()
    for (const update of updates)
      for (const [client, clock] of Y.parseUpdateMeta(update).to) clocks.set(client, Math.max(clock, clocks.get(client) ?? 0))
    this.#pending = this.#pending.flatMap((entry) => {
      const update = restOf(entry.update, clocks)
      return update === undefined ? [] : [{ ...entry, update }]
    })
    this.waitingBytes = bytesOf(this.#pending)
  }

  /** Counts updates that another node has written to the journal. */
  addForeign(bytes: number): void {
    this.#records += 1
    this.#bytes += bytes
  }

  /** Gives the updates that wait new numbers after a head on disk. */
  renumber(onDisk: Head): void {
    this.replacedSeq = onDisk.replacedSeq ?? this.replacedSeq
    this.point = { seq: onDisk.seq, tag: onDisk.tag }
    this.#pending = this.#pending.map((entry) => {
      this.point = { seq: this.point.seq + 1, tag: nextTag(this.point.tag, entry.update) }
      return { ...entry, ...this.point }
    })
    this.durableSeq = onDisk.seq
    if (this.#pending.length > 0) this.renumberings += 1
  }

  /**
   * Writes into the transaction the updates that wait, up to `upTo` if it is given. Throws the failure if the queue has failed. It fails if the
   * updates do not follow the head.
   */
  journalInto(tx: Transaction, upTo = Number.POSITIVE_INFINITY): void {
    // Writes that were queued behind the failed one must not reach the disk, because another copy may have continued from the state on disk.
    if (this.#failed) throw this.#failure as Error
    const { id } = this.#options
    if (!this.#follows(tx.head)) {
      this.fail(new Error(`journal of ${id}: the updates that wait do not follow ${formatVersion(tx.head)}`))
      throw this.#failure as Error
    }
    const entries = this.#pending.filter((entry) => entry.seq > tx.head.seq && entry.seq <= upTo)
    const last = entries.at(-1)
    if (last === undefined) return
    const record = encodeEntries(entries, tx.head.tag)
    tx.put(keys.update(id, last.seq), record)
    tx.head = {
      ...tx.head,
      seq: last.seq,
      tag: last.tag,
      updatedAt: tx.now,
      ...(this.replacedSeq > 0 ? { replacedSeq: this.replacedSeq } : {}),
      unsaved: mergeUnsaved(
        tx.head.unsaved,
        entries.reduce((sum, entry) => sum + entry.added, 0),
        entries.reduce((sum, entry) => sum + entry.removed, 0),
        entries.map((entry) => entry.actor)
      )
    }
    this.#records += 1
    this.#bytes += record.length
  }

  /** Resolves when everything up to `upTo` (by default, the current `mark`) is on disk. Rejects if the journal failed. */
  durable(upTo = this.mark): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        const isDurable = this.durableMark >= upTo
        if (!isDurable && !this.#failed) return
        this.#listeners.delete(check)
        if (isDurable) resolve()
        else reject(this.#failure as Error)
      }
      this.#listeners.add(check)
      check()
    })
  }

  /** Calls `listener` whenever `durableSeq` advances, and when the journal fails. Returns a function that removes the listener. */
  onDurable(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Calls the listeners of `onDurable`. */
  notify(): void {
    for (const listener of this.#listeners) listener()
  }

  /** Ends the queue. From then on, nothing is written. Callers get an error that says that they can try again. */
  fail(cause: unknown): void {
    if (this.#failed) return
    this.#failed = true
    this.#failure = cause instanceof ServiceError ? cause : new ServiceError('storage_unavailable', {}, { cause })
    this.notify()
    this.#options.onFailure(cause)
  }

  /** Records that a checkpoint contains the tail. */
  checkpointed(): void {
    this.#records = 0
    this.#bytes = 0
  }

  /** Whether the updates that wait were numbered after this head. If not, some of them would be acknowledged without being written. */
  #follows({ seq, tag }: Point): boolean {
    const next = this.#pending.find((entry) => entry.seq > seq)
    if (next !== undefined) return next.seq === seq + 1 && nextTag(tag, next.update) === next.tag
    const last = this.#pending.at(-1)
    return last === undefined || (last.seq === seq && last.tag === tag)
  }

  #drain(): void {
    if (this.#draining) return
    this.#draining = true
    const { id, ledger } = this.#options
    ledger
      .write(id, 'system', (tx) => {
        this.#draining = false
        this.journalInto(tx)
        return tx.head.seq
      })
      .then(
        (seq) => this.#settle(seq),
        (cause: unknown) => this.fail(cause)
      )
  }

  #settle(seq: number): void {
    this.durableSeq = Math.max(this.durableSeq, seq)
    this.#pending = (this.#pending.at(-1)?.seq ?? 0) <= this.durableSeq ? [] : this.#pending.filter((entry) => entry.seq > this.durableSeq)
    this.waitingBytes = bytesOf(this.#pending)
    this.notify()
  }
}
