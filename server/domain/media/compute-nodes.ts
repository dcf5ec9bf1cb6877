/**
 * Compute nodes and their tokens. A node connects with a token and serves the account that created the token. Only nodes of accounts that the
 * operator named serve everyone. Otherwise, with open sign-up, a stranger's node could get other people's data.
 */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import { plainName } from '../../../shared/names.ts'
import { term } from '../../../shared/words.ts'
import type { Input, Output } from '../../../shared/operations/index.ts'
import { type Account, findAccount, isCurrent, isNamed } from '../accounts/accounts.ts'
import { commitFor } from '../rights/authority.ts'
import { accountOf, type Caller } from '../rights/caller.ts'
import { type AuditActor, auditActor, auditPut } from '../records/audit.ts'
import { decodeRecord, encodeRecord, keys } from '../records/keys.ts'
import { hashSecret, isToken, newId, newToken } from '../secrets.ts'
import type { Service } from '../service.ts'

const prefix = 'anode_'

/** The right to connect, stored under the hash of its secret. The right ends when the token is revoked. */
export interface ComputeNodeToken {
  readonly id: string
  readonly account: string
  readonly name: string
  readonly createdAt: number
  /** The time when the node was last connected, in milliseconds since 1970. Null if the node has never been connected. */
  readonly lastSeenAt: number | null
  /** The account's epoch when the token was created (authority.ts); 0 if absent. The token is valid only in this epoch. */
  readonly epoch?: number
}

type Presented = Output<'listNodes'>['nodes'][number]

/** Whether the nodes of an account serve everyone. */
const isShared = ({ nodeAccounts }: Service, account: Account): boolean => isNamed(nodeAccounts, account)

const present = (service: Service, node: ComputeNodeToken, shared: boolean): Presented => ({
  id: node.id,
  name: node.name,
  connected: service.relay.isConnected(node.id),
  shared,
  createdAt: new Date(node.createdAt).toISOString(),
  lastSeenAt: node.lastSeenAt === null ? null : new Date(node.lastSeenAt).toISOString()
})

interface StoredNode {
  readonly hash: string
  readonly node: ComputeNodeToken
}

/** Returns an account's nodes, newest first. */
export const nodesOf = async ({ storage }: Service, account: string): Promise<StoredNode[]> => {
  const hashes = (await storage.list(keys.accountNodes(account))).map(({ value }) => decodeRecord<string>(value))
  const entries = await Promise.all(hashes.map((hash) => storage.get(keys.nodeToken(hash))))
  const kept = entries.flatMap((entry, index) =>
    entry === undefined ? [] : [{ hash: hashes[index] ?? '', node: decodeRecord<ComputeNodeToken>(entry.value) }]
  )
  return kept.toSorted((one, other) => other.node.createdAt - one.node.createdAt)
}

const accountIsShared = async (service: Service, account: string): Promise<boolean> => {
  const found = await findAccount(service, account)
  return found !== undefined && isShared(service, found)
}

/** Creates a node's token. Throws `too_many_nodes`. */
export const createNode = async (service: Service, caller: Caller, input: Input<'createNode'>): Promise<Output<'createNode'>> => {
  const account = accountOf(caller)
  if ((await nodesOf(service, account)).length >= limits.nodesMax) throw new ServiceError('too_many_nodes', { nodesMax: limits.nodesMax })
  const token = newToken(prefix)
  const hash = hashSecret(token)
  const name = plainName(input.name ?? '', limits.mediaNameUnitsMax) || 'A node'
  const node: ComputeNodeToken = { id: newId(), account, name, createdAt: service.clock.now(), lastSeenAt: null, epoch: caller.rests.epoch }
  await commitFor(service, caller, {
    puts: [
      { key: keys.nodeToken(hash), value: encodeRecord(node) },
      { key: keys.accountNode(account, node.id), value: encodeRecord(hash) },
      auditPut(node.createdAt, { kind: 'node.made', by: auditActor(caller), account, node: node.id })
    ]
  })
  return { node: present(service, node, await accountIsShared(service, account)), token }
}

export const listNodes = async (service: Service, caller: Caller): Promise<Output<'listNodes'>> => {
  const account = accountOf(caller)
  const shared = await accountIsShared(service, account)
  return { nodes: (await nodesOf(service, account)).map(({ node }) => present(service, node, shared)) }
}

/** Revokes a node's token, no matter which account owns it, and closes the node's socket. Returns false if the account has no such node. */
export const endNode = async (service: Service, by: AuditActor, account: string, id: string): Promise<boolean> => {
  const found = (await nodesOf(service, account)).find(({ node }) => node.id === id)
  if (found === undefined) return false
  await service.storage.commit({
    deletes: [keys.nodeToken(found.hash), keys.accountNode(account, id)],
    puts: [auditPut(service.clock.now(), { kind: 'node.revoked', by, account, node: id })]
  })
  service.relay.endNode(id)
  return true
}

/** Revokes a token, and closes the socket of the node that uses it. Throws `not_found` if the account has no token with this id. */
export const revokeNode = async (service: Service, caller: Caller, id: string): Promise<Output<'revokeNode'>> => {
  if (!(await endNode(service, auditActor(caller), accountOf(caller), id)))
    throw new ServiceError('not_found', { message: term('Your account does not have this compute node.') })
  return { ok: true, revoked: true }
}

/** Ends all tokens of an account, and closes the sockets of their nodes. */
export const endNodesOf = async (service: Service, account: string): Promise<void> => {
  for (;;) {
    const entries = await service.storage.list(keys.accountNodes(account))
    if (entries.length === 0) return
    const tokens = entries.map(({ value }) => keys.nodeToken(decodeRecord<string>(value)))
    await service.storage.commit({ deletes: [...entries.map(({ key }) => key), ...tokens] })
    for (const { key } of entries) service.relay.endNode(String(key.at(-1)))
  }
}

/** Returns the record of a node's token, and whether the node serves everyone. Returns undefined if the token is invalid. */
export const findNode = async (service: Service, token: string): Promise<{ node: ComputeNodeToken; shared: boolean } | undefined> => {
  if (!isToken(prefix, token)) return undefined
  const key = keys.nodeToken(hashSecret(token))
  const entry = await service.storage.get(key)
  const node = entry && decodeRecord<ComputeNodeToken>(entry.value)
  const account = node && (await findAccount(service, node.account))
  if (entry === undefined || node === undefined || !isCurrent(account, node.epoch ?? 0)) return undefined
  const now = service.clock.now()
  if (now - (node.lastSeenAt ?? 0) >= limits.nodeTouchSeconds * 1000) {
    const put = { key, value: encodeRecord({ ...node, lastSeenAt: now } satisfies ComputeNodeToken) }
    // The token may have been revoked since. In that case it stays revoked.
    if (
      !(await service.storage.commit({ checks: [{ key, version: entry.version }], puts: [put] })) &&
      (await service.storage.get(key)) === undefined
    )
      return undefined
  }
  return { node, shared: isShared(service, account) }
}

export const readRelayStatus = (service: Service, { identity }: Caller): Promise<Output<'readRelayStatus'>> => {
  const { nodes, capabilities, voices } = service.relay.offer(identity.kind === 'account' ? identity.id : null)
  return Promise.resolve({ online: nodes > 0, nodes, capabilities: [...capabilities], voices: [...voices] })
}
