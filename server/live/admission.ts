/** Decides whether a connection may open a document, and finds out when its credential ends. */
import { type ErrorCode, ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import { isDocumentId } from '../../shared/names.ts'
import { includesRole } from '../../shared/roles.ts'
import type { Clock, Nodes } from '../domain/ports.ts'
import { callerOfDocument } from '../domain/rights/access.ts'
import type { Caller } from '../domain/rights/caller.ts'
import type { Service } from '../domain/service.ts'
import type { ConnectionLimits } from './connection-limits.ts'
import type { Context } from './documents.ts'

/** An error for hooks. Hocuspocus sends `reason` to the client. It also prints errors that have a message, so this error has none. */
export class Refusal extends Error {
  readonly reason: string

  constructor(reason: string) {
    super('')
    this.name = 'Refusal'
    this.reason = reason
  }
}

export const refusalOf = (error: unknown): Refusal => new Refusal(error instanceof ServiceError ? error.code : 'internal')

/** Counts wrong keys for each address. Both functions throw `rate_limited` if there have been too many. */
export interface Guesses {
  check(address: string): void
  count(address: string): void
}

/** Checks periodically whether a credential is still valid. If the issuer does not answer, the credential stays valid. */
const askAgain = (clock: Clock, find: () => Promise<Caller>, end: (code: ErrorCode) => void): (() => void) => {
  let cancel = (): void => undefined
  let stopped = false
  const ask = (): void => {
    find().catch((error: unknown) => {
      if (error instanceof ServiceError && error.code === 'credential_invalid' && !stopped) end(error.code)
    })
    cancel = clock.after(limits.agentTokenSeconds * 1000, ask)
  }
  cancel = clock.after(limits.agentTokenSeconds * 1000, ask)
  return () => {
    stopped = true
    cancel()
  }
}

/** Counts a wrong key, as for HTTP requests, and returns the refusal. */
const countedGuess = (guesses: Guesses, error: unknown, address: string): unknown => {
  if (!(error instanceof ServiceError) || error.code !== 'credential_invalid') return error
  try {
    guesses.count(address)
    return error
  } catch (limited) {
    return limited
  }
}

export interface Admission {
  /** Returns the context of a connection that may open a document. Sets `config.readOnly`. Throws `Refusal`. */
  admit(doc: string, token: string, context: Context, config: { readOnly: boolean }): Promise<Context>
  /** Checks a credential periodically, and calls `end` when it has ended. Returns a function that ends the checks. */
  askAgain(find: () => Promise<Caller>, end: (code: ErrorCode) => void): () => void
}

interface AdmissionOptions {
  readonly service: () => Service
  readonly guesses: Guesses
  readonly connectionLimits: ConnectionLimits
  readonly nodes: Nodes | undefined
}

export const createAdmission = ({ service, guesses, connectionLimits, nodes }: AdmissionOptions): Admission => ({
  async admit(doc, token, context, config) {
    if (!isDocumentId(doc)) throw new Refusal('not_found')
    // Access that another node has just revoked must not open the document.
    if (nodes !== undefined) await nodes.heard()
    const isBearer = /^(asess_|apat_|ai_)/.test(token)
    // If there is a bearer token, the browser's cookie is ignored, as for HTTP requests.
    const { cookie, address, sessions } = context.peer
    try {
      // Only agent tokens may cause a request to their issuer. Wrong keys from the same address must not lock out a valid key.
      if (token.startsWith('ai_')) guesses.check(address)
      const credentials = isBearer ? { bearer: token } : { key: token === '' ? undefined : token, cookie }
      const find = (): Promise<Caller> => callerOfDocument(service(), doc, credentials)
      const caller = await find()
      const mayWrite = includesRole(caller.role, 'edit')
      sessions.admit(doc, mayWrite, connectionLimits.take(doc, caller, address))
      config.readOnly = !mayWrite
      return { ...context, caller, ...(caller.identity.kind === 'agent' && { again: find }) }
    } catch (error) {
      throw refusalOf(countedGuess(guesses, error, address))
    }
  },
  askAgain: (find, end) => askAgain(service().clock, find, end)
})
