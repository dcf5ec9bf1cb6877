/**
 * Converts an exported document to records. Everything is checked again, because somebody may have edited or forged the export. The history must lead
 * to the text, the revisions must be versions in the history, the event numbers must have no gaps, and the anchors must be found.
 */
import { createHash } from 'node:crypto'
import * as Y from 'yjs'
import { limits } from '../../shared/limits.ts'
import { textRootName } from '../../shared/names.ts'
import { locateAnchors } from '../../shared/text/anchors.ts'
import type { Put } from '../domain/ports.ts'
import { type Comment, encodeRecord, type Head, keys, type Owner, type StoredEvent, type Suggestion } from '../domain/records/keys.ts'
import { systemActor } from '../domain/rights/caller.ts'
import type { Vault } from '../domain/secrets.ts'
import { encodeProjection, formatVersion, type JournalEntry, snapshotOf } from '../domain/text/journal.ts'
import type { ExportedDocument } from './export-source.ts'
import { chained, type ExportedUpdate, historyRecords } from './history-records.ts'
import { type DocumentRecords, ownedPuts } from './new-document.ts'
import { restoredShares, restoredTask } from './restored-shares.ts'
import { TransferError } from './source.ts'

export interface RestoreOptions {
  /** The id that the document gets. */
  readonly id: string
  readonly owner: Owner
  readonly vault: Vault
  /** New addresses of assets whose ids are taken, by their old addresses. */
  readonly renamed: ReadonlyMap<string, string>
  /** Milliseconds since 1970. */
  readonly now: number
}

export interface Restored extends DocumentRecords {
  readonly characters: number
  /** The secret of a new owner link; undefined if the document has an owner. */
  readonly ownerSecret: string | undefined
}

const demand = (holds: boolean, message: string): void => {
  if (!holds) throw new TransferError(message)
}

const ascends = (numbers: readonly number[]): boolean => numbers.every((number, index) => number === index + 1)

const isUnique = (values: readonly unknown[]): boolean => new Set(values).size === values.length

/** Returns a journal entry that replaces the addresses of renamed assets; undefined if the text has none. */
const renameAssets = (ydoc: Y.Doc, renamed: ReadonlyMap<string, string>, seq: number, now: number): ExportedUpdate | undefined => {
  const text = ydoc.getText(textRootName)
  const content = text.toString()
  const places = [...renamed].flatMap(([from, to]) => {
    const found: { readonly at: number; readonly from: string; readonly to: string }[] = []
    for (let at = content.indexOf(from); at !== -1; at = content.indexOf(from, at + from.length)) found.push({ at, from, to })
    return found
  })
  if (places.length === 0) return undefined
  const before = Y.encodeStateVector(ydoc)
  ydoc.transact(() => {
    for (const place of places.toSorted((one, other) => other.at - one.at)) {
      text.delete(place.at, place.from.length)
      text.insert(place.at, place.to)
    }
  })
  return { seq, at: now, actor: systemActor, update: Y.encodeStateAsUpdate(ydoc, before) }
}

const checkHistory = ({ document, revisions }: ExportedDocument, entries: readonly JournalEntry[], content: string): void => {
  const last = entries.at(-1) ?? { seq: 0, tag: document.firstTag }
  demand(formatVersion(last) === document.version, `journal.jsonl ends at version ${formatVersion(last)}, not at ${document.version}.`)
  const hash = createHash('sha256').update(content).digest('base64url')
  demand(hash === document.textHash, 'journal.jsonl does not lead to the exported text.')
  const { revisionSeq, announcedSeq, replacedSeq = 0 } = document
  demand(Math.max(revisionSeq, announcedSeq, replacedSeq) <= last.seq, 'document.json names a version that is not in the history.')
  demand(content.length <= limits.contentUnitsMax, `The text has ${content.length} characters, more than ${limits.contentUnitsMax}.`)
  const ids = revisions.map(({ id }) => id)
  // A server that removes old versions leaves gaps, even while it keeps all entries of the journal.
  const isOrdered = ids.every((id, index) => id > (ids[index - 1] ?? 0))
  demand(isOrdered, 'revisions.json has numbers that are not in order.')
  const tags = new Map([[0, document.firstTag], ...entries.map(({ seq, tag }) => [seq, tag] as const)])
  const isPoint = ({ seq, tag }: { seq: number; tag: string }): boolean => tags.get(seq) === tag
  demand(revisions.every(isPoint), 'revisions.json names a version that is not in the history.')
}

const checkRecords = ({ document, events, comments, suggestions, tasks }: ExportedDocument, ydoc: Y.Doc, content: string): void => {
  demand(ascends(events.map(({ seq }) => seq)), 'events.jsonl has a gap.')
  for (const [name, records] of Object.entries({ comments, suggestions, tasks })) {
    demand(records.length <= limits.annotationsMax, `${name}.json has more than ${limits.annotationsMax} records.`)
    demand(isUnique(records.map(({ id }) => id)), `${name}.json contains the same id twice.`)
    demand(
      records.every(({ number }) => number <= events.length),
      `${name}.json names an event that does not exist.`
    )
  }
  demand(
    tasks.every(({ docId }) => docId === document.id),
    'tasks.json belongs to another document.'
  )
  demand(isUnique(document.assets.map(({ id }) => id)), 'document.json contains the same asset twice.')
  const anchors = [...comments, ...suggestions].flatMap(({ pin }) => pin ?? [])
  try {
    locateAnchors(ydoc.getText(textRootName), content, anchors)
  } catch (error) {
    throw new TransferError('The anchors of comments or suggestions are not valid.', { cause: error })
  }
}

const annotationPuts = (doc: string, { comments, suggestions }: ExportedDocument): Put[] => [
  ...comments.map(({ position: _, ...comment }) => ({
    key: keys.comment(doc, comment.id),
    value: encodeRecord(comment satisfies Comment)
  })),
  ...suggestions.map(({ position: _, ...suggestion }) => ({
    key: keys.suggestion(doc, suggestion.id),
    value: encodeRecord(suggestion satisfies Suggestion)
  }))
]

const taskPuts = (doc: string, { tasks, document: { links = [] } }: ExportedDocument, vault: Vault): Put[] =>
  tasks.flatMap((task) => [
    { key: keys.task(doc, task.id), value: encodeRecord(restoredTask(vault, doc, task, links)) },
    { key: keys.taskNumber(doc, task.number), value: encodeRecord(task.id) }
  ])

const headOf = ({ document, events, revisions }: ExportedDocument, { id, owner }: RestoreOptions, last: JournalEntry | undefined): Head => {
  const { givenTitle, kind, createdAt, updatedAt, publishedAt, indexed, firstTag, replacedSeq, revisionSeq, announcedSeq, unsaved } =
    document
  const newestRevision = revisions.at(-1)?.id ?? 0
  const isUnsigned =
    document.unsigned === true || (document.owner.kind === 'anonymous' && owner.kind !== 'anonymous' && publishedAt !== null)
  return {
    id,
    title: givenTitle,
    kind,
    owner,
    createdAt,
    updatedAt,
    publishedAt,
    firstTag,
    ...(indexed && { indexed }),
    ...(isUnsigned && { unsigned: true as const }),
    deletedAt: null,
    seq: last?.seq ?? 0,
    tag: last?.tag ?? firstTag,
    ...(replacedSeq !== undefined && { replacedSeq }),
    event: events.length,
    revision: newestRevision,
    ...(newestRevision > revisions.length && { revisionsRemoved: newestRevision - revisions.length }),
    revisionSeq,
    announcedSeq,
    unsaved,
    shares: 0
  }
}

/** Returns an exported document's records. Throws `TransferError` if the export is not consistent. */
export const restoredDocument = async (exported: ExportedDocument, options: RestoreOptions): Promise<Restored> => {
  const { id, owner, vault, renamed, now } = options
  const { document, journal, events, revisions } = exported
  const ydoc = new Y.Doc()
  try {
    const updates = journal.map((line) => ({ ...line, update: new Uint8Array(Buffer.from(line.update, 'base64')) }))
    let entries = chained(updates, document.firstTag)
    let history = await historyRecords(id, entries, document.firstTag, ydoc)
    const exact = ydoc.getText(textRootName).toString()
    checkHistory(exported, entries, exact)
    checkRecords(exported, ydoc, exact)
    const renaming = renameAssets(ydoc, renamed, (entries.at(-1)?.seq ?? 0) + 1, now)
    if (renaming !== undefined) {
      entries = chained([...updates, renaming], document.firstTag)
      history = await historyRecords(id, entries, document.firstTag, new Y.Doc())
    }
    const content = ydoc.getText(textRootName).toString()
    const head = headOf(exported, options, entries.at(-1))
    const shares = restoredShares(vault, id, document.links ?? [], owner.kind === 'anonymous', now)
    const pieces: Put[] = [
      ...history,
      { key: keys.text(id), value: encodeProjection(snapshotOf(head, content)) },
      ...revisions.map((revision) => ({ key: keys.revision(id, revision.id), value: encodeRecord(revision) })),
      ...events.map((event) => ({ key: keys.event(id, event.seq), value: encodeRecord(event as unknown as StoredEvent) })),
      ...annotationPuts(id, exported),
      ...taskPuts(id, exported, vault),
      ...(document.imported === undefined ? [] : [{ key: keys.imported(id), value: encodeRecord(document.imported) }])
    ]
    const leads = [...ownedPuts(head), ...shares.puts]
    return { head: { ...head, ...shares.counts }, pieces, leads, characters: content.length, ownerSecret: shares.owner }
  } finally {
    ydoc.destroy()
  }
}
