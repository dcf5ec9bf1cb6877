/** Sends requests with Node's HTTP client, because `fetch` would delay every command by 50 ms, and by more on Node 20. */
import { request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import type { Send } from '../shared/client.ts'
import { version } from './build.ts'
import { Failure } from './failure.ts'
import { requireEncryption } from './plain-http.ts'

/** Time to wait for a response, in milliseconds. This is longer than a long poll. */
const answerMsMax = 90_000

/** Largest response that is read, in bytes. This is several times the largest document. */
const answerBytesMax = 128 * 1024 * 1024

/** The complete response to a request. */
export interface Answer {
  readonly ok: boolean
  readonly status: number
  readonly bytes: Buffer
  text(): string
  json(): Promise<unknown>
  /** Returns the body with the Content-Type of the response. */
  blob(): Promise<Blob>
}

export type SendInit = Partial<Parameters<Send>[1]>

const answerOf = (status: number, type: string, bytes: Buffer): Answer => {
  const text = (): string => bytes.toString('utf8')
  return {
    ok: status >= 200 && status < 300,
    status,
    bytes,
    text,
    json: async () => JSON.parse(text()) as unknown,
    blob: async () => new Blob([new Uint8Array(bytes)], { type })
  }
}

const unreachable = (origin: string, error: NodeJS.ErrnoException): Failure => {
  const why = error.code ?? error.message
  return new Failure(
    'service_unreachable',
    `${origin} cannot be reached (${why}).`,
    'Check the address and the network. Run agmd doctor for details.',
    {
      origin
    }
  )
}

// Redirects are refused, because they could send keys and tokens to another service.
const redirected = (origin: string, to: string): Failure =>
  new Failure(
    'not_an_agmd_service',
    `${origin} redirects to ${to}. Nothing was sent there.`,
    'Set the right address with AGMD_URL or --url.',
    {
      origin
    }
  )

/** Sends a request. Throws `not_encrypted`, `service_unreachable`, `timeout` or `not_an_agmd_service`, or the abort reason of `signal`. */
export const send = async (address: string | URL, { method = 'GET', headers, body, signal }: SendInit = {}): Promise<Answer> => {
  const url = new URL(address)
  requireEncryption(url)
  const bytes = typeof body === 'object' ? Buffer.from(await body.arrayBuffer()) : body
  const time = AbortSignal.timeout(answerMsMax)
  const length = bytes === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(bytes)) }
  const options = {
    method,
    headers: { ...headers, ...length, 'User-Agent': `agmd/${version}` },
    signal: signal === undefined ? time : AbortSignal.any([time, signal])
  }
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      if (signal?.aborted === true) reject(signal.reason as Error)
      else if (time.aborted)
        reject(
          new Failure('timeout', `${url.origin} did not answer in ${answerMsMax / 1000} s.`, 'Try again, or run agmd doctor for details.')
        )
      else reject(error instanceof Failure ? error : unreachable(url.origin, error))
    }
    const outgoing = (url.protocol === 'https:' ? secureRequest : plainRequest)(url, options, (incoming) => {
      const { statusCode = 0, headers: told } = incoming
      const chunks: Buffer[] = []
      let size = 0
      incoming.on('data', (chunk: Buffer) => {
        size += chunk.length
        if (size > answerBytesMax)
          incoming.destroy(new Failure('not_an_agmd_service', `The response from ${url.origin} is too long.`, 'Check the address.'))
        else chunks.push(chunk)
      })
      incoming.once('error', fail)
      incoming.once('end', () => {
        if (statusCode >= 300 && statusCode < 400) fail(redirected(url.origin, told.location ?? 'nowhere'))
        else resolve(answerOf(statusCode, told['content-type'] ?? '', Buffer.concat(chunks)))
      })
    })
    outgoing.once('error', fail)
    // Node would join a string body with the headers, and would then encode the headers as UTF-8 as well.
    outgoing.end(typeof bytes === 'string' ? Buffer.from(bytes) : bytes)
  })
}
