/**
 * A document in memory. While the document is open, it is the single source of truth for the text.
 *
 * Every update of the Y.Doc, from a socket or from the API, gets the next sequence number and tag synchronously, in the Y.Doc's `update` listener.
 * Updates are journaled in that order. `seq` can therefore be ahead of the disk; `durableSeq` is the newest update on disk. A version check
 * compares with `seq`, so it sees edits that are applied but not yet journaled.
 *
 * Other nodes can write to the same journal. Their updates come first. Updates that still wait here then get new numbers and tags. The number and tag
 * of an update are therefore final only when the update is on disk. `mark` counts the updates of this process and is never renumbered.
 */
import * as Y from 'yjs'
import { ServiceError } from '../../../shared/errors.ts'
import { textRootName } from '../../../shared/names.ts'
import { applyEdits, type Edit } from '../../../shared/text/diff.ts'
import { type JournalEntry, type Point, type Tail, type Snapshot, snapshotOf } from './journal.ts'
import { createUpdateQueue, type Taken } from './update-queue.ts'
import type { Head } from '../records/keys.ts'
import type { Draft, Ledger } from '../records/draft.ts'
import type { Held } from '../documents/quotas.ts'
import type { Clock } from '../ports.ts'

/** Returns the author of a transaction from its Yjs origin. */
export type ActorOfOrigin = (origin: unknown) => string

export interface OpenDocument {
  readonly id: string
  readonly ydoc: Y.Doc
  readonly text: Y.Text
  /** Sequence number of the newest applied update. */
  readonly seq: number
  /** Sequence number of the newest update that is on disk. */
  readonly durableSeq: number
  /** The number of updates that this process has applied, including those that are not on disk. */
  readonly mark: number
  /** The number of these updates that are on disk. */
  readonly durableMark: number
  /** The newest head on disk that this process knows. */
  readonly head: Head
  /** When the oldest update that is not on disk was applied, in milliseconds since 1970; undefined if all updates are on disk. */
  readonly waitingSince: number | undefined
  /** True once the journal has failed. From then on, this copy must not be read or written. */
  readonly failed: boolean
  /** The number and size of the updates in the journal since the last checkpoint. */
  readonly tail: Tail
  snapshot(): Snapshot
  /** Returns the head's fields that quotas need. The byte count includes updates that are still being written. */
  held(): Held
  /** Notes the head that a commit of this process has written. */
  written(head: Head): void
  /** Whether this copy contains the text of a head on disk, and `head` is this head. */
  isCurrent(head: Head): boolean
  /** Reads and applies the updates of other nodes, up to a head on disk. Drops this copy if they contradict the updates that wait here. */
  catchUp(head: Head): Promise<void>
  /** The promise that was passed to `expect`, until it settles. */
  readonly coming: Promise<unknown> | undefined
  /** Makes `settled` wait for a promise, because this copy is about to catch up with other nodes. */
  expect(coming: Promise<unknown>): void
  /**
   * Sequence number of the newest update that replaced the entire text; 0 if there was none. After such an update, surviving characters may belong
   * to different words.
   */
  readonly replacedSeq: number
  /**
   * Applies edits as one transaction by `actor`, and returns the new text. `isCompared` is true if the edits are the difference between two texts.
   * Synchronous: check a version just before the call, without an `await` in between. With `isPlanned`, the edits are right only for the current
   * text, so no other node may write before them (turns.ts).
   */
  apply(edits: readonly Edit[], actor: string, isCompared?: boolean, isPlanned?: boolean): Snapshot
  /**
   * Applies updates of clients in one transaction. Each update becomes a separate journal entry with its author. `step` passes the updates in order,
   * so that it can check each one against the document after the previous ones. `inserted` is the number of UTF-16 units of text in the update;
   * `isNew` is true if the update has structs. `step` must not throw, because Yjs has no rollback.
   */
  takeTogether(origin: unknown, step: (take: (update: Uint8Array, actor: string, inserted: number, isNew: boolean) => void) => void): void
  /** Writes into the draft the updates that are applied but not on disk, up to `seq` if it is given. Call it inside a change to this document. */
  journalInto(draft: Draft, seq?: number): void
  /** Resolves when everything up to `mark` (by default, the current `mark`) is on disk. Rejects if the journal failed. */
  durable(mark?: number): Promise<void>
  /**
   * Calls `take`, and resolves to its result when all updates that `take` saw are on disk under the same numbers. Calls `take` again if updates of
   * other nodes have changed these numbers. Rejects if the journal failed.
   */
  settled<T>(take: () => T): Promise<T>
  /** Calls `listener` whenever `durableSeq` advances, and when the journal fails. Returns a function that removes the listener. */
  onDurable(listener: () => void): () => void
  /** Calls `listener` with the authors at the end of each transaction that changed something. Returns a function that removes the listener. */
  onUpdate(listener: (actors: ReadonlySet<string>) => void): () => void
  /** Calls `listener` with each head of another node, after its updates were applied, and with their authors. Returns a function that removes it. */
  onForeign(listener: (head: Head, actors: ReadonlySet<string>) => void): () => void
  /** Records that a checkpoint contains the tail. */
  checkpointed(): void
}

interface OpenDocumentOptions {
  readonly id: string
  readonly ydoc: Y.Doc
  /** The head that matches the state of the Y.Doc. */
  readonly head: Head
  readonly tail: Tail
  readonly ledger: Ledger
  readonly clock: Clock
  readonly actorOf: ActorOfOrigin
  /** Reads the entries of the journal after a point, up to a head. Absent if no other node can write to the store. */
  readonly entriesTo?: (after: Point, head: Head) => Promise<readonly JournalEntry[]>
  /** Called once if the journal cannot be written or an update cannot be applied. */
  readonly onFailure: (cause: unknown) => void
}

/** The origin of transactions with updates of other nodes. The journal already contains these updates. */
export const nodeOrigin = { source: 'node' } as const

/** Maximum number of times that `settled` calls `take`. Each repetition means that another node was faster. */
const settlesMax = 100

export const createOpenDocument = (options: OpenDocumentOptions): OpenDocument => {
  const { id, ydoc, head, tail, ledger, clock, actorOf, entriesTo, onFailure } = options
  const text = ydoc.getText(textRootName)
  const queue = createUpdateQueue({ id, ydoc, head, tail, ledger, clock, onFailure })
  let coming: Promise<unknown> | undefined
  let isForeign = false
  let isPlanned = false
  let newest = head
  let cached: Snapshot | undefined
  let counted = { added: 0, removed: 0 }
  const updateListeners = new Set<(actors: ReadonlySet<string>) => void>()
  const foreignListeners = new Set<(head: Head, actors: ReadonlySet<string>) => void>()
  /** The updates that the current transaction applies together. */
  let together: Taken[] | undefined

  // `event.delta` would be simpler, but to compute it, Yjs walks through the entire document at each keystroke.
  let length = text.length
  text.observe((_event, { deleteSet }) => {
    let removed = 0
    for (const deletions of deleteSet.clients.values()) for (const { len } of deletions) removed += len
    counted = { added: text.length - length + removed, removed }
    length = text.length
  })

  ydoc.on('update', (update: Uint8Array, origin: unknown) => {
    if (isForeign) {
      counted = { added: 0, removed: 0 }
      cached = undefined
      return
    }
    const taken = together ?? [{ actor: actorOf(origin), update, ...counted }]
    if (together === undefined) queue.expectBytes(update.length)
    together = undefined
    counted = { added: 0, removed: 0 }
    cached = undefined
    queue.add(taken, isPlanned)
    const actors = new Set(taken.map(({ actor }) => actor))
    for (const listener of updateListeners) listener(actors)
  })

  const applyForeign = (entries: readonly JournalEntry[]): void => {
    const updates = entries.map(({ update }) => update)
    if (queue.contradicts(updates)) throw new Error(`journal of ${id}: another node wrote what contradicts the updates that wait here`)
    isForeign = true
    try {
      ydoc.transact(() => {
        for (const update of updates) Y.applyUpdate(ydoc, update, nodeOrigin)
      }, nodeOrigin)
    } finally {
      isForeign = false
    }
    if (ydoc.store.pendingStructs !== null) throw new Error(`journal of ${id}: updates of another node lack their predecessors`)
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
        if (entries.length > 0) applyForeign(entries)
        queue.renumber(onDisk)
        cached = undefined
        for (const { actor } of entries) actors.add(actor)
      }
      newest = onDisk
      queue.notify()
      for (const listener of foreignListeners) listener(onDisk, actors)
    } catch (cause) {
      // If the store does not answer, the copy of the text may still be right.
      if (!(cause instanceof ServiceError) || cause.code === 'storage_corrupt') queue.fail(cause)
      throw cause
    }
  }

  const settled: OpenDocument['settled'] = async (take) => {
    for (let left = settlesMax; left > 0; left--) {
      if (coming !== undefined) await coming
      const before = queue.renumberings
      const taken = take()
      await queue.durable()
      if (before === queue.renumberings) return taken
    }
    throw new ServiceError('storage_unavailable', {}, { cause: new Error(`other nodes wrote into ${id} again and again`) })
  }

  const takeTogether: OpenDocument['takeTogether'] = (origin, step) => {
    const taken: Taken[] = []
    try {
      ydoc.transact(() => {
        together = taken
        step((update, actor, inserted, isNew) => {
          const before = text.length
          Y.applyUpdate(ydoc, update)
          const removed = before + inserted - text.length
          // Deleting text that is already deleted changes nothing, so it creates no version.
          if (!isNew && removed === 0) return
          taken.push({ actor, update, added: inserted, removed })
          queue.expectBytes(update.length)
        })
      }, origin)
    } catch (cause) {
      // Part of an update may now be in memory, but it will never be in the journal.
      queue.fail(cause)
    } finally {
      together = undefined
    }
  }

  const snapshot = (): Snapshot => (cached ??= snapshotOf(queue.point, text.toString()))

  return {
    id,
    ydoc,
    text,
    get seq() {
      return queue.point.seq
    },
    get durableSeq() {
      return queue.durableSeq
    },
    get mark() {
      return queue.mark
    },
    get durableMark() {
      return queue.durableMark
    },
    get coming() {
      return coming
    },
    get head() {
      return newest
    },
    get waitingSince() {
      return queue.waitingSince
    },
    get replacedSeq() {
      return queue.replacedSeq
    },
    get failed() {
      return queue.failed
    },
    get tail() {
      return queue.tail
    },
    snapshot,
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
    held() {
      const { owner, origin, usage } = newest
      const bytes = newest.bytes === undefined ? undefined : newest.bytes + queue.waitingBytes
      return {
        owner,
        ...(origin !== undefined && { origin }),
        ...(usage !== undefined && { usage }),
        ...(bytes !== undefined && { bytes })
      }
    },
    apply(edits, actor, isCompared = false, planned = true) {
      // Edits are applied from the last to the first, so that offsets stay valid. Nothing here can throw, because Yjs has no rollback.
      const apply = (): void => {
        for (const edit of edits.toReversed()) {
          if (edit.to > edit.from) text.delete(edit.from, edit.to - edit.from)
          if (edit.insert !== '') text.insert(edit.from, edit.insert)
        }
      }
      const before = snapshot().content
      if (isCompared && edits.length > 0) queue.expectReplacement()
      isPlanned = planned
      try {
        ydoc.transact(apply, { source: 'local', skipStoreHooks: true, context: { actor } })
      } finally {
        isPlanned = false
      }
      // The new text is known here. Yjs would walk through the entire document to compute it.
      if (edits.length > 0) cached = snapshotOf(queue.point, applyEdits(before, edits))
      return snapshot()
    },
    takeTogether,
    journalInto: queue.journalInto,
    durable: queue.durable,
    settled,
    onDurable: queue.onDurable,
    onUpdate(listener) {
      updateListeners.add(listener)
      return () => updateListeners.delete(listener)
    },
    onForeign(listener) {
      foreignListeners.add(listener)
      return () => foreignListeners.delete(listener)
    },
    checkpointed: queue.checkpointed
  }
}
