/** From credentials and a document to a Caller: the only place where a role is computed. */
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import { shareKeyPattern } from '../../shared/names.ts'
import { anonymous, type Caller } from './caller.ts'
import { decodeRecord, encodeRecord, type KeyIndex, keys, type Share } from './keys.ts'
import { hashSecret } from './secrets.ts'
import type { Service } from './service.ts'

/** What a request or a socket brought along, unchecked. */
export interface Credentials {
  /** Share key. */
  readonly key?: string | undefined
  /** Bearer token: `asess_…` or `ai_…`. */
  readonly bearer?: string | undefined
  /** Name that a guest or agent gives itself (specification, Authentication, rule 6). */
  readonly author?: string | undefined
}

interface FoundKey {
  readonly doc: string
  /** Undefined when the document is deleted. */
  readonly share: Share | undefined
}

/** The link of a key. Errors: `credential_invalid` when there is none, or it has expired or was revoked. */
const findKey = async ({ storage, clock }: Service, key: string): Promise<FoundKey> => {
  const entry = shareKeyPattern.test(key) ? await storage.get(keys.key(hashSecret(key))) : undefined
  const index = entry && decodeRecord<KeyIndex>(entry.value)
  if (index === undefined || index.revoked || (index.expiresAt !== null && index.expiresAt <= clock.now()))
    throw new ServiceError('credential_invalid')
  const share = await storage.get(keys.share(index.doc, index.share))
  return { doc: index.doc, share: share && decodeRecord<Share>(share.value) }
}

const noted = new WeakMap<Service, Map<string, number>>()
const notedMax = 10_000

/** Notes the time of use now and then. */
const touch = (service: Service, doc: string, share: string): void => {
  const times = noted.get(service) ?? new Map<string, number>()
  noted.set(service, times)
  const now = service.clock.now()
  if (now - (times.get(share) ?? 0) < limits.lastUsedSeconds * 1000) return
  if (times.size >= notedMax) times.clear()
  times.set(share, now)
  // A failure is of no consequence for the request, and a later use tries again.
  service.ledger.write(doc, (draft) => draft.put(keys.use(doc, share), encodeRecord(now))).catch(() => undefined)
}

const guest = (credentials: Credentials): Caller => ({ ...anonymous, identity: { kind: 'guest', name: credentials.author ?? null } })

const checkBearer = (credentials: Credentials): void => {
  // No issuer of sessions or agent tokens is configured: such a token is never ignored.
  if (credentials.bearer !== undefined) throw new ServiceError('credential_invalid')
}

/**
 * The caller of an operation on a document.
 * Errors: `credential_required` without any credential, whether or not the document exists; `credential_invalid`; `not_found` when the
 * credential is good but not for this document; `document_deleted` to holders of its links.
 */
export const callerOfDocument = async (service: Service, doc: string, credentials: Credentials): Promise<Caller> => {
  checkBearer(credentials)
  if (credentials.key === undefined) throw new ServiceError('credential_required')
  const found = await findKey(service, credentials.key)
  if (found.doc !== doc) throw new ServiceError('not_found')
  if (found.share === undefined) throw new ServiceError('document_deleted')
  touch(service, doc, found.share.id)
  const { id: share, role, task = null, expiresAt } = found.share
  return { ...guest(credentials), role, share, task, expiresAt }
}

/** The caller of an operation that is about no document. Errors: `credential_invalid`. */
export const callerOfService = async (service: Service, credentials: Credentials): Promise<Caller> => {
  checkBearer(credentials)
  if (credentials.key !== undefined) await findKey(service, credentials.key)
  return guest(credentials)
}
