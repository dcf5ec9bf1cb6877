/**
 * Answers requests to the MCP endpoint (docs/api.md, MCP; Streamable HTTP). It is stateless: each request gets its own server and transport, so that
 * no response can reach another client. Responses are plain JSON. The endpoint supports the protocol versions with `initialize`, and the version
 * without it (`modern.ts`). `GET` describes the endpoint to programs.
 */
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  type CallToolResult,
  CallToolRequestSchema,
  ErrorCode as RpcErrorCode,
  GetPromptRequestSchema,
  InitializeRequestSchema,
  JSONRPCMessageSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  SubscribeRequestSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
  UnsubscribeRequestSchema
} from '@modelcontextprotocol/sdk/types.js'
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import { mediaType, readBody } from '../http/body.ts'
import type { Context, Http } from '../http/context.ts'
import { checkJsonShape } from '../http/json-shape.ts'
import { isKnown } from '../http/perform.ts'
import { groups } from '../../shared/mcp-groups.ts'
import { callTool, challenge, connectionCredentials } from './call.ts'
import { type Connection, connectionOf } from './connection.ts'
import { allTools, offersOf, toolList } from './list.ts'
import { idOf, isObject, Malformed } from './malformed.ts'
import {
  checkModern,
  DiscoverRequestSchema,
  isModern,
  modernised,
  modernMethods,
  modernVersion,
  type ServerInfo,
  watchedIn
} from './modern.ts'
import { toldTools } from './nearest-tools.ts'
import { addPrompts } from './prompts.ts'
import { Refused, refusedFor, resourceNotFound } from './refused.ts'
import { addResources } from './resources.ts'
import { addSubscriptions, createSubscriptions, howToListen, type Subscriptions } from './subscriptions.ts'
import { instructions, skillTool, skillOf } from './skill.ts'
import type { Tool } from './tool.ts'
import { operationTools } from './tools.ts'

const path = '/mcp'

const isJoint = (text: string | undefined): boolean => text === '.' || text === '_'

/**
 * Returns the tool with this name. For an unknown tool, throws `Malformed` with -32602, as the protocol requires. The SDK passes the error's code
 * and message on unchanged.
 */
const toolNamed = (prefix: string, name: string, { groups }: Connection): Tool | typeof skillTool => {
  const bare = name.startsWith(prefix) && isJoint(name[prefix.length]) ? name.slice(prefix.length + 1) : undefined
  const found = bare === skillTool.name ? skillTool : operationTools.find((tool) => tool.name === bare)
  if (found === undefined)
    throw new Malformed(
      RpcErrorCode.InvalidParams,
      `Unknown tool: ${name.slice(0, 100)}.${toldTools(prefix, name)} tools/list names all tools.`
    )
  // A client that connects only to read must be unable to write.
  if (groups !== undefined && !groups.has(found.group) && found !== skillTool)
    throw new Malformed(
      RpcErrorCode.InvalidParams,
      `${name} is not available on this connection, because its address has tools=${[...groups].join(',')}. To use the tool, connect with ${found.group} in this list.`
    )
  return found
}

// ——— Admission ———

/** Whether a host name always means this machine. */
const isLoopbackName = (name: string): boolean => name === 'localhost' || name.endsWith('.localhost')

/** Whether a host name is an IP address. An attacker cannot make an IP address resolve to another machine. */
const isAddress = (name: string): boolean => /^(\[[0-9a-f:.]+\]|\d{1,3}(\.\d{1,3}){3})$/i.test(name)

/**
 * Checks that the Host header of a request names this service. Otherwise, another site could make its host name resolve to this machine. Its page
 * could then call the service as its own origin (DNS rebinding). Throws `origin_refused`.
 */
const checkHost = (ctx: Context, baseUrl: string): void => {
  const { host } = ctx.req.headers
  const name = host !== undefined && URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : ''
  if (name !== new URL(baseUrl).hostname && !isLoopbackName(name) && !isAddress(name))
    throw new ServiceError('origin_refused', {
      message: 'This service does not answer requests for that Host.',
      hint: `Use ${baseUrl}${path}.`
    })
}

// ——— Messages ———

interface Message {
  readonly body: Record<string, unknown>
  readonly bytes: number
}

const parse = (bytes: Buffer): Record<string, unknown> => {
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    throw new Malformed(RpcErrorCode.ParseError, 'The body is not JSON.')
  }
  // The protocol has not allowed batches since 2025-06-18, and a single batch could cost as much as thousands of requests.
  if (Array.isArray(value)) throw new Malformed(RpcErrorCode.InvalidRequest, 'Batches are not accepted: send one message per request.')
  if (typeof value !== 'object' || value === null) throw new Malformed(RpcErrorCode.InvalidRequest, 'The body is not a JSON-RPC message.')
  if (isCrowded(value)) throw new Malformed(RpcErrorCode.InvalidRequest, `An object may have at most ${limits.fieldsMax} fields.`)
  const body = withArguments(value as Record<string, unknown>)
  refuseOddMessage(body)
  return body
}

/**
 * Whether an object in a message has more fields than any call needs. Schemas copy objects field by field, several times. The size of the message
 * has already been limited.
 */
const isCrowded = (message: object): boolean => {
  const waiting: object[] = [message]
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    const members: unknown[] = Array.isArray(value) ? value : Object.values(value)
    if (members !== value && members.length > limits.fieldsMax) return true
    for (const member of members) if (typeof member === 'object' && member !== null) waiting.push(member)
  }
  return false
}

/** Replaces `arguments: null`, which several clients send for a tool without arguments, with an empty object. */
const withArguments = (body: Record<string, unknown>): Record<string, unknown> => {
  const { params } = body
  return isObject(params) && params['arguments'] === null ? { ...body, params: { ...params, arguments: {} } } : body
}

/** Returns a message's fault, regardless of the method that it calls. */
const faultOf = (body: Record<string, unknown>): readonly [RpcErrorCode, string] | undefined => {
  const { jsonrpc, method, id, params } = body
  if (jsonrpc !== '2.0') return [RpcErrorCode.InvalidRequest, 'jsonrpc must be "2.0"']
  if (id !== undefined && idOf(body) === null) return [RpcErrorCode.InvalidRequest, 'id must be a string or a whole number']
  if (method === undefined ? !('result' in body || 'error' in body) : typeof method !== 'string')
    return [RpcErrorCode.InvalidRequest, 'method must be a string']
  if (params !== undefined && !isObject(params)) return [RpcErrorCode.InvalidParams, 'params must be an object']
  return JSONRPCMessageSchema.safeParse(body).success ? undefined : [RpcErrorCode.InvalidRequest, 'its fields do not belong together']
}

/** Refuses messages that the SDK would report as invalid JSON. */
const refuseOddMessage = (body: Record<string, unknown>): void => {
  const [code, why] = faultOf(body) ?? []
  if (code !== undefined) throw new Malformed(code, `This is not a JSON-RPC message: ${why}.`, idOf(body))
}

/** Refuses calls that the SDK would report as its own failure. Lists have only one page, so no cursor was ever issued. */
const refuseOddCall = (body: Record<string, unknown>): void => {
  const id = idOf(body)
  const schema = schemas.get(String(body['method']))
  if (schema === undefined || id === null) return
  const { success, error } = schema.safeParse(body)
  const [issue] = error?.issues ?? []
  if (!success) throw new Malformed(RpcErrorCode.InvalidParams, `${issue?.path.join('.')}: ${issue?.message}`, id)
  const { params } = body
  if (onePage.includes(String(body['method'])) && isObject(params) && params['cursor'] !== undefined)
    throw new Malformed(RpcErrorCode.InvalidParams, `params.cursor: unknown cursor; ${String(body['method'])} answers all at once.`, id)
}

const onePage = ['tools/list', 'prompts/list', 'resources/templates/list']

const schemas = new Map<string, Pick<typeof CallToolRequestSchema, 'safeParse'>>([
  ['initialize', InitializeRequestSchema as never],
  ['tools/list', ListToolsRequestSchema as never],
  ['tools/call', CallToolRequestSchema],
  ['resources/list', ListResourcesRequestSchema as never],
  ['resources/templates/list', ListResourceTemplatesRequestSchema as never],
  ['resources/read', ReadResourceRequestSchema as never],
  ['resources/subscribe', SubscribeRequestSchema as never],
  ['resources/unsubscribe', UnsubscribeRequestSchema as never],
  ['prompts/list', ListPromptsRequestSchema as never],
  ['prompts/get', GetPromptRequestSchema as never]
])

/**
 * Returns the maximum size of a message, in bytes. An invalid token turns the response into a 401, so that the client gets a new token (MCP,
 * Authorization). A call with an invalid token is always refused. A call without a credential is refused later, if it needs one. With
 * `?sign_in=required` in the address, such a call is refused immediately, for clients that sign in only when they connect. Throws `rate_limited` or
 * `credential_required`.
 */
const bytesMaxOf = async (http: Http, ctx: Context): Promise<number> => {
  const credentials = connectionCredentials(http, ctx)
  if (await isKnown(http, ctx, credentials)) return limits.contentBodyBytesMax
  if (credentials.bearer !== undefined) challenge(http, ctx, 'credential_invalid')
  if (ctx.query['sign_in'] === 'required' && credentials.bearer === undefined && credentials.key === undefined)
    throw new ServiceError('credential_required', { message: 'This address is for programs that act for an account.' })
  return limits.bodyBytesMax
}

/** Reads the body. Throws `body_too_large`. If the caller was not admitted, the error has a hint to sign in. */
const readBytes = async (ctx: Context, bytesMax: number): Promise<Buffer> => {
  try {
    return await readBody(ctx.req, bytesMax)
  } catch (error) {
    if (bytesMax === limits.contentBodyBytesMax || !(error instanceof ServiceError) || error.code !== 'body_too_large') throw error
    throw new ServiceError('body_too_large', {
      ...error.details,
      message: `Without a valid credential in the header or the query, a message may be at most ${bytesMax / 1024} KiB long.`,
      hint: 'For larger messages, send the key in the X-Share-Key header or in the endpoint address (/mcp?key=…), or send a session in the Authorization header. The key argument is read too late.'
    })
  }
}

/** Reads the message of a request. Throws `rate_limited`, `unsupported_media_type`, `body_too_large` or `Malformed`. */
const readMessage = async (http: Http, ctx: Context): Promise<Message> => {
  const type = mediaType(ctx.req)
  if (type !== '' && type !== 'application/json')
    throw new ServiceError('unsupported_media_type', { hint: 'Send one JSON-RPC message as application/json.' })
  const bytes = await readBytes(ctx, await bytesMaxOf(http, ctx))
  await checkJsonShape(bytes)
  return { body: parse(bytes), bytes: bytes.length }
}

// ——— One request ———

/** The supported protocol versions, newest first. */
const versions: readonly string[] = [modernVersion, ...SUPPORTED_PROTOCOL_VERSIONS]

interface EndpointParts {
  readonly http: Http
  /** The prefix of tool names. */
  readonly prefix: string
  readonly subscriptions: Subscriptions
}

// All requests share the validator. It holds no client's state, and creating one takes longer than a call.
const jsonSchemaValidator = new AjvJsonSchemaValidator()

const infoOf = ({ service: { baseUrl, version } }: Http): ServerInfo => ({
  name: 'agmd',
  title: 'agmd: live Markdown',
  version,
  websiteUrl: baseUrl
})

const serverOf = ({ http, prefix, subscriptions }: EndpointParts, ctx: Context, connection: Connection, bytes: number): Server => {
  const { baseUrl } = http.service
  const to = `${prefix}${connection.joint}`
  const offers = offersOf(connection)
  const said = { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions: instructions(to, connection.doc, offers) }
  const watched = { ...said, capabilities: { ...said.capabilities, resources: { subscribe: true } } }
  // With a handshake, the server offers subscriptions only if there is a session. The newest version needs no session.
  const server = new Server({ ...infoOf(http) }, { ...(subscriptions.canBegin(ctx, connection) ? watched : said), jsonSchemaValidator })
  server.setRequestHandler(DiscoverRequestSchema, () => ({ supportedVersions: versions, ...watched }))
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: toolList(to, connection) }) as never)
  server.setRequestHandler(CallToolRequestSchema, ({ params }): CallToolResult | Promise<CallToolResult> => {
    const tool = toolNamed(prefix, params.name, connection)
    if (!('mean' in tool)) return skillOf(baseUrl, to, offers)
    return callTool(http, ctx, tool, params.arguments ?? {}, bytes)
  })
  addResources(server, http, ctx, connection)
  addSubscriptions(server, http, ctx, subscriptions)
  addPrompts(server, to, connection.doc, offers)
  return server
}

/**
 * Returns the request as the transport expects it. The transport insists that a client accepts two media types, and then sends one of them; this
 * service accepts any client. The transport knows only versions with a handshake. The newest version has already been checked.
 */
const requestOf = (ctx: Context, url: string, modern: boolean): Request => {
  const version = modern ? '' : ctx.get('MCP-Protocol-Version')
  const headers = { Accept: 'application/json, text/event-stream', 'Content-Type': 'application/json' }
  return new Request(url, { method: 'POST', headers: { ...headers, ...(version === '' ? {} : { 'MCP-Protocol-Version': version }) } })
}

/** Makes the transport send a handler's response in the form of the version without a handshake. */
const sendModernised = (transport: WebStandardStreamableHTTPServerTransport, method: string, info: ServerInfo): void => {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => send(modernised(message, method, info), options)
}

/** Answers `subscriptions/listen` with its stream, or with a refusal. Throws `Malformed`. */
const listen = async ({ http, subscriptions }: EndpointParts, ctx: Context, body: Message['body']): Promise<void> => {
  const id = idOf(body)
  if (id === null) throw new Malformed(RpcErrorCode.InvalidRequest, 'A stream needs the id of its request.')
  const uris = watchedIn(body)
  try {
    await subscriptions.listen(ctx, { id, uris, info: infoOf(http) })
  } catch (error) {
    const { code, message, data } = error instanceof Refused ? error : refusedFor(error, http, ctx)
    const status = ctx.state.challenged === true ? 401 : 200
    throw new Malformed(code === resourceNotFound ? RpcErrorCode.InvalidParams : code, message, id, { status, data })
  }
}

const answer = async (face: EndpointParts, ctx: Context): Promise<void> => {
  const connection = connectionOf(new URLSearchParams(ctx.querystring))
  const { body, bytes } = await readMessage(face.http, ctx)
  const modern = isModern(ctx, body)
  if (modern) checkModern(ctx, body)
  refuseOddCall(body)
  if (modern && body['method'] === 'subscriptions/listen') return listen(face, ctx, body)
  const server = serverOf(face, ctx, connection, bytes)
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  if (modern) sendModernised(transport, String(body['method']), infoOf(face.http))
  try {
    await server.connect(transport)
    const response = await transport.handleRequest(requestOf(ctx, `${face.http.service.baseUrl}${path}`, modern), { parsedBody: body })
    const said = await response.text()
    const session = body['method'] === 'initialize' ? face.subscriptions.begin(ctx, connection) : undefined
    if (session !== undefined) ctx.set('Mcp-Session-Id', session)
    ctx.body = said === '' ? null : said
    ctx.status = ctx.state.challenged === true ? 401 : response.status
    if (said !== '') ctx.type = 'application/json'
  } finally {
    await server.close()
  }
}

/** Answers requests that were refused before they reached the protocol. */
const presentMalformed = (ctx: Context, { code, message, id, more: { status, data } }: Malformed): void => {
  // With invalid parameters, the request was understood and only the call failed. Any other malformed message was not a valid request.
  ctx.status = status ?? (code === RpcErrorCode.InvalidParams && id !== null ? 200 : 400)
  ctx.type = 'application/json'
  ctx.body = JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } })
}

// ——— Discovery ———

const discovery = ({ http, prefix }: EndpointParts): object => {
  const { baseUrl, version } = http.service
  return {
    name: 'agmd',
    version,
    description: 'Live Markdown documents that people and agents edit together.',
    endpoint: `${baseUrl}${path}`,
    transport: 'streamable-http',
    protocolVersions: versions,
    methods: [...new Set(['ping', ...schemas.keys(), ...modernMethods])],
    tools: allTools.map(({ name }) => `${prefix}.${name}`),
    underscoreNames: `${baseUrl}${path}?names=underscore`,
    toolGroups: { groups, example: `${baseUrl}${path}?names=underscore&tools=read,review` },
    authentication: {
      shareKey: 'argument key, a share URL as doc, or the header X-Share-Key',
      bearer: 'Authorization: Bearer <OAuth access token, personal access token, session or agent token>',
      guide: `${baseUrl}/auth.md`,
      resourceMetadata: `${baseUrl}/.well-known/oauth-protected-resource/mcp`
    },
    documentation: [`${baseUrl}/agents.md`, `${baseUrl}/openapi.json`]
  }
}

/** Whether a client asks for a separate stream. There is none, so the client gets a 405 (Streamable HTTP). */
const wantsStream = (ctx: Context): boolean => ctx.get('Accept').trim() === 'text/event-stream'

const openStream = async ({ http, subscriptions }: EndpointParts, ctx: Context): Promise<void> => {
  checkHost(ctx, http.service.baseUrl)
  await subscriptions.open(ctx, connectionOf(new URLSearchParams(ctx.querystring)))
}

/** The handlers for the endpoint's two methods. */
export interface Endpoint {
  readonly get: (ctx: Context) => Promise<void>
  readonly post: (ctx: Context) => Promise<void>
}

export const createEndpoint = (http: Http): Endpoint => {
  const { mcpPrefix: prefix } = http
  const endpoint: EndpointParts = { http, prefix, subscriptions: createSubscriptions(http) }
  const described = JSON.stringify(discovery(endpoint))
  return {
    async get(ctx) {
      ctx.set('Allow', 'GET, POST')
      if (wantsStream(ctx) && ctx.get('Mcp-Session-Id') !== '') return openStream(endpoint, ctx)
      if (wantsStream(ctx)) throw new ServiceError('method_not_allowed', { hint: howToListen })
      ctx.set('Access-Control-Allow-Origin', '*')
      ctx.set('Cache-Control', 'public, max-age=300')
      ctx.type = 'application/json'
      ctx.body = described
      return undefined
    },
    async post(ctx) {
      checkHost(ctx, http.service.baseUrl)
      ctx.set('Cache-Control', 'no-store')
      await answer(endpoint, ctx).catch((error: unknown) => {
        if (!(error instanceof Malformed)) throw error
        presentMalformed(ctx, error)
      })
    }
  }
}
