/**
 * A document in memory. While the document is open, it is the single source of truth for the text.
 *
 * Every update of the Y.Doc, from a socket or from the API, gets the next sequence number and tag synchronously, in the Y.Doc's `update` listener.
 * Updates are journaled in that order. `seq` can therefore be ahead of the disk; `durableSeq` is the newest update on disk. A version check
 * compares with `seq`, so it sees edits that are applied but not yet journaled.
 *
 * Other nodes can write to the same journal (node-updates.ts). Their updates come first. Updates that still wait here then get new numbers and tags.
 * The number and tag of an update are therefore final only when the update is on disk. `mark` counts the updates of this process and is never
 * renumbered.
 */
import * as Y from 'yjs'
import { textRootName } from '../../../shared/names.ts'
import { applyEdits, type Edit } from '../../../shared/text/diff.ts'
import { type Tail, type Snapshot, snapshotOf } from './journal.ts'
import { createNodeUpdates, type NodeUpdates, type NodeUpdatesOptions } from './node-updates.ts'
import { createUpdateQueue, type Taken, type UpdateQueueOptions } from './update-queue.ts'
import type { Transaction } from '../records/transaction.ts'
import type { Held } from '../documents/quotas.ts'

/** Returns the author of a transaction from its Yjs origin. */
export type ActorOfOrigin = (origin: unknown) => string

export interface OpenDocument extends Omit<NodeUpdates, 'isApplying'> {
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
  /** When the oldest update that is not on disk was applied, in milliseconds since 1970; undefined if all updates are on disk. */
  readonly waitingSince: number | undefined
  /** True once the journal has failed. From then on, this copy must not be read or written. */
  readonly failed: boolean
  /** The number and size of the updates in the journal since the last checkpoint. */
  readonly tail: Tail
  snapshot(): Snapshot
  /** Returns the head's fields that quotas need. The byte count includes updates that are still being written. */
  held(): Held
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
   * Applies updates from clients in one transaction. Each update becomes a separate journal entry with its author. `step` passes the updates in
   * order, so that it can check each one against the document after the previous ones. `inserted` is the number of UTF-16 units of text in the
   * update; `isNew` is true if the update has structs. `step` must not throw, because Yjs has no rollback.
   */
  takeTogether(origin: unknown, step: (take: (update: Uint8Array, actor: string, inserted: number, isNew: boolean) => void) => void): void
  /** Writes into the transaction the updates that are applied but not on disk, up to `seq` if it is given. Call it inside a change to this document. */
  journalInto(tx: Transaction, seq?: number): void
  /** Resolves when everything up to `mark` (by default, the current `mark`) is on disk. Rejects if the journal failed. */
  durable(mark?: number): Promise<void>
  /** Calls `listener` whenever `durableSeq` advances, and when the journal fails. Returns a function that removes the listener. */
  onDurable(listener: () => void): () => void
  /** Calls `listener` with the authors at the end of each transaction that changed something. Returns a function that removes the listener. */
  onUpdate(listener: (actors: ReadonlySet<string>) => void): () => void
  /** Records that a checkpoint contains the tail. */
  checkpointed(): void
}

interface OpenDocumentOptions extends Omit<UpdateQueueOptions, 'onFailure'>, Pick<NodeUpdatesOptions, 'entriesTo'> {
  readonly actorOf: ActorOfOrigin
  /** Called once if the journal cannot be written or an update cannot be applied. */
  readonly onFailure: (cause: unknown) => void
}

export const createOpenDocument = (options: OpenDocumentOptions): OpenDocument => {
  const { id, ydoc, head, tail, ledger, clock, actorOf, entriesTo, onFailure } = options
  const text = ydoc.getText(textRootName)
  const queue = createUpdateQueue({ id, ydoc, head, tail, ledger, clock, onFailure })
  let isPlanned = false
  let cached: Snapshot | undefined
  const nodes = createNodeUpdates({ id, ydoc, head, queue, entriesTo, onRenumbered: () => (cached = undefined) })
  let counted = { added: 0, removed: 0 }
  const updateListeners = new Set<(actors: ReadonlySet<string>) => void>()
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
    if (nodes.isApplying) {
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
      return nodes.coming
    },
    get head() {
      return nodes.head
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
    written: nodes.written,
    isCurrent: nodes.isCurrent,
    catchUp: nodes.catchUp,
    expect: nodes.expect,
    held() {
      const { owner, origin, usage, bytes: stored } = nodes.head
      const bytes = stored === undefined ? undefined : stored + queue.waitingBytes
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
    settled: nodes.settled,
    onDurable: queue.onDurable,
    onUpdate(listener) {
      updateListeners.add(listener)
      return () => updateListeners.delete(listener)
    },
    onForeign: nodes.onForeign,
    checkpointed: queue.checkpointed
  }
}
