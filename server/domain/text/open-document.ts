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
import { tidyActor } from '../rights/caller.ts'
import { applyToText } from '../../../shared/text/apply-edits.ts'
import { applyEdits, type Edit } from '../../../shared/text/diff.ts'
import { type Tail, type Snapshot, snapshotOf } from './journal.ts'
import { NodeUpdates, type NodeUpdatesOptions } from './node-updates.ts'
import { type Taken, UpdateQueue, type UpdateQueueOptions } from './update-queue.ts'
import type { Head } from '../records/keys.ts'
import type { Transaction } from '../records/transaction.ts'
import type { Held } from '../documents/quotas.ts'

/** Returns the author of a transaction from its Yjs origin. */
export type ActorOfOrigin = (origin: unknown) => string

interface OpenDocumentOptions extends Omit<UpdateQueueOptions, 'onFailure'>, Pick<NodeUpdatesOptions, 'entriesTo' | 'ydoc'> {
  readonly actorOf: ActorOfOrigin
  /** Called once if the journal cannot be written or an update cannot be applied. */
  readonly onFailure: (cause: unknown) => void
}

export class OpenDocument {
  readonly id: string
  readonly ydoc: Y.Doc
  readonly text: Y.Text
  readonly #actorOf: ActorOfOrigin
  readonly #queue: UpdateQueue
  readonly #nodes: NodeUpdates
  readonly #updateListeners = new Set<(actors: ReadonlySet<string>) => void>()
  /** Whether the current edits are right only for the current text. */
  #isPlanned = false
  #cached: Snapshot | undefined
  /** The UTF-16 units of text that the current transaction adds and removes. */
  #counted = { added: 0, removed: 0 }
  /** The updates that the current transaction applies together. */
  #together: Taken[] | undefined
  #length: number

  constructor(options: OpenDocumentOptions) {
    const { id, ydoc, head, entriesTo, actorOf } = options
    this.id = id
    this.ydoc = ydoc
    this.text = ydoc.getText(textRootName)
    this.#actorOf = actorOf
    this.#queue = new UpdateQueue(options)
    this.#nodes = new NodeUpdates({ id, ydoc, head, queue: this.#queue, entriesTo, onRenumbered: () => (this.#cached = undefined) })
    this.#length = this.text.length
    this.text.observe(({ transaction }) => this.#count(transaction.deleteSet))
    ydoc.on('update', (update: Uint8Array, origin: unknown) => this.#take(update, origin))
  }

  /** Sequence number of the newest applied update. */
  get seq(): number {
    return this.#queue.point.seq
  }

  /**
   * History tag after the newest applied update. Every text has another tag. `seq` can have been the same for another text, if another node wrote some
   * of the updates that waited here.
   */
  get tag(): string {
    return this.#queue.point.tag
  }

  /** Sequence number of the newest update that is on disk. */
  get durableSeq(): number {
    return this.#queue.durableSeq
  }

  /** The number of updates that this process has applied, including those that are not on disk. */
  get mark(): number {
    return this.#queue.mark
  }

  /** The number of these updates that are on disk. */
  get durableMark(): number {
    return this.#queue.durableMark
  }

  /** When the oldest update that is not on disk was applied, in milliseconds since 1970; undefined if all updates are on disk. */
  get waitingSince(): number | undefined {
    return this.#queue.waitingSince
  }

  /** True once the journal has failed. From then on, this copy must not be read or written. */
  get failed(): boolean {
    return this.#queue.failed
  }

  /** The number and size of the updates in the journal since the last checkpoint. */
  get tail(): Tail {
    return this.#queue.tail
  }

  /**
   * Sequence number of the newest update that replaced the entire text; 0 if there was none. After such an update, surviving characters may belong
   * to different words.
   */
  get replacedSeq(): number {
    return this.#queue.replacedSeq
  }

  /** The newest head on disk that this process knows. */
  get head(): Head {
    return this.#nodes.head
  }

  /** The promise that was passed to `expect`, until it settles. */
  get coming(): Promise<unknown> | undefined {
    return this.#nodes.coming
  }

  snapshot(): Snapshot {
    return (this.#cached ??= snapshotOf(this.#queue.point, this.text.toString()))
  }

  /** Returns the head's fields that quotas need. The byte count includes updates that are still being written. */
  held(): Held {
    const { owner, origin, usage, bytes: stored } = this.head
    const bytes = stored === undefined ? undefined : stored + this.#queue.waitingBytes
    return {
      owner,
      ...(origin !== undefined && { origin }),
      ...(usage !== undefined && { usage }),
      ...(bytes !== undefined && { bytes })
    }
  }

  /**
   * Applies edits as one transaction by `actor`, and returns the new text. `isCompared` is true if the edits are the difference between two texts.
   * Synchronous: check a version just before the call, without an `await` in between. With `isPlanned`, the edits are right only for the current
   * text, so no other node may write before them (turns.ts).
   */
  apply(edits: readonly Edit[], actor: string, isCompared = false, isPlanned = true): Snapshot {
    const before = this.snapshot().content
    // Nothing here can throw, because Yjs has no rollback. Only tidying leaves marks, because they would count as characters of an author.
    const apply = (): void => applyToText(this.text, edits, actor === tidyActor ? before : undefined)
    if (isCompared && edits.length > 0) this.#queue.expectReplacement()
    this.#isPlanned = isPlanned
    try {
      this.ydoc.transact(apply, { source: 'local', skipStoreHooks: true, context: { actor } })
    } finally {
      this.#isPlanned = false
    }
    // The new text is known here. Yjs would walk through the entire document to compute it.
    if (edits.length > 0) this.#cached = snapshotOf(this.#queue.point, applyEdits(before, edits))
    return this.snapshot()
  }

  /**
   * Applies updates from clients in one transaction. Each update becomes a separate journal entry with its author. `step` passes the updates in order,
   * so that it can check each one against the document after the previous ones. `inserted` is the number of UTF-16 units of text in the update;
   * `isNew` is true if the update has structs. `step` must not throw, because Yjs has no rollback.
   */
  takeTogether(origin: unknown, step: (take: (update: Uint8Array, actor: string, inserted: number, isNew: boolean) => void) => void): void {
    const taken: Taken[] = []
    const { ydoc, text } = this
    try {
      ydoc.transact(() => {
        this.#together = taken
        step((update, actor, inserted, isNew) => {
          const before = text.length
          Y.applyUpdate(ydoc, update)
          const removed = before + inserted - text.length
          // Deleting text that is already deleted changes nothing, so it creates no version.
          if (!isNew && removed === 0) return
          taken.push({ actor, update, added: inserted, removed })
          this.#queue.expectBytes(update.length)
        })
      }, origin)
    } catch (cause) {
      // Part of an update may now be in memory, but it will never be in the journal.
      this.#queue.fail(cause)
    } finally {
      this.#together = undefined
    }
  }

  /** Writes into the transaction the updates that are applied but not on disk, up to `seq` if it is given. Call it inside a change to this document. */
  journalInto(tx: Transaction, seq?: number): void {
    this.#queue.journalInto(tx, seq)
  }

  /** Resolves when everything up to `mark` (by default, the current `mark`) is on disk. Rejects if the journal failed. */
  durable(mark?: number): Promise<void> {
    return this.#queue.durable(mark)
  }

  /** `NodeUpdates.settled` */
  settled<T>(take: () => T): Promise<T> {
    return this.#nodes.settled(take)
  }

  /** Calls `listener` whenever `durableSeq` advances, and when the journal fails. Returns a function that removes the listener. */
  onDurable(listener: () => void): () => void {
    return this.#queue.onDurable(listener)
  }

  /** Calls `listener` with the authors at the end of each transaction that changed something. Returns a function that removes the listener. */
  onUpdate(listener: (actors: ReadonlySet<string>) => void): () => void {
    this.#updateListeners.add(listener)
    return () => this.#updateListeners.delete(listener)
  }

  /** `NodeUpdates.onForeign` */
  onForeign(listener: (head: Head, actors: ReadonlySet<string>) => void): () => void {
    return this.#nodes.onForeign(listener)
  }

  /** Notes the head that a commit by this process has written. */
  written(head: Head): void {
    this.#nodes.head = head
  }

  /** `NodeUpdates.isCurrent` */
  isCurrent(head: Head): boolean {
    return this.#nodes.isCurrent(head)
  }

  /** `NodeUpdates.catchUp` */
  catchUp(head: Head): Promise<void> {
    return this.#nodes.catchUp(head)
  }

  /** `NodeUpdates.expect` */
  expect(coming: Promise<unknown>): void {
    this.#nodes.expect(coming)
  }

  /** Records that a checkpoint contains the tail. */
  checkpointed(): void {
    this.#queue.checkpointed()
  }

  /** Counts the text that a transaction changed. `event.delta` would be simpler, but for it Yjs walks through the entire document at each keystroke. */
  #count({ clients }: Y.Transaction['deleteSet']): void {
    let removed = 0
    for (const deletions of clients.values()) for (const { len } of deletions) removed += len
    this.#counted = { added: this.text.length - this.#length + removed, removed }
    this.#length = this.text.length
  }

  /** Passes an update of the Y.Doc to the queue. Updates from other nodes are already in the journal. */
  #take(update: Uint8Array, origin: unknown): void {
    const counted = this.#counted
    this.#counted = { added: 0, removed: 0 }
    this.#cached = undefined
    if (this.#nodes.isApplying) return
    const taken = this.#together ?? [{ actor: this.#actorOf(origin), update, ...counted }]
    if (this.#together === undefined) this.#queue.expectBytes(update.length)
    this.#together = undefined
    this.#queue.add(taken, this.#isPlanned)
    const actors = new Set(taken.map(({ actor }) => actor))
    for (const listener of this.#updateListeners) listener(actors)
  }
}
