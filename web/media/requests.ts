/** Requests to the service about media jobs. Errors of all: `RequestError`. */
import type { JobKind, Segment } from '../../shared/media-jobs.ts'
import type { Output } from '../../shared/operations/index.ts'
import { call, callFile } from '../client/api.ts'

interface Access {
  readonly id: string
  readonly key: string
}

/** The common answer of the four, and what each adds when it is done. */
export interface JobAnswer {
  readonly jobId: string
  readonly status: 'queued' | 'running' | 'done' | 'failed' | 'canceled'
  readonly progress?: number
  readonly error?: { readonly code: string; readonly message: string }
  readonly result: {
    readonly markdown?: string
    readonly url?: string
    readonly text?: string
    readonly duration?: number
    readonly segments?: readonly Segment[]
    readonly engine?: string
  } | null
}

const paths: Readonly<Record<JobKind, string>> = { image: 'image', speech: 'speak', transcription: 'transcribe', ocr: 'ocr' }

const pathOf = ({ id }: Access, kind: JobKind): string => `/api/docs/${id}/media/${paths[kind]}`

interface Start {
  readonly kind: JobKind
  readonly input: Readonly<Record<string, string | number>>
  readonly blob: Blob | undefined
  readonly startKey: string
}

/** Sent again with the same `startKey` it starts no second job. */
export const startJob = (access: Access, { kind, input, blob, startKey }: Start): Promise<JobAnswer> =>
  call(pathOf(access, kind), { method: 'POST', key: access.key, body: blob ?? input, idempotencyKey: startKey })

/** Waits up to `seconds` for the end. */
export const readJob = (access: Access, kind: JobKind, job: string, seconds: number): Promise<JobAnswer> =>
  call(`${pathOf(access, kind)}/${job}?wait=${seconds}`, { key: access.key })

/** It is sent even by a page that is left. */
export const cancelJob = (access: Access, job: string): Promise<Output<'cancelJob'>> =>
  call(`/api/docs/${access.id}/media/jobs/${job}`, { method: 'DELETE', key: access.key, keepalive: true })

export const readSpeechAudio = (access: Access, job: string): Promise<Blob> =>
  callFile(`${pathOf(access, 'speech')}/${job}/audio`, access.key)

export const saveSpeech = (access: Access, job: string): Promise<Output<'saveSpeech'>> =>
  call(`${pathOf(access, 'speech')}/${job}/save`, { method: 'POST', key: access.key, body: {} })

export const readOffer = (): Promise<Output<'readRelayStatus'>> => call('/api/relay/status')
