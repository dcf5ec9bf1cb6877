/**
 * Sessions: a browser's cookie, or an app's `asess_` token. They are stored under the hash of their secret, and their account can list and revoke
 * them.
 */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import { term } from '../../../shared/words.ts'
import type { Output } from '../../../shared/operations/index.ts'
import { type Account, type ExtraWrites, epochOf, findAccount, isCurrent, nextEpoch, requireEnabled } from './accounts.ts'
import { accountOf, type Caller } from '../rights/caller.ts'
import { auditPut } from '../records/audit.ts'
import { type Expiring, expiring, findLive, listLive } from '../records/expiry.ts'
import { decodeRecord, encodeRecord, keys } from '../records/keys.ts'
import { endNodesOf } from '../media/compute-nodes.ts'
import { type EndOfAccess, endProgramsOf } from './programs.ts'
import type { Check, Put } from '../ports.ts'
import { hashSecret, isToken, newId, newToken } from '../secrets.ts'
import type { Service } from '../service.ts'

export type SessionKind = 'browser' | 'app'

export interface Session extends Expiring {
  readonly id: string
  readonly account: string
  readonly kind: SessionKind
  /** The browser or program that opened the session. It helps the owner recognize the session. */
  readonly name: string
  readonly createdAt: number
  readonly lastUsedAt: number
  /** The time when the secret was last changed, in milliseconds since 1970. Absent if it has never been changed. */
  readonly rotatedAt?: number
  /** Hash of the previous secret. Present until the browser has used the new secret. */
  readonly replaces?: string
  /** The time when the person last proved who they are, in milliseconds since 1970. Absent if it is not known. */
  readonly provedAt?: number
  /** Id of the browser's session at the sign-in host through which this session was opened. Absent if there is none. */
  readonly atHost?: string
  /** The account's epoch when the session was opened (authority.ts); 0 if absent. The session is valid only in this epoch. */
  readonly epoch?: number
  /** Present only on the record of an earlier secret: hash of the secret that replaced it. The session is stored under that hash. */
  readonly replacedBy?: string
}

const dayMs = 24 * 3600 * 1000

/** Prefixes that keep the kinds of secrets apart: a cookie is never accepted as a bearer token. */
const prefixes: Readonly<Record<SessionKind, string>> = { browser: 'bsess_', app: 'asess_' }

export interface NewSession {
  readonly token: string
  readonly session: Session
  /** The writes that create the session. */
  readonly puts: readonly Put[]
}

/** Facts about the sign-in that opens a session. */
interface SignIn {
  readonly provedAt?: number | undefined
  readonly atHost?: string | undefined
  /** The client's address, for the audit log. */
  readonly address?: string | undefined
}

/** Prepares a new session and its audit record. The caller commits both. */
export const newSession = (
  { clock }: Service,
  account: Pick<Account, 'id' | 'epoch'>,
  kind: SessionKind,
  name: string,
  { atHost, address, provedAt }: SignIn = {}
): NewSession => {
  const now = clock.now()
  const token = newToken(prefixes[kind])
  const hash = hashSecret(token)
  const session: Session = {
    id: newId(),
    account: account.id,
    epoch: epochOf(account),
    kind,
    name: name.slice(0, limits.labelUnitsMax),
    createdAt: now,
    lastUsedAt: now,
    expiresAt: now + limits.sessionDaysMax * dayMs,
    ...(atHost !== undefined && { atHost }),
    ...(provedAt !== undefined && { provedAt })
  }
  const index = { key: keys.accountSession(account.id, session.id), value: encodeRecord(hash) }
  const by = { kind: 'account', id: account.id } as const
  const told = auditPut(now, { kind: 'sign-in', by, account: account.id, ...(address !== undefined && { address }) })
  const seen = { key: keys.accountSeen(account.id), value: encodeRecord(now) }
  return { token, session, puts: [...expiring(keys.session(hash), session), index, seen, told] }
}

interface StoredSession {
  readonly hash: string
  readonly session: Session
}

/** Returns an account's live sessions, most recently used first. Removes the list entries of ended sessions. */
export const sessionsOf = async (service: Service, account: string): Promise<StoredSession[]> => {
  const live = await listLive<Session>(service, keys.accountSessions(account), keys.session, (session) => isIdle(service, session))
  return live
    .map(({ hash, record }) => ({ hash, session: record }))
    .toSorted((one, other) => other.session.lastUsedAt - one.session.lastUsedAt)
}

const isIdle = ({ clock }: Service, session: Session): boolean => session.lastUsedAt + limits.sessionIdleDaysMax * dayMs <= clock.now()

/** Removes a session. Tries again if the secret under which it is stored changes meanwhile. */
const remove = async ({ storage }: Service, { account, id }: Session): Promise<void> => {
  const index = keys.accountSession(account, id)
  for (let attempts = 0; attempts < limits.commitAttemptsMax; attempts++) {
    const entry = await storage.get(index)
    if (entry === undefined) return
    const deletes = [keys.session(decodeRecord<string>(entry.value)), index]
    if (await storage.commit({ checks: [{ key: index, version: entry.version }], deletes })) return
  }
  throw new ServiceError('storage_unavailable')
}

const end = async (service: Service, ended: readonly StoredSession[], code: EndOfAccess = 'credential_invalid'): Promise<void> => {
  for (const { session } of ended) {
    await remove(service, session)
    service.live.endSession(session.id, code)
  }
}

/** A new session and the browser that opens it. */
interface SessionRequest extends SignIn {
  /** The browser's previous secret. It is invalidated to prevent session fixation. */
  readonly replaces?: string | undefined
  readonly epoch?: number
}

/** Opens a session. `epoch` is the account's epoch when the person signed in. Throws `account_disabled`. */
export const openSession = async (
  service: Service,
  account: string,
  kind: SessionKind,
  name: string,
  { replaces, epoch, ...signIn }: SessionRequest = {}
): Promise<{ token: string; session: Session }> => {
  const found = await findAccount(service, account)
  requireEnabled(found)
  const known = epoch ?? found?.epoch ?? 0
  const { token, session, puts } = newSession(service, { id: account, epoch: known }, kind, name, signIn)
  await service.storage.commit({ puts })
  const before = replaces === undefined ? undefined : await findCurrent(service, hashSecret(replaces))
  const others = await sessionsOf(service, account)
  const surplus: StoredSession[] = others.slice(limits.sessionsMax)
  if (before !== undefined) surplus.push(before)
  await end(service, surplus)
  return { token, session }
}

/** Records the use of a session from time to time. A session that has been revoked stays revoked. */
const touch = (service: Service, hash: string, session: Session, version: number): void => {
  const now = service.clock.now()
  if (now - session.lastUsedAt < limits.sessionTouchSeconds * 1000) return
  const key = keys.session(hash)
  const checks: Check[] = [{ key, version }]
  service.storage.commit({ checks, puts: [{ key, value: encodeRecord({ ...session, lastUsedAt: now }) }] }).catch(() => undefined)
}

/** Records that the browser has used the new secret. From then on, the earlier secret is valid only for requests in flight. */
const confirm = async (service: Service, hash: string, session: Session, version: number): Promise<void> => {
  const { replaces = '', ...confirmed } = session
  const former = await findLive<Session>(service, keys.session(replaces))
  const expiresAt = service.clock.now() + limits.sessionOverlapSeconds * 1000
  await service.storage.commit({
    checks: [{ key: keys.session(hash), version }],
    puts: [
      { key: keys.session(hash), value: encodeRecord(confirmed satisfies Session) },
      ...(former === undefined ? [] : expiring(keys.session(replaces), { ...former.record, expiresAt }))
    ]
  })
}

interface CurrentSession extends StoredSession {
  readonly version: number
}

/** Returns the session for a secret. The session is stored under that secret or under its replacement. */
const findCurrent = async (service: Service, hash: string): Promise<CurrentSession | undefined> => {
  const found = await findLive<Session>(service, keys.session(hash))
  if (found?.record.replacedBy !== undefined) return findCurrent(service, found.record.replacedBy)
  return found && { hash, session: found.record, version: found.version }
}

/** A live session and its account. */
export interface FoundSession {
  readonly session: Session
  readonly account: Account
}

/** Returns the session for a secret, and its account; undefined if the session is unknown, expired or revoked, or has been unused for too long. */
export const findSession = async (service: Service, kind: SessionKind, token: string): Promise<FoundSession | undefined> => {
  if (!isToken(prefixes[kind], token)) return undefined
  const hash = hashSecret(token)
  const found = await findCurrent(service, hash)
  if (found === undefined || isIdle(service, found.session)) return undefined
  const { session, version } = found
  const account = await findAccount(service, session.account)
  if (!isCurrent(account, session.epoch ?? 0)) return undefined
  if (found.hash === hash && session.replaces !== undefined) await confirm(service, hash, session, version)
  else touch(service, found.hash, session, version)
  return { session, account }
}

/**
 * Returns a new secret for a browser whose secret is due for rotation, otherwise undefined. The earlier secret stays valid until the new one is
 * used, so that a lost response does not sign anyone out.
 */
export const rotateSession = async (service: Service, token: string): Promise<string | undefined> => {
  const hash = hashSecret(token)
  // Another request can record a use of the session between reading and writing it here.
  for (let attempts = 0; attempts < limits.commitAttemptsMax; attempts++) {
    const found = await findCurrent(service, hash)
    if (found === undefined) return undefined
    const { session } = found
    const now = service.clock.now()
    const ageMs = now - (session.rotatedAt ?? session.createdAt)
    const isLost = found.hash !== hash && session.replaces === hash && ageMs >= limits.sessionOverlapSeconds * 1000
    const isOld = found.hash === hash && session.replaces === undefined && ageMs >= limits.sessionRotateHours * 3600 * 1000
    if (!isLost && !isOld) return undefined
    const next = newToken(prefixes.browser)
    const nextHash = hashSecret(next)
    const rotated: Session = { ...session, rotatedAt: now, replaces: hash }
    const former: Session = { ...session, replacedBy: nextHash }
    const written = await service.storage.commit({
      checks: [{ key: keys.session(found.hash), version: found.version }],
      puts: [
        ...expiring(keys.session(nextHash), rotated),
        { key: keys.session(hash), value: encodeRecord(former) },
        { key: keys.accountSession(session.account, session.id), value: encodeRecord(nextHash) }
      ],
      deletes: isLost ? [keys.session(found.hash)] : []
    })
    if (written) return next
  }
  return undefined
}

const instant = (ms: number): string => new Date(ms).toISOString()

export const listSessions = async (service: Service, caller: Caller): Promise<Output<'listSessions'>> => ({
  sessions: (await sessionsOf(service, accountOf(caller))).map(({ session }) => ({
    id: session.id,
    kind: session.kind,
    name: session.name,
    createdAt: instant(session.createdAt),
    lastUsedAt: instant(session.lastUsedAt),
    expiresAt: instant(session.expiresAt),
    current: session.id === caller.session
  }))
})

/**
 * Ends one session. The session at the sign-in host ends first, so that the browser cannot sign in again through it. Throws `not_found` if the
 * account has no such session.
 */
export const revokeSession = async (service: Service, caller: Caller, id: string): Promise<Output<'revokeSession'>> => {
  const found = (await sessionsOf(service, accountOf(caller))).find(({ session }) => session.id === id)
  if (found === undefined) throw new ServiceError('not_found', { message: term('This session has already ended.') })
  const { atHost } = found.session
  if (atHost !== undefined) await service.signInHost?.endSession(atHost)
  await end(service, [found])
  return { ok: true, revoked: true }
}

/**
 * Ends all access to an account. The next epoch invalidates everything from the current one, including sign-ins in progress, approved logins and node
 * tokens. Then the records are removed, and the connections are closed. Returns the number of ended sessions. `extra` returns more checks and writes
 * for the commit that ends the epoch.
 */
export const endAccess = async (service: Service, account: string, extra?: () => Promise<ExtraWrites>): Promise<number> => {
  await nextEpoch(service, account, extra)
  return removeAccess(service, account)
}

/** Removes all credentials that an account got before its current epoch, and closes the connections that use them. `code` says why. */
export const removeAccess = async (service: Service, account: string, code: EndOfAccess = 'credential_invalid'): Promise<number> => {
  const all = await sessionsOf(service, account)
  await end(service, all, code)
  await endNodesOf(service, account)
  await endProgramsOf(service, account, code)
  await service.signInHost?.endSessions(account)
  return all.length
}

/** Ends a browser's session. */
export const endBrowserSession = async (service: Service, token: string): Promise<void> => {
  const found = await findCurrent(service, hashSecret(token))
  if (found !== undefined) await end(service, [found])
}

export const revokeSessions = async (service: Service, caller: Caller): Promise<Output<'revokeSessions'>> => ({
  ok: true,
  revoked: await endAccess(service, accountOf(caller))
})

export const whoIsSignedIn = async (service: Service, caller: Caller): Promise<Output<'findSession'>> =>
  caller.identity.kind === 'guest' ? { kind: 'guest', user: null } : readMe(service, caller)

/** Whether a program has fewer rights than its account, and therefore sees less of the account. */
const isNarrow = ({ scope }: Caller): boolean => scope !== null && (scope.docs !== null || scope.role !== 'owner')

export const readMe = async (service: Service, caller: Caller): Promise<Output<'readMe'>> => {
  const { identity } = caller
  if (identity.kind === 'guest') throw new ServiceError('account_required')
  if (isNarrow(caller)) return { kind: identity.kind, user: { id: identity.id, name: identity.name, email: null } }
  const account = identity.kind === 'account' ? await findAccount(service, identity.id) : undefined
  const bytes = await service.quotas.used([identity.kind, identity.id])
  const usage = { bytes, bytesMax: service.quotas.settings.accountBytesMax || null }
  return { usage, kind: identity.kind, user: { id: identity.id, name: identity.name, email: account?.email ?? null } }
}
