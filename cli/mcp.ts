/** Serves MCP on standard input and output with one message per line (MCP, stdio transport). Each message is forwarded as a separate request. */
import { createInterface } from 'node:readline'
import { inHeader } from '../shared/client.ts'
import { isDocumentId, shareKeyPattern } from '../shared/names.ts'
import type { Call } from './call.ts'
import { reportOf } from './failure.ts'
import { knownKey } from './hosts.ts'
import { requireEncryption } from './plain-http.ts'
import { send } from './request.ts'
import { type DocumentAddress, addressOf, tokenFor } from './service.ts'

interface Message {
  readonly id?: string | number
  readonly method?: string
  readonly params?: {
    readonly arguments?: Record<string, unknown>
    readonly _meta?: Record<string, unknown>
    readonly name?: unknown
    readonly uri?: unknown
  }
}

/** The JSON-RPC error code for invalid JSON (JSON-RPC §5.1). */
const parseError = -32700
const invalidRequest = -32600
const methodNotFound = -32601
const internalError = -32603

const errorTo = (id: string | number | null, code: number, message: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })

interface Bridge {
  readonly address: string
  readonly origin: string
  readonly headers: Record<string, string>
  /** Whether the bridge was started for one document. If so, it uses that document's link and sends no other stored key. */
  readonly isBound: boolean
}

/** Returns the key in an address of this service. Keys of other services are never sent to this one. */
const keyInAddress = (doc: string, origin: string): string | undefined => {
  const url = URL.canParse(doc) ? new URL(doc) : undefined
  return url?.origin === origin ? (url.searchParams.get('key') ?? undefined) : undefined
}

/**
 * Returns the key for the document that a call names, as a header: the service does not read a long message before it knows a key. If the call
 * contains only an id, a stored key is sent, so that no model has to see it. With a session, no stored key is sent, because the key would limit the
 * session's rights.
 */
const keyHeader = ({ method, params }: Message, { origin, headers, isBound }: Bridge): Record<string, string> => {
  const given = params?.arguments
  if (isBound || headers['Authorization'] !== undefined) return {}
  if (method !== 'tools/call' || typeof given !== 'object' || given === null) return {}
  const { doc, key } = given
  const found = key ?? (typeof doc !== 'string' ? undefined : isDocumentId(doc) ? knownKey(origin, doc) : keyInAddress(doc, origin))
  return typeof found === 'string' && shareKeyPattern.test(found) ? { 'X-Share-Key': found } : {}
}

/** Returns headers that repeat fields of the message. MCP requires them from version 2026-07-28 on (Streamable HTTP, Request Metadata). */
const repeated = ({ method, params }: Message): Record<string, string> => {
  const version = params?._meta?.['io.modelcontextprotocol/protocolVersion']
  const name = params?.name ?? params?.uri
  if (typeof version !== 'string' || typeof method !== 'string') return {}
  return {
    'MCP-Protocol-Version': asHeader(version),
    'Mcp-Method': asHeader(method),
    ...(typeof name === 'string' && { 'Mcp-Name': asHeader(name) })
  }
}

/** Encodes a value for a header. Anything other than plain ASCII text becomes Base64. */
const asHeader = (value: string): string =>
  /^[!-~]([ -~]*[!-~])?$/.test(value) && !value.startsWith('=?base64?') ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`

interface Answer {
  readonly jsonrpc: '2.0'
  readonly result?: { readonly protocolVersion?: string; readonly capabilities?: Readonly<Record<string, unknown>> }
}

/** Parses a JSON-RPC message. Returns undefined for anything else, such as a proxy's error page. */
const parsed = (text: string): Answer | undefined => {
  try {
    const value = JSON.parse(text) as Answer | null
    return value?.jsonrpc === '2.0' ? value : undefined
  } catch {
    return undefined
  }
}

/** Removes subscriptions from the capabilities in a response: the bridge has no stream on which notifications could arrive. */
const withoutSubscriptions = (answer: Answer): Answer => {
  const { result } = answer
  if (result?.capabilities?.['resources'] === undefined) return answer
  return { ...answer, result: { ...result, capabilities: { ...result.capabilities, resources: {} } } }
}

/** Returns the response to one line; undefined if the line needs none. */
const relay = async (bridge: Bridge, line: string): Promise<string | undefined> => {
  const { address, headers } = bridge
  let message: Message
  try {
    message = JSON.parse(line) as Message
  } catch {
    return errorTo(null, parseError, 'This line is not JSON.')
  }
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    return errorTo(null, invalidRequest, 'Send one JSON-RPC message per line.')
  if (message.method === 'subscriptions/listen')
    return message.id === undefined ? undefined : errorTo(message.id, methodNotFound, 'This bridge does not support subscriptions.')
  try {
    const own = { ...repeated(message), ...keyHeader(message, bridge) }
    const response = await send(address, { method: 'POST', headers: { ...headers, ...own }, body: JSON.stringify(message) })
    const said = response.text()
    const answer = parsed(said)
    // Later messages must repeat the negotiated values in headers (MCP, Streamable HTTP).
    const version = message.method === 'initialize' ? answer?.result?.protocolVersion : undefined
    if (version !== undefined) headers['MCP-Protocol-Version'] = version
    if (message.id === undefined) return undefined
    if (answer === undefined) return errorTo(message.id, internalError, `The service answered ${response.status}.`)
    return JSON.stringify(withoutSubscriptions(answer))
  } catch (error) {
    return message.id === undefined ? undefined : errorTo(message.id, internalError, `${reportOf(error).message} ${reportOf(error).hint}`)
  }
}

export const mcp = async (call: Call): Promise<void> => {
  const named = call.positional('DOC')
  const address: DocumentAddress | undefined = named === undefined ? undefined : addressOf(named, call.words('url'))
  const origin = address?.origin ?? call.origin()
  requireEncryption(new URL(origin))
  const token = tokenFor(origin, call.words('url'))
  const bridge: Bridge = {
    address: `${origin}/mcp?names=underscore`,
    origin,
    isBound: address !== undefined,
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(address?.key === undefined || (address.implied && token !== undefined) ? {} : { 'X-Share-Key': address.key }),
      ...(call.author === undefined ? {} : { 'X-Agent-Author': inHeader(call.author) })
    }
  }
  const underWay = new Set<Promise<void>>()
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    if (line.trim() === '') continue
    const done = relay(bridge, line).then((said) => {
      if (said !== undefined) process.stdout.write(`${said}\n`)
    })
    underWay.add(done)
    void done.finally(() => underWay.delete(done))
    // Later messages need the version that `initialize` negotiates, so they wait for its response.
    if (line.includes('"initialize"')) await done
  }
  await Promise.all(underWay)
}
