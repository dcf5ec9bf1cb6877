/** The dependencies of the HTTP interface, and its state for each request. */
import type { IncomingMessage } from 'node:http'
import type Koa from 'koa'
import type { Handlers } from '../handlers.ts'
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
  /** The client's address, as limits count it. */
  readonly addressOf: (request: IncomingMessage) => string
  readonly cookies: Cookies
  readonly anonymousCreate: boolean
  /** Whether replacing an entire text requires the version that was read. */
  readonly requireVersion: boolean
  /** The contact for reporting faults of this server; null: not configured. */
  readonly securityContact: string | null
  /** Whether documents show pictures, audio and video of other sites. */
  readonly foreignMedia: boolean
  /** The prefix of the names of MCP tools. */
  readonly mcpPrefix: string
  /** Folder of the built web pages. */
  readonly webFolder: string
}

export interface RequestState {
  /** Identifies the request in logs, answers and reports. */
  requestId: string
  /** Client's address; IPv6 by its /64. */
  address: string
  /** The limit that counted this request before its operation was known, so that it counts once. */
  counted?: 'address' | 'failedKey' | 'read'
  /** Whether a call of a tool lacked an account or link, for which a client of MCP can sign its person in. */
  challenged?: boolean
  /** Whether errors have the OAuth format. */
  oauth?: boolean
}

export type Context = Koa.ParameterizedContext<RequestState>
