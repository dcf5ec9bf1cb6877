/**
 * Signed requests to an S3-compatible object store, with limits on time and on the number of attempts (Amazon S3 API Reference; AWS Signature Version
 * 4).
 */
import { createHash } from 'node:crypto'
import { AwsClient } from 'aws4fetch'
import type { S3Address } from './address.ts'

/** The maximum duration of one request, in milliseconds, including the transfer of its body. */
const requestMsMax = 60_000
/** The maximum total duration of all attempts at a request, in milliseconds. */
const totalMsMax = 90_000
const attemptsMax = 4
/** Longest pause before the first retry, in milliseconds. The pause doubles with each retry. */
const pauseMs = 200

/** A response with an error status. `code` is the `Code` of the error document, or the HTTP status. */
export class S3Refusal extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.name = 'S3Refusal'
    this.status = status
    this.code = code
  }
}

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** The key of an object. Without a key, the request applies to the bucket. */
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer>
  readonly signal?: AbortSignal
}

export interface S3Requests {
  /**
   * Sends one request. Resolves with a successful response, whose body the caller must read or cancel. Throws `S3Refusal` or the error of `fetch`.
   */
  once(request: S3Request): Promise<Response>
  /**
   * Sends a request until it succeeds, the server refuses it permanently, or the time limit is reached. Resolves with the headers and the text of the
   * response.
   */
  send(request: S3Request): Promise<{ readonly headers: Headers; readonly text: string }>
  /** Like `send`, but resolves with the bytes of the response. */
  sendForBytes(request: S3Request): Promise<Uint8Array>
}

/** Returns the unescaped text of the first element that has the given name. */
export const elementOf = (xml: string, name: string): string | undefined => elementsOf(xml, name)[0]

/** Returns the unescaped text of each element that has the given name. The elements must not have child elements. */
export const elementsOf = (xml: string, name: string): string[] =>
  xml
    .split(`<${name}>`)
    .slice(1)
    .map((rest) => unescaped(rest.slice(0, Math.max(rest.indexOf('<'), 0))))

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const unescaped = (text: string): string =>
  text.replaceAll(/&(#x[0-9a-f]{1,6}|#\d{1,7}|\w{1,8});/gi, (whole: string, name: string) => {
    if (!name.startsWith('#')) return entities[name] ?? whole
    const code = name[1]?.toLowerCase() === 'x' ? parseInt(name.slice(2), 16) : Number(name.slice(1))
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })

/** Whether the same request can succeed later. Refusals for other reasons, such as missing rights, are permanent. */
const isPassing = (error: unknown): boolean => !(error instanceof S3Refusal) || error.status >= 500 || error.status === 429

/** Waits before retry number `attempt`, counted from 0. The time is random, and its maximum doubles with each retry. */
export const pause = (attempt: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, pauseMs * 2 ** attempt * (0.5 + Math.random() / 2)))

const refusalOf = async (response: Response): Promise<S3Refusal> => {
  const text = await response.text()
  const code = elementOf(text, 'Code') ?? String(response.status)
  return new S3Refusal(response.status, code, elementOf(text, 'Message') ?? response.statusText)
}

export function openRequests({ bucketUrl, region, accessKeyId, secretAccessKey }: S3Address): S3Requests {
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 })
  const once = async ({ method, key, query, headers, body, signal }: S3Request): Promise<Response> => {
    const url = new URL(key === undefined ? bucketUrl : `${bucketUrl}/${key}`)
    for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, value)
    // The server compares the body with its signed hash, so it refuses a body that was damaged in transit.
    const hash = createHash('sha256')
      .update(body ?? '')
      .digest('hex')
    const response = await client.fetch(url, {
      method,
      headers: { ...headers, 'x-amz-content-sha256': hash },
      ...(body && { body }),
      redirect: 'error',
      signal: signal ?? AbortSignal.timeout(requestMsMax)
    })
    if (!response.ok) throw await refusalOf(response)
    return response
  }
  const repeated = async <T>(request: S3Request, read: (response: Response) => Promise<T>): Promise<T> => {
    const until = performance.now() + totalMsMax
    for (let attempt = 0; ; attempt++) {
      try {
        return await read(await once(request))
      } catch (error) {
        if (!isPassing(error) || attempt + 1 >= attemptsMax || performance.now() > until) throw error
        await pause(attempt)
      }
    }
  }
  return {
    once,
    send: (request) => repeated(request, async (response) => ({ headers: response.headers, text: await response.text() })),
    sendForBytes: (request) => repeated(request, async (response) => new Uint8Array(await response.arrayBuffer()))
  }
}
