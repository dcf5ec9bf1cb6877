/** The MCP endpoint on standard input and output: one message a line (MCP, stdio transport), each sent as a request of its own. */
import { createInterface } from 'node:readline'
import { inHeader } from '../shared/client.ts'
import { isDocumentId, shareKeyPattern } from '../shared/names.ts'
import type { Call } from './call.ts'
import { tell } from './failure.ts'
import { knownKey } from './hosts.ts'
import { requireEncryption } from './plain-http.ts'
import { send } from './request.ts'
import { type Place, placeOf, tokenFor } from './service.ts'

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

/** JSON-RPC §5.1. */
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
  /** Whether it was started for one document: then its link decides, and no key that is kept for this or another one goes along. */
  readonly isBound: boolean
}

/** The key in an address of this service; that of another is not for it. */
const keyInAddress = (doc: string, origin: string): string | undefined => {
  const url = URL.canParse(doc) ? new URL(doc) : undefined
  return url?.origin === origin ? (url.searchParams.get('key') ?? undefined) : undefined
}

/**
 * The key of the document that a call names, as a header: the service reads no long message before it knows a key. One that is kept goes along
 * with a bare id, so that no model has to see it; not with a session, which it would narrow.
 */
const keyHeader = ({ method, params }: Message, { origin, headers, isBound }: Bridge): Record<string, string> => {
  const given = params?.arguments
  if (isBound || headers['Authorization'] !== undefined) return {}
  if (method !== 'tools/call' || typeof given !== 'object' || given === null) return {}
  const { doc, key } = given
  const found = key ?? (typeof doc !== 'string' ? undefined : isDocumentId(doc) ? knownKey(origin, doc) : keyInAddress(doc, origin))
  return typeof found === 'string' && shareKeyPattern.test(found) ? { 'X-Share-Key': found } : {}
}

/** From version 2026-07-28 on headers repeat what a message says (MCP, Streamable HTTP, Request Metadata). */
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

/** A value as a header can have it: what is not plain goes as Base64. */
const asHeader = (value: string): string =>
  /^[!-~]([ -~]*[!-~])?$/.test(value) && !value.startsWith('=?base64?') ? value : `=?base64?${Buffer.from(value).toString('base64')}?=`

interface Answer {
  readonly jsonrpc: '2.0'
  readonly result?: { readonly protocolVersion?: string; readonly capabilities?: Readonly<Record<string, unknown>> }
}

/** A message of JSON-RPC; undefined for anything else, a proxy's page, say. */
const parsed = (text: string): Answer | undefined => {
  try {
    const value = JSON.parse(text) as Answer | null
    return value?.jsonrpc === '2.0' ? value : undefined
  } catch {
    return undefined
  }
}

/** Each message is a request of its own here, and no stream brings notices: an answer that says what there is offers none. */
const withoutSubscriptions = (answer: Answer): Answer => {
  const { result } = answer
  if (result?.capabilities?.['resources'] === undefined) return answer
  return { ...answer, result: { ...result, capabilities: { ...result.capabilities, resources: {} } } }
}

/** The answer to one line; undefined when there is none to give. */
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
    return message.id === undefined ? undefined : errorTo(message.id, methodNotFound, 'This bridge has no subscriptions.')
  try {
    const own = { ...repeated(message), ...keyHeader(message, bridge) }
    const response = await send(address, { method: 'POST', headers: { ...headers, ...own }, body: JSON.stringify(message) })
    const said = response.text()
    const answer = parsed(said)
    // Settled values are sent with every message from then on (MCP, Streamable HTTP).
    const version = message.method === 'initialize' ? answer?.result?.protocolVersion : undefined
    if (version !== undefined) headers['MCP-Protocol-Version'] = version
    if (message.id === undefined) return undefined
    if (answer === undefined) return errorTo(message.id, internalError, `The service answered ${response.status}.`)
    return JSON.stringify(withoutSubscriptions(answer))
  } catch (error) {
    return message.id === undefined ? undefined : errorTo(message.id, internalError, `${tell(error).message} ${tell(error).hint}`)
  }
}

export const mcp = async (call: Call): Promise<void> => {
  const named = call.positional('DOC')
  const place: Place | undefined = named === undefined ? undefined : placeOf(named, call.words('url'))
  const origin = place?.origin ?? call.origin()
  requireEncryption(new URL(origin))
  const token = tokenFor(origin, call.words('url'))
  const bridge: Bridge = {
    address: `${origin}/mcp?names=underscore`,
    origin,
    isBound: place !== undefined,
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(place?.key === undefined || (place.implied && token !== undefined) ? {} : { 'X-Share-Key': place.key }),
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
    // The version that `initialize` settles is needed by what follows.
    if (line.includes('"initialize"')) await done
  }
  await Promise.all(underWay)
}
