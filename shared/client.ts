/** The typed client, which is derived from the operations table. It runs wherever `fetch` is available. */
import { type ErrorCode, errorCodes, ServiceError } from './errors.ts'
import { type Operation, pathParameters } from './operation.ts'
import { type DocumentOperation, type OperationName, operations, type Output, type Request as InputOf } from './operations/index.ts'

/** The part of `fetch` that the client needs. */
export type Send = (
  url: string,
  init: {
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
    readonly redirect: 'error'
    readonly body?: string | Blob
    readonly signal?: AbortSignal
  }
) => Promise<Pick<Response, 'ok' | 'status' | 'json' | 'blob'>>

export interface ClientOptions {
  /** Address of the service, without a trailing slash. */
  readonly baseUrl: string
  /** Share key of a document. */
  readonly key?: string
  /** Bearer token of a session or agent. */
  readonly token?: string
  /** Name under which a guest or agent writes. */
  readonly author?: string
  /** The function that sends the requests. The default is `fetch`. */
  readonly send?: Send
}

export interface CallOptions {
  /** The key that makes it safe to send the call again (docs/api.md, Retries). */
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
  /** The body of an upload. Its `type` is sent as the Content-Type. */
  readonly file?: Blob
}

/**
 * One function for each operation. If an operation concerns a document, its first argument is the document's id. Every function throws a
 * `ServiceError` if the service responds with an error.
 */
export type Client = {
  readonly [Name in OperationName]: Name extends DocumentOperation
    ? (doc: string, input?: InputOf<Name>, options?: CallOptions) => Promise<Output<Name>>
    : (input?: InputOf<Name>, options?: CallOptions) => Promise<Output<Name>>
}

type Fields = Record<string, unknown>

const isErrorCode = (code: unknown): code is ErrorCode => errorCodes.includes(code as ErrorCode)

/** Returns the error that a problem document describes. A response from elsewhere, such as a proxy, becomes `internal` with its HTTP status. */
export const errorFrom = (status: number, problem: Fields): ServiceError =>
  new ServiceError(isErrorCode(problem['code']) ? problem['code'] : 'internal', { status, ...problem })

const errorOf = async (response: Pick<Response, 'status' | 'json'>): Promise<ServiceError> =>
  errorFrom(response.status, (await response.json().catch(() => ({}))) as Fields)

/** Encodes a string for a header. Header values are Latin-1, but the service reads them as UTF-8. */
export const inHeader = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text))

const headersOf = (
  { key, token, author }: ClientOptions,
  { idempotencyKey }: CallOptions,
  bodyType: string | undefined
): Record<string, string> => ({
  Accept: 'application/json',
  ...(bodyType === undefined ? {} : { 'Content-Type': bodyType }),
  ...(key === undefined ? {} : { 'X-Share-Key': key }),
  ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
  ...(author === undefined ? {} : { 'X-Agent-Author': inHeader(author) }),
  ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey })
})

const pathOf = (operation: Operation, doc: string | undefined, fields: Fields): string =>
  operation.rest.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) =>
    encodeURIComponent(name === 'id' ? (doc ?? '') : String(fields[name]))
  )

const queryOf = (operation: Operation, fields: Fields): string => {
  const names = (operation.rest.query ?? []).filter((name) => fields[name] !== undefined)
  const query = new URLSearchParams(names.map((name) => [name, String(fields[name])])).toString()
  return query === '' ? '' : `?${query}`
}

const bodyOf = (operation: Operation, fields: Fields, file: Blob | undefined): string | Blob | undefined => {
  if (operation.rest.body === 'media' && (file !== undefined || operation.rest.media?.fields !== true)) return file
  if (operation.rest.method === 'GET' || operation.rest.method === 'DELETE') return undefined
  const elsewhere = new Set([...pathParameters(operation.rest.path), ...(operation.rest.query ?? [])])
  return JSON.stringify(Object.fromEntries(Object.entries(fields).filter(([name]) => !elsewhere.has(name))))
}

const call = async (
  options: ClientOptions,
  operation: Operation,
  doc: string | undefined,
  fields: Fields,
  how: CallOptions
): Promise<unknown> => {
  const body = bodyOf(operation, fields, how.file)
  const response = await (options.send ?? fetch)(`${options.baseUrl}${pathOf(operation, doc, fields)}${queryOf(operation, fields)}`, {
    method: operation.rest.method,
    headers: headersOf(options, how, body instanceof Blob ? body.type : body && 'application/json'),
    // A redirect to another host must not receive the credentials.
    redirect: 'error',
    ...(body === undefined ? {} : { body }),
    ...(how.signal === undefined ? {} : { signal: how.signal })
  })
  if (!response.ok) throw await errorOf(response)
  if (operation.rest.reply !== 'file') return response.json()
  const blob = await response.blob()
  return { contentType: blob.type, size: blob.size, blob }
}

export const createClient = (options: ClientOptions): Client => {
  const functions = (Object.entries(operations) as [OperationName, Operation][]).map(([name, operation]) => [
    name,
    operation.on === 'document'
      ? (doc: string, fields: Fields = {}, how: CallOptions = {}) => call(options, operation, doc, fields, how)
      : (fields: Fields = {}, how: CallOptions = {}) => call(options, operation, undefined, fields, how)
  ])
  return Object.fromEntries(functions) as unknown as Client
}
