/** Saved revisions. A revision points to a version, and its text is rebuilt from the journal. */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import type { Input, Output } from '../../../shared/operations/index.ts'
import { type Caller, isSystemActor, nameOfActor, splitActor } from '../rights/caller.ts'
import { remember } from '../records/idempotency.ts'
import { contentAt, formatVersion } from './journal.ts'
import { decodeRecord, encodeRecord, keys, type Revision, type RevisionCause } from '../records/keys.ts'
import type { Transaction } from '../records/transaction.ts'
import type { Snapshot } from './journal.ts'
import type { Service } from '../service.ts'

const instant = (ms: number): string => new Date(ms).toISOString()

const present = (revision: Revision): Output<'listRevisions'>['revisions'][number] => ({
  id: revision.id,
  revisionId: revision.id,
  version: formatVersion(revision),
  label: revision.label,
  author: revision.author === null ? null : nameOfActor(revision.author),
  authorKind: revision.author === null ? null : splitActor(revision.author).kind,
  authors: revision.authors.map(nameOfActor),
  cause: revision.cause,
  size: revision.size,
  added: revision.added,
  removed: revision.removed,
  createdAt: instant(revision.createdAt)
})

/** Writes a revision of a snapshot. `actor` is null if several people typed. */
export const saveRevision = (
  tx: Transaction,
  snapshot: Snapshot,
  cause: RevisionCause,
  actor: string | null,
  label: string | null = null,
  others: readonly string[] = []
): Revision => {
  const { added, removed } = tx.head.unsaved
  const people = tx.head.unsaved.actors.filter((each) => !isSystemActor(each))
  return tx.revision({
    seq: snapshot.seq,
    tag: snapshot.tag,
    label,
    author: actor ?? (people.length === 1 ? (people[0] ?? null) : null),
    authors: actor === null ? people : [...new Set([...others, actor])],
    cause,
    size: snapshot.content.length,
    added,
    removed
  })
}

/** Saves a revision of the text typed since the last one, if there is any. Restoring a version then does not lose the text in between. */
export const saveUnsaved = (tx: Transaction, snapshot: Snapshot): Revision | undefined =>
  tx.head.revisionSeq < snapshot.seq ? saveRevision(tx, snapshot, 'autosave', null) : undefined

/** Returns a revision. Throws `not_found`. */
export const getRevision = async ({ storage }: Service, doc: string, id: number): Promise<Revision> => {
  const entry = await storage.get(keys.revision(doc, id))
  if (entry === undefined) throw new ServiceError('not_found', { message: `There is no revision ${id}.` })
  return decodeRecord<Revision>(entry.value)
}

export const listRevisions = async (service: Service, doc: string, input: Input<'listRevisions'>): Promise<Output<'listRevisions'>> => {
  const limit = input.limit ?? limits.pageDefault
  const entries = await service.storage.list(keys.revisions(doc), {
    reverse: true,
    limit: limit + 1,
    ...(input.before === undefined ? {} : { before: input.before })
  })
  const page = entries.slice(0, limit).map((entry) => decodeRecord<Revision>(entry.value))
  const { revision, revisionsRemoved = 0 } = await service.ledger.head(doc)
  const total = revision - revisionsRemoved
  return { revisions: page.map(present), total, nextBefore: entries.length > limit ? (page.at(-1)?.id ?? null) : null }
}

export const labelRevision = async (
  service: Service,
  caller: Caller,
  doc: string,
  { revisionId, label }: Input<'labelRevision'>
): Promise<Output<'labelRevision'>> => {
  await getRevision(service, doc, revisionId)
  const key = keys.revision(doc, revisionId)
  const write = (tx: Transaction): Output<'labelRevision'> => {
    const revision = tx.read<Revision>(key)
    if (revision === undefined) throw new ServiceError('not_found')
    const labelled = { ...revision, label: label === '' ? null : label }
    tx.put(key, encodeRecord(labelled))
    return remember(service, tx, caller, doc, present(labelled))
  }
  return service.ledger.write(doc, caller, write, { reads: [key] })
}

export const readRevision = async (
  service: Service,
  doc: string,
  { revisionId }: Input<'readRevision'>
): Promise<Output<'readRevision'>> => {
  const revision = await getRevision(service, doc, revisionId)
  return { ...present(revision), content: await contentAt(service.storage, doc, revision) }
}
