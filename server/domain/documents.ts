/** Documents: creation, metadata, deletion. */
import * as Y from 'yjs'
import { limits } from '../../shared/limits.ts'
import { textRootName } from '../../shared/names.ts'
import type { Operation } from '../../shared/operation.ts'
import { type Input, operations, type OperationName, type Output } from '../../shared/operations/index.ts'
import { includesRole, type Role } from '../../shared/roles.ts'
import { scrubAssets } from './assets.ts'
import { actorOf, type Caller } from './caller.ts'
import { checkSize, currentContent, titleOf } from './content.ts'
import { remember } from './idempotency.ts'
import { encodeEntries, encodeProjection, firstTag, type JournalEntry, nextTag, type Snapshot, snapshotOf } from './journal.ts'
import { encodeRecord, type Head, keys, type Owner } from './keys.ts'
import type { Draft } from './ledger.ts'
import { saveRevision } from './revisions.ts'
import { newId } from './secrets.ts'
import type { Service } from './service.ts'
import { putShare, shareUrl } from './shares.ts'

type Metadata = Output<'readDocument'>['doc']

const instant = (ms: number): string => new Date(ms).toISOString()

/** What decides what a caller may do. */
type Rights = Pick<Caller, 'role' | 'task'>

/** Names of the operations that a caller may use on its document. */
export const capabilities = ({ role, task }: Rights): OperationName[] =>
  (Object.entries(operations) as [OperationName, Operation][])
    .filter(([, { role: needed, taskLink }]) => needed !== undefined && includesRole(role, needed) && (taskLink !== true || task !== null))
    .map(([name]) => name)

const present = (head: Head, { role, task }: Rights & { readonly role: Role }, snapshot: Snapshot, url: string): Metadata => ({
  id: head.id,
  title: titleOf(head, snapshot),
  kind: head.kind,
  url,
  role,
  effectiveRole: role,
  version: snapshot.version,
  published: head.publishedAt !== null,
  publishedAt: head.publishedAt === null ? null : instant(head.publishedAt),
  owner: head.owner,
  createdAt: instant(head.createdAt),
  updatedAt: instant(head.updatedAt),
  capabilities: capabilities({ role, task })
})

const ownerOf = ({ identity }: Caller): Owner =>
  identity.kind === 'guest' ? { kind: 'anonymous' } : { kind: identity.kind, id: identity.id, name: identity.name }

/** The update that seeds a document with its first text. Made once, here: a copy made anew would be another history and merge as a doubled text. */
const seed = (content: string): Uint8Array => {
  const ydoc = new Y.Doc()
  ydoc.getText(textRootName).insert(0, content)
  const update = Y.encodeStateAsUpdate(ydoc)
  ydoc.destroy()
  return update
}

const emptyHead = (id: string, tag: string, input: Input<'createDocument'>, owner: Owner, now: number): Head => ({
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
  unsaved: { added: 0, removed: 0, actors: [] }
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
  const head = emptyHead(newId(), firstTag(), input, owner, service.clock.now())
  return service.ledger.create(head, (draft) => {
    const snapshot = putFirstContent(draft, content, actor)
    const link =
      owner.kind === 'anonymous' ? putShare(service, draft, head.id, { role: 'owner', label: 'Owner', expiresAt: null }) : undefined
    draft.event('doc.created', actor, { title: titleOf(draft.head, snapshot) }, snapshot.version)
    const url = link === undefined ? `${service.baseUrl}/d/${head.id}` : shareUrl(service, head.id, link.secret)
    const doc = { ...present(draft.head, { role: 'owner', task: null }, snapshot, url), ...(link && { key: link.secret }) }
    return remember(service, draft, caller, null, { ...doc, doc })
  })
}

export const readDocument = async (service: Service, caller: Caller, doc: string): Promise<Output<'readDocument'>> => {
  const snapshot = await currentContent(service, doc)
  const head = await service.ledger.head(doc)
  const found = present(head, { role: caller.role ?? 'view', task: caller.task }, snapshot, `${service.baseUrl}/d/${doc}`)
  return { ...found, doc: found }
}

/** Everything below the head of a document, page by page. */
const scrub = async (service: Service, doc: string): Promise<void> => {
  await scrubAssets(service, doc)
  const { storage, ledger } = service
  for (;;) {
    const entries = await storage.list(keys.head(doc), { limit: limits.listMax })
    if (entries.length === 0) return
    await ledger.write(doc, (draft) => entries.forEach((entry) => draft.delete(entry.key)), { afterDeletion: true })
  }
}

/**
 * Deletes a document. The mark in the head is written first and ends every way in; what it held is scrubbed after that, and again at
 * the next start if the process died between (`finishDeletions`). The hashes of its keys stay, so that their holders hear 410.
 */
export const deleteDocument = async (service: Service, caller: Caller, doc: string): Promise<Output<'deleteDocument'>> => {
  const answer = { ok: true, deleted: true } as const
  await service.ledger.write(doc, (draft) => {
    draft.head = {
      ...draft.head,
      title: null,
      owner: { kind: draft.head.owner.kind },
      deletedAt: draft.now,
      unsaved: { added: 0, removed: 0, actors: [] }
    }
    draft.put(keys.deletion(doc), encodeRecord({ doc }))
    // Kept outside the document: a retry must hear the same answer when nothing of the document is left.
    remember(service, draft, caller, null, answer)
  })
  service.live.end(doc, null, 'document_deleted')
  await scrub(service, doc)
  await service.ledger.write(doc, (draft) => draft.delete(keys.deletion(doc)), { afterDeletion: true })
  return answer
}

/** Finishes deletions that a crash cut short. To be called at start. */
export const finishDeletions = async (service: Service): Promise<void> => {
  const entries = await service.storage.list(keys.deletions())
  for (const entry of entries) {
    const doc = entry.key.at(-1) as string
    await scrub(service, doc)
    await service.ledger.write(doc, (draft) => draft.delete(entry.key), { afterDeletion: true })
  }
}
