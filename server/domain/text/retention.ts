/**
 * Removes old versions of documents, if the operator limits their age (`AGMD_HISTORY_DAYS`) or number (`AGMD_HISTORY_REVISIONS`).
 *
 * The server removes the versions up to a point in the history. It keeps named revisions, the newest revision, revisions that are not old yet, and
 * the versions of open review assignments. Merged entries of the journal (journal.ts) replace the entries between the kept versions. Text that was
 * deleted before a kept version then exists nowhere in the history. Old events stay, without the lines that changed.
 *
 * The steps are separate commits, ordered so that a crash at any point leaves a readable document behind. First the revisions and lines are removed.
 * Then one commit writes the merged entries. Then the entries that they replace are removed. Until then, readers skip or repeat those entries, which
 * changes nothing.
 */
import * as Y from 'yjs'
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import { textRootName } from '../../../shared/names.ts'
import { isStored } from '../documents/deleted.ts'
import type { Transaction } from '../records/transaction.ts'
import type { Key, KeyPart } from '../ports.ts'
import { decodeRecord, encodeRecord, type Head, keys, type Revision, type StoredEvent } from '../records/keys.ts'
import { systemActor } from '../rights/caller.ts'
import type { Service } from '../service.ts'
import {
  decodeState,
  docOptions,
  encodeEntries,
  encodeProjection,
  encodeSegment,
  encodeState,
  entriesAfter,
  firstOf,
  type JournalEntry,
  parseVersion,
  type Point,
  snapshotOf
} from './journal.ts'
import { type Kept, mayHaveOld, type Plan, planFor } from './retention-plan.ts'

const dayMs = 24 * 3600 * 1000

/** The number of records that one commit removes. */
const recordsAtOnce = 32

/** The number of entries to apply, or of documents to look at, before other work gets a turn. */
const stepsAtOnce = 20

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const write = <T>(service: Service, doc: string, change: (tx: Transaction) => T, reads: readonly Key[] = []): Promise<T> =>
  service.ledger.write(
    doc,
    'system',
    (tx) => {
      tx.erase()
      return change(tx)
    },
    { reads, afterDeletion: true }
  )

/** Removes revisions. Returns false if somebody has since named one of them. */
const removeRevisions = async (service: Service, doc: string, removed: readonly Revision[]): Promise<boolean> => {
  for (let at = 0; at < removed.length; at += recordsAtOnce) {
    const reads = removed.slice(at, at + recordsAtOnce).map(({ id }) => keys.revision(doc, id))
    const isDone = await write(
      service,
      doc,
      (tx) => {
        const found = reads.filter((key) => tx.read<Revision>(key) !== undefined)
        if (found.some((key) => tx.read<Revision>(key)?.label !== null)) return false
        for (const key of found) tx.delete(key)
        tx.head = { ...tx.head, revisionsRemoved: (tx.head.revisionsRemoved ?? 0) + found.length }
        return true
      },
      reads
    )
    if (!isDone) return false
    await nextTurn()
  }
  return true
}

/** Returns an event without the lines that changed; undefined if it has none, or if it is not old yet. */
const withoutLines = (event: StoredEvent, before: number, upTo: number): StoredEvent | undefined => {
  const { payload, at } = event
  if (!('hunks' in payload) || payload.hunks.length === 0) return undefined
  if (at >= before || (parseVersion(payload.toVersion)?.seq ?? 0) > upTo) return undefined
  return { ...event, payload: { ...payload, hunks: [] } } as StoredEvent
}

/** Removes the lines that changed from old events. The events themselves stay, because their numbers have no gaps. */
const removeLines = async (service: Service, doc: string, { upTo, before }: Plan): Promise<void> => {
  for (let after = 0; ;) {
    const page = await service.storage.list(keys.events(doc), { after, limit: recordsAtOnce })
    const reads = page.filter(({ value }) => withoutLines(decodeRecord<StoredEvent>(value), before, upTo)).map(({ key }) => key)
    const change = (tx: Transaction): void => {
      for (const key of reads) {
        const event = tx.read<StoredEvent>(key)
        const shorter = event && withoutLines(event, before, upTo)
        if (shorter === undefined) continue
        // Quotas count an event as appended, so the old one must be removed.
        tx.delete(key)
        tx.put(key, encodeRecord(shorter))
      }
    }
    if (reads.length > 0) await write(service, doc, change, reads)
    if (page.length < recordsAtOnce) return
    after = page.at(-1)?.key.at(-1) as number
    await nextTurn()
  }
}

/** The journal up to a point, and the document there. */
interface Merged {
  /** One entry for each version that stays. The last one is the point. */
  readonly entries: readonly JournalEntry[]
  readonly point: Point
  /** The Yjs state at the point. */
  readonly state: Uint8Array
  readonly content: string
}

/** Merges the journal up to the point of a plan. Throws `storage_corrupt` if an entry is missing. */
const merge = async (service: Service, head: Head, plan: Plan): Promise<Merged> => {
  const ydoc = new Y.Doc(docOptions)
  try {
    const entries = await mergedEntries(service, head, plan, ydoc)
    const point = entries.at(-1)
    if (point?.seq !== plan.upTo) throw missing(head, plan.upTo)
    return { entries, point, state: Y.encodeStateAsUpdate(ydoc), content: ydoc.getText(textRootName).toString() }
  } finally {
    ydoc.destroy()
  }
}

const missing = ({ id }: Head, seq: number): ServiceError =>
  new ServiceError('storage_corrupt', {}, { cause: new Error(`journal of ${id}: no entry ${seq}`) })

/** Returns the entries, and applies them to an empty Y.Doc. */
const mergedEntries = async (service: Service, head: Head, { upTo, kept }: Plan, ydoc: Y.Doc): Promise<JournalEntry[]> => {
  const merged: JournalEntry[] = []
  let [seq, steps, count] = [0, 0, 0]
  let actors = new Set<string>()
  let vector: Uint8Array | undefined
  for await (const entries of entriesAfter(service.storage, head.id, 0))
    for (const entry of entries) {
      if (entry.seq <= seq) continue
      if (entry.seq > upTo) return merged
      if (firstOf(entry) > seq + 1) throw missing(head, seq + 1)
      Y.applyUpdate(ydoc, entry.update)
      actors.add(entry.actor)
      count += entry.seq - seq
      seq = entry.seq
      steps += 1
      if (kept.has(seq)) {
        const { tag, at } = entry
        const update = Y.encodeStateAsUpdate(ydoc, vector)
        const actor = actors.size === 1 ? entry.actor : systemActor
        merged.push({ seq, tag, at, actor, update, redacted: true, ...(count > 1 && { merged: count - 1 }) })
        vector = Y.encodeStateVector(ydoc)
        actors = new Set()
        count = 0
      }
      if (steps % stepsAtOnce === 0) await nextTurn()
    }
  return merged
}

/** Removes the entries and states that merged entries replace. */
const removeReplaced = async (service: Service, { id: doc, historySeq = 0 }: Head): Promise<void> => {
  const places = [
    [keys.histories(doc), historySeq],
    [keys.keyframes(doc), historySeq],
    [keys.updates(doc), historySeq + 1]
  ] as const
  for (const [prefix, before] of places)
    for (;;) {
      const found = await service.storage.list(prefix, { before, limit: recordsAtOnce })
      if (found.length > 0) await write(service, doc, (tx) => found.forEach(({ key }) => tx.delete(key)))
      if (found.length < recordsAtOnce) break
      await nextTurn()
    }
}

/** Whether there is a state or text of a version before a point. That version may not exist any more. */
const isBefore = async ({ storage }: Service, key: Key, { seq }: Point): Promise<boolean> => {
  const entry = await storage.get(key)
  return entry !== undefined && decodeState(entry.value).seq < seq
}

/** Writes the merged entries. Returns false if the document has since been changed or compacted, and the plan must be made again. */
const writeMerged = async (service: Service, head: Head, plan: Plan): Promise<boolean> => {
  const { id: doc, historySeq, segmentedSeq = 0 } = head
  const { entries, point, state, content } = await merge(service, head, plan)
  const segment = await encodeSegment([encodeEntries(entries, head.firstTag)])
  const key = keys.history(doc, plan.upTo)
  const isSegment = (await service.storage.get(key)) !== undefined
  const isOldState = await isBefore(service, keys.checkpoint(doc), point)
  const isOldText = await isBefore(service, keys.text(doc), point)
  return write(service, doc, (tx) => {
    if (tx.head.historySeq !== historySeq || (tx.head.segmentedSeq ?? 0) !== segmentedSeq) return false
    // Newer text may have been written.
    if (isOldText && tx.head.seq !== head.seq) return false
    // Quotas count a segment as appended, so the old one must be removed.
    if (isSegment) tx.delete(key)
    tx.put(key, segment)
    if (isOldState) tx.put(keys.checkpoint(doc), encodeState(point, state))
    if (isOldText) tx.put(keys.text(doc), encodeProjection(snapshotOf(point, content)))
    tx.head = { ...tx.head, historySeq: plan.upTo, segmentedSeq: Math.max(segmentedSeq, plan.upTo) }
    return true
  })
}

/** Removes the versions of a document that a pass does not keep. Returns the number of removed revisions; undefined if there was nothing to do. */
const removeOldVersions = async (service: Service, head: Head, pass: Kept): Promise<number | undefined> => {
  // A crash may have left replaced entries behind.
  if (head.historySeq !== undefined) await removeReplaced(service, head)
  const plan = await planFor(service, head, pass)
  if (plan === undefined) return undefined
  if (!(await removeRevisions(service, head.id, plan.removed)) || !plan.merges) return plan.removed.length
  await removeLines(service, head.id, plan)
  if (await writeMerged(service, head, plan)) await removeReplaced(service, { ...head, historySeq: plan.upTo })
  return plan.removed.length
}

/** The result of a sweep: the documents that lost versions, and the revisions among these versions. */
export interface Removed {
  readonly documents: number
  readonly revisions: number
}

/** A pass over all documents. */
interface Pass extends Kept {
  /** The document at which the pass continues. Undefined at its beginning. */
  last: KeyPart | undefined
}

/** Continues a pass, up to the limits of one round. Returns whether the pass has ended. `isOver` tells when to stop early. */
const continuePass = async (service: Service, pass: Pass, isOver: () => boolean): Promise<Removed & { readonly ended: boolean }> => {
  let [documents, revisions] = [0, 0]
  for (let looked = 1; looked <= limits.retentionChecksMax && documents < limits.retentionDocumentsMax && !isOver(); looked++) {
    const { last } = pass
    const [entry] = await service.storage.list(keys.heads(), { limit: 1, ...(last !== undefined && { after: last }) })
    pass.last = entry?.key[1]
    if (pass.last === undefined) return { documents, revisions, ended: true }
    const head = await service.ledger.findHead(String(pass.last))
    if (looked % stepsAtOnce === 0) await nextTurn()
    if (head === undefined || !isStored(head) || !mayHaveOld(head, pass)) continue
    const removed = await removeOldVersions(service, head, pass)
    if (removed !== undefined) documents += 1
    revisions += removed ?? 0
  }
  return { documents, revisions, ended: false }
}

/**
 * Returns a function that removes old versions of documents. Each call does a limited amount of work and continues where the last one ended. A pass over
 * all documents begins at most once a day. Nothing is removed if neither the age nor the number of versions has a limit.
 */
export const createHistorySweep = (service: Service, isOver: () => boolean): (() => Promise<Removed>) => {
  let nextAt = 0
  let pass: Pass | undefined
  return async () => {
    const now = service.clock.now()
    const { historyDays, historyRevisions } = service
    if ((historyDays === 0 && historyRevisions === 0) || (pass === undefined && now < nextAt)) return { documents: 0, revisions: 0 }
    if (pass === undefined) nextAt = now + dayMs
    pass ??= { before: historyDays === 0 ? 0 : now - historyDays * dayMs, revisionsMax: historyRevisions, last: undefined }
    const { ended, ...removed } = await continuePass(service, pass, isOver)
    if (ended) pass = undefined
    return removed
  }
}
