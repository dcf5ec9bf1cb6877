/** A JSON-RPC refusal. The SDK passes on its code, message and data unchanged. */
import { ErrorCode as RpcErrorCode } from '@modelcontextprotocol/sdk/types.js'
import { ServiceError } from '../../shared/errors.ts'
import type { Context, Http } from '../http/context.ts'
import { challenge, lineOf, problemIn } from './call.ts'

/** The error code for a missing resource (MCP 2025-11-25, Resources, Error Handling). The version without a handshake uses `InvalidParams`. */
export const resourceNotFound = -32002

export class Refused extends Error {
  readonly code: number
  readonly data: unknown

  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** Errors that mean that the resource does not exist, or no longer exists. */
const gone = ['not_found', 'document_deleted', 'taken_down', 'target_not_found']

const codeFor = (error: unknown): number => {
  if (!(error instanceof ServiceError)) return RpcErrorCode.InternalError
  return gone.includes(error.code) ? resourceNotFound : RpcErrorCode.InvalidParams
}

/** Returns an operation's refusal, for a request that is not a tool call. The refusal's data includes `about`. */
export const refusedFor = (error: unknown, http: Http, ctx: Context, about: object = {}): Refused => {
  if (!(error instanceof ServiceError)) http.log.error('reading failed', { requestId: ctx.state.requestId, error })
  const isOpen = error instanceof ServiceError && error.code === 'credential_required'
  if (isOpen) challenge(http, ctx, 'credential_required')
  const known = problemIn(error, http, ctx)
  // A resource request has no argument for a key, so the connection must supply the key.
  const said = isOpen ? { ...known, hint: 'Connect with a share key in X-Share-Key or in the address, or sign in.' } : known
  return new Refused(codeFor(error), lineOf(said), { ...about, error: said })
}
