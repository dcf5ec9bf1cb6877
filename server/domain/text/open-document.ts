/**
 * A document in memory. While the document is open, it is the single source of truth for the text.
 *
 * Every update of the Y.Doc, from a socket or from the API, gets the next sequence number and tag synchronously, in the Y.Doc's `update` listener.
 * Updates are journaled in that order. `seq` may therefore be ahead of the disk; `durableSeq` is the newest update on disk. A version check
 * compares with `seq`, so it sees edits that are applied but not yet journaled.
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
  /** Sequence number of the newest applied update. */
  readonly seq: number
  /** Sequence number of the newest update that is on disk. */
  readonly durableSeq: number
  /** When the oldest update that is not on disk was applied, in milliseconds since 1970; undefined if all updates are on disk. */
  readonly waitingSince: number | undefined
  /** True once the journal has failed. From then on, this copy must not be read or written. */
  readonly failed: boolean
  /** The number and size of the updates in the journal since the last checkpoint. */
  readonly tail: Tail
  snapshot(): Snapshot
  /** Returns the head's fields that quotas need. The byte count includes updates that are still being written. */
  held(): Held
  /** Stores a head that a commit has written. */
  written(head: Head): void
  /**
   * Sequence number of the newest update that replaced the entire text; 0 if there was none. After such an update, surviving characters may belong
   * to different words.
   */
  readonly replacedSeq: number
  /**
   * Applies edits as one transaction by `actor`, and returns the new text. `isCompared` is true if the edits are the difference between two texts.
   * Synchronous: check a version just before the call, without an `await` in between.
   */
  apply(edits: readonly Edit[], actor: string, isCompared?: boolean): Snapshot
  /**
   * Applies updates of clients in one transaction. Each update becomes a separate journal entry with its author. `step` passes the updates in order,
   * so that it can check each one against the document after the previous ones. `inserted` is the number of UTF-16 units of text in the update;
   * `isNew` is true if the update has structs. `step` must not throw, because Yjs has no rollback.
   */
  takeTogether(origin: unknown, step: (take: (update: Uint8Array, actor: string, inserted: number, isNew: boolean) => void) => void): void
  /** Writes into the draft the updates that are applied but not on disk, up to `seq` if it is given. Call it inside a change to this document. */
  journalInto(draft: Draft, seq?: number): void
  /** Resolves when everything up to `seq` (by default, the current `seq`) is on disk. Rejects if the journal failed. */
  durable(seq?: number): Promise<void>
  /** Calls `listener` whenever `durableSeq` advances, and when the journal fails. Returns a function that removes the listener. */
  onDurable(listener: () => void): () => void
  /** Calls `listener` with the authors at the end of each transaction that changed something. Returns a function that removes the listener. */
  onUpdate(listener: (actors: ReadonlySet<string>) => void): () => void
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
  /** Called once if the journal cannot be written or an update cannot be applied. */
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
  /** The size of the updates that wait to be written. */
  let waitingBytes = 0
  let draining = false
  let records = tail.records
  let bytes = tail.bytes
  let cached: Snapshot | undefined
  let counted = { added: 0, removed: 0 }
  const listeners = new Set<() => void>()
  const updateListeners = new Set<(actors: ReadonlySet<string>) => void>()
  /** The updates that the current transaction applies together. */
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
    // Writes that were queued behind the failed one must not reach the disk, because another copy may have continued from the state on disk.
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

  // `event.delta` would be simpler, but to compute it, Yjs walks through the entire document at each keystroke.
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
          // Deleting text that is already deleted changes nothing, so it creates no version.
          if (!isNew && removed === 0) return
          taken.push({ actor, update, added: inserted, removed })
          waitingBytes += update.length
        })
      }, origin)
    } catch (cause) {
      // Part of an update may now be in memory, but it will never be in the journal.
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
    get waitingSince() {
      return pending[0]?.at
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
      // Edits are applied from the last to the first, so that offsets stay valid. Nothing here can throw, because Yjs has no rollback.
      const apply = (): void => {
        for (const edit of edits.toReversed()) {
          if (edit.to > edit.from) text.delete(edit.from, edit.to - edit.from)
          if (edit.insert !== '') text.insert(edit.from, edit.insert)
        }
      }
      const before = snapshot().content
      if (isCompared && edits.length > 0) replacedSeq = point.seq + 1
      ydoc.transact(apply, { source: 'local', skipStoreHooks: true, context: { actor } })
      // The new text is known here. Yjs would walk through the entire document to compute it.
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
