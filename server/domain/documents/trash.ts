/**
 * Deletion of documents. A deleted document goes to the trash, and all access to it ends immediately. For `limits.trashDays` its contents stay in
 * the store and count toward its quota, and its owner can restore it completely. After that, or immediately on request, the document is erased.
 */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import type { Input, Output } from '../../../shared/operations/index.ts'
import { scrubAssets } from '../media/assets.ts'
import { actorOf, type Caller, systemActor } from '../rights/caller.ts'
import { isWithin } from '../rights/authority.ts'
import { currentContent, titleOf } from '../text/content.ts'
import { documentDeleted, isInTrash } from './deleted.ts'
import { ownedKey, presentDocument } from './documents.ts'
import { audit, auditActor, systemAct } from '../records/audit.ts'
import { remember } from '../records/idempotency.ts'
import { decodeRecord, type Deletion, encodeRecord, type Head, keys, type Owned, type Trashed } from '../records/keys.ts'
import type { Transaction } from '../records/transaction.ts'
import { scrubJobs } from '../media/media-jobs.ts'
import { entryOf } from '../events/notices.ts'
import type { Key } from '../ports.ts'
import type { Service } from '../service.ts'
import { untilDelivered } from '../events/waits.ts'

const instant = (ms: number): string => new Date(ms).toISOString()

const trashMs = limits.trashDays * 24 * 3600 * 1000

/** Returns the key of the document in an account's or agent's trash. */
export const trashedKey = ({ id, owner }: Head): Key | undefined =>
  owner.id === undefined ? undefined : keys.trashed(owner.kind, owner.id, id)

/** Removes everything below the head of a document, page by page. */
const scrub = async (service: Service, doc: string): Promise<void> => {
  await scrubJobs(service, doc)
  await scrubAssets(service, doc)
  const { storage, ledger } = service
  for (;;) {
    const entries = await storage.list(keys.head(doc), { limit: limits.listMax })
    if (entries.length === 0) return
    const remove = (tx: Transaction): void => {
      for (const entry of entries) for (const key of [entry.key, ...entryOf(entry)]) tx.delete(key)
      tx.erase()
    }
    await ledger.write(doc, 'system', remove, { afterDeletion: true })
  }
}

/** Removes a document from its owner's list or trash. */
const unlist = (tx: Transaction): void => {
  const { id, trashedUntil } = tx.head
  for (const key of [ownedKey(tx.head), trashedKey(tx.head)]) if (key !== undefined) tx.delete(key)
  if (trashedUntil !== undefined) tx.delete(keys.trash(trashedUntil, id))
}

/** Removes the document from all lists, and reduces its head to the essential fields. */
const putEnd = (tx: Transaction): void => {
  unlist(tx)
  const { trashedUntil: _until, trashedTitle: _title, takenDownAt: _takenDownAt, ...head } = tx.head
  const { id, owner, deletedAt } = head
  tx.head = {
    ...head,
    title: null,
    // The head keeps the owner's id, so that the owner gets 410, but not the owner's name.
    owner: { kind: owner.kind, ...(owner.id !== undefined && { id: owner.id }) },
    deletedAt: deletedAt ?? tx.now,
    unsaved: { added: 0, removed: 0, actors: [] }
  }
  tx.erase()
  tx.put(keys.deletion(id), encodeRecord({ doc: id } satisfies Deletion))
}

const putIntoTrash = (tx: Transaction, title: string): number => {
  const { id } = tx.head
  const until = tx.now + trashMs
  unlist(tx)
  tx.put(keys.trash(until, id), encodeRecord(id))
  const listed = trashedKey(tx.head)
  if (listed !== undefined) tx.put(listed, encodeRecord({ doc: id, title, deletedAt: tx.now, until } satisfies Trashed))
  tx.head = { ...tx.head, deletedAt: tx.now, trashedUntil: until, ...(title !== '' && { trashedTitle: title }) }
  return until
}

/** Ends all access to a document, including sockets and long polls. */
export const endAccess = ({ live, relay }: Service, doc: string, code: 'document_deleted' | 'taken_down' = 'document_deleted'): void => {
  live.end(doc, null, code)
  relay.forgetDocument(doc)
}

const finishErasing = async (service: Service, doc: string): Promise<void> => {
  await scrub(service, doc)
  await service.ledger.write(doc, 'system', (tx) => tx.delete(keys.deletion(doc)), { afterDeletion: true })
}

type Answer = Output<'deleteDocument'>

/** Moves a document to the trash. Throws `document_deleted` if it has already been deleted. */
const moveToTrash = async (service: Service, caller: Caller, doc: string): Promise<Answer> => {
  const snapshot = await currentContent(service, doc)
  const answer = await service.ledger.write(doc, caller, (tx): Answer => {
    const until = putIntoTrash(tx, titleOf(tx.head, snapshot))
    tx.event('doc.deleted', actorOf(caller), { restorableUntil: instant(until) })
    audit(tx, { kind: 'document.deleted', by: auditActor(caller), doc })
    // The response is stored outside the document. A retry must get the same response, even though nobody can access the document by then.
    return remember(service, tx, caller, null, { ok: true, deleted: true, restorableUntil: instant(until) })
  })
  endAccess(service, doc)
  await scrubJobs(service, doc)
  return answer
}

/**
 * Removes a document's owner. Holders of an owner link then manage the document, even in the trash. `goes` decides whether a document that is not in
 * the trash moves there. The move is part of the same commit, because afterward the owner's lists no longer lead to the document.
 */
export const releaseDocument = async (service: Service, doc: string, goes: (head: Head) => boolean): Promise<void> => {
  const release = (tx: Transaction): boolean => {
    for (const key of [ownedKey(tx.head), trashedKey(tx.head)]) if (key !== undefined) tx.delete(key)
    tx.head = { ...tx.head, owner: { kind: 'anonymous' } }
    if (tx.head.deletedAt !== null || !goes(tx.head)) return false
    // The document is in no list, so its trash entry needs no title.
    const until = putIntoTrash(tx, '')
    tx.event('doc.deleted', systemActor, { restorableUntil: instant(until) })
    audit(tx, { kind: 'document.deleted', by: systemAct, doc })
    return true
  }
  if (!(await service.ledger.write(doc, 'system', release, { afterDeletion: true }))) return
  endAccess(service, doc)
  await scrubJobs(service, doc)
}

/** Gives the callers that wait for events on other nodes the time to read the deletion event. */
const untilReadElsewhere = async ({ storage: { nodes } }: Service): Promise<void> => {
  if (nodes === undefined || (await nodes.count()) === 1) return
  await new Promise((resolve) => setTimeout(resolve, limits.erasureNoticeMs))
}

/**
 * Erases a document, whether or not it is in the trash. A mark in the head is written first and ends all access. Then the contents are removed. If
 * the process dies in between, `finishDeletions` removes them at the next start. The hashes of the document's keys stay, so that holders of those
 * keys get 410.
 */
const erase = async (service: Service, caller: Caller, doc: string): Promise<Answer> => {
  const end = (tx: Transaction): Answer => {
    if (tx.head.deletedAt !== null && !isInTrash(tx.head)) throw documentDeleted(tx.head)
    if (tx.head.deletedAt === null) tx.event('doc.deleted', actorOf(caller), { restorableUntil: null })
    putEnd(tx)
    audit(tx, { kind: 'document.erased', by: auditActor(caller), doc })
    return remember(service, tx, caller, null, { ok: true, deleted: true, restorableUntil: null })
  }
  const answer = await service.ledger.write(doc, caller, end, { afterDeletion: true })
  endAccess(service, doc)
  // Callers that wait for events must get the deletion event before it is removed together with all other contents.
  await untilDelivered(service, keys.events(doc))
  await untilReadElsewhere(service)
  await finishErasing(service, doc)
  return answer
}

/** Moves a document to the trash, or erases it permanently. Throws `document_deleted` if the document is already in the trash, or already erased. */
export const deleteDocument = (
  service: Service,
  caller: Caller,
  doc: string,
  { permanent = false }: Input<'deleteDocument'> = {}
): Promise<Answer> => (permanent ? erase(service, caller, doc) : moveToTrash(service, caller, doc))

/**
 * Restores a document from the trash. A document that is not deleted does not change. Throws `document_deleted` if it is too late to restore the
 * document.
 */
export const undeleteDocument = async (service: Service, caller: Caller, doc: string): Promise<Output<'undeleteDocument'>> => {
  const restore = (tx: Transaction): Head => {
    const { trashedUntil, trashedTitle: _title, ...head } = tx.head
    // The document has already been restored. A repeated request has no further effect.
    if (head.deletedAt === null) return head
    if (head.takenDownAt !== undefined) throw documentDeleted(head)
    if (trashedUntil === undefined || trashedUntil <= tx.now) throw documentDeleted(head)
    unlist(tx)
    tx.head = { ...head, deletedAt: null }
    const owned = ownedKey(tx.head)
    if (owned !== undefined) tx.put(owned, encodeRecord({ doc } satisfies Owned))
    tx.event('doc.restored', actorOf(caller), { deletedAt: instant(head.deletedAt) })
    audit(tx, { kind: 'document.restored', by: auditActor(caller), doc })
    return tx.head
  }
  const head = await service.ledger.write(doc, caller, restore, { afterDeletion: true })
  service.live.readmit(doc)
  const snapshot = await currentContent(service, doc)
  const presented = presentDocument(head, { ...caller, role: caller.role ?? 'owner' }, snapshot, `${service.baseUrl}/d/${doc}`)
  return { ok: true, restored: true, doc: presented }
}

/** Returns the trash of an account or agent, most recently deleted first. `before` counts the documents already shown. */
export const listTrash = async (service: Service, { identity, scope }: Caller, input: Input<'listTrash'>): Promise<Output<'listTrash'>> => {
  if (identity.kind === 'guest') throw new ServiceError('account_required')
  const { storage, clock, baseUrl } = service
  const entries = await storage.list(keys.trashedBy(identity.kind, identity.id), { limit: limits.listMax })
  const all = entries
    .map((entry) => decodeRecord<Trashed>(entry.value))
    .filter(({ until, doc }) => until > clock.now() && isWithin(scope, doc))
    .toSorted((one, other) => other.until - one.until)
  const { before = 0, limit = limits.pageDefault } = input
  const docs = all.slice(before, before + limit).map(({ doc, title, deletedAt, until }) => ({
    id: doc,
    title,
    url: `${baseUrl}/d/${doc}`,
    deletedAt: instant(deletedAt),
    restorableUntil: instant(until)
  }))
  const next = before + docs.length
  return { docs, nextBefore: next < all.length ? next : null }
}

/** Reports a document that could not be processed. */
export type OnFailure = (doc: string, error: unknown) => void

/** Processes documents one after another. A failure does not block the next documents. */
const forEachDocument = async (docs: readonly string[], work: (doc: string) => Promise<void>, onFailure: OnFailure): Promise<void> => {
  for (const doc of docs) await work(doc).catch((error: unknown) => onFailure(doc, error))
}

/** Erases documents whose time in the trash is over, oldest first. */
const emptyTrash = async (service: Service, onFailure: OnFailure): Promise<void> => {
  const end = (tx: Transaction): boolean => {
    // The document may have since been restored, and even deleted again.
    const due = tx.head.trashedUntil !== undefined && tx.head.trashedUntil <= tx.now
    if (!due) return false
    putEnd(tx)
    audit(tx, { kind: 'document.erased', by: systemAct, doc: tx.head.id })
    return true
  }
  const empty = async (doc: string): Promise<void> => {
    if (await service.ledger.write(doc, 'system', end, { afterDeletion: true })) await finishErasing(service, doc)
  }
  const seen = new Set<string>()
  const { sweepRecordsMax: limit } = limits
  for (let after = 0; ;) {
    const due = await service.storage.list(keys.trashes(), { after, before: service.clock.now() + 1, limit })
    const docs = due.map(({ key }) => String(key.at(-1))).filter((doc) => !seen.has(doc))
    for (const doc of docs) seen.add(doc)
    await forEachDocument(docs, empty, onFailure)
    if (due.length < limit) return
    // Documents that could not be erased are still in the list. Other documents may have entered the trash in the same millisecond as the last one.
    const last = Number(due.at(-1)?.key.at(-2))
    after = docs.length === 0 ? last : last - 1
  }
}

/** Erases a document that a person deleted on the account page of an earlier version, which waited ten minutes before each deletion. */
const putFormerEnd = (tx: Transaction): void => {
  const { id, owner } = tx.head
  if (owner.id !== undefined) tx.delete(['undoable', owner.kind, owner.id, id])
  putEnd(tx)
}

/** Finishes erasures that a crash interrupted, and begins those that are due. Called at startup, and periodically. */
export const finishDeletions = async (service: Service, onFailure: OnFailure): Promise<void> => {
  await emptyTrash(service, onFailure)
  const deletions = (await service.storage.list(keys.deletions())).map(({ value }) => decodeRecord<Deletion>(value))
  const former = new Set(deletions.filter(({ scrubAt }) => scrubAt !== undefined).map(({ doc }) => doc))
  const finish = async (doc: string): Promise<void> => {
    if (former.has(doc)) await service.ledger.write(doc, 'system', putFormerEnd, { afterDeletion: true })
    await finishErasing(service, doc)
  }
  const docs = deletions.map(({ doc }) => doc)
  await forEachDocument(docs, finish, onFailure)
}
