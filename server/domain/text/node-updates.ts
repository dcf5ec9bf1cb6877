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

export interface NodeUpdates {
  /** The newest head on disk that this process knows. */
  readonly head: Head
  /** Whether the current transaction applies updates from another node. */
  readonly isApplying: boolean
  /** The promise that was passed to `expect`, until it settles. */
  readonly coming: Promise<unknown> | undefined
  /** Notes the head that a commit by this process has written. */
  written(head: Head): void
  /** Whether this copy contains the text of a head on disk, and `head` is this head. */
  isCurrent(head: Head): boolean
  /** Reads and applies the updates from other nodes, up to a head on disk. Drops this copy if they contradict the updates that wait here. */
  catchUp(head: Head): Promise<void>
  /** Makes `settled` wait for a promise, because this copy is about to catch up with other nodes. */
  expect(coming: Promise<unknown>): void
  /**
   * Calls `take`, and resolves to its result when all updates that `take` saw are on disk under the same numbers. Calls `take` again if updates from
   * other nodes have changed these numbers. Rejects if the journal failed.
   */
  settled<T>(take: () => T): Promise<T>
  /**
   * Calls `listener` with each head from another node and the authors of its updates, after the updates were applied. Returns a function that removes
   * it.
   */
  onForeign(listener: (head: Head, actors: ReadonlySet<string>) => void): () => void
}

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

export const createNodeUpdates = ({ id, ydoc, head, queue, entriesTo, onRenumbered }: NodeUpdatesOptions): NodeUpdates => {
  let newest = head
  let isApplying = false
  let coming: Promise<unknown> | undefined
  const listeners = new Set<(head: Head, actors: ReadonlySet<string>) => void>()

  const apply = (entries: readonly JournalEntry[]): void => {
    const updates = entries.map(({ update }) => update)
    if (queue.contradicts(updates)) throw new Error(`journal of ${id}: another node wrote what contradicts the updates that wait here`)
    isApplying = true
    try {
      ydoc.transact(() => {
        for (const update of updates) Y.applyUpdate(ydoc, update, nodeOrigin)
      }, nodeOrigin)
    } finally {
      isApplying = false
    }
    if (ydoc.store.pendingStructs !== null) throw new Error(`journal of ${id}: updates from another node lack their predecessors`)
    queue.addForeign(updates.reduce((sum, { length }) => sum + length, 0))
  }

  const catchUp = async (onDisk: Head): Promise<void> => {
    if (queue.failed) throw queue.failure as Error
    try {
      const actors = new Set<string>()
      // This head was read before a newer one that is already known. A commit that relies on it will fail.
      if (onDisk.seq < newest.seq) return
      if (onDisk.seq !== newest.seq) {
        const entries = (await entriesTo?.({ seq: newest.seq, tag: newest.tag }, onDisk)) ?? []
        if (entries.length > 0) apply(entries)
        queue.renumber(onDisk)
        onRenumbered()
        for (const { actor } of entries) actors.add(actor)
      }
      newest = onDisk
      queue.notify()
      for (const listener of listeners) listener(onDisk, actors)
    } catch (cause) {
      // If the store does not respond, the copy of the text may still be right.
      if (!(cause instanceof ServiceError) || cause.code === 'storage_corrupt') queue.fail(cause)
      throw cause
    }
  }

  const settled: NodeUpdates['settled'] = async (take) => {
    for (let attempts = settlesMax; attempts > 0; attempts--) {
      if (coming !== undefined) await coming
      const before = queue.renumberings
      const taken = take()
      await queue.durable()
      if (before === queue.renumberings) return taken
    }
    throw new ServiceError('storage_unavailable', {}, { cause: new Error(`other nodes wrote into ${id} again and again`) })
  }

  return {
    get head() {
      return newest
    },
    get isApplying() {
      return isApplying
    },
    get coming() {
      return coming
    },
    written(written) {
      newest = written
    },
    isCurrent: ({ seq, tag, event, annotated, announcedSeq, deletedAt }) =>
      seq === newest.seq &&
      tag === newest.tag &&
      event === newest.event &&
      annotated === newest.annotated &&
      announcedSeq === newest.announcedSeq &&
      deletedAt === newest.deletedAt,
    catchUp,
    expect(promise) {
      const mine = promise
        .catch(() => undefined)
        .finally(() => {
          if (coming === mine) coming = undefined
        })
      coming = mine
    },
    settled,
    onForeign(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    }
  }
}
