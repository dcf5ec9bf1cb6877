/** Turns errors into HTTP responses. This happens only here (RFC 9457; docs/api.md, Errors). */
import { type ErrorCode, errorMeanings, ServiceError } from '../../shared/errors.ts'
import { hideShareSecret } from '../../shared/names.ts'
import type { Log } from '../log.ts'
import type { Context } from './context.ts'

/** Details that become members of the problem document under their own names. */
type Facts = Readonly<Record<string, unknown>>

export interface Problem extends Facts {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly instance: string
  readonly error: string
  readonly message: string
  readonly code: ErrorCode
  readonly hint: string
  readonly retryable: boolean
  readonly requestId: string
}

/** Returns the problem document for an error. Any error other than a ServiceError is a bug, and its details are not revealed. */
export const problemOf = (error: unknown, instance: string, requestId: string): Problem => {
  const known = error instanceof ServiceError ? error : new ServiceError('internal')
  const { status, message, hint, retryable } = errorMeanings[known.code]
  const { message: said, hint: nextStep, ...facts } = known.details
  const detail = typeof said === 'string' ? said : message
  return {
    type: `urn:agmd:error:${known.code}`,
    title: message,
    status,
    detail,
    instance,
    error: message,
    message: detail,
    code: known.code,
    hint: typeof nextStep === 'string' ? nextStep : hint,
    retryable: retryable ?? false,
    requestId,
    ...facts
  }
}

/**
 * Returns the challenge of a 401 (RFC 6750, RFC 9728). It points to the metadata that names the token issuer of the resource. The MCP endpoint is a
 * separate resource.
 */
export const challengeOf = (baseUrl: string, path: string, code: ErrorCode): string => {
  const error = code === 'credential_invalid' ? ', error="invalid_token"' : ''
  const resource = path === '/mcp' ? path : ''
  return `Bearer resource_metadata="${baseUrl}/.well-known/oauth-protected-resource${resource}"${error}`
}

const oauthCodes: readonly ErrorCode[] = ['authorization_pending', 'slow_down', 'expired_token', 'access_denied', 'invalid_request']

/** Returns the OAuth form of an error (RFC 6749 §5.2). It also contains our code, because OAuth has fewer codes. */
const oauthErrorOf = (problem: Problem): Record<string, unknown> => ({
  error: oauthCodes.includes(problem.code)
    ? problem.code
    : problem.status < 500 && problem.status !== 429
      ? 'invalid_request'
      : 'temporarily_unavailable',
  error_description: problem.detail,
  ...(problem['interval'] === undefined ? {} : { interval: problem['interval'] }),
  code: problem.code,
  requestId: problem.requestId
})

/** Writes the response for an error. */
export const presentError = (ctx: Context, error: unknown, baseUrl: string, log: Log): void => {
  const problem = problemOf(error, hideShareSecret(ctx.path), ctx.state.requestId)
  if (problem.status >= 500 && errorMeanings[problem.code].expected !== true)
    log.error('request failed', { requestId: problem.requestId, method: ctx.method, path: ctx.path, code: problem.code, error })
  ctx.status = problem.status
  ctx.remove('ETag')
  ctx.set('Cache-Control', 'no-store')
  if (problem.status === 401) ctx.set('WWW-Authenticate', challengeOf(baseUrl, ctx.path, problem.code))
  const retryAfter = problem['retryAfterSeconds']
  if (typeof retryAfter === 'number') ctx.set('Retry-After', String(retryAfter))
  else if (problem.retryable && problem.status >= 500) ctx.set('Retry-After', '5')
  if (ctx.state.oauth === true) {
    ctx.body = oauthErrorOf(problem)
    return
  }
  ctx.body = JSON.stringify(problem)
  ctx.type = 'application/problem+json'
}
