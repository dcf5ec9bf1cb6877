/**
 * Defines the caller of an operation and the caller's rights. Only access.ts creates callers, for REST, MCP and WebSocket alike.
 *
 * This folder contains the code for rights: callers, roles and share links.
 */
import { ServiceError, signInHint } from '../../../shared/errors.ts'
import { includesRole, type Role } from '../../../shared/roles.ts'
import type { Author } from '../records/keys.ts'
import type { Key } from '../ports.ts'

export type Identity =
  /** A caller without an account or token, with or without a link. Guests choose their names; nobody verifies them. */
  | { readonly kind: 'guest'; readonly name: string | null }
  | {
      readonly kind: 'account' | 'agent'
      readonly id: string
      readonly name: string
      /** Earlier names of the account. Absent if there are none, or if a program acts. */
      readonly formerNames?: readonly string[]
      /** Unverified name of the program that acts for the account. Absent if the person or an agent acts. */
      readonly program?: string
    }

/** The records on which access depends. They are read again when the access is used (authority.ts). */
export interface Rests {
  /** The link's record. */
  readonly share: Key | null
  /** The session's entry in its account's list. It is removed when the session ends. */
  readonly session: Key | null
  /** The account's record, and its epoch at the time of admission. */
  readonly account: Key | null
  readonly epoch: number
}

/** A program's rights. A program never has more rights than its account. */
export interface Scope {
  readonly role: Role
  /** Ids of the documents that the program may use. Null for all documents. */
  readonly docs: readonly string[] | null
}

export interface Caller {
  readonly identity: Identity
  /** Role on the requested document; null if the caller has none. */
  readonly role: Role | null
  /** The link that the caller used, if any. */
  readonly share: string | null
  /** The link whose connection limit applies: the link that was used, or the link through which it was made. */
  readonly rootShare: string | null
  /** The session that the caller used, if any. */
  readonly session: string | null
  /** The review assignment for which the link was made, if any. */
  readonly task: string | null
  /** The name of the person for whom the link was made, if any. Visitors have this name until they choose another name. */
  readonly linkName: string | null
  /** The time when the link expires, in milliseconds since 1970. Null if it never does, or if the caller used no link. */
  readonly linkEndsAt: number | null
  /** The time when the credential expires, in milliseconds since 1970. Null if it never does. */
  readonly expiresAt: number | null
  /** The ceiling of the acting program. Null if no program acts, or if the program has no ceiling. */
  readonly scope: Scope | null
  readonly rests: Rests
  /** The Idempotency-Key of the request, if any (idempotency.ts). */
  readonly request: RequestStamp | null
  /** Keyed hash of the address from which a person without an account creates a document. The document counts toward the quota of that address. */
  readonly origin?: string
}

/** The author of a change. A caller's access is checked again; the service itself needs no check. */
export type By = Caller | 'system'

/** Identifies a request for retries: requests with the same key and the same contents count as one (docs/api.md, Retries). */
export interface RequestStamp {
  /** Hash of the caller, document, method, path and key. */
  readonly id: string
  /** Hash of the request's contents. */
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
  linkEndsAt: null,
  expiresAt: null,
  scope: null,
  rests: { share: null, session: null, account: null, epoch: 0 },
  request: null
}

/** Returns the review assignment whose link the caller uses. Records that the caller creates contain its id. */
export const taskOf = ({ task }: Caller): string | null => task

/**
 * Returns the name under which a caller is shown. A program is shown with its own name and the name of its account, so that nobody mistakes the
 * program for the person.
 */
export const nameOfIdentity = (identity: Identity): string | null =>
  identity.kind === 'guest' || identity.program === undefined ? identity.name : `${identity.program} · for ${identity.name}`

/** Returns the identity together with the program that claims to act for its account. A person who sends their own name is not a program. */
export const asProgram = (identity: Identity, program: string | undefined): Identity =>
  identity.kind !== 'account' || program === undefined || sameName(program, identity.name) ? identity : { ...identity, program }

/**
 * Returns a caller as an actor, in the form that the journal and events use: `guest:Ana`, `account:id Ana`, `agent:id Name`. It contains the name at
 * that time, so that the history can be read without other records.
 */
export const actorOf = ({ identity }: Caller): string =>
  `${identity.kind}:${identity.kind === 'guest' ? (identity.name ?? '') : `${identity.id} ${nameOfIdentity(identity)}`}`

/** Returns an author as an actor. */
export const actorNamed = ({ kind, id, name }: Author): string => (kind === 'guest' ? `guest:${name ?? ''}` : `${kind}:${id} ${name ?? ''}`)

/**
 * Returns the author that records contain: the account, or else the agent, or else the link with an author name (docs/api.md, Review assignments).
 */
export const authorOf = ({ identity, share }: Caller): Author =>
  identity.kind === 'guest'
    ? { kind: 'guest', id: share ?? '', name: identity.name }
    : { kind: identity.kind, id: identity.id, name: nameOfIdentity(identity) }

// Two computers can compose the same name differently (é, e + ´).
const sameName = (one: string | null, other: string | null): boolean => one?.normalize('NFC') === other?.normalize('NFC')

export const sameAuthor = (one: Author, other: Author): boolean =>
  one.kind === other.kind && one.id === other.id && (one.kind !== 'guest' || sameName(one.name, other.name))

/** Checks that the caller wrote a record. Throws `not_author`. */
export const requireAuthor = (caller: Caller, { author }: { readonly author: Author }): void => {
  if (!sameAuthor(authorOf(caller), author)) throw new ServiceError('not_author')
}

/** Checks that the caller wrote a record or is an owner of the document. Throws `not_author`. */
export const requireAuthorOrOwner = (caller: Caller, record: { readonly author: Author }): void => {
  if (!includesRole(caller.role, 'owner')) requireAuthor(caller, record)
}

/** Returns the displayed name of an author. A guest without a name is shown as "guest". */
export const nameOfAuthor = ({ kind, name }: Author): string => name ?? kind

export const systemActor = 'system:'
/** The server as an actor when it tidies fences (server/live/tidy.ts). */
export const tidyActor = 'system:heal'

/** Whether the server itself acted. In that case, histories name nobody. */
export const isSystemActor = (actor: string): boolean => actor.startsWith(systemActor)

/** Returns the kind and the name of an actor. The server has no name. */
export const splitActor = (actor: string): { kind: 'guest' | 'account' | 'agent' | 'system'; name: string } => {
  const colon = actor.indexOf(':')
  const kind = actor.slice(0, colon) as 'guest' | 'account' | 'agent' | 'system'
  const rest = actor.slice(colon + 1)
  // Ids never contain a space, but names can.
  return { kind, name: kind === 'system' ? '' : kind === 'guest' ? rest : rest.slice(rest.indexOf(' ') + 1) }
}

/** Checks the caller's role. Throws `forbidden`, which names the required role and the caller's role. */
export const requireRole = (caller: Caller, needed: Role): void => {
  if (!includesRole(caller.role, needed)) throw new ServiceError('forbidden', { requiredRole: needed, role: caller.role })
}

/** Returns the displayed name of an actor. A guest without a name is shown as "guest". */
export const nameOfActor = (actor: string): string => {
  const { kind, name } = splitActor(actor)
  return name === '' ? kind : name
}

/**
 * Whether an identity meets the sign-in requirement of an operation. `account` requires a person, and `identity` a person or an agent. For
 * `access`, a link is enough.
 */
export const isSignedIn = ({ kind }: Identity, needed: 'account' | 'identity' | 'access'): boolean =>
  kind === 'account' || (needed !== 'account' && kind === 'agent')

/**
 * Throws `credential_required` if there is no credential. Throws `account_required` if the credential is a link or an agent, and that is not
 * enough.
 */
export const requireIdentity = ({ identity, share }: Caller, needed: 'account' | 'identity' | 'access'): void => {
  if (isSignedIn(identity, needed) || (needed === 'access' && share !== null)) return
  if (identity.kind === 'guest' && share === null)
    throw new ServiceError('credential_required', {
      message: needed === 'access' ? 'This request needs an account or a link.' : 'This request needs a signed-in account.',
      hint: signInHint
    })
  throw new ServiceError('account_required')
}

/** Returns the document of the caller's link; null if the caller uses no link. */
export const documentOfLink = ({ rests: { share } }: Caller): string | null => (share === null ? null : String(share[1]))

/** Returns the account of a caller. Throws `account_required`. */
export const accountOf = ({ identity }: Caller): string => {
  if (identity.kind !== 'account') throw new ServiceError('account_required')
  return identity.id
}
