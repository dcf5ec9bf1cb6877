/** Brings an open document up to date with the journal, to which other nodes may write. Their updates come before the updates that wait here. */
import * as Y from 'yjs'
import { ServiceError } from '../../../shared/errors.ts'
import type { Head } from '../records/keys.ts'
import type { JournalEntry, Point } from './journal.ts'
import type { UpdateQueue } from './update-queue.ts'

/** The origin of transactions with updates from other nodes. The journal already contains these updates. */
export const nodeOrigin = { source: 'node' } as const

/** Maximum number of times that `settled` calls `take`. Each repetition means that another node was faster. */
const settlesMax = 100

export interface NodeUpdatesOptions {
  readonly id: string
  readonly ydoc: Y.Doc
  /** The head that matches the state of the Y.Doc. */
  readonly head: Head
  readonly queue: UpdateQueue
  /** Reads the entries of the journal after a point, up to a head. Absent if no other node can write to the store. */
  readonly entriesTo?: ((after: Point, head: Head) => Promise<readonly JournalEntry[]>) | undefined
  /** Called after the waiting updates got new numbers. */
  readonly onRenumbered: () => void
}

export class NodeUpdates {
  readonly #options: NodeUpdatesOptions
  readonly #listeners = new Set<(head: Head, actors: ReadonlySet<string>) => void>()
  /** The newest head on disk that this process knows. */
  head: Head
  /** Whether the current transaction applies updates from another node. */
  isApplying = false
  /** The promise that was passed to `expect`, until it settles. */
  coming: Promise<unknown> | undefined = undefined

  constructor(options: NodeUpdatesOptions) {
    this.#options = options
    this.head = options.head
  }

  /** Whether this copy contains the text of a head on disk, and `head` is this head. */
  isCurrent({ seq, tag, event, annotated, announcedSeq, deletedAt }: Head): boolean {
    const { head } = this
    return (
      seq === head.seq &&
      tag === head.tag &&
      event === head.event &&
      annotated === head.annotated &&
      announcedSeq === head.announcedSeq &&
      deletedAt === head.deletedAt
    )
  }

  /** Reads and applies the updates from other nodes, up to a head on disk. Drops this copy if they contradict the updates that wait here. */
  async catchUp(onDisk: Head): Promise<void> {
    const { queue, entriesTo, onRenumbered } = this.#options
    if (queue.failed) throw queue.failure as Error
    try {
      const actors = new Set<string>()
      // This head was read before a newer one that is already known. A commit that relies on it will fail.
      if (onDisk.seq < this.head.seq) return
      if (onDisk.seq !== this.head.seq) {
        const entries = (await entriesTo?.({ seq: this.head.seq, tag: this.head.tag }, onDisk)) ?? []
        if (entries.length > 0) this.#apply(entries)
        queue.renumber(onDisk)
        onRenumbered()
        for (const { actor } of entries) actors.add(actor)
      }
      this.head = onDisk
      queue.notify()
      for (const listener of this.#listeners) listener(onDisk, actors)
    } catch (cause) {
      // If the store does not respond, the copy of the text may still be right.
      if (cause instanceof ServiceError && cause.code !== 'storage_corrupt') throw cause
      queue.fail(cause)
      throw queue.failure as Error
    }
  }

  /** Makes `settled` wait for a promise, because this copy is about to catch up with other nodes. */
  expect(promise: Promise<unknown>): void {
    const mine = promise
      .catch(() => undefined)
      .finally(() => {
        if (this.coming === mine) this.coming = undefined
      })
    this.coming = mine
  }

  /**
   * Calls `take`, and resolves to its result when all updates that `take` saw are on disk under the same numbers. Calls `take` again if updates from
   * other nodes have changed these numbers. Rejects if the journal failed.
   */
  async settled<T>(take: () => T): Promise<T> {
    const { id, queue } = this.#options
    for (let attempts = settlesMax; attempts > 0; attempts--) {
      if (this.coming !== undefined) await this.coming
      const before = queue.renumberings
      const taken = take()
      await queue.durable()
      if (before === queue.renumberings) return taken
    }
    throw new ServiceError('storage_unavailable', {}, { cause: new Error(`other nodes wrote into ${id} again and again`) })
  }

  /** Calls `listener` with each head from another node and the authors of its updates, after they were applied. Returns a function that removes it. */
  onForeign(listener: (head: Head, actors: ReadonlySet<string>) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #apply(entries: readonly JournalEntry[]): void {
    const { id, ydoc, queue } = this.#options
    const updates = entries.map(({ update }) => update)
    if (queue.contradicts(updates)) throw new Error(`journal of ${id}: another node wrote what contradicts the updates that wait here`)
    queue.removeWritten(updates)
    this.isApplying = true
    try {
      ydoc.transact(() => {
        for (const update of updates) Y.applyUpdate(ydoc, update, nodeOrigin)
      }, nodeOrigin)
    } finally {
      this.isApplying = false
    }
    if (ydoc.store.pendingStructs !== null) throw new Error(`journal of ${id}: updates from another node lack their predecessors`)
    queue.addForeign(updates.reduce((sum, { length }) => sum + length, 0))
  }
}
