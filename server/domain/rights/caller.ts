/**
 * A caller and its rights. Only access.ts creates it, for REST, MCP and WebSocket alike.
 *
 * This folder holds rights: callers, roles and share links.
 */
import { ServiceError, signInHint } from '../../../shared/errors.ts'
import { includesRole, type Role } from '../../../shared/roles.ts'
import type { Author } from '../records/keys.ts'
import type { Key } from '../ports.ts'

export type Identity =
  /** Anyone with or without a link. A guest chooses the name, and nobody verifies it. */
  | { readonly kind: 'guest'; readonly name: string | null }
  | {
      readonly kind: 'account' | 'agent'
      readonly id: string
      readonly name: string
      /** Unverified name of the program that acts for the account; absent if the person or an agent acts. */
      readonly program?: string
    }

/** The records on which access depends. They are read again when the access is used (authority.ts). */
export interface Rests {
  /** Record of the link. */
  readonly share: Key | null
  /** Entry of the session in the list of its account. The entry is removed when the session ends. */
  readonly session: Key | null
  /** Record of the account, and its epoch at the time of admission. */
  readonly account: Key | null
  readonly epoch: number
}

/** The ceiling of a program; the role of its account is the other ceiling. */
export interface Scope {
  readonly role: Role
  /** Ids of documents; null for all documents. */
  readonly docs: readonly string[] | null
}

export interface Caller {
  readonly identity: Identity
  /** Role on the requested document; null: none. */
  readonly role: Role | null
  /** The link used, if any. */
  readonly share: string | null
  /** The link to whose limit the caller's connections count: the used link, or the one through which it was made. */
  readonly rootShare: string | null
  /** The session used, if any. */
  readonly session: string | null
  /** The review assignment for which the link was made, if any. */
  readonly task: string | null
  /** The name for which the link was made, if any. The visitor has this name until they choose another. */
  readonly linkName: string | null
  /** When the credential ends, in milliseconds since 1970; null: never. */
  readonly expiresAt: number | null
  /** The ceiling of the acting program; null if no program acts, or the program has no ceiling. */
  readonly scope: Scope | null
  readonly rests: Rests
  /** The Idempotency-Key of the request, if any (idempotency.ts). */
  readonly request: RequestStamp | null
  /** Keyed hash of the address of a person without an account who creates a document. The document counts to the quota of that address. */
  readonly origin?: string
}

/** The author of a change: a caller, whose access is checked again, or the service itself. */
export type By = Caller | 'system'

/** The identity of a request for retries: the same key and contents are one request (docs/api.md, Retries). */
export interface RequestStamp {
  /** Hash of caller, document, method, path and key. */
  readonly id: string
  /** Hash of the contents. */
  readonly fingerprint: string
}

export const anonymous: Caller = {
  identity: { kind: 'guest', name: null },
  role: null,
  share: null,
  rootShare: null,
  session: null,
  task: null,
  linkName: null,
  expiresAt: null,
  scope: null,
  rests: { share: null, session: null, account: null, epoch: 0 },
  request: null
}

/** Returns the review assignment whose link the caller uses. Records that the caller creates contain its id. */
export const taskOf = ({ task }: Caller): string | null => task

/** Returns the name under which a caller is shown. A program is shown with its own name and that of its account, and never passes for the person. */
export const nameOfIdentity = (identity: Identity): string | null =>
  identity.kind === 'guest' || identity.program === undefined ? identity.name : `${identity.program} · for ${identity.name}`

/** Returns the identity with the program that claims to act for its account. A person who gives their own name is not a program. */
export const asProgram = (identity: Identity, program: string | undefined): Identity =>
  identity.kind !== 'account' || program === undefined || sameName(program, identity.name) ? identity : { ...identity, program }

/**
 * Returns the actor of a caller in the form of journal and events: `guest:Ana`, `account:id Ana`, `agent:id Name`. It contains the name at that
 * time, so that the history can be read without other records.
 */
export const actorOf = ({ identity }: Caller): string =>
  `${identity.kind}:${identity.kind === 'guest' ? (identity.name ?? '') : `${identity.id} ${nameOfIdentity(identity)}`}`

/** Returns the actor of an author. */
export const actorNamed = ({ kind, id, name }: Author): string => (kind === 'guest' ? `guest:${name ?? ''}` : `${kind}:${id} ${name ?? ''}`)

/** Returns the identity that records contain: the account, else the agent, else the link with an author name (docs/api.md, Review assignments). */
export const authorOf = ({ identity, share }: Caller): Author =>
  identity.kind === 'guest'
    ? { kind: 'guest', id: share ?? '', name: identity.name }
    : { kind: identity.kind, id: identity.id, name: nameOfIdentity(identity) }

// The same name may be composed differently on two computers (é, e + ´).
const sameName = (one: string | null, other: string | null): boolean => one?.normalize('NFC') === other?.normalize('NFC')

export const sameAuthor = (one: Author, other: Author): boolean =>
  one.kind === other.kind && one.id === other.id && (one.kind !== 'guest' || sameName(one.name, other.name))

/** The displayed name of an author: a guest without a name is "guest". */
export const nameOfAuthor = ({ kind, name }: Author): string => name ?? kind

export const systemActor = 'system:'
/** The actor of the server when it tidies fences (server/live/heal.ts). */
export const healActor = 'system:heal'

/** Returns kind and name of an actor. */
export const splitActor = (actor: string): { kind: 'guest' | 'account' | 'agent' | 'system'; name: string } => {
  const colon = actor.indexOf(':')
  const kind = actor.slice(0, colon) as 'guest' | 'account' | 'agent' | 'system'
  const rest = actor.slice(colon + 1)
  // Ids contain no space; a name may.
  return { kind, name: kind === 'account' || kind === 'agent' ? rest.slice(rest.indexOf(' ') + 1) : rest }
}

/** Throws `forbidden` with both roles. */
export const requireRole = (caller: Caller, needed: Role): void => {
  if (!includesRole(caller.role, needed)) throw new ServiceError('forbidden', { requiredRole: needed, role: caller.role })
}

/** The displayed name of an actor: a guest without a name is "guest". */
export const nameOfActor = (actor: string): string => {
  const { kind, name } = splitActor(actor)
  return name === '' ? kind : name
}

/** Whether an identity satisfies a required sign-in. `account`: a person. `identity`: a person or an agent. `access`: a link is enough. */
export const isSignedIn = ({ kind }: Identity, needed: 'account' | 'identity' | 'access'): boolean =>
  kind === 'account' || (needed !== 'account' && kind === 'agent')

/** Throws `credential_required` without any credential, and `account_required` if the credential is a link or an agent and that is not enough. */
export const requireIdentity = ({ identity, share }: Caller, needed: 'account' | 'identity' | 'access'): void => {
  if (isSignedIn(identity, needed) || (needed === 'access' && share !== null)) return
  if (identity.kind === 'guest' && share === null)
    throw new ServiceError('credential_required', {
      message: needed === 'access' ? 'This needs an account or a link.' : 'This needs a signed-in account.',
      hint: signInHint
    })
  throw new ServiceError('account_required')
}

/** Returns the document of the caller's link, or null. */
export const documentOfLink = ({ rests: { share } }: Caller): string | null => (share === null ? null : String(share[1]))

/** Returns the account of a caller. Throws `account_required`. */
export const accountOf = ({ identity }: Caller): string => {
  if (identity.kind !== 'account') throw new ServiceError('account_required')
  return identity.id
}
