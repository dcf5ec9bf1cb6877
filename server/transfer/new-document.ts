/** Turns a planned document into the records of a new document, as if its owner had created it when the file was last changed. */
import { ownedKey, seed } from '../domain/documents/documents.ts'
import { type Head, encodeRecord, keys, type Owned, type Owner, type Revision, type StoredEvent } from '../domain/records/keys.ts'
import type { Put } from '../domain/ports.ts'
import { titleOf } from '../domain/text/content.ts'
import { encodeEntries, encodeProjection, firstTag, nextTag, snapshotOf } from '../domain/text/journal.ts'

/** The records of a document, ready to be stored. */
export interface DocumentRecords {
  readonly head: Head
  /** Records that can be stored before the head. */
  readonly pieces: readonly Put[]
  /** Records by which the document is found. They must be stored together with the head. */
  readonly leads: readonly Put[]
}

export interface NewDocument {
  readonly id: string
  readonly text: string
  readonly title: string | null
  /** Milliseconds since 1970. */
  readonly at: number
  readonly owner: Owner
  /** The actor, in the form that the journal uses. */
  readonly actor: string
}

/** Returns the records that list a document for its owner. */
export const ownedPuts = (head: Pick<Head, 'id' | 'owner' | 'createdAt'>): Put[] => {
  const key = ownedKey(head)
  return key === undefined ? [] : [{ key, value: encodeRecord({ doc: head.id } satisfies Owned) }]
}

const revisionOf = (seq: number, tag: string, size: number, { at, actor }: NewDocument): Revision => ({
  id: 1,
  seq,
  tag,
  label: null,
  author: actor,
  authors: [actor],
  cause: 'create',
  size,
  added: size,
  removed: 0,
  createdAt: at
})

export const newDocument = (document: NewDocument): DocumentRecords => {
  const { id, text, title, at, owner, actor } = document
  const before = firstTag()
  const update = text === '' ? undefined : seed(text)
  const [seq, tag] = update === undefined ? [0, before] : [1, nextTag(before, update)]
  const snapshot = snapshotOf({ seq, tag }, text)
  const head: Head = {
    id,
    title,
    kind: 'live',
    owner,
    createdAt: at,
    updatedAt: at,
    publishedAt: null,
    deletedAt: null,
    firstTag: before,
    seq,
    tag,
    event: 1,
    revision: 1,
    revisionSeq: seq,
    announcedSeq: seq,
    shares: 0,
    unsaved: { added: 0, removed: 0, actors: [] }
  }
  const event: StoredEvent = {
    seq: 1,
    kind: 'doc.created',
    at,
    actor,
    version: snapshot.version,
    payload: { title: titleOf(head, snapshot) }
  }
  const journal = update === undefined ? [] : [{ key: keys.update(id, 1), value: encodeEntries([{ seq, tag, at, actor, update }], before) }]
  const pieces = [
    ...journal,
    { key: keys.text(id), value: encodeProjection(snapshot) },
    { key: keys.revision(id, 1), value: encodeRecord(revisionOf(seq, tag, text.length, document)) },
    { key: keys.event(id, 1), value: encodeRecord(event) }
  ]
  return { head, pieces, leads: ownedPuts(head) }
}
