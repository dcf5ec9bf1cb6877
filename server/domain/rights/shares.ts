/** Share links. A share link is a secret that grants one role (docs/api.md, Shares). */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import { shareKeyPattern } from '../../../shared/names.ts'
import type { Input, Output } from '../../../shared/operations/index.ts'
import type { Role } from '../../../shared/roles.ts'
import { isLive } from './authority.ts'
import { actorOf, type By, type Caller, requireRole } from './caller.ts'
import { audit, type AuditActor, auditActor } from '../records/audit.ts'
import { remember } from '../records/idempotency.ts'
import { decodeRecord, encodeRecord, isFirstLink, type KeyIndex, keys, type Share, type Task } from '../records/keys.ts'
import type { Transaction } from '../records/transaction.ts'
import { changeLinks, endWithin, lineageOf, listLinks, makerOf, requireNotFreed, requireOwnerLeft, rootOf } from './lineage.ts'
import { hashSecret, newId, newShareKey } from '../secrets.ts'
import { term } from '../../../shared/words.ts'
import type { Service } from '../service.ts'
import type { OnDocument } from '../on-document.ts'

const instant = (ms: number): string => new Date(ms).toISOString()
const instantOrNull = (ms: number | null): string | null => (ms === null ? null : instant(ms))

export const shareUrl = ({ baseUrl }: Service, doc: string, secret: string): string => `${baseUrl}/d/${doc}?key=${secret}`

/** Returns the address of the document's canonical Markdown with the key of this link. */
export const agentUrl = ({ baseUrl }: Service, doc: string, secret: string): string => `${baseUrl}/d/${doc}.md?key=${secret}`

export const presentShare = (
  service: Service,
  doc: string,
  share: Share,
  lastUsedAt: number | null
): Output<'listShares'>['shares'][number] => {
  const secret = service.vault.open(share.sealed, share.id)
  return {
    id: share.id,
    secret,
    key: secret,
    role: share.role,
    url: shareUrl(service, doc, secret),
    agentUrl: agentUrl(service, doc, secret),
    label: share.label,
    createdAt: instant(share.createdAt),
    expiresAt: instantOrNull(share.expiresAt),
    madeThrough: share.maker ?? null,
    lastUsedAt: instantOrNull(lastUsedAt),
    first: isFirstLink(share),
    revoked: share.revokedAt !== null
  }
}

/** Stores a link that is not revoked, and its index. */
export const putRecords = (tx: Transaction, doc: string, share: Share): void => {
  const { id, hash, expiresAt } = share
  tx.put(keys.share(doc, id), encodeRecord(share))
  tx.put(keys.key(hash), encodeRecord({ doc, share: id, expiresAt, revoked: false } satisfies KeyIndex))
}

interface NewShare {
  readonly by: Caller
  /** The link through which the new link is made. The new link ends together with it. Undefined if the new link has no maker. */
  readonly maker: Share | undefined
  readonly role: Role
  readonly label: string | null
  readonly expiresAt: number | null
  /** The review assignment for which the link is made. */
  readonly task?: string
  /** Whether the link is made with the document. */
  readonly first?: boolean
}

/**
 * Puts a new link and its index into the transaction. Throws `invalid_request` if the document has too many links, or if the link would outlast its maker.
 */
export const putShare = (
  service: Service,
  tx: Transaction,
  doc: string,
  { by, maker, role, label, expiresAt, task, first = false }: NewShare
): { share: Share; secret: string } => {
  const { shares, taskShares = 0 } = tx.head
  if (task === undefined ? shares >= limits.sharesMax : taskShares >= limits.taskSharesMax) throw tooManyLinks(task !== undefined)
  const id = newId()
  const secret = newShareKey()
  const root = rootOf(maker)
  const share: Share = {
    id,
    role,
    label,
    hash: hashSecret(secret),
    sealed: service.vault.seal(secret, id),
    createdAt: tx.now,
    expiresAt: endWithin(maker, expiresAt),
    revokedAt: null,
    first,
    ...(task === undefined ? {} : { task }),
    ...(maker === undefined ? {} : { maker: maker.id }),
    ...(root === undefined ? {} : { root })
  }
  putRecords(tx, doc, share)
  audit(tx, { kind: 'link.made', by: auditActor(by), doc, link: id, role })
  const counted = task === undefined ? { shares: shares + 1 } : { taskShares: taskShares + 1 }
  tx.head = { ...tx.head, ...counted, sharesMade: (tx.head.sharesMade ?? 0) + 1 }
  return { share, secret }
}

const tooManyLinks = (ofTasks: boolean): ServiceError => {
  const message = ofTasks
    ? `A document may have ${limits.taskSharesMax} live links of review assignments; first close some assignments with revokeLink: true.`
    : `A document may have ${limits.sharesMax} links; revoke one first.`
  return new ServiceError('invalid_request', { message })
}

/**
 * Makes room for a link when the number of links has reached its limit. Expired links were still counted, because nobody revoked them. This counts
 * the links again without them. Changes nothing if a link has since been made.
 */
export const makeRoom = async (service: Service, doc: string): Promise<void> => {
  const { shares, taskShares = 0, sharesMade } = await service.ledger.head(doc)
  if (shares < limits.sharesMax && taskShares < limits.taskSharesMax) return
  const living = (await listLinks(service, doc)).filter((link) => isLive(link, service.clock.now()))
  const ofTasks = living.filter(({ task }) => task !== undefined).length
  await service.ledger.write(doc, 'system', (tx) => {
    if (tx.head.sharesMade === sharesMade) tx.head = { ...tx.head, shares: living.length - ofTasks, taskShares: ofTasks }
  })
}

/** Returns the requested end of a link, in milliseconds since 1970; null if it has none. Throws `invalid_request` if the end has passed. */
export const expiry = (service: Service, text: string | null | undefined): number | null => {
  if (text === null || text === undefined) return null
  const at = Date.parse(text)
  if (at <= service.clock.now())
    throw new ServiceError('invalid_request', { details: [{ path: 'expiresAt', message: 'must be in the future' }] })
  return at
}

export const createShare: OnDocument<'createShare'> = async (service, caller, doc, input) => {
  if (input.role === 'owner') requireRole(caller, 'owner')
  const expiresAt = expiry(service, input.expiresAt)
  await makeRoom(service, doc)
  return service.ledger.write(doc, caller, (tx) => {
    const maker = makerOf(tx, caller)
    const { share } = putShare(service, tx, doc, { by: caller, maker, role: input.role, label: input.label ?? null, expiresAt })
    const { id: shareId, role, label } = share
    tx.event('share.created', actorOf(caller), { shareId, role, label, ...(maker && { madeThrough: maker.id }) })
    const answer = presentShare(service, doc, share, null)
    return remember(service, tx, caller, doc, { ...answer, share: answer })
  })
}

/** Returns the sort position of a link: by creation time, then by id. */
const placeOf = ({ createdAt, id }: Share): string => `${String(createdAt).padStart(15, '0')}-${id}`

/** Returns the time of a link's last use: now if a page or program is connected through it, null if the link has never been used. */
export const lastUse = async ({ clock, live, storage }: Service, doc: string, share: string): Promise<number | null> => {
  if (live.isUsed(doc, share)) return clock.now()
  const used = await storage.get(keys.use(doc, share))
  return used === undefined ? null : decodeRecord<number>(used.value)
}

/** Returns a document's links, newest first, page by page. */
export const listShares = async (service: Service, doc: string, input: Input<'listShares'>): Promise<Output<'listShares'>> => {
  const { before, limit = limits.sharePageMax, ended = true, id } = input
  const now = service.clock.now()
  const links = (await listLinks(service, doc))
    .filter((link) => (ended || isLive(link, now)) && (id === undefined || id === link.id))
    .map((link) => ({ link, place: placeOf(link) }))
  const after = links
    .toSorted((one, other) => (one.place < other.place ? 1 : -1))
    .filter(({ place }) => before === undefined || place < before)
  const page = after.slice(0, limit)
  const shares = await Promise.all(page.map(async ({ link }) => presentShare(service, doc, link, await lastUse(service, doc, link.id))))
  return { shares, nextBefore: after.length > limit ? (page.at(-1)?.place ?? null) : null }
}

/** Returns a link by its id or its secret. Throws `not_found`. */
export const getShare = async ({ storage }: Service, doc: string, name: string): Promise<Share> => {
  const index = shareKeyPattern.test(name) ? await storage.get(keys.key(hashSecret(name))) : undefined
  const found = index && decodeRecord<KeyIndex>(index.value)
  const entry = await storage.get(keys.share(doc, found?.doc === doc ? found.share : name))
  if (entry === undefined) throw new ServiceError('not_found', { message: 'This document has no such link.' })
  return decodeRecord<Share>(entry.value)
}

export const readShare = async (service: Service, doc: string, { share }: Input<'readShare'>): Promise<Output<'readShare'>> => {
  const link = await getShare(service, doc, share)
  return { share: presentShare(service, doc, link, await lastUse(service, doc, link.id)) }
}

/** The person or program that ends a link, as the audit log and the events name it. */
export interface Ender {
  readonly audited: AuditActor
  readonly actor: string
}

export const enderOf = (caller: Caller): Ender => ({ audited: auditActor(caller), actor: actorOf(caller) })

/** Revokes a link, and marks it as revoked in its review assignment. `through` is the id of the link whose revocation also ends this link. */
export const putRevocation = (tx: Transaction, ender: Ender, doc: string, share: Share, through?: string): void => {
  const { id, hash, role, label, expiresAt, task } = share
  const { shares, taskShares } = tx.head
  tx.put(keys.share(doc, id), encodeRecord({ ...share, revokedAt: tx.now } satisfies Share))
  tx.put(keys.key(hash), encodeRecord({ doc, share: id, expiresAt, revoked: true } satisfies KeyIndex))
  // The count may already exclude an expired link (`makeRoom`).
  if (isLive(share, tx.now)) {
    const ofTask = task !== undefined && taskShares !== undefined && taskShares > 0
    tx.head = { ...tx.head, ...(ofTask ? { taskShares: taskShares - 1 } : { shares: Math.max(0, shares - 1) }) }
  }
  audit(tx, { kind: 'link.revoked', by: ender.audited, doc, link: id })
  tx.event('share.revoked', ender.actor, { shareId: id, role, label, ...(through === undefined ? {} : { endedWith: through }) })
  const reviewed = task === undefined ? undefined : tx.read<Task>(keys.task(doc, task))
  // The assignment shows its link, and must not show a revoked link as valid.
  if (reviewed !== undefined)
    tx.put(keys.task(doc, reviewed.id), encodeRecord({ ...reviewed, share: { ...reviewed.share, revoked: true } } satisfies Task))
}

/** Changes the maker of all links made through one link. If the new maker is undefined, the links no longer have a maker. */
const passOn = (tx: Transaction, doc: string, links: readonly Share[], from: string, to: string | undefined): void => {
  for (const { maker, ...link } of links)
    if (maker === from)
      tx.put(keys.share(doc, link.id), encodeRecord({ ...link, ...(to === undefined ? {} : { maker: to }) } satisfies Share))
}

/** Revokes the link that was used to claim a document. Links made through it now belong to the account. */
export const putRevocationOfClaim = (tx: Transaction, caller: Caller, doc: string, links: readonly Share[], id: string): void => {
  const link = links.find((each) => each.id === id)
  if (link !== undefined) putRevocation(tx, enderOf(caller), doc, link)
  passOn(tx, doc, links, id, undefined)
}

/**
 * Revokes a link and, unless `keep` is set, the links made through it. Returns the ids of all links that ended. Throws `last_owner_link` or
 * `forbidden`.
 */
const putRevocations = (tx: Transaction, caller: Caller, doc: string, links: readonly Share[], id: string, keep: boolean): string[] => {
  const lineage = lineageOf(links, id)
  const ended = keep ? lineage.slice(0, 1) : lineage
  if (keep && lineage[0] !== undefined) requireNotFreed(lineage[0], lineage, makerOf(tx, caller))
  requireOwnerLeft(tx, links, ended)
  for (const link of ended) putRevocation(tx, enderOf(caller), doc, link, link.id === id ? undefined : id)
  if (keep) passOn(tx, doc, links, id, lineage[0]?.maker)
  return ended.map((link) => link.id)
}

/**
 * Revokes a link, closes its connections, and revokes all links made through it unless the caller keeps them. Throws `not_found` or
 * `last_owner_link`.
 */
export const revokeShare: OnDocument<'revokeShare'> = async (service, caller, doc, input) => {
  const { id } = await getShare(service, doc, input.share)
  const answer = await changeLinks(service, caller, doc, (tx, links): Output<'revokeShare'> => {
    const ended = putRevocations(tx, caller, doc, links, id, input.keep === 'links')
    return remember(service, tx, caller, doc, { ok: true, revoked: true, ended: ended.filter((each) => each !== id) })
  })
  for (const each of [id, ...answer.ended]) service.live.end(doc, each, 'credential_invalid')
  return answer
}

/**
 * Revokes a link of any document for an operator, together with all links made through it, and closes their connections. Returns the ids of the links
 * that ended. Throws `not_found` or `last_owner_link`.
 */
export const revokeForOperator = async (service: Service, by: By, ender: Ender, doc: string, id: string): Promise<readonly string[]> => {
  const ended = await changeLinks(service, by, doc, (tx, links) => {
    const lineage = lineageOf(links, id)
    if (lineage.length === 0) throw new ServiceError('not_found', { message: term('This document has no such link.') })
    requireOwnerLeft(tx, links, lineage)
    for (const link of lineage) putRevocation(tx, ender, doc, link, link.id === id ? undefined : id)
    return lineage.map((link) => link.id)
  })
  for (const each of ended) service.live.end(doc, each, 'credential_invalid')
  return ended
}
