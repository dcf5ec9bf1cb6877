/** Determines the Caller from credentials and a document. Roles are computed only here. */
import { ServiceError, signInHint } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import { isDocumentId, shareKeyPattern } from '../../../shared/names.ts'
import { roleOn } from './authority.ts'
import { epochOf } from '../accounts/accounts.ts'
import { anonymous, asProgram, type Caller, type Identity, type Rests, type Scope } from './caller.ts'
import { documentDeleted, isInTrash } from '../documents/deleted.ts'
import { audit, auditActor } from '../records/audit.ts'
import { decodeRecord, encodeRecord, isFirstLink, type KeyIndex, keys, type Share } from '../records/keys.ts'
import type { Transaction } from '../records/transaction.ts'
import { findProgram, type FoundProgram } from '../accounts/programs.ts'
import { hashSecret } from '../secrets.ts'
import type { Service } from '../service.ts'
import { findSession, type FoundSession } from '../accounts/sessions.ts'

/** The unchecked credentials of a request or a socket. */
export interface Credentials {
  /** The share key. */
  readonly key?: string | undefined
  /** The bearer token: `asess_…`, `apat_…`, `ai_…`, or a token that the broker issued. */
  readonly bearer?: string | undefined
  /**
   * A browser's session cookie. Browsers send it without being asked, so a stale cookie counts as no cookie, and a bearer token overrides it. Pass it
   * only if no page from another site can have sent the request.
   */
  readonly cookie?: string | undefined
  /** The name that a guest or agent chooses (docs/api.md, Conventions). With a bearer token, it is the program's name. */
  readonly author?: string | undefined
  /** Whether the request came to the MCP endpoint. The broker issues tokens that are valid only there. */
  readonly atMcp?: boolean
}

interface FoundKey {
  readonly doc: string
  /** Undefined if the document is deleted. */
  readonly share: Share | undefined
}

/** Returns the link that a key opens. Throws `credential_invalid` if the key is unknown, expired or revoked. */
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

/** Records the time of a link's use, but at most once in `lastUsedSeconds`. The audit log contains the first use. */
const touch = (service: Service, doc: string, share: string, identity: Identity): void => {
  const times = noted.get(service) ?? new Map<string, number>()
  noted.set(service, times)
  const now = service.clock.now()
  if (now - (times.get(share) ?? 0) < limits.lastUsedSeconds * 1000) return
  if (times.size >= notedMax) times.clear()
  times.set(share, now)
  const key = keys.use(doc, share)
  const put = (tx: Transaction): void => {
    if (tx.read<number>(key) === undefined) audit(tx, { kind: 'link.used', by: auditActor({ identity, share }), doc, link: share })
    tx.put(key, encodeRecord(now))
  }
  // The request does not depend on this write. If the write fails, a later use tries again.
  service.ledger.write(doc, 'system', put, { reads: [key] }).catch(() => undefined)
}

/**
 * Returns the name of the person for whom a link was made. The label of a document's first link, or of an assignment's link, is not the name of a
 * person.
 */
const linkName = (share: Share): string | null => (share.task === undefined && !isFirstLink(share) ? share.label : null)

const guest = (credentials: Credentials): Caller => ({ ...anonymous, identity: { kind: 'guest', name: credentials.author ?? null } })

/** The identity and rights that follow from a session or a token. */
interface Holder {
  readonly identity: Exclude<Identity, { kind: 'guest' }>
  readonly session: string | null
  readonly expiresAt: number
  readonly scope: Scope | null
  readonly rests: Omit<Rests, 'share'>
}

const holderOf = ({ session, account }: FoundSession): Holder => ({
  identity: { kind: 'account', id: account.id, name: account.name, ...(account.formerNames && { formerNames: account.formerNames }) },
  session: session.id,
  expiresAt: session.expiresAt,
  scope: null,
  rests: { session: keys.accountSession(account.id, session.id), account: keys.account(account.id), epoch: epochOf(account) }
})

const holderOfProgram = ({ program, account, expiresAt }: FoundProgram): Holder => ({
  identity: { kind: 'account', id: account.id, name: account.name, program: program.name },
  session: program.id,
  expiresAt,
  scope: { role: program.role, docs: program.docs },
  rests: { session: keys.accountProgram(account.id, program.id), account: keys.account(account.id), epoch: epochOf(account) }
})

const holderOfSession = async (service: Service, kind: 'browser' | 'app', token: string): Promise<Holder | undefined> => {
  const found = await findSession(service, kind, token)
  return found && holderOf(found)
}

const holderOfAgentToken = async ({ agents }: Service, token: string): Promise<Holder | undefined> => {
  const agent = await agents?.verify(token)
  if (agent === undefined) return undefined
  const identity = { kind: 'agent', id: agent.id, name: agent.name } as const
  return { identity, session: null, expiresAt: agent.expiresAt, scope: null, rests: anonymous.rests }
}

const refusedBearer = (bearer: string): ServiceError =>
  new ServiceError('credential_invalid', {
    message: /\s/.test(bearer) ? 'Authorization is not a bearer token.' : 'The token is not valid, has expired or was revoked.',
    hint: bearer.startsWith('ai_')
      ? `Get a new token from the issuer of the agent, or use an account. ${signInHint}`
      : signInHint.replace('Sign in', 'Sign in again')
  })

const holderOfBearer = async (service: Service, bearer: string, atMcp: boolean): Promise<Holder | undefined> => {
  if (bearer.startsWith('ai_')) return holderOfAgentToken(service, bearer)
  if (bearer.startsWith('asess_')) return holderOfSession(service, 'app', bearer)
  const found = await findProgram(service, bearer, atMcp)
  return found && holderOfProgram(found)
}

/** Returns the holder of the credentials. Throws `credential_invalid` for an unknown bearer token. */
const findHolder = async (service: Service, { bearer, cookie, author, atMcp = false }: Credentials): Promise<Holder | undefined> => {
  if (bearer === undefined) return cookie === undefined ? undefined : holderOfSession(service, 'browser', cookie)
  // Some programs send the key after the name of another scheme, as in `Token KEY`.
  if (shareKeyPattern.test(bearer.split(' ').at(-1) ?? ''))
    throw new ServiceError('credential_invalid', {
      message: 'You sent a share key in the Authorization header.',
      hint: 'Send the key as X-Share-Key, or as ?key=.'
    })
  const holder = await holderOfBearer(service, bearer, atMcp)
  if (holder === undefined) throw refusedBearer(bearer)
  return { ...holder, identity: asProgram(holder.identity, author) as Holder['identity'] }
}

const earlier = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other)

/**
 * Returns the link that a key opens on this document. Throws `not_found` if the key belongs to another document, and `document_deleted` if the
 * document was deleted.
 */
const shareOf = async (service: Service, doc: string, key: string, identity: Identity): Promise<Share> => {
  const found = await findKey(service, key)
  if (found.doc !== doc) throw new ServiceError('not_found')
  if (found.share === undefined) throw documentDeleted((await service.ledger.findHead(doc)) ?? { deletedAt: null })
  touch(service, doc, found.share.id, identity)
  return found.share
}

/**
 * Returns the caller of an operation on a document. A session or token identifies the caller. If the caller also sends a key, the lower of the
 * caller's own role and the key's role counts. `inTrash` also admits an owner to a document in the trash.
 *
 * Throws `credential_required` if there is no credential, whether or not the document exists. Throws `credential_invalid` if a credential is
 * invalid, and `not_found` if the credentials are valid but not for this document. Throws `document_deleted` for callers who had access.
 */
export const callerOfDocument = async (
  service: Service,
  doc: string,
  credentials: Credentials,
  { inTrash = false }: { readonly inTrash?: boolean } = {}
): Promise<Caller> => {
  const holder = await findHolder(service, credentials)
  const share =
    credentials.key === undefined ? undefined : await shareOf(service, doc, credentials.key, holder?.identity ?? anonymous.identity)
  if (holder === undefined && share === undefined) throw new ServiceError('credential_required', { message: 'This document is private.' })
  // Text that is not an id can be longer than the longest key that the store accepts.
  const head = isDocumentId(doc) ? await service.ledger.findHead(doc) : undefined
  const role = roleOn(doc, head, holder ?? anonymous, share?.role ?? null)
  if (role === null) throw new ServiceError('not_found')
  if (head === undefined) throw new ServiceError('document_deleted')
  if (head.deletedAt !== null && !(inTrash && role === 'owner' && isInTrash(head))) throw documentDeleted(head, role)
  return {
    ...guest(credentials),
    ...(holder && { identity: holder.identity }),
    role,
    share: share?.id ?? null,
    rootShare: share?.root ?? share?.id ?? null,
    task: share?.task ?? null,
    linkName: share === undefined ? null : linkName(share),
    linkEndsAt: share?.expiresAt ?? null,
    session: holder?.session ?? null,
    scope: holder?.scope ?? null,
    expiresAt: earlier(holder?.expiresAt ?? null, share?.expiresAt ?? null),
    rests: { ...(holder?.rests ?? anonymous.rests), share: share === undefined ? null : keys.share(doc, share.id) }
  }
}

/** Returns the caller of an operation that concerns no document. Throws `credential_invalid`. */
export const callerOfService = async (service: Service, credentials: Credentials): Promise<Caller> => {
  const holder = await findHolder(service, credentials)
  const found = credentials.key === undefined ? undefined : await findKey(service, credentials.key)
  return {
    ...guest(credentials),
    ...(holder && { identity: holder.identity }),
    share: found?.share?.id ?? null,
    rootShare: found?.share?.root ?? found?.share?.id ?? null,
    session: holder?.session ?? null,
    scope: holder?.scope ?? null,
    expiresAt: earlier(holder?.expiresAt ?? null, found?.share?.expiresAt ?? null),
    rests: {
      ...(holder?.rests ?? anonymous.rests),
      share: found?.share === undefined ? null : keys.share(found.doc, found.share.id)
    }
  }
}

/**
 * Returns the caller of an operation on the link's document. Without a link, the operation concerns no document. Throws the errors of
 * `callerOfDocument` or `callerOfService`.
 */
export const callerOfLink = async (service: Service, credentials: Credentials): Promise<Caller> => {
  if (credentials.key === undefined) return callerOfService(service, credentials)
  const { doc } = await findKey(service, credentials.key)
  return callerOfDocument(service, doc, credentials)
}

/** Returns the caller for a browser session, on pages that concern no document. */
export const callerOfSession = (found: FoundSession): Caller => ({
  ...anonymous,
  ...holderOf(found),
  rests: { ...holderOf(found).rests, share: null }
})
