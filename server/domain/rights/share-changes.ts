/** Changes of existing links: their role, their end and their name (docs/api.md, Shares). */
import { ServiceError } from '../../../shared/errors.ts'
import type { Output } from '../../../shared/operations/index.ts'
import { includesRole, type Role } from '../../../shared/roles.ts'
import { isLive } from './authority.ts'
import { actorOf, type Caller } from './caller.ts'
import { audit, auditActor } from '../records/audit.ts'
import { remember } from '../records/idempotency.ts'
import type { Share } from '../records/keys.ts'
import type { Transaction } from '../records/transaction.ts'
import {
  changeLinks,
  endsBefore,
  endWithin,
  makerOf,
  raisedThrough,
  requireOwnerLeft,
  requireRoleWithin,
  withEnds,
  withRole
} from './lineage.ts'
import type { Service } from '../service.ts'
import type { OnDocument } from '../on-document.ts'
import { enderOf, expiry, getShare, presentShare, putRecords, putRevocation } from './shares.ts'

/** The new values of a link. Each one that is undefined stays as it is. */
interface Change {
  readonly role: Role | undefined
  readonly label: string | null | undefined
  /** Milliseconds since 1970, or null for a link that never ends. */
  readonly end: number | null | undefined
}

/** The effects of a change: the response, and the links whose role or end changed. */
interface Changed {
  readonly answer: Output<'changeShare'>
  readonly renewed: readonly Share[]
}

const invalid = (path: string, message: string): ServiceError => new ServiceError('invalid_request', { details: [{ path, message }] })

/**
 * Returns a link with its new end. A later end gives more access, as a higher role does, so the same callers may set it. Nobody can extend the link
 * that they use. Throws `invalid_request`.
 */
const withEnd = ({ now }: Transaction, links: readonly Share[], found: Share, by: Share | undefined, asked: number | null): Share => {
  const expiresAt = endWithin(
    links.find(({ id }) => id === found.maker),
    asked
  )
  if (!endsBefore(found.expiresAt, expiresAt)) return { ...found, expiresAt }
  if (!isLive(found, now)) throw invalid('expiresAt', 'cannot change after the link has ended; create a new link instead')
  if (by?.id === found.id) throw invalid('expiresAt', 'must not be later for the link that you use')
  return { ...raisedThrough(links, found, by, 'expiresAt'), expiresAt }
}

/** Stores a changed link, and all links made through it. Throws `invalid_request` or `last_owner_link`. */
const putChange = (
  service: Service,
  tx: Transaction,
  caller: Caller,
  doc: string,
  links: readonly Share[],
  id: string,
  { role: asked, label, end }: Change
): Changed => {
  const before = new Map(links.map((link) => [link.id, link]))
  const found = before.get(id)
  if (found === undefined) throw new ServiceError('not_found', { message: 'This document has no such link.' })
  if (found.task !== undefined)
    throw new ServiceError('invalid_request', { message: 'The link of a review assignment cannot change; revoke the link instead.' })
  const by = makerOf(tx, caller)
  const role = asked ?? found.role
  const raised = includesRole(found.role, role) ? found : raisedThrough(links, found, by, 'role')
  const ending = end === undefined ? raised : withEnd(tx, links, raised, by, end)
  const link = label === undefined ? ending : { ...ending, label }
  const linked = links.map((each) => (each.id === id ? link : each))
  requireRoleWithin(linked, link, role)
  const all = withEnds(linked, withRole(linked, id, role))
  const formerOf = (each: Share): Share => before.get(each.id) ?? each
  const isShortened = (each: Share): boolean => endsBefore(each.expiresAt, formerOf(each).expiresAt)
  requireOwnerLeft(tx, links, all.filter((each) => each.role !== 'owner' || isShortened(each)).map(formerOf))
  // A reviewer needs at least the role `suggest`.
  const ended = all.filter((each) => each.task !== undefined && !includesRole(each.role, 'suggest'))
  const left = all.filter((each) => !ended.includes(each))
  const renewed = left.filter((each) => each.role !== formerOf(each).role || each.expiresAt !== formerOf(each).expiresAt)
  for (const each of left) putRecords(tx, doc, each)
  for (const each of left.filter((one) => renewed.includes(one) || one.label !== formerOf(one).label)) {
    const through = each.id === id ? {} : { changedWith: id }
    tx.event('share.changed', actorOf(caller), { shareId: each.id, role: each.role, label: each.label, ...through })
  }
  // A name is text, and does not change who has access.
  for (const { id: link, role: given } of renewed) audit(tx, { kind: 'link.changed', by: auditActor(caller), doc, link, role: given })
  for (const each of ended) putRevocation(tx, enderOf(caller), doc, formerOf(each), id)
  const share = presentShare(service, doc, { ...link, role }, null)
  const idsOf = (some: readonly Share[]): string[] => some.map((each) => each.id).filter((each) => each !== id)
  const answer = { ...share, share, lowered: idsOf(renewed), ended: idsOf(ended) }
  return { answer: remember(service, tx, caller, doc, answer), renewed }
}

/**
 * Changes the role, the end or the name of a link. The new role and end apply immediately on REST, MCP and WebSocket. Throws `not_found`,
 * `invalid_request` or `last_owner_link`.
 */
export const changeShare: OnDocument<'changeShare'> = async (service, caller, doc, { share, role, label, expiresAt }) => {
  if (role === undefined && label === undefined && expiresAt === undefined) throw invalid('role', 'send a role, a label or an expiresAt')
  const change = { role, label, end: expiresAt === undefined ? undefined : expiry(service, expiresAt) }
  const { id } = await getShare(service, doc, share)
  const { answer, renewed } = await changeLinks(service, caller, doc, (tx, links) => putChange(service, tx, caller, doc, links, id, change))
  for (const link of renewed) service.live.renew(doc, link.id, link.role)
  for (const each of answer.ended) service.live.end(doc, each, 'credential_invalid')
  return answer
}
