/** Sends requests to the service and turns its errors into `RequestError`. */
import { limits } from '../../shared/limits.ts'
import { signature } from '../presence/person.ts'
import { t } from '../text/t.ts'

/** A refusal by the server. `status` is 0 if the server could not be reached. */
export class RequestError extends Error {
  readonly status: number
  readonly code: string
  readonly hint: string
  /** Seconds to wait, from `Retry-After`. */
  readonly retryAfterSeconds: number | undefined
  readonly requestId: string | undefined
  /** The time until which the owner can restore a deleted document, in milliseconds since 1970; 0 if it cannot be restored. */
  readonly restorableUntil: number
  /** Number of the newest step of a typed suggestion that the service has stored. */
  readonly step: number
  /** The caller's role, if the response includes it. */
  readonly role: string
  /** The title of a document in the trash, for its owner; '' if the response has none. */
  readonly documentTitle: string

  constructor(status: number, problem: Record<string, unknown>, retryAfterSeconds?: number) {
    const text = (key: string) => (typeof problem[key] === 'string' ? problem[key] : '')
    super(text('message') || text('error') || text('detail') || t('The server gave no reason.'))
    this.status = status
    this.code = text('code')
    this.hint = text('hint')
    this.retryAfterSeconds = retryAfterSeconds
    this.requestId = text('requestId') || undefined
    this.restorableUntil = Date.parse(text('restorableUntil')) || 0
    this.step = Number(problem['step'] ?? 0)
    this.role = text('role')
    this.documentTitle = text('documentTitle')
  }
}

/** Options of a request. */
export interface How {
  readonly key?: string
  /** The name of a guest. The default is the name on this device, or the number of a guest without a name. An account always writes under its own name. */
  readonly author?: string
  /** Leaves out the session of the account. */
  readonly asGuest?: boolean
  /** Makes the request safe to send again (docs/api.md, Retries). */
  readonly idempotencyKey?: string
  /** Lets the request continue after the page closes. */
  readonly keepalive?: boolean
  /** The body of the request, instead of fields. */
  readonly file?: Blob
}

interface Call extends How {
  readonly method?: string
  /** The body: a file is sent unchanged, and any other value as JSON. */
  readonly body?: unknown
}

// A header value may contain only Latin-1. The service decodes the bytes as UTF-8.
export const headerValue = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text))

async function problem(response: Response): Promise<RequestError> {
  let body: unknown
  try {
    body = await response.json()
  } catch {
    body = {}
  }
  const seconds = Number(response.headers.get('retry-after') ?? NaN)
  const fields = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  return new RequestError(response.status, fields, Number.isFinite(seconds) ? seconds : undefined)
}

/**
 * Sends a request and reads its response with `read`. If the connection ends while `read` runs, the request counts as unanswered, even if the service
 * carried it out.
 */
async function ask<Answer>(path: string, options: Call, read: (response: Response) => Promise<Answer>): Promise<Answer> {
  const { method = 'GET', key = '', body, idempotencyKey, keepalive = false, asGuest } = options
  // A guest uses the same name in all documents, and without a name the number in the open document.
  const author = options.author ?? (method === 'GET' ? '' : signature.value)
  const headers: Record<string, string> = { accept: 'application/json' }
  if (key !== '') headers['x-share-key'] = key
  if (author !== '') headers['x-agent-author'] = headerValue(author)
  if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey
  const isFile = body instanceof Blob
  if (body !== undefined) headers['content-type'] = isFile ? body.type : 'application/json'
  const sent = isFile ? body : body === undefined ? null : JSON.stringify(body)
  // A connection can fail silently, so requests have a time limit. An upload has none, because it may take a long time.
  const signal = isFile ? null : AbortSignal.timeout(limits.answerSecondsMax * 1000)
  let response: Response
  try {
    const credentials = asGuest ? 'omit' : 'same-origin'
    response = await fetch(path, { method, headers, body: sent, cache: 'no-store', credentials, keepalive, signal })
    if (response.ok) return await read(response)
  } catch {
    throw new RequestError(0, {
      code: 'offline',
      message: t('The server cannot be reached.'),
      hint: t('Check the connection and try again.')
    })
  }
  throw await problem(response)
}

/** Sends one request to the service. Throws `RequestError`. The functions of operation.ts call it by the name of an operation. */
export const call = (path: string, options: Call): Promise<unknown> => ask(path, options, (response) => response.json())

/** Downloads the file at an address of the service. Throws `RequestError`. */
export const callFile = (path: string, key: string): Promise<Blob> => ask(path, { key }, (response) => response.blob())
