/** The dependencies of the HTTP interface, and its state for each request. */
import type { IncomingMessage } from 'node:http'
import type Koa from 'koa'
import type { Handlers } from '../handlers.ts'
import type { Trace } from '../domain/ports.ts'
import type { Service } from '../domain/service.ts'
import type { Registry } from '../domain/live.ts'
import type { Log } from '../log.ts'
import type { Cookies } from '../auth/cookies.ts'
import type { RateLimiter } from './rate-limit.ts'

export interface Http {
  readonly service: Service
  readonly handlers: Handlers
  readonly registry: Registry
  readonly limiter: RateLimiter
  readonly log: Log
  /** Returns the client's address in the form under which rate limits count it. */
  readonly addressOf: (request: IncomingMessage) => string
  readonly cookies: Cookies
  readonly anonymousCreate: boolean
  /** Whether replacing an entire document requires the version that the caller read. */
  readonly requireVersion: boolean
  /** The contact for reporting security problems in this server. Null if none is configured. */
  readonly securityContact: string | null
  /** Whether documents may show pictures, sound and video from other sites. */
  readonly foreignMedia: boolean
  /** The prefix of MCP tool names. */
  readonly mcpPrefix: string
  /** Counts a request after its response. Absent if the server has no metrics. */
  readonly onAnswered?: (request: AnsweredRequest) => void
  /** Runs each request as a span of a trace. Absent if the server has no traces. */
  readonly traceRequest?: Koa.Middleware<RequestState>
  /** Runs a part of a request as a span. Absent if the server has no traces. */
  readonly trace?: Trace
  /** The folder of the built web pages. */
  readonly webFolder: string
}

/** A request after its response. */
export interface AnsweredRequest {
  readonly method: string
  /** The pattern of the route, in the form of the router; undefined if no route matched. */
  readonly route: unknown
  readonly status: number
  /** The error code; undefined if the response is not an error. */
  readonly error: string | undefined
  readonly ms: number
}

export interface RequestState {
  /** Identifies the request in logs, responses and reports. */
  requestId: string
  /** The client's address. An IPv6 address is reduced to its /64. */
  address: string
  /** The limit that counted this request before its operation was known. A request must be counted only once. */
  counted?: 'address' | 'failedKey' | 'read'
  /** Whether a tool call lacked an account or link. If so, the response lets an MCP client sign its user in. */
  challenged?: boolean
  /** Whether errors are sent in the OAuth format. */
  oauth?: boolean
}

export type Context = Koa.ParameterizedContext<RequestState>
