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
  /** Anyone with or without a link. The name is self-chosen and unverified. */
  | { readonly kind: 'guest'; readonly name: string | null }
  | {
      readonly kind: 'account' | 'agent'
      readonly id: string
      readonly name: string
      /** Name of the program that acts for the account, unverified; absent: the person, or an agent, itself. */
      readonly program?: string
    }

/** The records on which a right depends; they are read again when it is used (authority.ts). */
export interface Rests {
  /** Record of the link. */
  readonly share: Key | null
  /** Entry of the session in the list of its account; it is gone when the session ends. */
  readonly session: Key | null
  /** Record of the account, and the epoch that it had. */
  readonly account: Key | null
  readonly epoch: number
}

/** The most that a program may do; the role of its account is the other ceiling. */
export interface Scope {
  readonly role: Role
  /** Ids of documents; null: all. */
  readonly docs: readonly string[] | null
}

export interface Caller {
  readonly identity: Identity
  /** Role on the document asked for; null: none. */
  readonly role: Role | null
  /** The link used, if any. */
  readonly share: string | null
  /** The link that its connections count for: the one used, or the one that this was made through. */
  readonly rootShare: string | null
  /** The session used, if any. */
  readonly session: string | null
  /** The review assignment that this link was made for, if it was. */
  readonly task: string | null
  /** The name that the link used was made for, if it was: its visitor is called that until they give another. */
  readonly linkName: string | null
  /** When the credential ends, in milliseconds since 1970; null: never. */
  readonly expiresAt: number | null
  /** The highest role of the program that acts; null: nobody acts for somebody here, or without a bound of its own. */
  readonly scope: Scope | null
  readonly rests: Rests
  /** The Idempotency-Key of the request, if any (idempotency.ts). */
  readonly request: RequestStamp | null
  /** Keyed hash of the address of somebody without an account who makes a document: its quota counts there. */
  readonly origin?: string
}

/** The author of a change: a caller, whose right is looked at again, or the service itself. */
export type By = Caller | 'system'

/** Names one retryable request: the same key and contents are one request (docs/api.md, Retries). */
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

/** The review assignment whose link the caller uses: records created through it have its id. */
export const taskOf = ({ task }: Caller): string | null => task

/** How who acts is named where people read it: a program with its own name and that of its account, never as the person. */
export const nameOfIdentity = (identity: Identity): string | null =>
  identity.kind === 'guest' || identity.program === undefined ? identity.name : `${identity.program} · for ${identity.name}`

/** The identity with the program that says to act for its account. A person who gives their own name is no program. */
export const asProgram = (identity: Identity, program: string | undefined): Identity =>
  identity.kind !== 'account' || program === undefined || sameName(program, identity.name) ? identity : { ...identity, program }

/**
 * The actor of a caller as journal and events keep it: `guest:Ana`, `account:id Ana`, `agent:id Name`. The name is the one of that
 * time, so that reading history needs nothing but the history.
 */
export const actorOf = ({ identity }: Caller): string =>
  `${identity.kind}:${identity.kind === 'guest' ? (identity.name ?? '') : `${identity.id} ${nameOfIdentity(identity)}`}`

/** The actor that an author was. */
export const actorNamed = ({ kind, id, name }: Author): string => (kind === 'guest' ? `guest:${name ?? ''}` : `${kind}:${id} ${name ?? ''}`)

/** The identity that records name: the account, else the agent, else the link with an author name (docs/api.md, Review assignments). */
export const authorOf = ({ identity, share }: Caller): Author =>
  identity.kind === 'guest'
    ? { kind: 'guest', id: share ?? '', name: identity.name }
    : { kind: identity.kind, id: identity.id, name: nameOfIdentity(identity) }

// One name, typed on two machines, may be composed differently (é, e + ´).
const sameName = (one: string | null, other: string | null): boolean => one?.normalize('NFC') === other?.normalize('NFC')

export const sameAuthor = (one: Author, other: Author): boolean =>
  one.kind === other.kind && one.id === other.id && (one.kind !== 'guest' || sameName(one.name, other.name))

/** The displayed name of an author: a guest without a name is "guest". */
export const nameOfAuthor = ({ kind, name }: Author): string => name ?? kind

export const systemActor = 'system:'
/** The server, where it tidies fences (server/live/heal.ts). */
export const healActor = 'system:heal'

/** Kind and name of an actor. */
export const splitActor = (actor: string): { kind: 'guest' | 'account' | 'agent' | 'system'; name: string } => {
  const colon = actor.indexOf(':')
  const kind = actor.slice(0, colon) as 'guest' | 'account' | 'agent' | 'system'
  const rest = actor.slice(colon + 1)
  // Ids hold no space; a name may.
  return { kind, name: kind === 'account' || kind === 'agent' ? rest.slice(rest.indexOf(' ') + 1) : rest }
}

/** Errors: `forbidden` with both roles. */
export const requireRole = (caller: Caller, needed: Role): void => {
  if (!includesRole(caller.role, needed)) throw new ServiceError('forbidden', { requiredRole: needed, role: caller.role })
}

/** The displayed name of an actor: a guest without a name is "guest". */
export const nameOfActor = (actor: string): string => {
  const { kind, name } = splitActor(actor)
  return name === '' ? kind : name
}

/** The sign-in that is needed: a person with an `account`, or any `identity`, agents too. `access`: a link will do as well. */
export const isSignedIn = ({ kind }: Identity, needed: 'account' | 'identity' | 'access'): boolean =>
  kind === 'account' || (needed !== 'account' && kind === 'agent')

/** Errors: `credential_required` without any credential, `account_required` when the one there is, a link or an agent, does not do. */
export const requireIdentity = ({ identity, share }: Caller, needed: 'account' | 'identity' | 'access'): void => {
  if (isSignedIn(identity, needed) || (needed === 'access' && share !== null)) return
  if (identity.kind === 'guest' && share === null)
    throw new ServiceError('credential_required', {
      message: needed === 'access' ? 'This needs an account or a link.' : 'This needs a signed-in account.',
      hint: signInHint
    })
  throw new ServiceError('account_required')
}

/** The document of the link that is used; null: none is. */
export const documentOfLink = ({ rests: { share } }: Caller): string | null => (share === null ? null : String(share[1]))

/** The account of a caller. Errors: `account_required`. */
export const accountOf = ({ identity }: Caller): string => {
  if (identity.kind !== 'account') throw new ServiceError('account_required')
  return identity.id
}
