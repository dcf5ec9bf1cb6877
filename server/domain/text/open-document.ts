/**
 * A document in memory: the single source of truth for its text while it is open.
 *
 * Every update that the Y.Doc takes, from a socket or from the API, gets the next sequence number and tag synchronously in the Y.Doc's own `update`
 * listener, and is journaled in that order. `seq` may therefore be ahead of the disk; `durableSeq` is the newest update on it. A version check
 * compares with `seq`, so that it sees edits that are applied but not yet journaled.
 */
import * as Y from 'yjs'
import { limits } from '../../../shared/limits.ts'
import { textRootName } from '../../../shared/names.ts'
import { applyEdits, type Edit } from '../../../shared/text/diff.ts'
import { encodeEntries, type JournalEntry, nextTag, type Point, type Tail, type Snapshot, snapshotOf } from './journal.ts'
import { type Head, keys, type Unsaved } from '../records/keys.ts'
import type { Draft, Ledger } from '../records/draft.ts'
import type { Held } from '../documents/quotas.ts'
import type { Clock } from '../ports.ts'

/** Returns the author of a transaction from its Yjs origin. */
export type ActorOfOrigin = (origin: unknown) => string

export interface OpenDocument {
  readonly id: string
  readonly ydoc: Y.Doc
  readonly text: Y.Text
  /** Newest update applied. */
  readonly seq: number
  /** Newest update that is on disk. */
  readonly durableSeq: number
  /** True once the journal failed. Then nothing may be read from or written to this copy. */
  readonly failed: boolean
  /** Updates in the journal's tail and their bytes, since the last checkpoint. */
  readonly tail: Tail
  snapshot(): Snapshot
  /** Returns the bytes of the document on disk, plus those being written, for quotas. */
  held(): Held
  /** Records a head that was written. */
  written(head: Head): void
  /** The newest update that replaced the text by another one, after which surviving characters may belong to different words; 0: none. */
  readonly replacedSeq: number
  /**
   * Applies edits as one transaction by `actor` and returns the new text. `isCompared`: the edits are the difference of two texts. Synchronous:
   * check a version just before, without an `await` in between.
   */
  apply(edits: readonly Edit[], actor: string, isCompared?: boolean): Snapshot
  /**
   * Applies updates of clients in one transaction, each as a separate journal entry with its author. `step` passes them in order, each checked
   * against the document after the previous ones. `inserted`: UTF-16 units of text in the update; `isNew`: it has structs. `step` must not throw,
   * because Yjs has no rollback.
   */
  takeTogether(origin: unknown, step: (take: (update: Uint8Array, actor: string, inserted: number, isNew: boolean) => void) => void): void
  /** Writes updates into the draft that are applied (up to `seq`, if given) but not on disk. Call it inside a change of this document. */
  journalInto(draft: Draft, seq?: number): void
  /** Resolves when everything up to `seq` (default: the current one) is on disk. Rejects when the journal failed. */
  durable(seq?: number): Promise<void>
  /** Calls `listener` after each advance of `durableSeq` and when the journal fails. Returns a function that ends the calls. */
  onDurable(listener: () => void): () => void
  /**
   * Calls `listener` with the authors after each transaction that changed something, in the turn of the transaction. Returns a function that ends
   * the calls.
   */
  onUpdate(listener: (actors: ReadonlySet<string>) => void): () => void
  /** Records that a checkpoint contains the tail. */
  checkpointed(): void
}

interface OpenDocumentOptions {
  readonly id: string
  readonly ydoc: Y.Doc
  /** The head that matches the Y.Doc. */
  readonly head: Head
  readonly tail: Tail
  readonly ledger: Ledger
  readonly clock: Clock
  readonly actorOf: ActorOfOrigin
  /** Called once, when the journal cannot be written or an update could not be applied. */
  readonly onFailure: (cause: unknown) => void
}

const mergeUnsaved = (one: Unsaved, added: number, removed: number, actors: Iterable<string>): Unsaved => ({
  added: one.added + added,
  removed: one.removed + removed,
  actors: [...new Set([...one.actors, ...actors])].slice(0, limits.revisionAuthorsMax)
})

interface Taken {
  readonly actor: string
  readonly update: Uint8Array
  readonly added: number
  readonly removed: number
}

type Pending = JournalEntry & Taken

const bytesOf = (entries: readonly Taken[]): number => entries.reduce((sum, { update }) => sum + update.length, 0)

export const createOpenDocument = ({ id, ydoc, head, tail, ledger, clock, actorOf, onFailure }: OpenDocumentOptions): OpenDocument => {
  const text = ydoc.getText(textRootName)
  let point: Point = { seq: head.seq, tag: head.tag }
  let durableSeq = head.seq
  let replacedSeq = head.replacedSeq ?? 0
  let newest: Held = head
  let failed = false
  let failure: unknown
  let pending: Pending[] = []
  /** The bytes of the updates that wait. */
  let waitingBytes = 0
  let draining = false
  let records = tail.records
  let bytes = tail.bytes
  let cached: Snapshot | undefined
  let counted = { added: 0, removed: 0 }
  const listeners = new Set<() => void>()
  const updateListeners = new Set<(actors: ReadonlySet<string>) => void>()
  /** Updates that the transaction in progress applies together. */
  let together: Taken[] | undefined
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
    pending = pending.filter((entry) => entry.seq > durableSeq)
    waitingBytes = bytesOf(pending)
    notify()
  }

  const journalInto = (draft: Draft, upTo = Number.POSITIVE_INFINITY): void => {
    // Writes queued behind the failed one must not reach the disk, because another copy may have continued from the failed write.
    if (failed) throw failure as Error
    const entries = pending.filter((entry) => entry.seq > draft.head.seq && entry.seq <= upTo)
    const last = entries.at(-1)
    if (last === undefined) return
    if (entries[0]?.seq !== draft.head.seq + 1) throw new Error(`journal of ${id}: ${draft.head.seq} is followed by ${entries[0]?.seq}`)
    const record = encodeEntries(entries, draft.head.tag)
    draft.put(keys.update(id, last.seq), record)
    draft.head = {
      ...draft.head,
      seq: last.seq,
      tag: last.tag,
      updatedAt: draft.now,
      ...(replacedSeq > 0 ? { replacedSeq } : {}),
      unsaved: mergeUnsaved(
        draft.head.unsaved,
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
      .write(id, 'system', (draft) => {
        draining = false
        journalInto(draft)
        return draft.head.seq
      })
      .then(settle, fail)
  }

  // `event.delta` would be simpler, but for it Yjs walks the entire document at each keystroke.
  let length = text.length
  text.observe((_event, { deleteSet }) => {
    const removed = [...deleteSet.clients.values()].flat().reduce((sum, deleted) => sum + deleted.len, 0)
    counted = { added: text.length - length + removed, removed }
    length = text.length
  })

  ydoc.on('update', (update: Uint8Array, origin: unknown) => {
    const taken = together ?? [{ actor: actorOf(origin), update, ...counted }]
    if (together === undefined) waitingBytes += update.length
    together = undefined
    counted = { added: 0, removed: 0 }
    cached = undefined
    const at = clock.now()
    for (const each of taken) {
      point = { seq: point.seq + 1, tag: nextTag(point.tag, each.update) }
      pending.push({ ...each, ...point, at })
    }
    drain()
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
          // Deleting deleted text changes nothing, so it makes no version.
          if (!isNew && removed === 0) return
          taken.push({ actor, update, added: inserted, removed })
          waitingBytes += update.length
        })
      }, origin)
    } catch (cause) {
      // A part of an update may be in memory now that the journal does not get.
      fail(cause)
    } finally {
      together = undefined
    }
  }

  const snapshot = (): Snapshot => (cached ??= snapshotOf(point, text.toString()))

  return {
    id,
    ydoc,
    text,
    get seq() {
      return point.seq
    },
    get durableSeq() {
      return durableSeq
    },
    get replacedSeq() {
      return replacedSeq
    },
    get failed() {
      return failed
    },
    get tail() {
      return { records, bytes }
    },
    snapshot,
    written(written) {
      newest = written
    },
    held() {
      const { owner, origin, usage } = newest
      const bytes = newest.bytes === undefined ? undefined : newest.bytes + waitingBytes
      return {
        owner,
        ...(origin !== undefined && { origin }),
        ...(usage !== undefined && { usage }),
        ...(bytes !== undefined && { bytes })
      }
    },
    apply(edits, actor, isCompared = false) {
      // Edits are applied from the last to the first, so that offsets stay valid. Nothing in here can throw, because Yjs has no rollback.
      const apply = (): void => {
        for (const edit of edits.toReversed()) {
          if (edit.to > edit.from) text.delete(edit.from, edit.to - edit.from)
          if (edit.insert !== '') text.insert(edit.from, edit.insert)
        }
      }
      const before = snapshot().content
      if (isCompared && edits.length > 0) replacedSeq = point.seq + 1
      ydoc.transact(apply, { source: 'local', skipStoreHooks: true, context: { actor } })
      // The new text is known. Yjs would walk the entire document to compute it.
      if (edits.length > 0) cached = snapshotOf(point, applyEdits(before, edits))
      return snapshot()
    },
    takeTogether,
    journalInto,
    durable(seq = point.seq) {
      return new Promise((resolve, reject) => {
        const check = (): void => {
          if (durableSeq < seq && !failed) return
          listeners.delete(check)
          if (durableSeq >= seq) resolve()
          else reject(failure as Error)
        }
        listeners.add(check)
        check()
      })
    },
    onDurable(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    onUpdate(listener) {
      updateListeners.add(listener)
      return () => updateListeners.delete(listener)
    },
    checkpointed() {
      records = 0
      bytes = 0
    }
  }
}
