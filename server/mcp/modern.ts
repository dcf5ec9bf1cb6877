/**
 * Version 2026-07-28 of the protocol, at the same address as the earlier versions (MCP, Versioning and Compatibility; Streamable HTTP). There is no
 * handshake and no session: each request names its version and its client's capabilities in `_meta`. Its headers repeat the fields that proxies use
 * for routing. Each result states its type, the server, and how long it may be cached.
 */
import { type JSONRPCMessage, ErrorCode as RpcErrorCode } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import type { Context } from '../http/context.ts'
import { idOf, isObject, Malformed } from './malformed.ts'
import { resourceNotFound } from './refused.ts'

export const modernVersion = '2026-07-28'

const key = (name: string): string => `io.modelcontextprotocol/${name}`

/** The field of `_meta` that contains the id of the request that opened a subscription. Every message on the subscription's stream has it. */
export const subscriptionKey = key('subscriptionId')

// Error codes that the protocol defines (MCP, Base protocol, Error Codes).
const headerMismatch = -32020
const unsupportedVersion = -32022

export const DiscoverRequestSchema = z.object({ method: z.literal('server/discover'), params: z.looseObject({}).optional() })

/** How long a client may cache the lists at one address. They change only with a new version of the service. */
const listMilliseconds = 5 * 60 * 1000

interface CachePolicy {
  readonly ttlMs: number
  /** `public` means that everyone at that address gets the same result. */
  readonly cacheScope: 'public' | 'private'
}

const list: CachePolicy = { ttlMs: listMilliseconds, cacheScope: 'public' }
const own: CachePolicy = { ttlMs: 0, cacheScope: 'private' }

/** This version's methods, and how long their results may be cached. Undefined means that they must not be cached. */
const methods: ReadonlyMap<string, CachePolicy | undefined> = new Map([
  ['server/discover', { ttlMs: listMilliseconds, cacheScope: 'private' }],
  ['tools/list', list],
  ['tools/call', undefined],
  ['prompts/list', list],
  ['prompts/get', undefined],
  ['resources/templates/list', list],
  ['resources/list', own],
  ['resources/read', own],
  ['subscriptions/listen', undefined]
])

export const modernMethods: readonly string[] = [...methods.keys()]

/** Methods that earlier versions do not have. */
const newMethods = ['server/discover', 'subscriptions/listen']

type Body = Readonly<Record<string, unknown>>

const metaOf = ({ params }: Body): Body => (isObject(params) && isObject(params['_meta']) ? params['_meta'] : {})

/** Whether a message belongs to this version or a later one. */
export const isModern = (ctx: Context, body: Body): boolean =>
  key('protocolVersion') in metaOf(body) || ctx.get('MCP-Protocol-Version') === modernVersion || newMethods.includes(String(body['method']))

/** Returns the name of the parameter that `Mcp-Name` repeats. */
const namedIn = (method: string): string | undefined =>
  method === 'tools/call' || method === 'prompts/get' ? 'name' : method === 'resources/read' ? 'uri' : undefined

/** Returns a header's value, which can be encoded in Base64 (Streamable HTTP, Value Encoding). */
const plain = (value: string): string => {
  const [, encoded] = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/.exec(value) ?? []
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString('utf8')
}

/**
 * Checks a request of this version. Throws `Malformed`, with the status that the protocol requires. The status is 400 for missing fields of
 * `_meta`, for headers that do not match the body, and for an unknown version. It is 404 for a method that this version does not have.
 */
export const checkModern = (ctx: Context, body: Body): void => {
  const id = idOf(body)
  const { method, params } = body
  // A notification gets no response.
  if (typeof method !== 'string' || id === null) return
  const refuse = (code: number, message: string, status = 400, data?: unknown): never => {
    throw new Malformed(code, message, id, { status, data })
  }
  const repeats = (header: string, value: unknown): void => {
    const sent = ctx.get(header)
    if (sent === '') refuse(headerMismatch, `The header ${header} is missing. Send it with every request; it repeats a value of the body.`)
    if (plain(sent) !== value) refuse(headerMismatch, `The header ${header} does not match the body.`)
  }
  const meta = metaOf(body)
  const version = meta[key('protocolVersion')]
  if (typeof version !== 'string')
    return refuse(RpcErrorCode.InvalidParams, `params._meta must contain ${key('protocolVersion')}, a string.`)
  if (!isObject(meta[key('clientCapabilities')]))
    refuse(RpcErrorCode.InvalidParams, `params._meta must contain ${key('clientCapabilities')}, an object; send {} if there are none.`)
  repeats('MCP-Protocol-Version', version)
  if (version !== modernVersion)
    refuse(unsupportedVersion, `Requests with _meta use version ${modernVersion}; earlier versions begin with initialize.`, 400, {
      supported: [modernVersion],
      requested: version.slice(0, 100)
    })
  if (!methods.has(method)) refuse(RpcErrorCode.MethodNotFound, `There is no such method in version ${modernVersion}.`, 404)
  repeats('Mcp-Method', method)
  const named = namedIn(method)
  if (named !== undefined && isObject(params)) repeats('Mcp-Name', params[named])
  return undefined
}

/** The service's description of itself. */
export interface ServerInfo {
  readonly name: string
  readonly title: string
  readonly version: string
  readonly websiteUrl: string
}

/** Returns the additional fields of every result in this version. */
export const resultFields = (info: ServerInfo, meta: object = {}): object => ({
  resultType: 'complete',
  _meta: { ...meta, [key('serverInfo')]: info }
})

/** Converts a response from the form of earlier versions to the form of this version. */
export const modernised = (message: JSONRPCMessage, method: string, info: ServerInfo): JSONRPCMessage => {
  if ('error' in message)
    return message.error.code === resourceNotFound ? { ...message, error: { ...message.error, code: RpcErrorCode.InvalidParams } } : message
  if (!('result' in message)) return message
  return { ...message, result: { ...message.result, ...methods.get(method), ...resultFields(info, message.result._meta) } }
}

/** Returns the resources that a client wants to watch. Throws `Malformed`. */
export const watchedIn = (body: Body): readonly string[] => {
  const { params } = body
  const filter = isObject(params) ? params['notifications'] : undefined
  const uris = isObject(filter) ? (filter['resourceSubscriptions'] ?? []) : undefined
  if (Array.isArray(uris) && uris.every((uri) => typeof uri === 'string')) return [...new Set(uris as string[])]
  throw new Malformed(
    RpcErrorCode.InvalidParams,
    'params.notifications must be an object: {"resourceSubscriptions": ["agmd://doc/ID"]} names what to watch.',
    idOf(body)
  )
}
