/**
 * The work that follows an edit once it is on disk. A `content.changed` event is written after a second, and a revision and the canonical text
 * after a pause. Mentions in chats are reported (mentions.ts), and a checkpoint is written when the journal's tail has grown. Each open document
 * has one follower. Typed text is safe even without a follower.
 */
import type { Announcement, Follower } from './follower.ts'
import { Debounce } from './debounce.ts'
import * as Y from 'yjs'
import type { Hunk } from '../../../shared/events.ts'
import { limits } from '../../../shared/limits.ts'
import { coarseDiff } from '../../../shared/text/diff.ts'
import { hunks, hunksOf } from '../../../shared/text/hunks.ts'
import { isSystemActor, nameOfActor, systemActor, tidyActor } from '../rights/caller.ts'
import {
  contentAt,
  decodeEntries,
  encodeProjection,
  encodeSegment,
  encodeState,
  findPointAt,
  findProjection,
  listRecords,
  type Snapshot,
  snapshotOf,
  type TailRecord
} from './journal.ts'
import { type Head, keys } from '../records/keys.ts'
import type { Transaction, Ledger } from '../records/transaction.ts'
import { createMentions } from '../events/mentions.ts'
import type { Clock, Storage } from '../ports.ts'
import { saveRevision, saveUnsaved } from './revisions.ts'
import type { OpenDocument } from './open-document.ts'
import type { Texts } from './text-work.ts'
import { measure } from '../documents/usage.ts'

interface FollowerOptions {
  readonly openDoc: OpenDocument
  readonly head: Head
  readonly storage: Storage
  readonly ledger: Ledger
  readonly clock: Clock
  readonly texts: Texts
  /** Called when work that can wait has failed. The work is tried again at the next edit, or when the document settles. */
  readonly onProblem: (error: unknown) => void
}

/**
 * Returns the snapshot up to which content events describe the changes. This is the current snapshot, unless the previous process ended before it
 * could announce them.
 */
const announcedAtStart = async (storage: Storage, openDoc: OpenDocument, head: Head): Promise<Snapshot> => {
  if (head.announcedSeq >= head.seq) return openDoc.snapshot()
  const point = await findPointAt(storage, head, head.announcedSeq)
  if (point === undefined) return openDoc.snapshot()
  return snapshotOf(point, await contentAt(storage, openDoc.id, point))
}

/** Returns the actors who wrote the updates after a point, as far as the updates are still in the journal's tail. */
const writersAfter = async (storage: Storage, { id, seq }: OpenDocument, after: number): Promise<Set<string>> => {
  if (after >= seq) return new Set()
  const records = await listRecords(storage, id, { after, upTo: seq, limit: compactionStep })
  return new Set(records.flatMap(({ value }) => decodeEntries(value)).flatMap((entry) => (entry.seq > after ? [entry.actor] : [])))
}

/** The number of journal records to read or remove in one step of a compaction. */
const compactionStep = 32

/** Yields to the event loop. Awaiting the store would not do so, because the store responds within the same turn. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Returns the hunks, computed in this turn. If the texts differ too much to compare in one turn, returns a single coarse hunk. */
const hunksAtOnce = (before: string, after: string): readonly Hunk[] => {
  const [change] = coarseDiff(before, after)
  if (change === undefined) return []
  const isSmall = change.to - change.from + change.insert.length <= limits.textInlineUnitsMax
  return isSmall ? hunks(before, after, limits.diffUnitsMax) : hunksOf(before, [change], limits.diffUnitsMax)
}

export const createFollower = async ({ openDoc, head, storage, ledger, clock, texts, onProblem }: FollowerOptions): Promise<Follower> => {
  const doc = openDoc.id
  const isShared = storage.nodes !== undefined
  let base = await announcedAtStart(storage, openDoc, head)
  let actors = await writersAfter(storage, openDoc, base.seq)
  const mentions = createMentions({ openDoc, before: base.content, writers: actors, ledger, clock, texts, isShared, onProblem })
  let projectedSeq = -1
  /** Whether this process has written since the document was loaded. Only nodes that wrote do the follow-up work. */
  let hasWritten = false
  let compacting: Promise<void> | undefined

  const takeAnnouncement = (to: Snapshot, changes?: readonly Hunk[]): Announcement | undefined => {
    if (base.seq >= to.seq) return undefined
    // Text that the server tidied or cleaned together with text by a person counts as that person's.
    const people = [...actors].filter((each) => !isSystemActor(each))
    const named = people.length > 0 ? people : [...actors]
    const [first = systemActor] = named
    const actor = named.length === 1 ? first : systemActor
    const payload = {
      fromVersion: base.version,
      toVersion: to.version,
      hunks: changes ?? hunksAtOnce(base.content, to.content),
      actors: actor === tidyActor ? [] : named.map(nameOfActor)
    }
    base = to
    actors = new Set()
    return { actor, payload }
  }

  const isBehind = (): boolean => openDoc.head.announcedSeq > base.seq

  /** Lets the next announcement begin after everything that other nodes have announced. */
  const refresh = async (): Promise<void> => {
    while (isBehind()) {
      const { head } = openDoc
      const point = await findPointAt(storage, head, head.announcedSeq)
      if (point === undefined) return
      const next = snapshotOf(point, await contentAt(storage, doc, point))
      if (next.seq > base.seq) base = next
      if (openDoc.head.seq === next.seq) actors = new Set()
    }
  }

  /** Returns the changes since the last announcement. Returns undefined if another caller announces them. */
  const changesTo = async (to: Snapshot): Promise<readonly Hunk[] | undefined> => {
    const from = base
    const found = await texts.do(doc, 'hunks', from.content, to.content, limits.diffUnitsMax).catch((error: unknown) => {
      onProblem(error)
      return []
    })
    return base === from ? found : undefined
  }

  const announce = async (): Promise<void> => {
    const to = await openDoc.settled(() => openDoc.snapshot())
    if (isBehind()) await refresh()
    const from = base
    const changes = base.seq >= to.seq ? undefined : await changesTo(to)
    const announcement = changes && takeAnnouncement(to, changes)
    if (announcement === undefined) return
    const { actor, payload } = announcement
    const isOurs = await ledger.write(doc, 'system', (tx) => {
      // Another node has announced some of these changes. The next announcement contains the rest.
      if (isShared && tx.head.announcedSeq > from.seq) return false
      tx.event('content.changed', actor, { ...payload }, payload.toVersion)
      tx.head = { ...tx.head, announcedSeq: Math.max(tx.head.announcedSeq, to.seq) }
      return true
    })
    if (isOurs) return
    base = from
    announcing.poke(clock.now())
  }

  /** Whether the canonical text in the store is this one. If it cannot be read, it is written again. */
  const isProjected = async ({ seq, tag }: Snapshot): Promise<boolean> => {
    const stored = await findProjection(storage, doc).catch(() => undefined)
    return stored?.seq === seq && stored.tag === tag
  }

  const project = async (): Promise<void> => {
    if (projectedSeq === openDoc.seq) return
    const to = await openDoc.settled(() => openDoc.snapshot())
    if (!hasWritten && (await isProjected(to))) return
    await ledger.write(doc, 'system', (tx) => tx.put(keys.text(doc), encodeProjection(to)))
    projectedSeq = to.seq
  }

  const autosave = async (): Promise<void> => {
    const to = await openDoc.settled(() => openDoc.snapshot())
    if (openDoc.head.revisionSeq >= to.seq) return
    await ledger.write(doc, 'system', (tx) => saveUnsaved(tx, to))
  }

  /** Returns the records of the tail, oldest first. They are read in pieces, so that reading does not delay anyone's typing. */
  const tailUpTo = async (seq: number): Promise<TailRecord[]> => {
    const records: TailRecord[] = []
    for (;;) {
      const page = await listRecords(storage, doc, { after: records.at(-1)?.seq ?? 0, upTo: seq, limit: compactionStep })
      records.push(...page)
      if (page.length < compactionStep || records.length >= limits.listMax) return records
      await nextTurn()
    }
  }

  /**
   * Gathers the journal's tail into a history segment, and writes the resulting state. Afterward, the records are removed in steps. Readers skip
   * records that a segment contains. If a crash leaves some behind, the next compaction removes them.
   */
  const compact = async (): Promise<void> => {
    const { to, state } = await openDoc.settled(() => ({ to: openDoc.snapshot(), state: Y.encodeStateAsUpdate(openDoc.ydoc) }))
    const [segmented] = await storage.list(keys.histories(doc), { reverse: true, limit: 1 })
    const segmentedSeq = (segmented?.key.at(-1) as number | undefined) ?? 0
    const all = await tailUpTo(to.seq)
    const records = all.filter((record) => record.seq > segmentedSeq)
    const last = records.at(-1)
    if (last === undefined) return
    const bytes = records.reduce((sum, record) => sum + record.value.length, 0)
    const segment = await encodeSegment(records.map((record) => record.value))
    const [newest] = await storage.list(keys.keyframes(doc), { reverse: true, limit: 1 })
    const keyframeDue =
      bytes >= limits.keyframeBytesMin || to.seq - ((newest?.key.at(-1) as number | undefined) ?? 0) >= limits.journalRecordsMax * 20
    const isOurs = await ledger.write(doc, 'system', (tx) => {
      // Another node has since compacted the journal.
      if ((tx.head.segmentedSeq ?? 0) > segmentedSeq) return false
      tx.put(keys.history(doc, last.seq), segment)
      tx.put(keys.checkpoint(doc), encodeState(to, state))
      if (keyframeDue) tx.put(keys.keyframe(doc, to.seq), encodeState(to, state))
      tx.head = { ...tx.head, segmentedSeq: last.seq }
      return true
    })
    openDoc.checkpointed()
    if (!isOurs) return
    for (let at = 0; at < all.length; at += compactionStep) {
      await nextTurn()
      await ledger.write(doc, 'system', (tx) => {
        for (const record of all.slice(at, at + compactionStep)) tx.delete(record.key)
      })
    }
  }

  /** Measures the size of a document that an earlier release created without measuring it. */
  const count = async (): Promise<void> => {
    const bytes = await measure(storage, doc)
    await ledger.write(doc, 'system', (tx) => {
      tx.head = { ...tx.head, bytes: tx.head.bytes ?? bytes }
    })
  }

  const due = (): boolean => openDoc.tail.records >= limits.journalRecordsMax || openDoc.tail.bytes >= limits.journalBytesMax

  const compactOnce = (): Promise<void> => (compacting ??= compact().finally(() => (compacting = undefined)))

  /** Returns a function that starts the work. If the work is still running, it runs once more afterward, so that nothing piles up in a slow store. */
  const later = (work: () => Promise<void>): (() => void) => {
    let isRunning = false
    let isDueAgain = false
    const start = (): void => {
      if (openDoc.failed) return
      isDueAgain = isRunning
      if (isRunning) return
      isRunning = true
      const ended = (): void => {
        isRunning = false
        if (isDueAgain) start()
      }
      work().catch(onProblem).finally(ended)
    }
    return start
  }

  const announcing = new Debounce(clock, limits.announceMs, limits.announceMs, later(announce))
  const projecting = new Debounce(clock, limits.projectQuietMs, limits.projectMaxMs, later(project))
  const saving = new Debounce(clock, limits.autosaveQuietMs, limits.autosaveMaxMs, later(autosave))

  /** Announces the changes made by a node that ended before it announced them. */
  const announcingLate = new Debounce(clock, limits.announceLateMs, limits.announceLateMs, later(announce))

  const stopUpdates = openDoc.onUpdate((writers) => {
    hasWritten = true
    for (const writer of writers) actors.add(writer)
    const now = clock.now()
    announcing.poke(now)
    projecting.poke(now)
    saving.poke(now)
    if (due() && compacting === undefined) later(compactOnce)()
  })
  const stopForeign = openDoc.onForeign((newest, writers) => {
    for (const writer of writers) actors.add(writer)
    if (newest.announcedSeq < newest.seq) announcingLate.poke(clock.now())
    else announcingLate.stop()
  })
  const unfollow = ledger.follow(doc, openDoc)
  const timers = [announcing, announcingLate, projecting, saving]
  const stop = (): void => {
    stopUpdates()
    stopForeign()
    unfollow()
    for (const timer of timers) timer.stop()
    mentions.stop()
  }

  // If other nodes use the store, one of them may have the document open and announce these changes, so this node waits longer.
  if (base.seq < openDoc.seq) (isShared ? announcingLate : announcing).poke(clock.now())
  if (head.bytes === undefined) later(count)()

  return {
    takeAnnouncement,
    announced(to) {
      base = to
      actors = new Set()
    },
    refresh,
    async settle() {
      for (const timer of timers) timer.stop()
      if (openDoc.failed) return
      await openDoc.durable()
      await announce()
      await mentions.settle()
      if (isShared && !hasWritten) return
      await autosave()
      await project()
      if (openDoc.tail.records >= 50) await compactOnce()
    },
    stop
  }
}

/** Saves a revision before an update that deletes most of the text, because a single wrong paste must not cost hours of work. */
export const saveBeforeWipe = async (ledger: Ledger, openDoc: OpenDocument): Promise<void> => {
  const before = await openDoc.settled(() => openDoc.snapshot())
  await ledger.write(openDoc.id, 'system', (tx: Transaction) => {
    if (tx.head.revisionSeq < before.seq) saveRevision(tx, before, 'autosave', null)
  })
}
