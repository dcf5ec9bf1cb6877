/**
 * Programs that act for an account: personal access tokens (`apat_…`), and programs that the person authorized at the broker (OAuth). Both are
 * stored as the same kind of record, with a role, a list of documents, and an expiry time. The account lists and revokes both in the same way.
 */
import { type ErrorCode, ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import { plainName } from '../../../shared/names.ts'
import type { Input, Output } from '../../../shared/operations/index.ts'
import { term } from '../../../shared/words.ts'
import { type Account, epochOf, findAccount, isCurrent, requireEnabled } from './accounts.ts'
import { commitFor, lowerRole, ownRole } from '../rights/authority.ts'
import { accountOf, type Caller, type Scope } from '../rights/caller.ts'
import { type AuditActor, auditActor, auditPut } from '../records/audit.ts'
import { type Expiring, expiring, findLive, listLive } from '../records/expiry.ts'
import { encodeRecord, keys } from '../records/keys.ts'
import type { IssuedToken } from '../ports.ts'
import { hashSecret, isToken, newId, newToken } from '../secrets.ts'
import type { Service } from '../service.ts'

export const tokenPrefix = 'apat_'

export interface Program extends Expiring, Scope {
  readonly id: string
  readonly account: string
  /**
   * `token`: created by the person and stored under the hash of its secret. `oauth`: authorized at the broker and stored under the hash of its
   * grant.
   */
  readonly kind: 'token' | 'oauth'
  readonly name: string
  /**
   * The host to which the browser is redirected after consent. Null for a token, and for a program on the person's own computer, which has no host.
   */
  readonly host: string | null
  readonly createdAt: number
  /** The time of the last use, in milliseconds since 1970. Null if the program has never been used. */
  readonly lastUsedAt: number | null
  /** The account's epoch when the program was authorized (authority.ts). The program is valid only in this epoch. */
  readonly epoch: number
}

/** Why an account's credential ends: it was revoked, or the account was disabled. */
export type EndOfAccess = Extract<ErrorCode, 'credential_invalid' | 'account_disabled'>

interface StoredProgram {
  readonly hash: string
  readonly program: Program
}

/** A valid program, and the account for which it acts. */
export interface FoundProgram {
  readonly program: Program
  readonly account: Account
  /** The time when the credential that the program sent expires, in milliseconds since 1970. */
  readonly expiresAt: number
}

const dayMs = 24 * 3600 * 1000

// ——— The programs of an account ———

/** Returns an account's valid programs, most recently used first. Also removes the list entries of programs that are no longer valid. */
export const programsOf = async (service: Service, account: string): Promise<StoredProgram[]> => {
  const live = await listLive<Program>(service, keys.accountPrograms(account), keys.program)
  const usedAt = ({ program }: StoredProgram): number => program.lastUsedAt ?? program.createdAt
  return live.map(({ hash, record }) => ({ hash, program: record })).toSorted((one, other) => usedAt(other) - usedAt(one))
}

const instant = (ms: number): string => new Date(ms).toISOString()

const present = ({
  id,
  kind,
  name,
  host,
  role,
  docs,
  createdAt,
  lastUsedAt,
  expiresAt
}: Program): Output<'listTokens'>['tokens'][number] => ({
  id,
  kind,
  name,
  host,
  role,
  docs: docs === null ? null : [...docs],
  createdAt: instant(createdAt),
  lastUsedAt: lastUsedAt === null ? null : instant(lastUsedAt),
  expiresAt: instant(expiresAt)
})

export const listTokens = async (service: Service, caller: Caller): Promise<Output<'listTokens'>> => ({
  tokens: (await programsOf(service, accountOf(caller))).map(({ program }) => present(program))
})

/**
 * Removes a program, then ends its connections, its waiting requests, and the tokens that the broker issued for it. `by` is the person who revokes
 * the program; undefined if the program ends together with other access, which the audit log already contains.
 */
const end = async (
  service: Service,
  { hash, program }: StoredProgram,
  by?: AuditActor,
  code: EndOfAccess = 'credential_invalid'
): Promise<void> => {
  const { account, id } = program
  await service.storage.commit({
    deletes: [keys.program(hash), keys.accountProgram(account, id)],
    puts: by === undefined ? [] : [auditPut(service.clock.now(), { kind: 'token.revoked', by, account, token: id })]
  })
  service.live.endSession(program.id, code)
  if (program.kind === 'oauth') await service.signInHost?.endGrant(hash)
}

/** Revokes a program of any account. Returns false if the account has no such program. */
export const revokeProgram = async (service: Service, by: AuditActor, account: string, id: string): Promise<boolean> => {
  const found = (await programsOf(service, account)).find(({ program }) => program.id === id)
  if (found !== undefined) await end(service, found, by)
  return found !== undefined
}

/** Revokes a program. Throws `not_found` if the account has no program with this id. */
export const revokeToken = async (service: Service, caller: Caller, id: string): Promise<Output<'revokeToken'>> => {
  if (!(await revokeProgram(service, auditActor(caller), accountOf(caller), id)))
    throw new ServiceError('not_found', { message: term('Your account does not have this token or program.') })
  return { ok: true, revoked: true }
}

/** Ends all programs of an account. `code` says why. */
export const endProgramsOf = async (service: Service, account: string, code: EndOfAccess): Promise<void> => {
  for (;;) {
    const all = await programsOf(service, account)
    if (all.length === 0) return
    for (const kept of all) await end(service, kept, undefined, code)
  }
}

/** Ends a program after the broker has ended its grant, because a token under the grant was revoked or used twice. */
export const endProgramOfGrant = async (service: Service, grant: string): Promise<void> => {
  const found = await findLive<Program>(service, keys.program(grant))
  if (found?.record.kind === 'oauth') await end(service, { hash: grant, program: found.record })
}

// ——— Creating programs ———

const requireDocuments = async (service: Service, { identity }: Caller, docs: readonly string[]): Promise<void> => {
  for (const doc of docs) {
    const head = await service.ledger.findHead(doc)
    if (head === undefined || head.deletedAt !== null || ownRole(head, identity) === null)
      throw new ServiceError('not_found', { message: term('One of these documents is not yours.'), doc })
  }
}

/** Creates a personal access token. Throws `too_many_tokens`, or `not_found` for a document that the account does not own. */
export const createToken = async (service: Service, caller: Caller, input: Input<'createToken'>): Promise<Output<'createToken'>> => {
  const account = accountOf(caller)
  const docs = input.docs === undefined ? null : [...new Set(input.docs)]
  if (docs !== null) await requireDocuments(service, caller, docs)
  if ((await programsOf(service, account)).length >= limits.programsMax)
    throw new ServiceError('too_many_tokens', { tokensMax: limits.programsMax })
  const token = newToken(tokenPrefix)
  const hash = hashSecret(token)
  const now = service.clock.now()
  const program: Program = {
    id: newId(),
    account,
    kind: 'token',
    name: plainName(input.name, limits.authorUnitsMax) || 'A program',
    host: null,
    role: input.role ?? 'edit',
    docs,
    createdAt: now,
    lastUsedAt: null,
    expiresAt: now + (input.days ?? limits.tokenDays) * dayMs,
    epoch: caller.rests.epoch
  }
  const index = { key: keys.accountProgram(account, program.id), value: encodeRecord(hash) }
  const told = auditPut(now, { kind: 'token.made', by: auditActor(caller), account, token: program.id, role: program.role })
  await commitFor(service, caller, { puts: [...expiring(keys.program(hash), program), index, told] })
  return { token: present(program), secret: token }
}

/** A person's consent at the broker. */
export interface Agreement extends Scope {
  readonly account: string
  readonly name: string
  readonly host: string | null
  /** Hash of the grant. */
  readonly grant: string
}

/**
 * Authorizes a program until its code expires, so that a program that never redeems the code leaves no trace in the account. `keepProgram` extends
 * the authorization. If the account has too many programs, the least recently used one is removed, because the person just authorized the new one.
 */
export const letIn = async (service: Service, { account, name, host, role, docs, grant }: Agreement): Promise<void> => {
  const found = await findAccount(service, account)
  if (found === undefined) throw new ServiceError('credential_invalid')
  requireEnabled(found)
  const now = service.clock.now()
  const program: Program = {
    id: newId(),
    account,
    kind: 'oauth',
    name,
    host,
    role,
    docs,
    createdAt: now,
    lastUsedAt: null,
    // A device code is valid for longer than all other codes, so the record must last that long.
    expiresAt: now + limits.deviceSecondsMax * 1000,
    epoch: epochOf(found)
  }
  const others = (await programsOf(service, account)).filter(({ program: { kind } }) => kind === 'oauth')
  for (const surplus of others.slice(limits.programsMax - 1)) await end(service, surplus)
  const index = { key: keys.accountProgram(account, program.id), value: encodeRecord(grant) }
  const told = auditPut(now, { kind: 'token.made', by: { kind: 'account', id: account }, account, token: program.id, role })
  await service.storage.commit({ puts: [...expiring(keys.program(grant), program), index, told] })
}

/** Extends the authorization of a program when it gets the first token under its grant. */
export const keepProgram = async (service: Service, grant: string): Promise<void> => {
  const key = keys.program(grant)
  for (;;) {
    const found = await findLive<Program>(service, key)
    if (found === undefined) return
    const { record, version } = found
    const expiresAt = record.createdAt + limits.brokerRefreshDays * dayMs
    if (record.kind !== 'oauth' || record.expiresAt >= expiresAt) return
    // If this commit fails, the program's first use may have been recorded since.
    if (await service.storage.commit({ checks: [{ key, version }], puts: expiring(key, { ...record, expiresAt }) })) return
  }
}

// ——— Using programs ———

/** Records the use of a program from time to time. A program that has been revoked stays revoked. */
const touch = (service: Service, hash: string, program: Program, version: number): void => {
  const now = service.clock.now()
  if (now - (program.lastUsedAt ?? 0) < limits.sessionTouchSeconds * 1000) return
  const key = keys.program(hash)
  const puts = [{ key, value: encodeRecord({ ...program, lastUsedAt: now } satisfies Program) }]
  service.storage.commit({ checks: [{ key, version }], puts }).catch(() => undefined)
}

const findByHash = async (service: Service, kind: Program['kind'], hash: string): Promise<FoundProgram | undefined> => {
  const found = await findLive<Program>(service, keys.program(hash))
  if (found === undefined || found.record.kind !== kind) return undefined
  const account = await findAccount(service, found.record.account)
  if (!isCurrent(account, found.record.epoch)) return undefined
  touch(service, hash, found.record, found.version)
  return { program: found.record, account, expiresAt: found.record.expiresAt }
}

/** Returns the program for a token that the broker issued. The token can allow less than its grant. */
const findIssued = async (service: Service, issued: IssuedToken): Promise<FoundProgram | undefined> => {
  const found = await findByHash(service, 'oauth', issued.grant)
  if (found === undefined || found.account.id !== issued.account) return undefined
  const role = lowerRole(found.program.role, issued.role) ?? found.program.role
  return { ...found, program: { ...found.program, role }, expiresAt: Math.min(found.expiresAt, issued.expiresAt) }
}

/**
 * Returns the program for a bearer token. Returns undefined if the token is invalid or was issued for another resource. `atMcp` is true if the token
 * was sent to the MCP endpoint, which is a separate resource (RFC 8707).
 */
export const findProgram = async (service: Service, token: string, atMcp: boolean): Promise<FoundProgram | undefined> => {
  if (isToken(tokenPrefix, token)) return findByHash(service, 'token', hashSecret(token))
  const issued = await service.signInHost?.findToken(token)
  if (issued === undefined || (issued.audience === 'mcp' && !atMcp)) return undefined
  return findIssued(service, issued)
}
