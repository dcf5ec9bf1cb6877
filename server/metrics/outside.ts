/**
 * Answers `/livez`, `/readyz` and `/metrics`, before the app sees a request. The requests have no rate limit and are not logged, because programs
 * send them every few seconds. They are also answered while the app starts and stops.
 */
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { BlockList, isIPv6 } from 'node:net'
import { type ErrorCode, ServiceError } from '../../shared/errors.ts'
import { problemOf } from '../http/errors.ts'
import { type NotReady, reasons } from './probes.ts'

/** The callers that may read the metrics. If there is neither a token nor a network, the server has no metrics. */
export interface MetricsAccess {
  readonly token: string | null
  readonly networks: readonly Network[]
}

export interface Network {
  readonly address: string
  /** The number of leading bits that all addresses of the network share. */
  readonly bits: number
}

export interface OutsideOptions {
  readonly readiness: () => Promise<NotReady | undefined>
  readonly access: MetricsAccess
  /** Returns the metrics as text; undefined while the server is starting. Absent if nobody may read them. */
  readonly metrics: (() => Promise<{ readonly type: string; readonly text: string }> | undefined) | undefined
  /** Returns the client's address; undefined if an undeclared proxy hides it. */
  readonly addressOf: (request: IncomingMessage) => string | undefined
}

/** Handles a request for `/livez`, `/readyz` or `/metrics`. Returns false if the request is for a different address. */
export type Outside = (request: IncomingMessage, response: ServerResponse) => boolean

const send = (response: ServerResponse, status: number, type: string, body: string, more: Readonly<Record<string, string>> = {}): void => {
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'X-Content-Type-Options': 'nosniff',
    ...more
  })
  response.end(body)
}

interface Refusal {
  readonly status?: number
  readonly details?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
}

const refuse = (response: ServerResponse, path: string, code: ErrorCode, { status, details = {}, headers = {} }: Refusal = {}): void => {
  const requestId = randomUUID()
  const known = problemOf(new ServiceError(code, details), path, requestId)
  const problem = status === undefined ? known : { ...known, status }
  send(response, problem.status, 'application/problem+json', JSON.stringify(problem), { 'X-Request-Id': requestId, ...headers })
}

const codes: Readonly<Record<NotReady, ErrorCode>> = {
  starting: 'shutting_down',
  stopping: 'shutting_down',
  read_only: 'storage_unavailable',
  full: 'storage_full',
  unreachable: 'storage_unavailable'
}

const sendReady = async (response: ServerResponse, path: string, readiness: OutsideOptions['readiness']): Promise<void> => {
  const reason = await readiness()
  if (reason === undefined) return send(response, 200, 'text/plain; charset=utf-8', 'ready\n')
  // Load balancers expect 503 from a server that is not ready, regardless of the reason.
  return refuse(response, path, codes[reason], { status: 503, details: { ...reasons[reason], reason }, headers: { 'Retry-After': '5' } })
}

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest()

const createGuard = ({ access, addressOf }: OutsideOptions): ((request: IncomingMessage) => boolean) => {
  const networks = new BlockList()
  for (const { address, bits } of access.networks) networks.addSubnet(address, bits, isIPv6(address) ? 'ipv6' : 'ipv4')
  const token = access.token === null ? undefined : hashOf(access.token)
  return (request) => {
    const sent = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1]
    if (token !== undefined && sent !== undefined && timingSafeEqual(hashOf(sent), token)) return true
    const address = addressOf(request)
    return address !== undefined && networks.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  }
}

const settings = 'AGMD_METRICS_TOKEN or AGMD_METRICS_ADDRESSES'

export const createOutside = (options: OutsideOptions): Outside => {
  const { readiness, access, metrics } = options
  const mayRead = createGuard(options)

  const sendMetrics = async (request: IncomingMessage, response: ServerResponse, path: string): Promise<void> => {
    if (metrics === undefined) return refuse(response, path, 'not_found', { details: { hint: `The operator can set ${settings}.` } })
    if (!mayRead(request) && access.token !== null)
      return refuse(response, path, 'credential_required', {
        details: { hint: 'Send the token of AGMD_METRICS_TOKEN as a bearer token.' },
        headers: { 'WWW-Authenticate': 'Bearer' }
      })
    if (!mayRead(request))
      return refuse(response, path, 'forbidden', {
        details: { message: 'This address may not read the metrics.', hint: `The operator can set ${settings}.` }
      })
    const written = await metrics()
    return written === undefined ? sendReady(response, path, readiness) : send(response, 200, written.type, written.text)
  }

  const answers: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse, path: string) => Promise<void> | void>> = {
    '/livez': (_request, response) => send(response, 200, 'text/plain; charset=utf-8', 'alive\n'),
    '/readyz': (_request, response, path) => sendReady(response, path, readiness),
    '/metrics': sendMetrics
  }

  return (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? ''
    const answer = Object.hasOwn(answers, path) ? answers[path] : undefined
    if (answer === undefined) return false
    if (request.method !== 'GET' && request.method !== 'HEAD')
      refuse(response, path, 'method_not_allowed', { details: { allow: ['GET', 'HEAD'] }, headers: { Allow: 'GET, HEAD' } })
    else
      Promise.resolve(answer(request, response, path)).catch(() =>
        response.headersSent ? response.destroy() : refuse(response, path, 'internal')
      )
    return true
  }
}
