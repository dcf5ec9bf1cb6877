/** The documents of an account or agent: listing, searching, and claiming an anonymous document (docs/api.md, Operations). */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import type { Input, Output } from '../../../shared/operations/index.ts'
import { isWithin, lowerRole } from '../rights/authority.ts'
import { actorOf, type Caller } from '../rights/caller.ts'
import { currentContent, titleOf } from '../text/content.ts'
import { isGone } from './deleted.ts'
import { ownedKey, ownerOf, presentDocument, withOwner } from './documents.ts'
import { remember } from '../records/idempotency.ts'
import { decodeRecord, encodeRecord, keys, type Owned, type Share } from '../records/keys.ts'
import type { Transaction } from '../records/transaction.ts'
import { changeLinks } from '../rights/lineage.ts'
import type { Service } from '../service.ts'
import type { OnDocument } from '../on-document.ts'
import { putRevocationOfClaim } from '../rights/shares.ts'

type Listed = Output<'listDocuments'>['docs'][number]

/** A document that the caller owns, with its position in the list. */
interface Own {
  readonly place: string
  /** Undefined if the calling program has no access to the document. */
  readonly doc: string | undefined
}

/**
 * Returns the documents that the caller's account or agent owns, newest first. A link gives a role on a document, but not ownership. Lists and
 * searches therefore leave out documents that other people shared. The inbox also covers only owned documents (notices.ts). Throws
 * `account_required`.
 */
export const ownDocuments = async (
  { storage }: Service,
  { identity, scope }: Caller,
  { limit, before }: { readonly limit: number; readonly before?: string | undefined }
): Promise<Own[]> => {
  if (identity.kind === 'guest') throw new ServiceError('account_required')
  const entries = await storage.list(keys.ownedBy(identity.kind, identity.id), {
    reverse: true,
    limit,
    ...(before === undefined ? {} : { before })
  })
  return entries.map(({ key, value }) => {
    const { doc } = decodeRecord<Owned>(value)
    return { place: String(key.at(-1)), doc: isWithin(scope, doc) ? doc : undefined }
  })
}

/** Returns the list entry of a document; undefined if the document is being deleted or does not match the search. */
const listed = async (service: Service, caller: Caller, { doc }: Own, wanted: string): Promise<Listed | undefined> => {
  if (doc === undefined) return undefined
  try {
    const head = await service.ledger.head(doc)
    const snapshot = await currentContent(service, doc)
    const holds = (text: string): boolean => text.toLowerCase().includes(wanted)
    if (wanted !== '' && !holds(titleOf(head, snapshot)) && !holds(snapshot.content)) return undefined
    return presentDocument(
      head,
      { ...caller, role: lowerRole('owner', caller.scope?.role ?? null) ?? 'owner' },
      snapshot,
      `${service.baseUrl}/d/${doc}`
    )
  } catch (error) {
    if (isGone(error)) return undefined
    throw error
  }
}

interface Asked {
  readonly wanted: string
  readonly pageMax: number
  readonly before: string | undefined
}

type Page = Output<'listDocuments'>

/**
 * Lists documents by creation time, newest first. A search reads a bounded number of documents and may end before its page is full; `nextBefore`
 * continues it.
 */
const byCreation = async (service: Service, caller: Caller, { wanted, pageMax, before }: Asked): Promise<Page> => {
  const entries = await ownDocuments(service, caller, { limit: limits.searchDocumentsMax + 1, before })
  const docs: Listed[] = []
  let looked = 0
  for (const entry of entries.slice(0, limits.searchDocumentsMax)) {
    if (docs.length === pageMax) break
    const found = await listed(service, caller, entry, wanted)
    if (found !== undefined) docs.push(found)
    looked += 1
  }
  const last = entries[looked - 1]
  return { docs, nextBefore: looked < entries.length && last !== undefined ? last.place : null }
}

const orders: Readonly<Record<'updated' | 'title', (one: Listed, other: Listed) => number>> = {
  updated: (one, other) => other.updatedAt.localeCompare(one.updatedAt),
  title: (one, other) => one.title.localeCompare(other.title, 'en', { sensitivity: 'base', numeric: true })
}

/** Lists documents in an order that has no index, so all documents are read. `before` and `nextBefore` count the documents already shown. */
const byOrder = async (service: Service, caller: Caller, order: keyof typeof orders, { wanted, pageMax, before }: Asked): Promise<Page> => {
  const entries = await ownDocuments(service, caller, { limit: limits.listMax })
  const all: Listed[] = []
  for (const entry of entries) {
    const found = await listed(service, caller, entry, wanted)
    if (found !== undefined) all.push(found)
  }
  const from = Number(before ?? 0) || 0
  const docs = all.toSorted(orders[order]).slice(from, from + pageMax)
  const next = from + docs.length
  return { docs, nextBefore: next < all.length ? String(next) : null }
}

export const listDocuments = async (service: Service, caller: Caller, input: Input<'listDocuments'>): Promise<Page> => {
  const { query = '', sort = 'created', limit: pageMax = limits.pageDefault, before } = input
  const asked = { wanted: query.trim().toLowerCase(), pageMax, before }
  const place = sort === 'created' ? /^\d{15}-[\w-]{12,22}$/ : /^\d{1,6}$/
  if (before !== undefined && !place.test(before))
    throw new ServiceError('invalid_request', { details: [{ path: 'before', message: 'must be a nextBefore of the same order' }] })
  return sort === 'created' ? byCreation(service, caller, asked) : byOrder(service, caller, sort, asked)
}

/** Returns the error for a claim through a link that expires: the access would outlive the link. */
const endsBefore = (expiresAt: number): ServiceError =>
  new ServiceError('forbidden', {
    message: `The owner link that you use ends on ${new Date(expiresAt).toISOString()}. To claim a document, you need one without an expiry.`,
    hint: 'Ask for an owner link without an expiry, or ask somebody who has one to claim the document.'
  })

/**
 * Moves an anonymous document into the caller's account. The caller holds an owner link. The link stays valid unless the caller asks otherwise.
 * Throws `already_claimed` if the document belongs to somebody else, and `forbidden` if the link expires.
 */
export const claimDocument: OnDocument<'claimDocument'> = async (service, caller, doc, input) => {
  const owner = ownerOf(caller)
  const link = input.revokeKey === true ? caller.share : null
  const snapshot = await currentContent(service, doc)
  const claim = (tx: Transaction, links: readonly Share[]): Output<'claimDocument'> => {
    const before = tx.head.owner
    if (before.kind !== 'anonymous' && (before.kind !== owner.kind || before.id !== owner.id)) throw new ServiceError('already_claimed')
    if (before.kind === 'anonymous') {
      const expiresAt = links.find(({ id }) => id === caller.share)?.expiresAt ?? null
      if (expiresAt !== null) throw endsBefore(expiresAt)
      tx.head = withOwner(tx.head, owner)
      const owned = ownedKey(tx.head)
      if (owned !== undefined) tx.put(owned, encodeRecord({ doc } satisfies Owned))
      tx.event('doc.claimed', actorOf(caller), { owner })
    }
    if (link !== null) putRevocationOfClaim(tx, caller, doc, links, link)
    const presented = presentDocument(tx.head, { ...caller, role: 'owner' }, snapshot, `${service.baseUrl}/d/${doc}`)
    return remember(service, tx, caller, doc, { ok: true, claimed: true, doc: presented })
  }
  const answer = await changeLinks(service, caller, doc, claim)
  if (link !== null) service.live.end(doc, link, 'credential_invalid')
  return answer
}
