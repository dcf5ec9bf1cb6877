/** Commands for media jobs: they start a job, wait for it and save its result. */
import { readFileSync, statSync } from 'node:fs'
import { extname } from 'node:path'
import type { Client } from '../shared/client.ts'
import { ServiceError } from '../shared/errors.ts'
import { limits } from '../shared/limits.ts'
import type { JobKind } from '../shared/media-jobs.ts'
import { type MediaKind, mediaTypes } from '../shared/media-types.ts'
import type { Request as InputOf, Output } from '../shared/operations/index.ts'
import type { Action, Call } from './call.ts'
import { Failure } from './failure.ts'
import { writeWhole } from './files.ts'
import { harmless } from './terminal.ts'

/** Seconds that one request waits for the job. This is less than the client's timeout. */
const waitSeconds = 25

/** Reads a file to upload. The file extension determines the media type. Throws `file_not_found` or `usage`. */
export const mediaFile = (path: string, of: readonly MediaKind[] = ['image', 'audio', 'video']): Blob => {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
    throw new Failure('file_not_found', `There is no file ${path}.`, 'Check the path.')
  const extension = extname(path).slice(1).toLowerCase()
  const known = mediaTypes.filter(({ kind }) => of.includes(kind))
  const type = known.find((each) => each.extension === (extension === 'jpeg' ? 'jpg' : extension))?.contentType
  if (type !== undefined) return new Blob([readFileSync(path)], { type })
  const endings = [...new Set(known.map((each) => each.extension))].join(', ')
  throw new Failure('usage', `${path} does not have a known file extension.`, `Known extensions: ${endings}.`)
}

interface Job {
  readonly id: string
  readonly status: 'queued' | 'running' | 'done' | 'failed' | 'canceled'
  readonly progress?: number | undefined
  readonly error?: { readonly code: string; readonly message: string } | undefined
}

/** How long the client retries while the service is unreachable, in milliseconds. The service may be restarting. */
const awayMsMax = 60_000
const pauseMs = 1000

const isAway = (error: unknown): boolean =>
  (error instanceof Failure && ['service_unreachable', 'timeout'].includes(error.code)) ||
  (error instanceof ServiceError && [502, 503, 504].includes(Number(error.details['status'])))

/** Retries a request while the service is unreachable, because a job survives a restart of the service. */
const persistently = async <T>(ask: () => Promise<T>): Promise<T> => {
  for (const end = Date.now() + awayMsMax; ;) {
    try {
      return await ask()
    } catch (error) {
      if (!isAway(error) || Date.now() > end) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
}

/** Waits until a job has ended. Throws `job_failed`. */
const ended = async <Found extends Job>(doc: string, started: Found, read: (job: string) => Promise<Found>): Promise<Found> => {
  let job = started
  while (job.status === 'queued' || job.status === 'running')
    job = await persistently(() => read(job.id)).catch((error: unknown) => {
      if (!(error instanceof Failure)) throw error
      throw new Failure(error.code, error.message, `The job continues. To wait for it: agmd media wait ${doc} ${job.id}`, { job: job.id })
    })
  if (job.status === 'done') return job
  const said = job.error?.message ?? 'The job was canceled.'
  throw new Failure('job_failed', said, 'agmd media status lists the engines.', {
    job: job.id,
    reason: job.error?.code ?? 'canceled'
  })
}

interface DocumentClient {
  readonly doc: string
  readonly client: Client
}

const documentOf = (call: Call): DocumentClient => {
  const document = call.address()
  return { doc: document.doc, client: call.client(document) }
}

// ——— results of each kind ———

/** Waits for a job of one kind and prints its result. */
type Finish = (call: Call, document: DocumentClient, started: Job) => Promise<void>

const words =
  <Found extends Job>(read: (document: DocumentClient, job: string) => Promise<Found>, wordsOf: (job: Found) => string): Finish =>
  async (call, document, started) => {
    const job = await ended(document.doc, started as Found, (id) => read(document, id))
    call.answer(job, () => harmless(wordsOf(job)))
  }

const speech: Finish = async (call, { doc, client }, started) => {
  const output = call.words('output')
  const job = await ended<Output<'readSpeech'>>(doc, started as Output<'readSpeech'>, (talkId) =>
    client.readSpeech(doc, { talkId, wait: waitSeconds })
  )
  if (output !== undefined) {
    const { blob } = await client.readSpeechAudio(doc, { talkId: job.id })
    if (blob !== undefined) writeWhole(output, Buffer.from(await blob.arrayBuffer()))
  }
  const asset = call.flag('save') === true ? await client.saveSpeech(doc, { talkId: job.id }) : undefined
  call.answer({ ...job, ...(output === undefined ? {} : { file: output }), ...(asset && { asset }) }, () =>
    harmless(asset?.markdown ?? output ?? job.audioUrl ?? '')
  )
}

const finishes: Readonly<Record<JobKind, Finish>> = {
  image: words(
    ({ doc, client }, jobId) => client.readImage(doc, { jobId, wait: waitSeconds }),
    ({ markdown = '' }) => markdown
  ),
  speech,
  transcription: words(
    ({ doc, client }, asrId) => client.readTranscription(doc, { asrId, wait: waitSeconds }),
    ({ text = '' }) => text
  ),
  ocr: words(
    ({ doc, client }, ocrId) => client.readOcr(doc, { ocrId, wait: waitSeconds }),
    ({ text = '' }) => text
  )
}

// ——— commands ———

/** Prints a started job's result, or only the job's id if the command does not wait. */
const finish = async (call: Call, document: DocumentClient, started: Job & { readonly kind: JobKind }): Promise<void> => {
  if (call.flag('wait') === false) call.answer(started, () => started.id)
  else await finishes[started.kind](call, document, started)
}

const image: Action = async (call) => {
  const document = documentOf(call)
  await finish(call, document, await document.client.startImage(document.doc, call.fields as InputOf<'startImage'>))
}

const speak: Action = async (call) => {
  const document = documentOf(call)
  await finish(call, document, await document.client.startSpeech(document.doc, call.fields as InputOf<'startSpeech'>))
}

const transcribe: Action = async (call) => {
  const document = documentOf(call)
  const file = mediaFile(call.words('file') ?? '', ['audio', 'video'])
  if (file.size > limits.transcriptionBytesMax)
    throw new Failure(
      'usage',
      `A recording may be at most ${limits.transcriptionBytesMax / 1024 ** 2} MiB in size.`,
      'Send the recording in parts.'
    )
  await finish(call, document, await document.client.startTranscription(document.doc, {}, { file }))
}

const ocr: Action = async (call) => {
  const document = documentOf(call)
  const file = mediaFile(call.words('file') ?? '', ['image'])
  await finish(call, document, await document.client.startOcr(document.doc, {}, { file }))
}

/** Finds a job of any kind by its id. Throws `not_found`. */
const findJob = async ({ doc, client }: DocumentClient, id: string): Promise<Job & { readonly kind: JobKind }> => {
  const reads = [
    () => client.readTranscription(doc, { asrId: id }),
    () => client.readSpeech(doc, { talkId: id }),
    () => client.readImage(doc, { jobId: id })
  ]
  for (const read of reads) {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'not_found') throw error
    }
  }
  return client.readOcr(doc, { ocrId: id })
}

const wait: Action = async (call) => {
  const document = documentOf(call)
  const job = await findJob(document, call.positional('JOB') ?? '')
  await finishes[job.kind](call, document, job)
}

export const mediaActions: Readonly<Record<string, Action>> = {
  'media image': image,
  'media speak': speak,
  'media transcribe': transcribe,
  'media ocr': ocr,
  'media wait': wait
}
