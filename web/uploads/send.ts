/** Sends one file and reports the progress, which `fetch` cannot do. */
import { headerValue, RequestError } from '../client/api.ts'
import { addressOf } from '../client/operation.ts'
import type { Output } from '../../shared/operations/index.ts'
import { t } from '../text/t.ts'

export interface Sending {
  /** Resolves with the response. Rejects with a `RequestError`, whose status is 0 if the server was not reached or `cancel` was called. */
  readonly done: Promise<Output<'uploadAsset'>>
  cancel(): void
}

interface Input {
  readonly doc: string
  readonly key: string
  readonly blob: Blob
  /** The alternative text of the file. */
  readonly name: string
  /** A repeated upload with the same key gets the response to the first one (docs/api.md, Retries). */
  readonly idempotencyKey: string
  /** The name of the person who added the file, or ''. */
  readonly author: string
  /** Called with the fraction that has been sent, from 0 to 1. */
  readonly onProgress: (share: number) => void
}

/** Longest time without progress before a connection is abandoned, in milliseconds. */
const silentMsMax = 60_000

function fields(request: XMLHttpRequest): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(request.responseText)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

export function send({ doc, key, blob, name, idempotencyKey, author, onProgress }: Input): Sending {
  const request = new XMLHttpRequest()
  const { promise, resolve, reject } = Promise.withResolvers<Output<'uploadAsset'>>()
  let watch: ReturnType<typeof setTimeout> | undefined
  const alive = (): void => {
    clearTimeout(watch)
    watch = setTimeout(() => request.abort(), silentMsMax)
  }
  const notReached = (): void => reject(new RequestError(0, { code: 'offline', message: t('The server cannot be reached.') }))
  request.upload.addEventListener('progress', ({ loaded, total }) => {
    alive()
    onProgress(total === 0 ? 0 : loaded / total)
  })
  request.addEventListener('load', () => {
    const answer = fields(request)
    // The service's response has this type (openapi.json). The pages and the server are built and tested together.
    if (request.status === 201 || request.status === 200) return resolve(answer as unknown as Output<'uploadAsset'>)
    const seconds = Number(request.getResponseHeader('retry-after') ?? NaN)
    return reject(new RequestError(request.status, answer, Number.isFinite(seconds) ? seconds : undefined))
  })
  request.addEventListener('error', notReached)
  request.addEventListener('abort', notReached)
  request.addEventListener('loadend', () => clearTimeout(watch))
  request.open('POST', addressOf<'uploadAsset'>('POST /api/docs/{id}/assets', doc, name === '' ? {} : { name }))
  request.setRequestHeader('accept', 'application/json')
  request.setRequestHeader('content-type', blob.type)
  request.setRequestHeader('idempotency-key', idempotencyKey)
  if (key !== '') request.setRequestHeader('x-share-key', key)
  if (author !== '') request.setRequestHeader('x-agent-author', headerValue(author))
  alive()
  request.send(blob)
  return { done: promise, cancel: () => request.abort() }
}
