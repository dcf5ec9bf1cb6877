/** Share links: a secret that grants one role (specification, Share link; api.md, Shares). */
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import { shareKeyPattern } from '../../shared/names.ts'
import type { Input, Output } from '../../shared/operations/index.ts'
import type { Role } from '../../shared/roles.ts'
import { actorOf, type Caller, requireRole } from './caller.ts'
import { remember } from './idempotency.ts'
import { decodeRecord, encodeRecord, type KeyIndex, keys, type Share, type Task } from './keys.ts'
import type { Draft } from './ledger.ts'
import type { Key } from './ports.ts'
import { hashSecret, newId, newShareKey } from './secrets.ts'
import type { Service } from './service.ts'

const instant = (ms: number): string => new Date(ms).toISOString()
const instantOrNull = (ms: number | null): string | null => (ms === null ? null : instant(ms))

export const shareUrl = ({ baseUrl }: Service, doc: string, secret: string): string => `${baseUrl}/d/${doc}?key=${secret}`

/** Canonical Markdown of the document with this link. */
export const agentUrl = ({ baseUrl }: Service, doc: string, secret: string): string => `${baseUrl}/d/${doc}.md?key=${secret}`

const present = (service: Service, doc: string, share: Share, lastUsedAt: number | null): Output<'listShares'>['shares'][number] => {
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
    lastUsedAt: instantOrNull(lastUsedAt),
    revoked: share.revokedAt !== null
  }
}

interface NewShare {
  readonly role: Role
  readonly label: string | null
  readonly expiresAt: number | null
  /** The review assignment that it is for. */
  readonly task?: string
}

/** Puts a new link and its index into the draft. Errors: `invalid_request` when the document has as many as it may. */
export const putShare = (
  service: Service,
  draft: Draft,
  doc: string,
  { role, label, expiresAt, task }: NewShare
): { share: Share; secret: string } => {
  if (draft.head.shares >= limits.sharesMax)
    throw new ServiceError('invalid_request', { message: `A document may have ${limits.sharesMax} links; revoke one first.` })
  const id = newId()
  const secret = newShareKey()
  const share: Share = {
    id,
    role,
    label,
    hash: hashSecret(secret),
    sealed: service.vault.seal(secret, id),
    createdAt: draft.now,
    expiresAt,
    revokedAt: null,
    ...(task === undefined ? {} : { task })
  }
  draft.put(keys.share(doc, id), encodeRecord(share))
  draft.put(keys.key(share.hash), encodeRecord({ doc, share: id, expiresAt, revoked: false } satisfies KeyIndex))
  draft.head = { ...draft.head, shares: draft.head.shares + 1 }
  return { share, secret }
}

const expiry = (service: Service, text: string | null | undefined): number | null => {
  if (text === null || text === undefined) return null
  const at = Date.parse(text)
  if (at <= service.clock.now())
    throw new ServiceError('invalid_request', { details: [{ path: 'expiresAt', message: 'must be in the future' }] })
  return at
}

export const createShare = async (
  service: Service,
  caller: Caller,
  doc: string,
  input: Input<'createShare'>
): Promise<Output<'createShare'>> => {
  if (input.role === 'owner') requireRole(caller, 'owner')
  const expiresAt = expiry(service, input.expiresAt)
  return service.ledger.write(doc, caller, (draft) => {
    const { share } = putShare(service, draft, doc, { role: input.role, label: input.label ?? null, expiresAt })
    draft.event('share.created', actorOf(caller), { shareId: share.id, role: share.role, label: share.label })
    const answer = present(service, doc, share, null)
    return remember(service, draft, caller, doc, { ...answer, share: answer })
  })
}

export const listShares = async (service: Service, doc: string): Promise<Output<'listShares'>> => {
  const [entries, uses] = await Promise.all([service.storage.list(keys.shares(doc)), service.storage.list(keys.uses(doc))])
  const used = new Map(uses.map((entry) => [entry.key.at(-1), decodeRecord<number>(entry.value)]))
  const shares = entries.map((entry) => decodeRecord<Share>(entry.value)).toSorted((one, other) => other.createdAt - one.createdAt)
  return { shares: shares.map((share) => present(service, doc, share, used.get(share.id) ?? null)) }
}

/** A link by its id or its secret. Errors: `not_found`. */
const getShare = async ({ storage }: Service, doc: string, name: string): Promise<Share> => {
  const index = shareKeyPattern.test(name) ? await storage.get(keys.key(hashSecret(name))) : undefined
  const found = index && decodeRecord<KeyIndex>(index.value)
  const entry = await storage.get(keys.share(doc, found?.doc === doc ? found.share : name))
  if (entry === undefined) throw new ServiceError('not_found', { message: 'This document has no such link.' })
  return decodeRecord<Share>(entry.value)
}

/** Revokes the link at `key`, which the change reads. False when it is revoked already. */
export const putRevocation = (draft: Draft, caller: Caller, doc: string, key: Key): boolean => {
  const share = draft.read<Share>(key)
  if (share === undefined || share.revokedAt !== null) return false
  const { id, hash, role, label, expiresAt } = share
  draft.put(key, encodeRecord({ ...share, revokedAt: draft.now }))
  draft.put(keys.key(hash), encodeRecord({ doc, share: id, expiresAt, revoked: true } satisfies KeyIndex))
  draft.head = { ...draft.head, shares: draft.head.shares - 1 }
  draft.event('share.revoked', actorOf(caller), { shareId: id, role, label })
  return true
}

export const revokeShare = async (
  service: Service,
  caller: Caller,
  doc: string,
  input: Input<'revokeShare'>
): Promise<Output<'revokeShare'>> => {
  const { id, task } = await getShare(service, doc, input.share)
  const key = keys.share(doc, id)
  const taskKey = task === undefined ? undefined : keys.task(doc, task)
  const revoke = (draft: Draft): Output<'revokeShare'> => {
    const revoked = putRevocation(draft, caller, doc, key)
    const reviewed = taskKey && draft.read<Task>(taskKey)
    // The assignment shows its link: it must not show a dead one as if it were alive.
    if (revoked && taskKey !== undefined && reviewed !== undefined)
      draft.put(taskKey, encodeRecord({ ...reviewed, share: { ...reviewed.share, revoked: true } } satisfies Task))
    return remember(service, draft, caller, doc, { ok: true, revoked: true })
  }
  const answer = await service.ledger.write(doc, caller, revoke, { reads: taskKey === undefined ? [key] : [key, taskKey] })
  service.live.end(doc, id, 'credential_invalid')
  return answer
}
