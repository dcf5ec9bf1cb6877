/** The rules for the steps of a call (way.ts): limits, caller, role, input, handler. They are the same for every interface. */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { ServiceError, signInHint } from '../../shared/errors.ts'
import type { RateLimitName } from '../../shared/limits.ts'
import { type FieldFault, type Operation, roleAtLeast, roleFor, unknownFields } from '../../shared/operation.ts'
import { nearest } from '../../shared/nearest.ts'
import { valueMeant } from '../../shared/other-names.ts'
import type { OperationName, Output } from '../../shared/operations/index.ts'
import { AuthorName } from '../../shared/operations/schemas.ts'
import { includesRole } from '../../shared/roles.ts'
import { cleanAuthor } from '../auth/credentials.ts'
import { callerOfDocument, callerOfLink, callerOfService, type Credentials } from '../domain/rights/access.ts'
import type { File } from '../domain/media/assets.ts'
import { asProgram, type Caller, documentOfLink, requireIdentity, requireRole } from '../domain/rights/caller.ts'
import { mayCreate as scopeAllowsMaking, requireRightNow } from '../domain/rights/authority.ts'
import { namesNone } from '../domain/text/content.ts'
import type { Call } from '../handlers.ts'
import type { Context, Http } from './context.ts'
import { rateHeaders } from './rate-limit.ts'

/** The parts of a call that are the same for every interface. */
export interface Asked {
  readonly http: Http
  /** The HTTP request of the call. */
  readonly ctx: Context
  readonly name: OperationName
  readonly operation: Operation
  /** The document; '' for operations without one. */
  readonly doc: string
  readonly credentials: Credentials
}

type AnyCall = (call: Call<OperationName>) => Promise<Record<string, unknown>>

export const digest = (...parts: (string | Buffer)[]): string => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(`${part.length}:`).update(part)
  return hash.digest('base64url')
}

// ——— Limits ———

/** Returns a string that identifies the sender of a call: a digest of the credentials, or else the IP address. */
export const whoIs = ({ key, bearer, cookie }: Credentials, address: string): string =>
  (key ?? bearer ?? cookie) === undefined ? `address ${address}` : digest(key ?? '', bearer ?? '', cookie ?? '')

/** Adds the headers of a limit to a refusal that the limit caused (docs/api.md, Errors). */
const tellRefusal = (ctx: Context, name: RateLimitName, error: unknown): void => {
  if (error instanceof ServiceError) ctx.set(rateHeaders({ name, remaining: 0, resetSeconds: Number(error.details['retryAfterSeconds']) }))
}

/** Takes a token from a limit's bucket, and reports the limit in the response. Throws `rate_limited`. */
export const take = (http: Pick<Http, 'limiter'>, ctx: Context, name: RateLimitName, who: string): void => {
  try {
    const state = http.limiter.take(name, who)
    if (state !== undefined) ctx.set(rateHeaders(state))
  } catch (error) {
    tellRefusal(ctx, name, error)
    throw error
  }
}

/** Refuses like `take`, but does not take a token. Throws `rate_limited`. */
export const check = (http: Pick<Http, 'limiter'>, ctx: Context, name: RateLimitName, who: string): void => {
  try {
    http.limiter.check(name, who)
  } catch (error) {
    tellRefusal(ctx, name, error)
    throw error
  }
}

/** Whether a request has no credential at all. */
const isAnonymous = ({ key, bearer, cookie }: Credentials): boolean => key === undefined && bearer === undefined && cookie === undefined

/**
 * Refuses an address that has guessed too many tokens, before an agent token is verified: verification can require a request to the token's issuer.
 * Keys and sessions are looked up immediately, so a valid one works even if other clients at the same address guess. Throws `rate_limited`.
 */
const refuseGuesser = (http: Http, ctx: Context, { bearer }: Credentials): void => {
  if (bearer?.startsWith('ai_') === true) check(http, ctx, 'failedKey', ctx.state.address)
}

/** Applies the rate limits that need only the IP address of the call, and no verified credentials. Throws `rate_limited`. */
export const limit = ({ http, ctx, name, credentials }: Asked): void => {
  const { address, counted } = ctx.state
  if (!isAnonymous(credentials)) {
    if (counted !== 'failedKey') refuseGuesser(http, ctx, credentials)
  } else if (counted !== 'address') take(http, ctx, 'address', address)
  if (name === 'startDeviceLogin') take(http, ctx, 'deviceStart', address)
  if (name === 'pollDeviceLogin') take(http, ctx, 'devicePoll', address)
}

/** Returns the name of a caller's bucket. An account or agent has one bucket for all its sessions, and a link has one bucket for all its holders. */
export const counted = ({ identity, share }: Caller, address: string): string => {
  if (identity.kind !== 'guest') return `${identity.kind} ${identity.id}`
  return share === null ? `address ${address}` : `link ${share}`
}

const countCreation = ({ http, ctx }: Asked, caller: Caller): void => {
  if (caller.identity.kind === 'guest') return take(http, ctx, 'create', ctx.state.address)
  take(http, ctx, 'createAddress', ctx.state.address)
  return take(http, ctx, 'createAccount', counted(caller, ctx.state.address))
}

/**
 * Counts a call whose caller is known. It counts by operation and not by method, because `GET /new` also creates a document. Throws `rate_limited`.
 */
const count = (asked: Asked, caller: Caller): void => {
  const { http, ctx, name, operation, credentials } = asked
  if (name === 'createDocument') return countCreation(asked, caller)
  const who = counted(caller, ctx.state.address)
  if (operation.rest.method !== 'GET') return take(http, ctx, 'write', who)
  // A call without a credential has already been counted.
  return isAnonymous(credentials) || ctx.state.counted === 'read' ? undefined : take(http, ctx, 'read', who)
}

/**
 * Counts a refused call that has credentials against the rate limit of its IP address. Guessing therefore uses up the guesser's limit, even with a
 * valid key for another document.
 */
const countRefused = ({ http, ctx, credentials }: Pick<Asked, 'http' | 'ctx' | 'credentials'>, error: unknown): void => {
  if (!(error instanceof ServiceError) || isAnonymous(credentials)) return
  const name = error.code === 'credential_invalid' ? 'failedKey' : 'address'
  if (ctx.state.counted !== name) take(http, ctx, name, ctx.state.address)
}

/**
 * Verifies the credentials of a request before its body is read, and counts the request. Returns false if it has no valid credential. Throws
 * `rate_limited`.
 */
export const isKnown = async (http: Http, ctx: Context, credentials: Credentials): Promise<boolean> => {
  const { address } = ctx.state
  if (isAnonymous(credentials)) {
    take(http, ctx, 'address', address)
    ctx.state.counted = 'address'
    return false
  }
  refuseGuesser(http, ctx, credentials)
  try {
    take(http, ctx, 'read', counted(await callerOfService(http.service, credentials), address))
    ctx.state.counted = 'read'
    return true
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'credential_invalid') throw error
    take(http, ctx, 'failedKey', address)
    ctx.state.counted = 'failedKey'
    return false
  }
}

// ——— Caller ———

const callerOf = async (asked: Asked): Promise<Caller> => {
  const { http, operation, doc, credentials } = asked
  try {
    if (operation.on === 'document') return await callerOfDocument(http.service, doc, credentials, operation)
    return await (operation.ofLink === true ? callerOfLink : callerOfService)(http.service, credentials)
  } catch (error) {
    countRefused(asked, error)
    throw error
  }
}

const mayCreate = (http: Http, name: OperationName, caller: Caller): boolean =>
  name !== 'createDocument' || http.anonymousCreate || caller.identity.kind !== 'guest'

/** Throws `account_required` for operations that a program with a scope may not call, regardless of its role. */
const requireScope = ({ operation, name }: Asked, { scope }: Caller): void => {
  if (scope === null) return
  if (operation.on === 'account' && operation.byProgram !== true)
    throw new ServiceError('account_required', {
      message: 'Only the person can do this, not a program that acts for them.',
      hint: 'Ask the person to do this on the account page, or with agmd after signing in (agmd login).'
    })
  if (name === 'createDocument' && !scopeAllowsMaking(scope))
    throw new ServiceError('account_required', {
      message: 'This token does not allow creating documents.',
      hint: 'Ask the person for a token for all documents with the role edit or owner.'
    })
}

/**
 * Returns the caller, if the caller has a right to at least part of the call. `perform` checks the rest. Throws the errors of the credentials,
 * `account_required` or `forbidden`.
 */
export const admit = async (asked: Asked): Promise<Caller> => {
  const { http, operation, name } = asked
  const caller = await callerOf(asked)
  count(asked, caller)
  if (operation.needs !== undefined) requireIdentity(caller, operation.needs)
  requireScope(asked, caller)
  const least = roleAtLeast(operation)
  if (operation.role !== undefined && least !== undefined && !includesRole(caller.role, least)) requireRole(caller, operation.role)
  if (!mayCreate(http, name, caller))
    throw new ServiceError('credential_required', { message: 'Guests cannot create documents on this server.', hint: signInHint })
  if (name !== 'createDocument' || caller.identity.kind !== 'guest') return caller
  return { ...caller, origin: http.service.vault.disguise(`address ${asked.ctx.state.address}`) }
}

/** Uses the author name in the body if no header or query parameter has one. This applies to guests, and to programs with a bearer token. */
const named = ({ credentials }: Asked, caller: Caller, input: Record<string, unknown>): Caller => {
  const name = typeof input['author'] === 'string' ? cleanAuthor(input['author']) : undefined
  const { identity } = caller
  if (credentials.bearer !== undefined && credentials.author === undefined) return { ...caller, identity: asProgram(identity, name) }
  return name !== undefined && identity.kind === 'guest' && identity.name === null
    ? { ...caller, identity: { kind: 'guest', name } }
    : caller
}

// ——— Input ———

/** Describes what is wrong with a field in API terms, and not in those of the validation library (Zod). */
const saidOf = (issue: z.core.$ZodIssue, value: unknown): string => {
  // Zod reports the value only in its message.
  if (issue.code === 'invalid_type' && issue.message.startsWith('Invalid input'))
    return issue.message.endsWith('received undefined')
      ? `must be given as ${withArticle(issue.expected)}`
      : `must be ${withArticle(issue.expected)}`
  if (issue.code === 'too_big' && issue.message.startsWith('Too big')) return `must be at most ${sizeOf(issue.origin, issue.maximum)}`
  if (issue.code === 'too_small' && issue.message.startsWith('Too small')) return `must be at least ${sizeOf(issue.origin, issue.minimum)}`
  if (issue.code === 'invalid_format' && issue.format === 'datetime') return 'must be a date and time such as 2027-01-31T12:00:00Z'
  if (issue.code === 'invalid_value')
    return `must be ${nearestFirst(issue.values, value)
      .map((known) => JSON.stringify(known))
      .join(' or ')}`
  return issue.message
}

const withArticle = (type: string): string => `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`

const sizeOf = (origin: string, size: number | bigint): string => {
  if (origin === 'string') return `${size} characters long`
  return origin === 'array' ? `${size} items long` : String(size)
}

/** Returns the accepted values, with the most likely one first. */
const nearestFirst = (known: readonly z.core.util.Primitive[], value: unknown): readonly z.core.util.Primitive[] => {
  const words = known.filter((word) => typeof word === 'string')
  const meant = typeof value === 'string' ? (valueMeant(value, words) ?? nearest(value.slice(0, 40), words)) : undefined
  return meant === undefined ? known : [meant, ...known.filter((word) => word !== meant)]
}

const valueAt = (raw: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, step) => (typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[step] : undefined),
    raw
  )

const issuesOf = (error: z.ZodError, raw: unknown): FieldFault[] =>
  error.issues.slice(0, 20).map((issue) => ({ path: issue.path.join('.'), message: saidOf(issue, valueAt(raw, issue.path)) }))

const refusedInput = (error: z.ZodError, raw: unknown): ServiceError =>
  new ServiceError('invalid_request', { details: issuesOf(error, raw) })

const Written = z.object({ author: AuthorName.optional() })

/** Returns the checked input of an operation. Every write can name its author. Throws `invalid_request`, which lists the faulty fields. */
export const checked = (
  { input, rest, elsewhere }: Pick<Operation, 'input' | 'rest' | 'elsewhere'>,
  raw: Record<string, unknown>
): Record<string, unknown> => {
  const { shape } = input
  const namesAuthor = rest.method !== 'GET' && rest.oauth !== true && !('author' in shape)
  // OAuth requires that unknown parameters are ignored (RFC 6749 §3.2).
  const unknown =
    rest.oauth === true ? undefined : unknownFields(raw, [...Object.keys(shape), ...(namesAuthor ? ['author'] : [])], elsewhere)
  const parsed = input.safeParse(raw)
  // Reports all faults at once, which saves the caller more calls.
  if (unknown !== undefined)
    throw new ServiceError('invalid_request', {
      ...unknown,
      details: [...unknown.details, ...(parsed.success ? [] : issuesOf(parsed.error, raw))]
    })
  if (!parsed.success) throw refusedInput(parsed.error, raw)
  if (!namesAuthor || raw['author'] === undefined) return parsed.data
  const written = Written.safeParse({ author: raw['author'] })
  if (!written.success) throw refusedInput(written.error, raw)
  return { ...parsed.data, ...written.data }
}

// ——— Handler ———

/** Ends a wait when the client leaves or when its access ends. */
const endOf = (
  { http, ctx, doc }: Asked,
  caller: Caller
): { signal: AbortSignal; forget: () => void; ended: () => ServiceError | undefined } => {
  const controller = new AbortController()
  let ended: ServiceError | undefined
  const forget = http.registry.add(doc === '' ? (documentOfLink(caller) ?? '') : doc, caller, (code) => {
    // The role of the link changed, but every role may read events.
    if (code === 'forbidden') return
    ended = new ServiceError(code)
    controller.abort()
  })
  ctx.res.once('close', () => controller.abort())
  return { signal: controller.signal, forget, ended: () => ended }
}

/** Whether a call replaces text without naming the version that the caller read. */
const replacesUnseen = ({ replaces = false }: Operation, input: Record<string, unknown>): boolean => {
  const { baseVersion, mode, dryRun } = input
  if (mode === 'suggest' || dryRun === true || !namesNone(typeof baseVersion === 'string' ? baseVersion : undefined)) return false
  return typeof replaces === 'function' ? replaces(input) : replaces
}

/** Whether the response itself explains why its wait ended. After a deletion, the last event in the response from `listEvents` is the deletion. */
const tellsWhy = (name: OperationName, ended: ServiceError, answer: Record<string, unknown>): boolean =>
  name === 'listEvents' && ended.code === 'document_deleted' && (answer as Output<'listEvents'>).events.length > 0

/** Returns the error if another node ended the caller's access during a wait, and that node's message has not arrived yet. */
const endedElsewhere = async ({ http: { service }, doc }: Asked, caller: Caller): Promise<ServiceError | undefined> => {
  if (service.turns === null) return undefined
  try {
    await requireRightNow(service, doc, caller)
    return undefined
  } catch (error) {
    return error instanceof ServiceError && error.code === 'credential_invalid' ? error : undefined
  }
}

/** Runs an operation for an admitted caller, with input that has been checked. Throws `forbidden` if the input needs a higher role. */
export const perform = async (
  asked: Asked,
  caller: Caller,
  input: Record<string, unknown>,
  file: File | null = null
): Promise<Record<string, unknown>> => {
  const { http, name, doc, ctx } = asked
  const role = roleFor(asked.operation, input)
  if (role !== undefined) requireRole(caller, role)
  if (http.requireVersion && replacesUnseen(asked.operation, input)) throw new ServiceError('version_required')
  const waiting = Number(input['wait'] ?? 0) > 0 ? endOf(asked, caller) : undefined
  try {
    const handler = http.handlers[name] as unknown as AnyCall
    const call = {
      service: http.service,
      caller: named(asked, caller, input),
      doc,
      input,
      address: ctx.state.address,
      file,
      end: { signal: waiting?.signal ?? neverEnds }
    }
    const answer = await handler(call as unknown as Call<OperationName>)
    const ended = waiting?.ended() ?? (waiting && (await endedElsewhere(asked, caller)))
    if (ended !== undefined && !tellsWhy(name, ended, answer)) throw ended
    return answer
  } finally {
    waiting?.forget()
  }
}

const neverEnds = new AbortController().signal
