/**
 * Documents: creation and metadata.
 *
 * This folder contains the code for a document as a unit: its creation, owner, deletion, published page, and storage use.
 */
import * as Y from 'yjs'
import { textRootName } from '../../../shared/names.ts'
import type { Operation } from '../../../shared/operation.ts'
import { type Input, operations, type OperationName, type Output } from '../../../shared/operations/index.ts'
import { includesRole, type Role } from '../../../shared/roles.ts'
import { actorOf, type Caller, isSignedIn } from '../rights/caller.ts'
import { checkSize, currentContent, titleOf } from '../text/content.ts'
import { remember } from '../records/idempotency.ts'
import {
  docOptions,
  encodeEntries,
  encodeProjection,
  firstTag,
  type JournalEntry,
  nextTag,
  type Snapshot,
  snapshotOf
} from '../text/journal.ts'
import { encodeRecord, firstLinkLabel, type Head, keys, type Owned, type Owner } from '../records/keys.ts'
import type { Transaction } from '../records/transaction.ts'
import { ownAssignment } from '../review/own-assignment.ts'
import type { Key } from '../ports.ts'
import { saveRevision } from '../text/revisions.ts'
import { newId } from '../secrets.ts'
import type { Service } from '../service.ts'
import type { OnDocument } from '../on-document.ts'
import { putShare, shareUrl } from '../rights/shares.ts'

type Metadata = Output<'readDocument'>['doc']

const instant = (ms: number): string => new Date(ms).toISOString()

/** The facts that determine what a caller may do. */
type Rights = Pick<Caller, 'role' | 'task' | 'identity'>

/** Returns the names of the operations that a caller may use on the document. */
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
  givenTitle: head.title,
  kind: head.kind,
  url,
  role: caller.role,
  effectiveRole: caller.role,
  version: snapshot.version,
  published: head.publishedAt !== null,
  publishedAt: head.publishedAt === null ? null : instant(head.publishedAt),
  indexed: head.publishedAt !== null && head.indexed === true,
  ...(head.unsigned === true && { unsigned: true as const }),
  owner: head.owner,
  createdAt: instant(head.createdAt),
  updatedAt: instant(head.updatedAt),
  capabilities: capabilities(caller)
})

export const ownerOf = ({ identity }: Caller): Owner =>
  identity.kind === 'guest' ? { kind: 'anonymous' } : { kind: identity.kind, id: identity.id, name: identity.name }

/** Gives a document an owner. A page that was published before anybody owned the document does not name the owner: this was not agreed to. */
export const withOwner = ({ origin: _, ...head }: Head, owner: Owner): Head => ({
  ...head,
  owner,
  ...(head.owner.kind === 'anonymous' && head.publishedAt !== null && { unsigned: true as const })
})

/** Returns the key of a document in an account's or agent's list. The list is ordered by creation time, newest last. */
export const ownedKey = ({ id, owner, createdAt }: Pick<Head, 'id' | 'owner' | 'createdAt'>): Key | undefined =>
  owner.id === undefined ? undefined : keys.owned(owner.kind, owner.id, `${String(createdAt).padStart(15, '0')}-${id}`)

/**
 * Returns the update that seeds a document with its first text. No other code creates seeds: a second seed would begin another history, and merging
 * both would double the text.
 */
export const seed = (content: string): Uint8Array => {
  const ydoc = new Y.Doc(docOptions)
  ydoc.getText(textRootName).insert(0, content)
  const update = Y.encodeStateAsUpdate(ydoc)
  ydoc.destroy()
  return update
}

/** Returns a title in its stored form; null if it is empty after trimming. */
const givenTitle = (title: string | null | undefined): string | null => title?.trim() || null

const emptyHead = (
  id: string,
  tag: string,
  input: Input<'createDocument'>,
  { owner, origin }: Pick<Head, 'owner' | 'origin'>,
  now: number
): Head => ({
  id,
  title: givenTitle(input.title),
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

/** Writes the first text: the journal, the canonical text, and the first revision. */
const putFirstContent = (tx: Transaction, content: string, actor: string): Snapshot => {
  const { id, tag: before } = tx.head
  if (content !== '') {
    const update = seed(content)
    const entry: JournalEntry = { seq: 1, tag: nextTag(before, update), at: tx.now, actor, update }
    tx.put(keys.update(id, 1), encodeEntries([entry], before))
    tx.head = { ...tx.head, seq: 1, tag: entry.tag, announcedSeq: 1, unsaved: { added: content.length, removed: 0, actors: [actor] } }
  }
  const snapshot = snapshotOf(tx.head, content)
  tx.put(keys.text(id), encodeProjection(snapshot))
  saveRevision(tx, snapshot, 'create', actor)
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
  const putAll = (tx: Transaction): Output<'createDocument'> => {
    const snapshot = putFirstContent(tx, content, actor)
    const link =
      owner.kind === 'anonymous'
        ? putShare(service, tx, head.id, {
            by: caller,
            maker: undefined,
            role: 'owner',
            label: firstLinkLabel,
            expiresAt: null,
            first: true
          })
        : undefined
    const owned = ownedKey(tx.head)
    if (owned !== undefined) tx.put(owned, encodeRecord({ doc: head.id } satisfies Owned))
    tx.event('doc.created', actor, { title: titleOf(tx.head, snapshot) }, snapshot.version)
    const url = link === undefined ? `${service.baseUrl}/d/${head.id}` : shareUrl(service, head.id, link.secret)
    const doc = { ...presentDocument(tx.head, { ...caller, role: 'owner' }, snapshot, url), ...(link && { key: link.secret }) }
    return remember(service, tx, caller, null, { ...doc, doc })
  }
  // Reserves the size twice, because the text is stored both in the journal and as the canonical text.
  const release = await service.quotas.reserve(payer, 2 * Buffer.byteLength(content))
  return service.ledger.create(head, caller, putAll).finally(release)
}

/** Returns the size of the document and its limit, in bytes. Returns an empty object if the document has not been counted yet. */
const usageOf = ({ quotas }: Service, { bytes }: Head): Pick<Output<'readDocument'>, 'usage'> =>
  bytes === undefined ? {} : { usage: { bytes, bytesMax: quotas.settings.documentBytesMax || null } }

const answerOf = (service: Service, caller: Caller, head: Head, snapshot: Snapshot): Output<'readDocument'> => {
  const presented = presentDocument(head, { ...caller, role: caller.role ?? 'view' }, snapshot, `${service.baseUrl}/d/${head.id}`)
  const found = { ...presented, ...usageOf(service, head) }
  return { ...found, doc: found }
}

export const readDocument = async (service: Service, caller: Caller, doc: string): Promise<Output<'readDocument'>> => {
  const snapshot = await currentContent(service, doc)
  const head = await service.ledger.head(doc)
  const found = { ...answerOf(service, caller, head, snapshot).doc, ...(await ownAssignment(service, caller, doc)) }
  return { ...found, doc: found }
}

/** Sets the title of a document. If the title is null or empty, the title comes from the text again. */
export const updateDocument: OnDocument<'updateDocument'> = async (service, caller, doc, input) => {
  const title = givenTitle(input.title)
  const snapshot = await currentContent(service, doc)
  return service.ledger.write(doc, caller, (tx) => {
    if (tx.head.title !== title) {
      tx.head = { ...tx.head, title }
      const payload = { title: titleOf(tx.head, snapshot), givenTitle: title }
      tx.event('doc.renamed', actorOf(caller), payload)
    }
    return remember(service, tx, caller, doc, answerOf(service, caller, tx.head, snapshot))
  })
}
