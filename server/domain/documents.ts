/** Documents: creation, metadata, deletion. */
import * as Y from 'yjs'
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import { textRootName } from '../../shared/names.ts'
import type { Operation } from '../../shared/operation.ts'
import { type Input, operations, type OperationName, type Output } from '../../shared/operations/index.ts'
import { includesRole, type Role } from '../../shared/roles.ts'
import { scrubAssets } from './assets.ts'
import { actorOf, type Caller, isSignedIn } from './caller.ts'
import { checkSize, currentContent, titleOf } from './content.ts'
import { remember } from './idempotency.ts'
import { encodeEntries, encodeProjection, firstTag, type JournalEntry, nextTag, type Snapshot, snapshotOf } from './journal.ts'
import {
  decodeRecord,
  type Deletion,
  encodeRecord,
  firstLinkLabel,
  type Head,
  keys,
  type Owned,
  type Owner,
  type Undoable
} from './keys.ts'
import type { Draft } from './ledger.ts'
import type { Key } from './ports.ts'
import { scrubJobs } from './media-jobs.ts'
import { saveRevision } from './revisions.ts'
import { newId } from './secrets.ts'
import type { Service } from './service.ts'
import { putShare, shareUrl } from './shares.ts'

type Metadata = Output<'readDocument'>['doc']

const instant = (ms: number): string => new Date(ms).toISOString()

/** What decides what a caller may do. */
type Rights = Pick<Caller, 'role' | 'task' | 'identity'>

/** Names of the operations that a caller may use on its document. */
export const capabilities = ({ role, task, identity }: Rights): OperationName[] =>
  (Object.entries(operations) as [OperationName, Operation][])
    .filter(
      ([, { role: needed, taskLink, needs }]) =>
        needed !== undefined &&
        includesRole(role, needed) &&
        (taskLink !== true || task !== null) &&
        (needs === undefined || isSignedIn(identity, needs))
    )
    .map(([name]) => name)

export const presentDocument = (head: Head, caller: Rights & { readonly role: Role }, snapshot: Snapshot, url: string): Metadata => ({
  id: head.id,
  title: titleOf(head, snapshot),
  kind: head.kind,
  url,
  role: caller.role,
  effectiveRole: caller.role,
  version: snapshot.version,
  published: head.publishedAt !== null,
  publishedAt: head.publishedAt === null ? null : instant(head.publishedAt),
  indexed: head.publishedAt !== null && head.indexed === true,
  owner: head.owner,
  createdAt: instant(head.createdAt),
  updatedAt: instant(head.updatedAt),
  capabilities: capabilities(caller)
})

export const ownerOf = ({ identity }: Caller): Owner =>
  identity.kind === 'guest' ? { kind: 'anonymous' } : { kind: identity.kind, id: identity.id, name: identity.name }

/** Where an account or agent lists the document: by creation, newest last. */
export const ownedKey = ({ id, owner, createdAt }: Pick<Head, 'id' | 'owner' | 'createdAt'>): Key | undefined =>
  owner.id === undefined ? undefined : keys.owned(owner.kind, owner.id, `${String(createdAt).padStart(15, '0')}-${id}`)

/** The update that seeds a document with its first text. Made once, here: a copy made anew would be another history and merge as a doubled text. */
const seed = (content: string): Uint8Array => {
  const ydoc = new Y.Doc()
  ydoc.getText(textRootName).insert(0, content)
  const update = Y.encodeStateAsUpdate(ydoc)
  ydoc.destroy()
  return update
}

const emptyHead = (
  id: string,
  tag: string,
  input: Input<'createDocument'>,
  { owner, origin }: Pick<Head, 'owner' | 'origin'>,
  now: number
): Head => ({
  id,
  title: input.title?.trim() || null,
  kind: input.kind ?? 'live',
  owner,
  createdAt: now,
  updatedAt: now,
  publishedAt: null,
  deletedAt: null,
  firstTag: tag,
  seq: 0,
  tag,
  event: 0,
  revision: 0,
  revisionSeq: 0,
  announcedSeq: 0,
  shares: 0,
  unsaved: { added: 0, removed: 0, actors: [] },
  ...(origin !== undefined && { origin })
})

/** Writes the first text: journal, canonical text and the revision that shows it. */
const putFirstContent = (draft: Draft, content: string, actor: string): Snapshot => {
  const { id, tag: before } = draft.head
  if (content !== '') {
    const update = seed(content)
    const entry: JournalEntry = { seq: 1, tag: nextTag(before, update), at: draft.now, actor, update }
    draft.put(keys.update(id, 1), encodeEntries([entry], before))
    draft.head = { ...draft.head, seq: 1, tag: entry.tag, announcedSeq: 1, unsaved: { added: content.length, removed: 0, actors: [actor] } }
  }
  const snapshot = snapshotOf(draft.head, content)
  draft.put(keys.text(id), encodeProjection(snapshot))
  saveRevision(draft, snapshot, 'create', actor)
  return snapshot
}

export const createDocument = async (
  service: Service,
  caller: Caller,
  input: Input<'createDocument'>
): Promise<Output<'createDocument'>> => {
  const content = input.content ?? ''
  checkSize(content)
  const owner = ownerOf(caller)
  const actor = actorOf(caller)
  const payer = { owner, ...(caller.origin !== undefined && { origin: caller.origin }) }
  const head = emptyHead(newId(), firstTag(), input, payer, service.clock.now())
  const putAll = (draft: Draft): Output<'createDocument'> => {
    const snapshot = putFirstContent(draft, content, actor)
    const link =
      owner.kind === 'anonymous'
        ? putShare(service, draft, head.id, { maker: undefined, role: 'owner', label: firstLinkLabel, expiresAt: null })
        : undefined
    const owned = ownedKey(draft.head)
    if (owned !== undefined) draft.put(owned, encodeRecord({ doc: head.id } satisfies Owned))
    draft.event('doc.created', actor, { title: titleOf(draft.head, snapshot) }, snapshot.version)
    const url = link === undefined ? `${service.baseUrl}/d/${head.id}` : shareUrl(service, head.id, link.secret)
    const doc = { ...presentDocument(draft.head, { ...caller, role: 'owner' }, snapshot, url), ...(link && { key: link.secret }) }
    return remember(service, draft, caller, null, { ...doc, doc })
  }
  // The text stands in the journal and as the canonical text.
  const release = await service.quotas.reserve(payer, 2 * Buffer.byteLength(content))
  return service.ledger.create(head, caller, putAll).finally(release)
}

/** The bytes that the document takes and may take; nothing for one that was not counted yet. */
const usageOf = ({ quotas }: Service, { bytes }: Head): Pick<Output<'readDocument'>, 'usage'> =>
  bytes === undefined ? {} : { usage: { bytes, bytesMax: quotas.settings.documentBytesMax || null } }

export const readDocument = async (service: Service, caller: Caller, doc: string): Promise<Output<'readDocument'>> => {
  const snapshot = await currentContent(service, doc)
  const head = await service.ledger.head(doc)
  const presented = presentDocument(head, { ...caller, role: caller.role ?? 'view' }, snapshot, `${service.baseUrl}/d/${doc}`)
  const found = { ...presented, ...usageOf(service, head) }
  return { ...found, doc: found }
}

/** Everything below the head of a document, page by page. */
const scrub = async (service: Service, doc: string): Promise<void> => {
  await scrubJobs(service, doc)
  await scrubAssets(service, doc)
  const { storage, ledger } = service
  for (;;) {
    const entries = await storage.list(keys.head(doc), { limit: limits.listMax })
    if (entries.length === 0) return
    const remove = (draft: Draft): void => {
      for (const { key } of entries) draft.delete(key)
      draft.erase()
    }
    await ledger.write(doc, 'system', remove, { afterDeletion: true })
  }
}

/** Takes the last of a document out of the lists and out of its head. */
const putEnd = (draft: Draft): void => {
  const { id, owner, deletedAt } = draft.head
  draft.head = {
    ...draft.head,
    title: null,
    // Its id stays, so that the owner hears 410; the name does not.
    owner: { kind: owner.kind, ...(owner.id !== undefined && { id: owner.id }) },
    deletedAt: deletedAt ?? draft.now,
    unsaved: { added: 0, removed: 0, actors: [] }
  }
  draft.erase()
  draft.put(keys.deletion(id), encodeRecord({ doc: id } satisfies Deletion))
  const owned = ownedKey(draft.head)
  if (owned !== undefined) draft.delete(owned)
  if (owner.id !== undefined) draft.delete(keys.undoable(owner.kind, owner.id, id))
}

const finishDeletion = async (service: Service, doc: string): Promise<void> => {
  await scrub(service, doc)
  await service.ledger.write(doc, 'system', (draft) => draft.delete(keys.deletion(doc)), { afterDeletion: true })
}

/**
 * Deletes a document. The mark in the head is written first and ends every way in; what it held is scrubbed after that, and again at
 * the next start if the process died between (`finishDeletions`). The hashes of its keys stay, so that their holders hear 410.
 */
export const deleteDocument = async (service: Service, caller: Caller, doc: string): Promise<Output<'deleteDocument'>> => {
  const answer = { ok: true, deleted: true } as const
  await service.ledger.write(doc, caller, (draft) => {
    putEnd(draft)
    // Kept outside the document: a retry must hear the same answer when nothing of the document is left.
    remember(service, draft, caller, null, answer)
  })
  service.live.end(doc, null, 'document_deleted')
  service.relay.forgetDocument(doc)
  await finishDeletion(service, doc)
  return answer
}

/** Deletes a document of the caller's, who may take that back for `limits.undoMinutes`: every way in ends at once, what it held goes later. */
export const deleteWithUndo = async (service: Service, caller: Caller, doc: string): Promise<void> => {
  const { identity } = caller
  if (identity.kind === 'guest') throw new ServiceError('account_required')
  const snapshot = await currentContent(service, doc)
  await service.ledger.write(doc, caller, (draft) => {
    const scrubAt = draft.now + limits.undoMinutes * 60_000
    const undoable: Undoable = { doc, title: titleOf(draft.head, snapshot), until: scrubAt }
    const owned = ownedKey(draft.head)
    if (owned !== undefined) draft.delete(owned)
    draft.put(keys.undoable(identity.kind, identity.id, doc), encodeRecord(undoable))
    draft.put(keys.deletion(doc), encodeRecord({ doc, scrubAt } satisfies Deletion))
    draft.head = { ...draft.head, deletedAt: draft.now }
  })
  service.live.end(doc, null, 'document_deleted')
  service.relay.forgetDocument(doc)
}

/** What the caller deleted and may still have back, deleted last first. */
export const listUndoable = async ({ storage, clock }: Service, { identity }: Caller): Promise<Undoable[]> => {
  if (identity.kind === 'guest') return []
  const entries = await storage.list(keys.undoables(identity.kind, identity.id))
  return entries
    .map((entry) => decodeRecord<Undoable>(entry.value))
    .filter(({ until }) => until > clock.now())
    .toSorted((one, other) => other.until - one.until)
}

/** Takes a deletion back. Errors: `not_found` for what is not the caller's, `document_deleted` when it is too late. */
export const undoDeletion = async (service: Service, caller: Caller, doc: string): Promise<void> => {
  const { identity } = caller
  const key = keys.deletion(doc)
  const undo = (draft: Draft): void => {
    const { owner } = draft.head
    if (identity.kind === 'guest' || owner.kind !== identity.kind || owner.id !== identity.id) throw new ServiceError('not_found')
    // Undone already: sent twice, it is done once.
    if (draft.head.deletedAt === null) return
    const deletion = draft.read<Deletion>(key)
    if (deletion?.scrubAt === undefined || deletion.scrubAt <= draft.now) throw new ServiceError('document_deleted')
    draft.head = { ...draft.head, deletedAt: null }
    draft.delete(key)
    draft.delete(keys.undoable(identity.kind, identity.id, doc))
    const owned = ownedKey(draft.head)
    if (owned !== undefined) draft.put(owned, encodeRecord({ doc } satisfies Owned))
  }
  await service.ledger.write(doc, caller, undo, { afterDeletion: true, reads: [key] })
  service.live.readmit(doc)
}

/** Finishes deletions that a crash cut short, and those that nobody took back. To be called at start, and now and then. */
export const finishDeletions = async (service: Service): Promise<void> => {
  for (const { key, value } of await service.storage.list(keys.deletions())) {
    const { doc, scrubAt } = decodeRecord<Deletion>(value)
    if (scrubAt !== undefined) {
      // Undone at this very moment: then it is no longer there.
      const end = (draft: Draft): boolean => {
        const deletion = draft.read<Deletion>(key)
        const due = deletion?.scrubAt !== undefined && deletion.scrubAt <= draft.now
        if (due) putEnd(draft)
        return due
      }
      if (scrubAt > service.clock.now() || !(await service.ledger.write(doc, 'system', end, { afterDeletion: true, reads: [key] })))
        continue
    }
    await finishDeletion(service, doc)
  }
}
