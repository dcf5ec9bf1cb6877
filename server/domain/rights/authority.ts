/**
 * Decides whether access that was granted is still valid. An admitted request may take a long time: its body arrives slowly, a document must load,
 * or other requests come first. Therefore, each change that a caller makes checks the same records again, in the same turn of the event loop.
 */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import { includesRole, type Role } from '../../../shared/roles.ts'
import { type Account, isCurrent } from '../accounts/accounts.ts'
import type { Caller, Scope } from './caller.ts'
import { decodeRecord, type Head, type Share } from '../records/keys.ts'
import type { Batch, Check, Key } from '../ports.ts'
import type { Service } from '../service.ts'

/** Returns the keys of the records on which a caller's access depends. */
export const keysOfRight = ({ rests: { share, session, account } }: Caller): Key[] =>
  [share, session, account].filter((key) => key !== null)

/** Returns the lower of two ceilings; null if there is no ceiling. */
export const lowerRole = (one: Role | null, other: Role | null): Role | null => {
  if (one === null || other === null) return one ?? other
  return includesRole(one, other) ? other : one
}

/** Returns the role `owner` if the account or agent owns the document, otherwise null. */
export const ownRole = (head: Pick<Head, 'owner'> | undefined, { kind, ...identity }: Caller['identity']): Role | null =>
  kind !== 'guest' && head?.owner.kind === kind && 'id' in identity && head.owner.id === identity.id ? 'owner' : null

/** Whether a document is within a program's scope. */
export const isWithin = (scope: Scope | null, doc: string): boolean => scope === null || scope.docs === null || scope.docs.includes(doc)

/** Whether a program with this scope may create documents. A scope with a list of documents cannot include a new document. */
export const mayCreate = (scope: Scope | null): boolean => scope === null || (scope.docs === null && includesRole(scope.role, 'edit'))

/**
 * Returns the role that credentials give on a document; null if they give none. Each credential is a ceiling. `share` is the role of the link, or
 * null. A program cannot see documents outside its scope, not even through a link.
 */
export const roleOn = (
  doc: string,
  head: Pick<Head, 'owner'> | undefined,
  { identity, scope }: Pick<Caller, 'identity' | 'scope'>,
  share: Role | null
): Role | null => {
  const role = lowerRole(ownRole(head, identity), share)
  if (role === null || scope === null) return role
  return isWithin(scope, doc) ? lowerRole(role, scope.role) : null
}

/** Whether a link gives access at a point in time. */
export const isLive = (share: Share | undefined, now: number): share is Share =>
  share !== undefined && share.revokedAt === null && (share.expiresAt === null || share.expiresAt > now)

/** Returns the record of a key that `keysOfRight` returned. */
type Read = <T>(key: Key) => T | undefined

const requireCredentials = ({ rests, expiresAt }: Caller, now: number, read: Read): void => {
  const { share, session, account, epoch } = rests
  const ended =
    (expiresAt !== null && expiresAt <= now) ||
    (share !== null && !isLive(read<Share>(share), now)) ||
    (session !== null && read<string>(session) === undefined)
  const found = account === null ? undefined : read<Account>(account)
  if (ended || (account !== null && !isCurrent(found, epoch))) throw new ServiceError('credential_invalid')
}

const requireSameRole = (caller: Caller, head: Head, read: Read): void => {
  const { share } = caller.rests
  const role = roleOn(head.id, head, caller, share === null ? null : (read<Share>(share)?.role ?? null))
  if (role === null) throw new ServiceError('not_found')
  if (caller.role !== null && !includesRole(role, caller.role)) throw new ServiceError('forbidden', { requiredRole: caller.role, role })
}

/**
 * Checks again whether granted access is still valid. `head` is the document's head, if the access is to a document. Throws the error that a new
 * request would get: `credential_invalid`, `not_found` or `forbidden`.
 */
export const requireRight = (caller: Caller, head: Head | undefined, now: number, read: Read): void => {
  requireCredentials(caller, now, read)
  if (head !== undefined && caller.role !== null) requireSameRole(caller, head, read)
}

/**
 * Checks access again. `doc` is '' if the access concerns no document. Returns checks with which a commit succeeds only while the access is
 * valid. With `inTrash`, accepts a document in the trash. Throws the errors of `requireRight`, and `document_deleted` if the document was deleted.
 */
export const requireRightNow = async (
  { storage, clock, ledger }: Service,
  doc: string,
  caller: Caller,
  { inTrash = false }: { readonly inTrash?: boolean } = {}
): Promise<Check[]> => {
  const found = await Promise.all(keysOfRight(caller).map(async (key) => ({ key, entry: await storage.get(key) })))
  const head = doc === '' ? undefined : await (inTrash ? ledger.findHead(doc) : ledger.head(doc))
  requireRight(caller, head, clock.now(), <T>(key: Key) => {
    const value = found.find((each) => each.key === key)?.entry?.value
    return value && decodeRecord<T>(value)
  })
  return found.map(({ key, entry }) => ({ key, version: entry?.version ?? null }))
}

/** Commits a batch for a caller. Resolves to false if a check in the batch failed. Throws `credential_invalid` if the caller's access has ended. */
export const commitFor = async (service: Service, caller: Caller, batch: Batch): Promise<boolean> => {
  for (let attempts = 0; attempts < limits.commitAttemptsMax; attempts++) {
    const checks = await requireRightNow(service, '', caller)
    if (await service.storage.commit({ ...batch, checks: [...(batch.checks ?? []), ...checks] })) return true
    if (batch.checks !== undefined && batch.checks.length > 0) return false
  }
  throw new ServiceError('storage_unavailable')
}
