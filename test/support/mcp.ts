/** Programs that speak MCP, with single messages over HTTP or with the official client. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Json } from './world.ts'

/** The first tools of the service, in the order that clients know. */
export const firstTools: readonly string[] = [
  'create_doc',
  'read_doc',
  'replace_doc',
  'append_doc',
  'list_comments',
  'add_comment',
  'list_suggestions',
  'add_suggestion',
  'resolve_suggestion',
  'create_share',
  'set_published',
  'list_events',
  'inbox'
]

export interface Rpc {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  readonly json: Json
}

/** Sends a body to `/mcp` unchanged. */
export const post = async (url: string, body: string, headers: Record<string, string> = {}, query = ''): Promise<Rpc> => {
  const response = await fetch(`${url}/mcp${query}`, { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: text.startsWith('{') ? (JSON.parse(text) as Json) : undefined }
}

export const rpc = (
  url: string,
  method: string,
  params: object = {},
  { id = 1, headers = {}, query = '' }: { id?: number | string; headers?: Record<string, string>; query?: string } = {}
): Promise<Rpc> => post(url, JSON.stringify({ jsonrpc: '2.0', id, method, params }), headers, query)

/** Calls a tool and returns its result, even if it is a refusal. */
export const call = async (url: string, name: string, args: object = {}, headers: Record<string, string> = {}): Promise<Json> => {
  const { status, text, json } = await rpc(url, 'tools/call', { name: `svc.${name}`, arguments: args }, { headers })
  // A call without a valid credential gets a 401 with the same body (OAUTH-2, OAUTH-3).
  if ((status !== 200 && status !== 401) || json.result === undefined) throw new Error(`${name}: ${status} ${text.slice(0, 300)}`)
  return json.result
}

/** Calls a tool and returns its answer. Throws if the tool refuses. */
export const told = async (url: string, name: string, args: object = {}, headers: Record<string, string> = {}): Promise<Json> => {
  const result = await call(url, name, args, headers)
  if (result.isError === true) throw new Error(`${name}: ${result.content[0].text}`)
  return result.structuredContent
}

/** Calls a tool that must refuse, and returns its error. */
export const refused = async (url: string, name: string, args: object = {}, headers: Record<string, string> = {}): Promise<Json> => {
  const result = await call(url, name, args, headers)
  if (result.isError !== true) throw new Error(`${name} did it: ${JSON.stringify(result).slice(0, 300)}`)
  return result.structuredContent.error
}

/** Connects the official client. */
export const connectClient = async (url: string, query = ''): Promise<Client> => {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp${query}`)) as never)
  return client
}
