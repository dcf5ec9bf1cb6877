/** The operations for media jobs. Each of them throws `RequestError`. */
import type { JobInput, JobKind, Segment } from '../../shared/media-jobs.ts'
import type { How } from '../client/api.ts'
import { fileOperation, operation, type Access } from '../client/operation.ts'

/** The fields that the responses for all four kinds share, and the result of each kind. */
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

/** The fields of a job. `url` is a file of the document, used if no file is uploaded. */
export type JobFields = JobInput & { readonly url?: string }

const startImage = operation<'startImage'>('POST /api/docs/{id}/media/image')
const readImage = operation<'readImage'>('GET /api/docs/{id}/media/image/{jobId}')
const startSpeech = operation<'startSpeech'>('POST /api/docs/{id}/media/speak')
const readSpeech = operation<'readSpeech'>('GET /api/docs/{id}/media/speak/{talkId}')
const startTranscription = operation<'startTranscription'>('POST /api/docs/{id}/media/transcribe')
const readTranscription = operation<'readTranscription'>('GET /api/docs/{id}/media/transcribe/{asrId}')
const startOcr = operation<'startOcr'>('POST /api/docs/{id}/media/ocr')
const readOcr = operation<'readOcr'>('GET /api/docs/{id}/media/ocr/{ocrId}')

const starts: Readonly<Record<JobKind, (at: Access & How, fields: JobFields) => Promise<JobAnswer>>> = {
  image: (at, { prompt = '', width, height }) => startImage(at, { prompt, width, height }),
  speech: (at, { text = '', voice }) => startSpeech(at, { text, voice }),
  transcription: (at, { url }) => startTranscription(at, { url }),
  ocr: (at, { url }) => startOcr(at, { url })
}

const reads: Readonly<Record<JobKind, (at: Access, job: string, wait: number) => Promise<JobAnswer>>> = {
  image: (at, jobId, wait) => readImage(at, { jobId, wait }),
  speech: (at, talkId, wait) => readSpeech(at, { talkId, wait }),
  transcription: (at, asrId, wait) => readTranscription(at, { asrId, wait }),
  ocr: (at, ocrId, wait) => readOcr(at, { ocrId, wait })
}

interface Start {
  readonly kind: JobKind
  readonly input: JobFields
  readonly blob: Blob | undefined
  readonly startKey: string
}

/** Starts a job. A repeated request with the same `startKey` does not start a second one. */
export const startJob = ({ id, key }: Access, { kind, input, blob, startKey }: Start): Promise<JobAnswer> =>
  starts[kind]({ id, key, file: blob, idempotencyKey: startKey }, blob === undefined ? input : {})

/** Reads the state of a job. Waits up to `seconds` seconds for the job to end. */
export const readJob = (at: Access, kind: JobKind, job: string, seconds: number): Promise<JobAnswer> => reads[kind](at, job, seconds)

const cancel = operation<'cancelJob'>('DELETE /api/docs/{id}/media/jobs/{jobId}')

/** Cancels a job. The request is sent even if the page closes. */
export const cancelJob = async ({ id, key }: Access, jobId: string): Promise<void> => {
  await cancel({ id, key, keepalive: true }, { jobId })
}

export const readSpeechAudio = fileOperation<'readSpeechAudio'>('GET /api/docs/{id}/media/speak/{talkId}/audio')

export const saveSpeech = operation<'saveSpeech'>('POST /api/docs/{id}/media/speak/{talkId}/save')

export const readOffer = operation<'readRelayStatus'>('GET /api/relay/status')
