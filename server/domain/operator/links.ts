/** Links of all documents, as administrators see and revoke them. Nobody sees their secrets. */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import type { Role } from '../../../shared/roles.ts'
import { term } from '../../../shared/words.ts'
import type { Head, Share } from '../records/keys.ts'
import { isLive } from '../rights/authority.ts'
import { listLinks } from '../rights/lineage.ts'
import { lastUse, revokeForOperator } from '../rights/shares.ts'
import type { Service } from '../service.ts'
import type { Page, PageInput } from './access.ts'
import { idsOfDocuments, storedHead, titleIn, turnDocuments } from './documents.ts'
import { actorIn, type Operator } from './operator.ts'

/** A valid link. All times are in ISO 8601. */
export interface FoundLink {
  readonly id: string
  readonly doc: string
  readonly title: string
  readonly role: Role
  /** The name that the link was given; null if it has none. */
  readonly label: string | null
  readonly createdAt: string
  readonly lastUsedAt: string | null
  readonly expiresAt: string | null
  /** Whether a page or a waiting request uses it now. */
  readonly inUse: boolean
}

/** Selects the links of one document, or of all documents of an account. Without either, selects the links of all documents. */
export interface LinksInput extends PageInput {
  readonly doc?: string | undefined
  readonly account?: string | undefined
}

const instant = (ms: number): string => new Date(ms).toISOString()
const instantOrNull = (ms: number | null): string | null => (ms === null ? null : instant(ms))

const present = async (
  service: Service,
  head: Head,
  title: string,
  { id, role, label, createdAt, expiresAt }: Share
): Promise<FoundLink> => ({
  id,
  doc: head.id,
  title,
  role,
  label,
  createdAt: instant(createdAt),
  lastUsedAt: instantOrNull(await lastUse(service, head.id, id)),
  expiresAt: instantOrNull(expiresAt),
  inUse: service.live.isUsed(head.id, id)
})

/** Returns a document's valid links after a given link, ordered by id. */
const linksOf = async (service: Service, doc: string, after: string | undefined): Promise<Share[]> => {
  const now = service.clock.now()
  const links = (await listLinks(service, doc)).filter((link) => isLive(link, now) && (after === undefined || link.id > after))
  return links.toSorted((one, other) => (one.id < other.id ? -1 : 1))
}

/**
 * Returns a page of valid links, ordered by document. A page may end before it is full; `nextAfter` continues it. Throws `not_found` if there is no such
 * document or account.
 */
export const listAllLinks = async (
  service: Service,
  { doc, account, after, limit = limits.adminPageDefault }: LinksInput = {}
): Promise<Page<FoundLink>> => {
  const [afterDoc, afterLink] = (after ?? '').split(' ')
  if (doc !== undefined) await storedHead(service, doc)
  const next = doc === undefined ? await idsOfDocuments(service, account) : async (last?: string) => (last === undefined ? [doc] : [])
  const found: FoundLink[] = []
  /** Adds the links of a document. Returns the position of the last one if the page is full. */
  const add = async (id: string, from: string | undefined): Promise<string | undefined> => {
    const head = await service.ledger.findHead(id)
    if (head === undefined || head.deletedAt !== null) return undefined
    const links = await linksOf(service, id, from)
    const title = links.length === 0 ? '' : await titleIn(service, head)
    for (const link of links) {
      found.push(await present(service, head, title, link))
      if (found.length === limit) return `${id} ${link.id}`
    }
    return undefined
  }
  const full = afterDoc && afterLink !== undefined ? await add(afterDoc, afterLink) : undefined
  if (full !== undefined) return { found, nextAfter: full }
  for (let last = afterDoc === '' ? undefined : afterDoc, looked = 0; looked < limits.adminDocumentsScanMax;) {
    const ids = (await next(last)).slice(0, turnDocuments)
    if (ids.length === 0) return { found, nextAfter: null }
    for (const id of ids) {
      last = id
      looked += 1
      const place = await add(id, undefined)
      if (place !== undefined) return { found, nextAfter: place }
    }
    if (looked >= limits.adminDocumentsScanMax) return { found, nextAfter: last ?? null }
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { found, nextAfter: null }
}

/**
 * Revokes a link of any document, and the links made through it. Their open pages are disconnected. Returns the number of links. Throws `not_found` or
 * `last_owner_link`.
 */
export const revokeAnyLink = async (
  service: Service,
  operator: Operator,
  doc: string,
  link: string
): Promise<{ readonly ended: number }> => {
  const head = await storedHead(service, doc)
  if (head.deletedAt !== null) throw new ServiceError('not_found', { message: term('This document has no such link.') })
  const ended = await revokeForOperator(service, operator.by, { audited: operator.actor, actor: actorIn(operator) }, doc, link)
  return { ended: ended.length }
}
