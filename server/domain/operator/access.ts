/** Tokens and compute nodes of all accounts, as administrators see and revoke them. Nobody sees their secrets, because only hashes are stored. */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import type { Role } from '../../../shared/roles.ts'
import { term } from '../../../shared/words.ts'
import { type Program, revokeProgram } from '../accounts/programs.ts'
import { endNode, type ComputeNodeToken } from '../media/compute-nodes.ts'
import { decodeRecord, keys } from '../records/keys.ts'
import type { Entry, Key } from '../ports.ts'
import type { Service } from '../service.ts'
import type { Operator } from './operator.ts'

/** A token or an authorized program. All times are in ISO 8601. */
export interface FoundToken {
  readonly id: string
  /** Id of the account for which the program acts. */
  readonly account: string
  readonly kind: Program['kind']
  readonly name: string
  readonly role: Role
  /** The number of documents that it may use; null for all documents of the account. */
  readonly documents: number | null
  readonly createdAt: string
  readonly lastUsedAt: string | null
  readonly expiresAt: string
  /** Whether a socket or a waiting request uses it now. */
  readonly inUse: boolean
}

export interface FoundNode {
  readonly id: string
  readonly account: string
  readonly name: string
  readonly connected: boolean
  readonly createdAt: string
  readonly lastSeenAt: string | null
}

/** A page of a list. `nextAfter` is the value of `after` for the next page; null at the end. */
export interface Page<T> {
  readonly found: readonly T[]
  readonly nextAfter: string | null
}

export interface PageInput {
  readonly after?: string | undefined
  readonly limit?: number | undefined
}

const instant = (ms: number): string => new Date(ms).toISOString()
const instantOrNull = (ms: number | null): string | null => (ms === null ? null : instant(ms))

/** Reads a page of records that are stored under hashes. */
const pageOf = async <T>(
  { storage }: Service,
  prefix: Key,
  { after, limit = limits.adminPageDefault }: PageInput,
  present: (entry: Entry) => T | undefined
): Promise<Page<T>> => {
  const entries = await storage.list(prefix, { limit, ...(after !== undefined && { after }) })
  const found = entries.flatMap((entry) => present(entry) ?? [])
  return { found, nextAfter: entries.length < limit ? null : String(entries.at(-1)?.key.at(-1)) }
}

/** Returns a page of tokens and authorized programs, ordered by their hashes. */
export const listAllTokens = (service: Service, input: PageInput = {}): Promise<Page<FoundToken>> => {
  const used = service.live.usedSessions()
  return pageOf(service, keys.programs(), input, ({ value }) => {
    const { id, account, kind, name, role, docs, createdAt, lastUsedAt, expiresAt } = decodeRecord<Program>(value)
    if (expiresAt <= service.clock.now()) return undefined
    const times = { createdAt: instant(createdAt), lastUsedAt: instantOrNull(lastUsedAt), expiresAt: instant(expiresAt) }
    return { id, account, kind, name, role, documents: docs?.length ?? null, ...times, inUse: used.has(id) }
  })
}

/** Returns a page of compute nodes, ordered by their hashes. */
export const listAllNodes = (service: Service, input: PageInput = {}): Promise<Page<FoundNode>> =>
  pageOf(service, keys.nodeTokens(), input, ({ value }) => {
    const { id, account, name, createdAt, lastSeenAt } = decodeRecord<ComputeNodeToken>(value)
    const connected = service.relay.isConnected(id)
    return { id, account, name, connected, createdAt: instant(createdAt), lastSeenAt: instantOrNull(lastSeenAt) }
  })

/** Returns the account that has the record with this id. Reads the records one after another, because their keys are hashes and not ids. */
const accountIn = async <T extends { readonly id: string; readonly account: string }>(
  id: string,
  list: (input: PageInput) => Promise<Page<T>>
): Promise<string | undefined> => {
  for (let after: string | undefined; ;) {
    const { found, nextAfter } = await list({ limit: limits.adminPageMax, after })
    const record = found.find((each) => each.id === id)
    if (record !== undefined || nextAfter === null) return record?.account
    after = nextAfter
  }
}

/** Revokes a token of any account, and closes its connections. Throws `not_found`. */
export const revokeAnyToken = async (service: Service, { actor }: Operator, id: string): Promise<void> => {
  const account = await accountIn(id, (input) => listAllTokens(service, input))
  if (account === undefined || !(await revokeProgram(service, actor, account, id)))
    throw new ServiceError('not_found', { message: term('There is no such token.') })
}

/** Revokes the token of a compute node of any account, and closes its socket. Throws `not_found`. */
export const revokeAnyNode = async (service: Service, { actor }: Operator, id: string): Promise<void> => {
  const account = await accountIn(id, (input) => listAllNodes(service, input))
  if (account === undefined || !(await endNode(service, actor, account, id)))
    throw new ServiceError('not_found', { message: term('There is no such compute node.') })
}
