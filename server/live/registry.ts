/** Registers sockets and long polls by link, so that revoking the link ends them immediately (ARCHITECTURE.md). */
import { type ErrorCode, ServiceError } from '../../shared/errors.ts'
import { includesRole, type Role } from '../../shared/roles.ts'
import type { Caller } from '../domain/rights/caller.ts'
import type { End, Registry } from '../domain/live.ts'
import type { Owner } from '../domain/records/keys.ts'
import type { Clock } from '../domain/ports.ts'

interface Connected {
  /** The account or agent, if it uses the document without a link, as its owner. */
  readonly owner: string | undefined
  readonly share: string | null
  readonly session: string | null
  readonly end: End
}

// Node's timers hold 31 bits. If a link expires later than that, it is checked again when its timer fires.
const timerMsMax = 2 ** 31 - 1

// The number of ended links to remember. Loading a document takes time, so a caller who was admitted just before a link ended may connect just
// afterward. The server must still refuse this caller.
const endedMax = 10_000

const nameOfOwner = ({ kind, id = '' }: Owner): string => `${kind} ${id}`

const ownerIn = ({ share, identity }: Caller): string | undefined =>
  share === null && identity.kind !== 'guest' ? nameOfOwner(identity) : undefined

export const createRegistry = (clock: Clock): Registry => {
  const documents = new Map<string, Set<Connected>>()
  const ended = new Map<string, ErrorCode>()

  // The links whose role was changed most recently. They are remembered for the same reason as ended links.
  const changed = new Map<string, Role>()

  const endedName = (doc: string, share: string | null): string => (share === null ? doc : `${doc} ${share}`)
  const endedOwner = (doc: string, owner: string): string => `owner ${doc} ${owner}`
  const endedSession = (session: string): string => `session ${session}`

  const noteEnd = (name: string, code: ErrorCode): void => {
    ended.set(name, code)
    if (ended.size > endedMax) ended.delete(ended.keys().next().value as string)
  }

  /** Returns the error code that explains why the caller's access ended; undefined if the access is still valid. */
  const endOf = (doc: string, caller: Caller): ErrorCode | undefined => {
    const { share, session } = caller
    const owner = ownerIn(caller)
    const names = [
      endedName(doc, share),
      endedName(doc, null),
      ...(session === null ? [] : [endedSession(session)]),
      ...(owner === undefined ? [] : [endedOwner(doc, owner)])
    ]
    return names.map((name) => ended.get(name)).find((code) => code !== undefined)
  }

  const noteRole = (name: string, role: Role): void => {
    changed.set(name, role)
    if (changed.size > endedMax) changed.delete(changed.keys().next().value as string)
  }

  /** Returns the new role of a caller's link, if the role was lowered after the caller was admitted. */
  const loweredTo = (doc: string, { share, role }: Caller): Role | undefined => {
    const now = share === null ? undefined : changed.get(endedName(doc, share))
    return now === undefined || role === null || includesRole(now, role) ? undefined : now
  }

  const remove = (doc: string, connected: Connected): void => {
    const set = documents.get(doc)
    set?.delete(connected)
    if (set?.size === 0) documents.delete(doc)
  }

  const expire = (expiresAt: number, end: () => void): (() => void) => {
    let cancel = (): void => undefined
    const arm = (): void => {
      const left = expiresAt - clock.now()
      if (left <= 0) end()
      else cancel = clock.after(Math.min(left, timerMsMax), arm)
    }
    arm()
    return () => cancel()
  }

  return {
    add(doc, caller, end) {
      const connected: Connected = { owner: ownerIn(caller), share: caller.share, session: caller.session, end }
      const set = documents.get(doc) ?? new Set()
      documents.set(doc, set.add(connected))
      const over = endOf(doc, caller)
      const hasLink = caller.share !== null && caller.session !== null
      if (over !== undefined) end(over, hasLink)
      else if (loweredTo(doc, caller) !== undefined) end('forbidden', true)
      const cancel = caller.expiresAt === null ? undefined : expire(caller.expiresAt, () => end('credential_invalid', hasLink))
      return () => {
        cancel?.()
        remove(doc, connected)
      }
    },
    end(doc, share, code) {
      noteEnd(endedName(doc, share), code)
      for (const connected of documents.get(doc) ?? []) if (share === null || connected.share === share) connected.end(code, false)
    },
    renew(doc, share, role) {
      noteRole(endedName(doc, share), role)
      for (const connected of documents.get(doc) ?? []) if (connected.share === share) connected.end('forbidden', true)
    },
    isUsed: (doc, share) => [...(documents.get(doc) ?? [])].some((connected) => connected.share === share),
    usedSessions: () => new Set([...documents.values()].flatMap((set) => [...set].flatMap(({ session }) => session ?? []))),
    endSession(session, code) {
      noteEnd(endedSession(session), code)
      for (const set of documents.values())
        for (const connected of set) if (connected.session === session) connected.end(code, connected.share !== null)
    },
    endOwner(doc, owner) {
      const name = nameOfOwner(owner)
      noteEnd(endedOwner(doc, name), 'not_found')
      for (const connected of documents.get(doc) ?? []) if (connected.owner === name) connected.end('not_found', false)
    },
    requireRight(doc, caller) {
      const expired = caller.expiresAt !== null && caller.expiresAt <= clock.now()
      const over = endOf(doc, caller) ?? (expired ? 'credential_invalid' : undefined)
      if (over !== undefined) throw new ServiceError(over)
      const role = loweredTo(doc, caller)
      if (role !== undefined) throw new ServiceError('forbidden', { requiredRole: caller.role, role })
    },
    // A single process already knows every change, so there is nothing to check again.
    recheck: () => undefined,
    hasEnded: (doc) => ended.has(endedName(doc, null)),
    forget: (doc, share) => void changed.delete(endedName(doc, share)),
    readmit(doc, owner) {
      ended.delete(owner === undefined ? endedName(doc, null) : endedOwner(doc, nameOfOwner(owner)))
    },
    endAll(code) {
      for (const set of documents.values()) for (const connected of set) connected.end(code, false)
    }
  }
}
