/**
 * Reads and writes the text of a document.
 *
 * This folder contains the code for the text of a document: reading, replacing and editing it, its journal, its versions, and its copy in memory.
 *
 * Every write is applied to the live document as a minimal edit. There is no `await` between the check of the version and the end of the
 * transaction, so nobody else can change the text in between. Then one commit writes everything to disk.
 */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import type { Range } from '../../../shared/text/targets.ts'
import { coarsened, coarseWordDiff, type Edit } from '../../../shared/text/diff.ts'
import { hunksOf } from '../../../shared/text/hunks.ts'
import { actorOf, type Caller, nameOfActor } from '../rights/caller.ts'
import type { Announcement, ContentPayload } from './follower.ts'
import { contentAt, findPointAt, findProjection, parseVersion, type Point, type Snapshot, snapshotOf } from './journal.ts'
import { type Head, type Revision, type RevisionCause } from '../records/keys.ts'
import type { Transaction } from '../records/transaction.ts'
import type { Key } from '../ports.ts'
import type { AnnotatedDocument } from '../review/annotated-document.ts'
import { keysOfMoved, putMoved, type Written } from '../review/annotation-records.ts'
import { settle } from '../review/annotations-shown.ts'
import { saveRevision, saveUnsaved } from './revisions.ts'
import type { OpenDocument } from './open-document.ts'
import type { Service } from '../service.ts'
import { type TextTitle, titleOfText } from '../../../shared/names.ts'

/**
 * Returns the title of a document: the title in its front matter, or else the title given at creation, its first heading, its first line, or
 * "Untitled".
 */
export const titleOf = (head: Head, { titles }: { readonly titles: TextTitle }): string => titleOfText(titles, head.title) ?? 'Untitled'

/** Returns the newest text on disk, rebuilt without the document in memory. */
const storedSnapshot = async ({ storage, ledger }: Service, doc: string): Promise<Snapshot> => {
  const { seq, tag } = await ledger.head(doc)
  return snapshotOf({ seq, tag }, await contentAt(storage, doc, { seq, tag }))
}

/**
 * Returns the text in memory once it is on disk. If it cannot be written, for example because the disk is full, returns the text on disk, so that
 * the document stays readable.
 */
const durableSnapshot = async (service: Service, openDoc: OpenDocument): Promise<Snapshot> => {
  try {
    return await openDoc.settled(() => openDoc.snapshot())
  } catch {
    return storedSnapshot(service, openDoc.id)
  }
}

/** Returns the text of a closed document, from its projection. */
const projectionOf = async ({ storage }: Service, doc: string, { seq, tag }: Head): Promise<Snapshot | undefined> => {
  const found = await findProjection(storage, doc)
  return found !== undefined && found.seq === seq && found.tag === tag ? found : undefined
}

/**
 * Returns the text on disk. If the document is open, the text comes from memory once its newest edit is durable. If it is closed, the text comes
 * from its projection, without loading the Y.Doc.
 */
export const currentContent = async (service: Service, doc: string, known?: Head): Promise<Snapshot> => {
  const openDoc = service.live.find(doc)
  if (openDoc !== undefined) return durableSnapshot(service, openDoc)
  const projection = await projectionOf(service, doc, known ?? (await service.ledger.head(doc)))
  if (projection !== undefined) return projection
  const opened = await service.live.open(doc)
  try {
    return await durableSnapshot(service, opened.openDoc)
  } finally {
    opened.release()
  }
}

/** Returns the current text if it is available without loading the document; otherwise undefined. */
export const contentAtHand = async (service: Service, doc: string, head: Head): Promise<Snapshot | undefined> => {
  const openDoc = service.live.find(doc)
  return openDoc === undefined ? projectionOf(service, doc, head) : durableSnapshot(service, openDoc)
}

/** Returns the point in the history for a version; undefined if this document never had that version, or no longer keeps it. */
export const findPoint = async (service: Service, doc: string, version: string): Promise<Point | undefined> => {
  const point = parseVersion(version)
  if (point === undefined) return undefined
  const head = await service.ledger.head(doc)
  if (point.seq > head.seq) return undefined
  const found = await findPointAt(service.storage, head, point.seq)
  return found?.tag === point.tag ? point : undefined
}

/** Parses a list of tags. A tag can be quoted, unquoted, preceded by `W/`, or `*`. */
export const tagsNamed = (list: string): string[] =>
  list
    .split(',')
    .map((part) =>
      part
        .trim()
        .replace(/^W\//, '')
        .replace(/^"(.*)"$/, '$1')
    )
    .filter((part) => part !== '')

/**
 * Returns the versions in `If-Match` or `baseVersion`, which can contain a list of tags as `tagsNamed` parses it (docs/api.md, Text and versions).
 * The tag of the text with the comment for programs (server/http/first/for-programs.ts) counts as the version of the text.
 */
export const versionsNamed = (base: string): string[] => tagsNamed(base).map((tag) => tag.replace(/\+[0-9a-f]{8}$/, ''))

/** Whether a replacement names no version that the caller has read. */
export const namesNone = (base: string | undefined): boolean => base === undefined || versionsNamed(base).includes('*')

/** Whether the caller names this version. A caller that names no version accepts any. */
export const matches = (base: string | undefined, version: string): boolean =>
  base === undefined || versionsNamed(base).some((named) => named === '*' || named === version)

/** Returns the text of the version on which a replacement is based; undefined if the document never had it. */
export const baseOf = async (service: Service, doc: string, base: string): Promise<string | undefined> => {
  const point = await findPoint(service, doc, versionsNamed(base)[0] ?? '')
  return point && contentAt(service.storage, doc, point)
}

/** Resolves to undefined if the work takes too long or too much work is queued ahead of it. Used only for optional parts of a response. */
const unlessTooMuch = async <T>(work: Promise<T>): Promise<T | undefined> => {
  try {
    return await work
  } catch (error) {
    if (error instanceof ServiceError && (error.code === 'too_complex' || error.code === 'busy')) return undefined
    throw error
  }
}

/** Returns the changes that other people made since the version that a caller read. Returns undefined if there are none, or too many to compare. */
export const othersChanges = async (
  { texts }: Service,
  doc: string,
  read: Pick<Snapshot, 'version' | 'content'>,
  now: Pick<Snapshot, 'version' | 'content'>
): Promise<{ from: string; to: string; diff: string } | undefined> => {
  if (read.content === now.content) return undefined
  const found = await unlessTooMuch(texts.do(doc, 'unifiedDiff', read.content, now.content, limits.diffUnitsMax))
  return found === undefined ? undefined : { from: read.version, to: now.version, diff: found }
}

/** Returns the difference and the merge, if they are small enough to send. */
const reconciled = async (service: Service, doc: string, before: string, mine: string, now: string): Promise<Record<string, unknown>> => {
  const found = await unlessTooMuch(service.texts.do(doc, 'reconciliation', before, mine, now, limits.diffUnitsMax))
  if (found === undefined)
    return {
      diffOmitted: true,
      mergeOmitted: true,
      hint: 'The texts differ too much to be compared. Read the document and change it in parts.'
    }
  const { diff, merge } = found
  const units = merge.clean
    ? merge.content.length
    : merge.conflicts.reduce((sum, { base, mine: one, theirs }) => sum + base.length + one.length + theirs.length, 0)
  if (units > limits.mergeUnitsMax)
    return {
      diff,
      mergeOmitted: true,
      ...(merge.clean ? { hint: 'The changes do not overlap. Send the request again with onConflict=merge.' } : {})
    }
  return {
    ...(merge.clean ? { hint: 'The changes do not overlap. Send merge.content with currentVersion as its version.' } : {}),
    diff,
    merge
  }
}

/**
 * Returns the conflict error (docs/api.md, Text and versions). It contains the difference between both texts, and their merge if the base is known.
 */
export const conflict = async (
  service: Service,
  openDoc: OpenDocument,
  base: string,
  mine: string,
  now: Snapshot
): Promise<ServiceError> => {
  const doc = openDoc.id
  await openDoc.durable()
  const named = versionsNamed(base)[0] ?? ''
  const facts = { currentVersion: now.version, baseVersion: named }
  const point = await findPoint(service, doc, named)
  if (point === undefined)
    return new ServiceError('version_conflict', {
      ...facts,
      message: 'Version conflict: this document never had that version, or no longer keeps it.',
      hint: 'Read the document, make your change in its text, and send it with the version from its ETag.'
    })
  const before = await contentAt(service.storage, doc, point)
  return new ServiceError('version_conflict', { ...facts, ...(await reconciled(service, doc, before, mine, now.content)) })
}

/** Checks the size that the text will have after edits. Throws `content_too_large`. */
export const checkSize = (content: string, edits: readonly Edit[] = []): void => {
  const contentUnits = edits.reduce((sum, { from, to, insert }) => sum + insert.length - (to - from), content.length)
  if (contentUnits > limits.contentUnitsMax)
    throw new ServiceError('content_too_large', { contentUnits, contentUnitsMax: limits.contentUnitsMax })
}

/** A change to the text through the API. */
export interface TextChange {
  readonly edits: readonly Edit[]
  /** Whether the edits are the difference between two texts. */
  readonly isCompared: boolean
  readonly cause: RevisionCause
  readonly event: 'content.changed' | 'content.replaced' | 'content.restored'
  readonly label?: string | undefined
  /** Authors of the change other than the actor who makes it. */
  readonly authors?: readonly string[]
  /** Whether the change replaces the text without naming a version. */
  readonly isUnguarded?: boolean
  /** Additional fields of the event, apart from the hunks. */
  readonly facts?: Pick<ContentPayload, 'suggestionIds' | 'reopenedIds' | 'revision' | 'partial'>
}

/** The result of a change to the text, for use inside its commit. */
export interface Changed {
  readonly after: Snapshot
  readonly revisionId: number
  /** Number of the newest revision before the change. */
  readonly revisionBefore: number
  /** The revision of typed text that was saved with this change. Undefined if there is none. */
  readonly typed: Revision | undefined
}

/** Returns the range of the last edit's text after all edits. */
const lastPlace = (edits: readonly Edit[]): Range | undefined => {
  const last = edits.at(-1)
  if (last === undefined) return undefined
  const shift = edits.slice(0, -1).reduce((sum, { from, to, insert }) => sum + insert.length - (to - from), 0)
  return { from: last.from + shift, to: last.from + shift + last.insert.length }
}

/** Additional writes in the commit of a change to the text. */
interface ExtraWrites<T> {
  /** Annotations whose text is replaced, so their anchors need not move. */
  readonly untied?: readonly string[]
  /** The ranges in the new text of annotations that the change would leave without a place, by id. Their anchors belong to the characters there. */
  readonly placed?: ReadonlyMap<string, Range>
  readonly reads?: readonly Key[]
  /** Called with the new text as soon as the text has changed, before the commit. */
  readonly changed?: (after: Snapshot) => void
  readonly also: (tx: Transaction, changed: Changed) => { written: readonly Written[]; answer: T }
}

/** Writes the change to the text, its revisions and its events into the transaction. */
const record = (
  tx: Transaction,
  openDoc: OpenDocument,
  actor: string,
  before: Snapshot,
  after: Snapshot,
  unannounced: Announcement | undefined,
  change: TextChange
): Omit<Changed, 'after' | 'typed'> => {
  openDoc.journalInto(tx)
  if (unannounced !== undefined) tx.event('content.changed', unannounced.actor, { ...unannounced.payload }, unannounced.payload.toVersion)
  saveUnsaved(tx, before)
  const { revision: revisionBefore } = tx.head
  tx.head = { ...tx.head, announcedSeq: Math.max(tx.head.announcedSeq, after.seq) }
  // The newest revision may already show this text. A retry that sends the same text again must not create another revision.
  const isShown = after.seq === before.seq && tx.head.revisionSeq === after.seq && tx.head.revision > 0
  if (isShown && (change.label ?? '') === '') return { revisionId: revisionBefore, revisionBefore }
  const revision = saveRevision(tx, after, change.cause, actor, change.label ?? null, change.authors)
  if (after.seq > before.seq) {
    const payload: ContentPayload = {
      fromVersion: before.version,
      toVersion: after.version,
      hunks: hunksOf(before.content, change.edits, limits.diffUnitsMax),
      actors: [nameOfActor(actor)]
    }
    const unseen = change.isUnguarded === true ? { unguarded: true as const, replacedRevision: revisionBefore } : {}
    tx.event(change.event, actor, { ...payload, revisionId: revision.id, ...unseen, ...change.facts }, after.version)
  }
  return { revisionId: revision.id, revisionBefore }
}

/** Checks the quota. Throws `quota_exceeded` if the edits do not fit. */
const requireSpace = ({ service, openDoc }: AnnotatedDocument, edits: readonly Edit[]): void => {
  const inserted = edits.reduce((sum, { insert }) => sum + insert.length, 0)
  const removed = edits.reduce((sum, { from, to }) => sum + to - from, 0)
  if (edits.length > 0) service.quotas.require(openDoc.held(), inserted, inserted * limits.quotaLessFactor <= removed)
}

/**
 * Applies edits to the current text. One commit writes the updates, revisions, events, moved anchors of annotations, and the records in `extra`.
 * Nothing is awaited before the edits are applied, so preconditions that were checked immediately before the call still hold.
 * The text in memory changes before the commit. Therefore, the caller's access is checked here, and the commit does not check it again. Throws
 * `quota_exceeded`, or the errors of `requireRight` if the caller has lost access. After either error, the text is unchanged.
 */
export const changeText = async <T>(
  opened: AnnotatedDocument,
  caller: Caller,
  change: TextChange,
  { reads = [], untied = [], placed = new Map(), changed, also }: ExtraWrites<T>
): Promise<T> => {
  const { service, doc, openDoc, follower, annotations } = opened
  service.live.requireRight(doc, caller)
  requireSpace(opened, change.edits)
  for (const id of untied) annotations.untie(id)
  const before = openDoc.snapshot()
  const actor = actorOf(caller)
  // The revision of typed text is queued before the change, for the same commit, because it must show only the typed text.
  let saved: Revision | undefined
  const typed = service.ledger.write(doc, 'system', (tx) => {
    openDoc.journalInto(tx, before.seq)
    saved = saveUnsaved(tx, before)
  })
  const { after, moved } =
    change.edits.length === 0 ? { after: before, moved: [] } : annotations.apply(change.edits, actor, change.isCompared, placed)
  changed?.(after)
  const shown = lastPlace(change.edits)
  if (shown !== undefined) service.live.showAgent(doc, caller, shown)
  const unannounced = follower.takeAnnouncement(before)
  follower.announced(after)
  const run = (tx: Transaction): { written: readonly Written[]; answer: T } => {
    const revisions = record(tx, openDoc, actor, before, after, unannounced, change)
    const moves = putMoved(tx, moved)
    const { written, answer } = also(tx, { after, ...revisions, typed: saved })
    // Pages learn of the decisions first, because these explain the moves.
    return { written: [...written, ...moves], answer }
  }
  const writing = service.ledger.write(doc, 'system', run, { reads: [...keysOfMoved(doc, moved), ...reads] })
  const [{ written, answer }] = await Promise.all([writing, typed])
  settle(opened, written)
  return answer
}

/**
 * Returns the minimal edits, at most `editsAtOnceMax`. If finding them takes too long, returns an edit that replaces the part between the first and
 * the last difference.
 */
export const editsTo = async ({ texts }: Service, doc: string, before: string, after: string): Promise<readonly Edit[]> =>
  coarsened((await unlessTooMuch(texts.do(doc, 'diff', before, after))) ?? coarseWordDiff(before, after), before, limits.editsAtOnceMax)
