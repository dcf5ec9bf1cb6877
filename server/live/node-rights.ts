/**
 * Ends this node's connections when another node has ended their access. A commit notice from another node names the records that it wrote. Each
 * connection whose access depends on one of them (its link, session or account) is checked again, so a revocation takes effect everywhere within
 * moments.
 */
import { type ErrorCode, ServiceError } from '../../shared/errors.ts'
import type { Account } from '../domain/accounts/accounts.ts'
import { reasonOfEnd } from '../domain/documents/deleted.ts'
import { isLive, keysOfRight, requireRightNow } from '../domain/rights/authority.ts'
import type { Caller } from '../domain/rights/caller.ts'
import type { End, Registry } from '../domain/live.ts'
import { decodeRecord, keys, type Share } from '../domain/records/keys.ts'
import type { Key } from '../domain/ports.ts'
import type { Service } from '../domain/service.ts'

interface Connected {
  readonly doc: string
  readonly caller: Caller
  readonly end: End
  /** The role and end of the link when the connection was admitted. Undefined until they have been read, and for callers without a link. */
  link: string | undefined
}

interface NodeRightsOptions {
  readonly service: () => Service
  readonly registry: Registry
  readonly onProblem: (error: unknown) => void
}

const nameOf = (key: Key): string => key.join(' ')

/** Returns a registry that also ends connections whose access was removed by a commit on another node. */
export const withNodeRights = ({ service, registry, onProblem }: NodeRightsOptions): Registry & { start(): () => void } => {
  const byKey = new Map<string, Set<Connected>>()
  const byDocument = new Map<string, Set<Connected>>()

  const put = (map: Map<string, Set<Connected>>, name: string, connected: Connected): (() => void) => {
    const set = map.get(name) ?? new Set()
    map.set(name, set.add(connected))
    return () => {
      set.delete(connected)
      if (set.size === 0 && map.get(name) === set) map.delete(name)
    }
  }

  const shareOf = async ({ rests: { share } }: Caller): Promise<Share | undefined> => {
    const entry = share === null ? undefined : await service().storage.get(share)
    return entry && decodeRecord<Share>(entry.value)
  }

  /** Returns why access ended. A disabled account has no sessions, so its record must show whether it was disabled. */
  const reasonOf = async ({ rests: { account } }: Caller, code: ErrorCode): Promise<ErrorCode> => {
    const entry = account === null || code !== 'credential_invalid' ? undefined : await service().storage.get(account)
    return entry !== undefined && decodeRecord<Account>(entry.value).disabledAt !== undefined ? 'account_disabled' : code
  }

  /** Ends a connection whose access ended. The page keeps its link if only the session ended, or if the link now has another role or end. */
  const endFor = async ({ caller, end }: Connected, code: ErrorCode): Promise<void> => {
    const isLeft = caller.rests.session !== null && isLive(await shareOf(caller), service().clock.now())
    return end(await reasonOf(caller, code), isLeft || code === 'forbidden')
  }

  const check = async (connected: Connected): Promise<void> => {
    const { doc, caller } = connected
    try {
      await requireRightNow(service(), doc, caller)
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      // If the store does not answer, the access is unknown and stays. For deletions, `checkDocument` ends the connections based on the head.
      if (!error.code.startsWith('storage') && error.code !== 'document_deleted' && error.code !== 'taken_down')
        await endFor(connected, error.code)
      return
    }
    const share = await shareOf(caller)
    const link = share && `${share.role} ${share.expiresAt}`
    if (connected.link !== undefined && link !== connected.link) connected.end('forbidden', true)
    connected.link = link
  }

  const checkAll = (those: Iterable<Connected>): void => {
    for (const connected of those) check(connected).catch(onProblem)
  }

  /** Checks the connections to a document that another node has deleted, restored or given to another owner. */
  const checkDocument = async (doc: string): Promise<void> => {
    const head = await service().ledger.findHead(doc)
    if (head === undefined) return
    if (head.deletedAt !== null) return registry.end(doc, null, reasonOfEnd(head))
    registry.readmit(doc)
    registry.readmit(doc, head.owner)
    checkAll(byDocument.get(doc) ?? [])
  }

  /** Records that a link has ended, for callers who were admitted just before. Also forgets an earlier change to its role. */
  const noteShare = async (doc: string, id: string): Promise<void> => {
    registry.forget(doc, id)
    const entry = await service().storage.get(keys.share(doc, id))
    const share = entry && decodeRecord<Share>(entry.value)
    if (share !== undefined && share.revokedAt !== null) registry.end(doc, id, 'credential_invalid')
  }

  const note = (key: Key): void => {
    const [first, doc, kind, id] = key
    checkAll(byKey.get(nameOf(key)) ?? [])
    if (first !== 'd') return
    if (key.length === 2) {
      const name = String(doc)
      // The head changes with each edit. Open documents read it anyway (nodes.ts).
      const isWatched = byDocument.has(name) && service().live.find(name) === undefined
      if (isWatched || registry.hasEnded(name)) checkDocument(name).catch(onProblem)
    } else if (kind === 'share') noteShare(String(doc), String(id)).catch(onProblem)
  }

  return {
    ...registry,
    add(doc, caller, end) {
      const connected: Connected = { doc, caller, end, link: undefined }
      const removes = [
        registry.add(doc, caller, end),
        ...keysOfRight(caller).map((key) => put(byKey, nameOf(key), connected)),
        ...(doc === '' ? [] : [put(byDocument, doc, connected)])
      ]
      // Another node may have ended the access after the caller was admitted.
      check(connected).catch(onProblem)
      return () => {
        for (const remove of removes) remove()
      }
    },
    recheck: (doc) => void checkDocument(doc).catch(onProblem),
    start: () =>
      service().storage.watch([], (touched, isForeign) => {
        if (!isForeign) return
        for (const key of touched) note(key)
        if (touched.length > 0) return
        for (const those of byKey.values()) checkAll(those)
        for (const doc of byDocument.keys()) checkDocument(doc).catch(onProblem)
      })
  }
}
