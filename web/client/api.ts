/** Requests to the service, and its errors as the pages need them. */
import { limits } from '../../shared/limits.ts'
import { personName } from '../presence/person.ts'
import { t } from '../text/t.ts'

/** The server's refusal, or `status: 0` if it was not reached. */
export class RequestError extends Error {
  readonly status: number
  readonly code: string
  readonly hint: string
  /** Seconds to wait, from `Retry-After`. */
  readonly retryAfterSeconds: number | undefined
  readonly requestId: string | undefined
  /** For a deleted document: until when its owner can restore it, in milliseconds since 1970; 0 if no longer. */
  readonly restorableUntil: number
  /** The newest step of a typed suggestion that the service has. */
  readonly step: number
  /** Role of the caller, if the answer includes it. */
  readonly role: string

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
  }
}

/** Options of a request. */
export interface How {
  readonly key?: string
  /** Name of a guest; by default the one stored on this device. Accounts write under their own name. */
  readonly author?: string
  /** Makes the request safe to send again (docs/api.md, Retries). */
  readonly idempotencyKey?: string
  /** Continues when the page closes. */
  readonly keepalive?: boolean
  /** The body, instead of fields. */
  readonly file?: Blob
}

interface Call extends How {
  readonly method?: string
  /** A file is sent unchanged, anything else as JSON. */
  readonly body?: unknown
}

// Header values are Latin-1; the service reads UTF-8 in them.
const headerValue = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text))

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

/** `read` reads the answer: a connection that ends within it did not bring the answer, whatever the service has done. */
async function ask<Answer>(path: string, options: Call, read: (response: Response) => Promise<Answer>): Promise<Answer> {
  const { method = 'GET', key = '', body, idempotencyKey, keepalive = false } = options
  // A guest uses one name for everything.
  const author = options.author ?? (method === 'GET' ? '' : personName.value)
  const headers: Record<string, string> = { accept: 'application/json' }
  if (key !== '') headers['x-share-key'] = key
  if (author !== '') headers['x-agent-author'] = headerValue(author)
  if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey
  const isFile = body instanceof Blob
  if (body !== undefined) headers['content-type'] = isFile ? body.type : 'application/json'
  const sent = isFile ? body : body === undefined ? null : JSON.stringify(body)
  // A connection can die without a word. A file may take long.
  const signal = isFile ? null : AbortSignal.timeout(limits.answerSecondsMax * 1000)
  let response: Response
  try {
    response = await fetch(path, { method, headers, body: sent, cache: 'no-store', keepalive, signal })
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

/** Sends one request to the service (operation.ts has them by name). Throws `RequestError`. */
export const call = (path: string, options: Call): Promise<unknown> => ask(path, options, (response) => response.json())

/** Returns the file at an address of the service. Throws `RequestError`. */
export const callFile = (path: string, key: string): Promise<Blob> => ask(path, { key }, (response) => response.blob())
