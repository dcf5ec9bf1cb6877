/**
 * Documents, as administrators see and manage them: title, owner and size, but no text. They can move a document to another owner, or take it down. A
 * document that is taken down keeps all its contents, but nobody can open it until it is restored.
 */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import { isDocumentId } from '../../../shared/names.ts'
import { term } from '../../../shared/words.ts'
import type { Account } from '../accounts/accounts.ts'
import { documentDeleted, isInTrash, isStored } from '../documents/deleted.ts'
import { ownedKey, withOwner } from '../documents/documents.ts'
import { endAccess, trashedKey } from '../documents/trash.ts'
import { scrubJobs } from '../media/media-jobs.ts'
import { audit } from '../records/audit.ts'
import type { Transaction } from '../records/transaction.ts'
import { decodeRecord, encodeRecord, type Head, keys, type Owned, type Owner, type Trashed } from '../records/keys.ts'
import type { Key, KeyPart } from '../ports.ts'
import type { Service } from '../service.ts'
import { contentAtHand, titleOf } from '../text/content.ts'
import { actorIn, type Operator } from './operator.ts'
import { accountNamed } from './people.ts'

export type DocumentState = 'open' | 'trash' | 'taken_down'

/** A document, without its text. All times are in ISO 8601. */
export interface FoundDocument {
  readonly id: string
  readonly title: string
  readonly owner: Owner
  readonly state: DocumentState
  readonly published: boolean
  readonly createdAt: string
  readonly updatedAt: string
  /** The bytes of text, history, comments and suggestions; null if they have not been counted yet. */
  readonly bytes: number | null
  readonly assetBytes: number
  /** The number of links that are not revoked. */
  readonly links: number
}

export interface DocumentsPage {
  readonly documents: readonly FoundDocument[]
  /** The value of `after` for the next page; null at the end. */
  readonly nextAfter: string | null
}

const instant = (ms: number): string => new Date(ms).toISOString()

/** The number of documents that are read before other work gets a turn. */
export const turnDocuments = 50

const stateOf = (head: Head): DocumentState => (head.takenDownAt !== undefined ? 'taken_down' : isInTrash(head) ? 'trash' : 'open')

/** Returns the title of a document, or of its last stored text. */
export const titleIn = async (service: Service, head: Head): Promise<string> => {
  const snapshot = await contentAtHand(service, head.id, head).catch(() => undefined)
  return snapshot === undefined ? (head.title ?? 'Untitled') : titleOf(head, snapshot)
}

const present = async (service: Service, head: Head, title?: string): Promise<FoundDocument> => ({
  id: head.id,
  title: title ?? (await titleIn(service, head)),
  owner: head.owner,
  state: stateOf(head),
  published: head.publishedAt !== null,
  createdAt: instant(head.createdAt),
  updatedAt: instant(head.updatedAt),
  bytes: head.bytes ?? null,
  assetBytes: head.assetBytes ?? 0,
  links: head.shares + (head.taskShares ?? 0)
})

/** Returns the head of a document whose contents are stored. Throws `not_found`. */
export const storedHead = async (service: Service, doc: string): Promise<Head> => {
  const head = isDocumentId(doc) ? await service.ledger.findHead(doc) : undefined
  if (head === undefined || !isStored(head)) throw new ServiceError('not_found', { message: term('There is no such document.') })
  return head
}

/** Returns a document whose contents are stored. Throws `not_found`. */
export const readFound = async (service: Service, doc: string): Promise<FoundDocument> => present(service, await storedHead(service, doc))

/** Selects documents. `query` is part of the title, or an id. `owner` is the id or email address of an account. */
export interface DocumentsInput {
  readonly query?: string | undefined
  readonly owner?: string | undefined
  readonly after?: string | undefined
  readonly limit?: number | undefined
}

/** Reads the ids of documents, one page after another. */
export type NextIds = (after: string | undefined) => Promise<readonly string[]>

/** Returns a page of the ids of all documents. Reads each id separately, to skip the other records of the previous document. */
const allIds =
  ({ storage }: Service): NextIds =>
  async (after) => {
    const ids: string[] = []
    for (let last: KeyPart | undefined = after; ids.length < turnDocuments;) {
      const [entry] = await storage.list(keys.heads(), { limit: 1, ...(last !== undefined && { after: last }) })
      last = entry?.key[1]
      if (last === undefined) break
      ids.push(String(last))
    }
    return ids
  }

/** Returns the ids of an account's documents, including those in its trash. There are few enough for one page. */
const idsOf =
  ({ storage }: Service, account: string): NextIds =>
  async (after) => {
    const ids = new Set<string>()
    for (const prefix of [keys.ownedBy('account', account), keys.trashedBy('account', account)])
      for (let place: KeyPart | undefined; ;) {
        const entries = await storage.list(prefix, place === undefined ? {} : { after: place })
        for (const { value } of entries) ids.add(decodeRecord<Owned>(value).doc)
        place = entries.at(-1)?.key.at(-1)
        if (entries.length < limits.listMax) break
      }
    return [...ids].toSorted().filter((id) => after === undefined || id > after)
  }

/** Returns the ids of all documents, or of one account's documents. Throws `not_found` if there is no such account. */
export const idsOfDocuments = async (service: Service, owner?: string): Promise<NextIds> =>
  owner === undefined ? allIds(service) : idsOf(service, (await accountNamed(service, owner)).id)

/**
 * Returns a page of documents. The pages are ordered by id, and the documents on a page by the time of the last change. A search may end before its
 * page is full; `nextAfter` continues it. Throws `not_found` if there is no such owner.
 */
export const findDocuments = async (
  service: Service,
  { query = '', owner, after, limit = limits.adminPageDefault }: DocumentsInput = {}
): Promise<DocumentsPage> => {
  const words = query.trim().toLowerCase()
  const named = isDocumentId(query.trim()) ? await readFound(service, query.trim()).catch(() => undefined) : undefined
  if (named !== undefined) return { documents: [named], nextAfter: null }
  const next = await idsOfDocuments(service, owner)
  const documents: FoundDocument[] = []
  const answer = (nextAfter: string | null): DocumentsPage => ({
    documents: documents.toSorted((one, other) => other.updatedAt.localeCompare(one.updatedAt)),
    nextAfter
  })
  let last = after
  for (let looked = 0; looked < limits.adminDocumentsScanMax;) {
    const ids = (await next(last)).slice(0, turnDocuments)
    if (ids.length === 0) return answer(null)
    for (const id of ids) {
      looked += 1
      last = id
      const head = await service.ledger.findHead(id)
      if (head === undefined || !isStored(head)) continue
      const title = await titleIn(service, head)
      if (words === '' || title.toLowerCase().includes(words)) documents.push(await present(service, head, title))
      if (documents.length === limit) return answer(id)
    }
    await new Promise((resolve) => setImmediate(resolve))
  }
  return answer(last ?? null)
}

// ——— Acts ———

/** Records an act in the audit log, in the same commit. */
const tell = (tx: Transaction, { actor }: Operator, kind: 'admin.transfer' | 'admin.takedown' | 'admin.restore', account?: string): void =>
  audit(tx, { kind, by: actor, doc: tx.head.id, ...(account !== undefined && { account }) })

/** Moves a document's trash entry to its new owner's trash. Puts a document that is not in the trash into the owner's list. */
const relist = (tx: Transaction, former: Head): void => {
  const [from, to] = [trashedKey(former), trashedKey(tx.head)]
  if (former.trashedUntil === undefined || from === undefined || to === undefined) {
    const owned = ownedKey(tx.head)
    if (owned !== undefined) tx.put(owned, encodeRecord({ doc: former.id } satisfies Owned))
    return
  }
  const trashed = tx.read<Trashed>(from)
  tx.delete(from)
  if (trashed !== undefined) tx.put(to, encodeRecord(trashed))
}

/** Gives a document to an account. With `trashOf`, a document in the trash of that account moves to the trash of the other one. */
const giveTo = async (service: Service, operator: Operator, doc: string, id: string, trashOf?: string): Promise<void> => {
  const change = (tx: Transaction): Owner | undefined => {
    const account = tx.read<Account>(keys.account(id))
    if (account === undefined) throw new ServiceError('not_found', { message: term('There is no such account.') })
    const { head } = tx
    // Only the owner of a document in the trash decides what happens to it.
    if ((head.trashedUntil !== undefined && trashOf === undefined) || !isStored(head)) throw documentDeleted(head)
    if (head.owner.kind === 'account' && head.owner.id === id) return undefined
    const former = ownedKey(head)
    if (former !== undefined) tx.delete(former)
    tx.head = withOwner(head, { kind: 'account', id, name: account.name })
    relist(tx, head)
    tx.event('doc.claimed', actorIn(operator), { owner: tx.head.owner })
    tell(tx, operator, 'admin.transfer', id)
    return head.owner
  }
  await storedHead(service, doc)
  const trashed = trashOf === undefined ? [] : [keys.trashed('account', trashOf, doc)]
  const former = await service.ledger.write(doc, operator.by, change, { afterDeletion: true, reads: [keys.account(id), ...trashed] })
  if (former !== undefined) service.live.endOwner(doc, former)
  service.live.readmit(doc, { kind: 'account', id })
}

/** Gives a document to an account. The former owner keeps only the access that links give. Throws `not_found` or `document_deleted`. */
export const transferDocument = async (service: Service, operator: Operator, doc: string, to: string): Promise<FoundDocument> => {
  const { id } = await accountNamed(service, to)
  await giveTo(service, operator, doc, id)
  return readFound(service, doc)
}

/** Gives the documents in one of an account's lists to another account, page by page. Returns their number. */
const giveAll = async (service: Service, operator: Operator, prefix: Key, from: string, to: string): Promise<number> => {
  let moved = 0
  for (let after: KeyPart | undefined; ;) {
    const page = { limit: limits.pageDefault, ...(after !== undefined && { after }) }
    const entries = await service.storage.list(prefix, page)
    for (const { value } of entries) {
      await giveTo(service, operator, decodeRecord<Owned | Trashed>(value).doc, to, from)
      moved += 1
    }
    after = entries.at(-1)?.key.at(-1)
    if (entries.length < limits.pageDefault) return moved
  }
}

/**
 * Gives all documents of an account to another account. A document in the trash moves to that account's trash. Returns how many documents moved, and
 * how many of them were in the trash. Throws `not_found`.
 */
export const transferDocuments = async (
  service: Service,
  operator: Operator,
  from: string,
  to: string
): Promise<{ readonly moved: number; readonly movedInTrash: number }> => {
  const [source, target] = [await accountNamed(service, from), await accountNamed(service, to)]
  if (source.id === target.id) throw new ServiceError('invalid_request', { message: term('Choose another account for the documents.') })
  return {
    moved: await giveAll(service, operator, keys.ownedBy('account', source.id), source.id, target.id),
    movedInTrash: await giveAll(service, operator, keys.trashedBy('account', source.id), source.id, target.id)
  }
}

/** Returns the number of documents in the trash of an account. */
export const countTrashed = async ({ storage }: Service, account: string): Promise<number> => {
  let count = 0
  for (let after: KeyPart | undefined; ;) {
    const page = await storage.list(keys.trashedBy('account', account), after === undefined ? {} : { after })
    count += page.length
    if (page.length < limits.listMax) return count
    after = page.at(-1)?.key.at(-1)
  }
}

/** Takes a document down: nobody can open it until an administrator restores it. Callers that had access get 451. Throws `not_found`. */
export const takeDown = async (service: Service, operator: Operator, doc: string): Promise<FoundDocument> => {
  await storedHead(service, doc)
  const change = (tx: Transaction): void => {
    const { head } = tx
    if (head.takenDownAt !== undefined) return
    if (!isStored(head)) throw documentDeleted(head)
    tx.head = { ...head, deletedAt: head.deletedAt ?? tx.now, takenDownAt: tx.now }
    tell(tx, operator, 'admin.takedown')
  }
  await service.ledger.write(doc, operator.by, change, { afterDeletion: true })
  endAccess(service, doc, 'taken_down')
  await scrubJobs(service, doc)
  return readFound(service, doc)
}

/** Restores a document that was taken down. A document that was in the trash before goes back to it. Throws `not_found`. */
export const restoreDocument = async (service: Service, operator: Operator, doc: string): Promise<FoundDocument> => {
  await storedHead(service, doc)
  const change = (tx: Transaction): void => {
    const { takenDownAt, ...head } = tx.head
    if (takenDownAt === undefined) return
    tx.head = { ...head, deletedAt: head.trashedUntil === undefined ? null : head.deletedAt }
    tell(tx, operator, 'admin.restore')
  }
  await service.ledger.write(doc, operator.by, change, { afterDeletion: true })
  const found = await readFound(service, doc)
  if (found.state === 'open') service.live.readmit(doc)
  return found
}
