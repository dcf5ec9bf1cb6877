/**
 * Links that were made through other links. The maker of a link is the link through which it was made. A link never outlives its maker. Otherwise,
 * the holder of the maker could extend their own access. A link that the document's owner made while signed in has no maker.
 */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import { includesRole, type Role } from '../../../shared/roles.ts'
import { isLive, lowerRole, ownRole } from './authority.ts'
import type { By, Caller } from './caller.ts'
import { decodeRecord, keys, type Share } from '../records/keys.ts'
import type { Transaction } from '../records/transaction.ts'
import type { Service } from '../service.ts'

/** Returns the link through which a caller makes links; undefined if the caller owns the document without a link. */
export const makerOf = (tx: Transaction, { rests, identity }: Caller): Share | undefined =>
  rests.share === null || ownRole(tx.head, identity) !== null ? undefined : tx.read<Share>(rests.share)

/** Returns the expiry time of a link that is made through another link. Throws `invalid_request` if the requested time is later than the maker's. */
export const endWithin = (maker: Share | undefined, asked: number | null): number | null => {
  const latest = maker?.expiresAt ?? null
  if (latest === null) return asked
  if (asked !== null && asked > latest) {
    const message = `must not be later than ${new Date(latest).toISOString()}, when the link that you use ends`
    throw new ServiceError('invalid_request', { details: [{ path: 'expiresAt', message }] })
  }
  return asked ?? latest
}

/** Whether one end of access comes before another one. Null means that access never ends. */
export const endsBefore = (one: number | null, other: number | null): boolean => one !== null && (other === null || one < other)

/** Returns the link with this id, followed by all links made through it, directly or indirectly. */
export const lineageOf = (links: readonly Share[], id: string): Share[] => {
  const found = links.filter((link) => link.id === id)
  // The list grows while the loop runs. There are no cycles: a link is younger than its maker, or was raised by a link that has no maker.
  for (const { id: maker } of found) found.push(...links.filter((link) => link.maker === maker))
  return found
}

/** Throws `invalid_request` if the role is higher than the role of the link's maker. The holder of the maker also knows the secret of this link. */
export const requireRoleWithin = (links: readonly Share[], { maker }: Share, role: Role): void => {
  const by = links.find(({ id }) => id === maker)
  if (by === undefined || includesRole(by.role, role)) return
  const message = `must not be higher than ${by.role}, the role of the link through which this one was made; create a new link instead`
  throw new ServiceError('invalid_request', { details: [{ path: 'role', message }] })
}

/**
 * Prepares a link for a higher role or a later end: returns it, with a new maker if it needs one. A caller with a link may raise only links made through it.
 * Otherwise, the raised access could outlast the caller's own access. The first owner link has no maker and never expires. Its holder may also raise
 * links without a maker, which then end with the first owner link. `by` is the caller's link (`makerOf`), and `path` is the field of the request. Throws
 * `invalid_request`.
 */
export const raisedThrough = (links: readonly Share[], link: Share, by: Share | undefined, path: 'role' | 'expiresAt'): Share => {
  // A request that raises the role and the end prepares the link twice.
  if (by === undefined || link.maker === by.id || lineageOf(links, by.id).some(({ id }) => id === link.id)) return link
  if (by.maker === undefined && by.expiresAt === null && link.maker === undefined) return { ...link, maker: by.id }
  const what = path === 'role' ? 'higher than the current role' : 'later than the current time'
  const message = `must not be ${what}: this link was not made through yours; create a new link instead`
  throw new ServiceError('invalid_request', { details: [{ path, message }] })
}

/** Returns the first non-owner link in the chain through which a link was made; undefined if that is the link itself. */
export const rootOf = (maker: Share | undefined): string | undefined =>
  maker === undefined || maker.role === 'owner' ? undefined : (maker.root ?? maker.id)

/** Returns a link with a new role, followed by the links made through it. No link gets a higher role than its maker. */
export const withRole = (links: readonly Share[], id: string, role: Role): Share[] => {
  const changed = new Map<string, Share>()
  for (const { root: _root, ...link } of lineageOf(links, id)) {
    const by = changed.get(link.maker ?? '') ?? links.find((each) => each.id === link.maker)
    const root = rootOf(by)
    const lowered = link.id === id ? role : (lowerRole(by?.role ?? null, link.role) ?? link.role)
    changed.set(link.id, { ...link, role: lowered, ...(root !== undefined && { root }) })
  }
  return [...changed.values()]
}

/** Returns the lineage of a link, in which no link ends after its maker. A link comes after its maker. */
export const withEnds = (links: readonly Share[], lineage: readonly Share[]): Share[] => {
  const ends = new Map(links.map(({ id, expiresAt }) => [id, expiresAt]))
  return lineage.map((link) => {
    const latest = ends.get(link.maker ?? '') ?? null
    const expiresAt = endsBefore(latest, link.expiresAt) ? latest : link.expiresAt
    ends.set(link.id, expiresAt)
    return { ...link, expiresAt }
  })
}

/** Advice for the holder of a link that is about to end and cannot create a link that outlasts it. */
const claimInstead = 'Sign in and claim the document: its account can then revoke every link.'

/**
 * Refuses to keep the caller's link when its maker is revoked. Otherwise, the caller could decide that their own link outlives its maker. The role
 * decides who may revoke a link, but not how long access lasts. Throws `forbidden`.
 */
export const requireNotFreed = (ended: Share, lineage: readonly Share[], by: Share | undefined): void => {
  if (by === undefined || by.id === ended.id || !lineage.some(({ id }) => id === by.id)) return
  throw new ServiceError('forbidden', {
    message: 'The link that you use was made through this one and ends with it. keep=links cannot keep it.',
    hint: `Ask the holder of the link to revoke it with keep=links. ${claimInstead}`
  })
}

/** Throws `last_owner_link` if the document would be left without an account and without an owner link once these links end. */
export const requireOwnerLeft = ({ head, now }: Transaction, links: readonly Share[], ended: readonly Share[]): void => {
  const opens = (link: Share): boolean => link.role === 'owner' && isLive(link, now)
  // A link that expires cannot replace an owner link that never expires.
  const lasts = (link: Share): boolean => opens(link) && link.expiresAt === null
  const needed = ended.some(lasts) ? lasts : opens
  if (head.owner.kind !== 'anonymous' || !ended.some(opens)) return
  if (!links.some((link) => needed(link) && !ended.includes(link))) throw new ServiceError('last_owner_link')
}

/** Returns all links of a document, including links that have ended. */
export const listLinks = async ({ storage }: Service, doc: string): Promise<Share[]> => {
  const links: Share[] = []
  for (let after: string | undefined; ;) {
    const page = await storage.list(keys.shares(doc), after === undefined ? {} : { after })
    links.push(...page.map(({ value }) => decodeRecord<Share>(value)))
    if (page.length < limits.listMax) return links
    after = String(page.at(-1)?.key.at(-1))
  }
}

/**
 * Changes all links of a document that are not revoked, together with their review assignments. No link can be created between listing and changing
 * them, because the head counts all links ever made. Throws the errors of `ledger.write`.
 */
export const changeLinks = async <T>(
  service: Service,
  by: By,
  doc: string,
  change: (tx: Transaction, links: readonly Share[]) => T
): Promise<T> => {
  for (let attempts = 0; attempts < limits.commitAttemptsMax; attempts++) {
    const { sharesMade } = await service.ledger.head(doc)
    const listed = (await listLinks(service, doc)).filter(({ revokedAt }) => revokedAt === null)
    const run = (tx: Transaction): { result: T } | undefined => {
      if (tx.head.sharesMade !== sharesMade) return undefined
      const links = listed.flatMap(({ id }) => tx.read<Share>(keys.share(doc, id)) ?? [])
      return {
        result: change(
          tx,
          links.filter(({ revokedAt }) => revokedAt === null)
        )
      }
    }
    const reads = listed.flatMap(({ id, task }) => [keys.share(doc, id), ...(task === undefined ? [] : [keys.task(doc, task)])])
    const done = await service.ledger.write(doc, by, run, { reads })
    if (done !== undefined) return done.result
  }
  throw new ServiceError('storage_unavailable')
}
