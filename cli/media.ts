/** Media jobs from a command line: started, waited for, and their results kept. */
import { readFileSync, statSync } from 'node:fs'
import { extname } from 'node:path'
import type { Client } from '../shared/client.ts'
import { limits } from '../shared/limits.ts'
import { type MediaKind, mediaTypes } from '../shared/media-types.ts'
import type { Request as InputOf } from '../shared/operations/index.ts'
import type { Action, Call } from './call.ts'
import { Failure } from './failure.ts'
import { writeWhole } from './files.ts'
import { harmless } from './terminal.ts'

/** Seconds that one request waits: below what the client waits for an answer. */
const waitSeconds = 25

/** A file to be sent, with its type by its ending. Errors: `file_not_found`, `usage`. */
export const mediaFile = (path: string, of: readonly MediaKind[] = ['image', 'audio', 'video']): Blob => {
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
    throw new Failure('file_not_found', `There is no file ${path}.`, 'Check the path.')
  const extension = extname(path).slice(1).toLowerCase()
  const known = mediaTypes.filter(({ kind }) => of.includes(kind))
  const type = known.find((each) => each.extension === (extension === 'jpeg' ? 'jpg' : extension))?.contentType
  if (type !== undefined) return new Blob([readFileSync(path)], { type })
  const endings = [...new Set(known.map((each) => each.extension))].join(', ')
  throw new Failure('usage', `${path} has no ending of a file that is taken.`, `Known: ${endings}.`)
}

interface Job {
  readonly id: string
  readonly status: 'queued' | 'running' | 'done' | 'failed' | 'canceled'
  readonly progress?: number | undefined
  readonly error?: { readonly code: string; readonly message: string } | undefined
}

/** Waits for the end of a job. Errors: `job_failed`. */
const ended = async <Found extends Job>(started: Found, read: (job: string) => Promise<Found>): Promise<Found> => {
  let job = started
  while (job.status === 'queued' || job.status === 'running') job = await read(job.id)
  if (job.status === 'done') return job
  const said = job.error?.message ?? 'It was canceled.'
  throw new Failure('job_failed', said, 'agmd media status tells what can be done now.', {
    job: job.id,
    reason: job.error?.code ?? 'canceled'
  })
}

/** Starts a job and tells its result, or only its id. */
const tell = async <Found extends Job>(
  call: Call,
  started: Found,
  read: (job: string) => Promise<Found>,
  words: (job: Found) => string
): Promise<Found | undefined> => {
  if (call.flag('wait') === false) {
    call.answer(started, () => started.id)
    return undefined
  }
  const job = await ended(started, read)
  call.answer(job, () => words(job))
  return job
}

interface Place {
  readonly doc: string
  readonly client: Client
}

const at = (call: Call): Place => {
  const place = call.place()
  return { doc: place.doc, client: call.client(place) }
}

const image: Action = async (call) => {
  const { doc, client } = at(call)
  const started = await client.startImage(doc, call.fields as InputOf<'startImage'>)
  await tell(
    call,
    started,
    (jobId) => client.readImage(doc, { jobId, wait: waitSeconds }),
    ({ markdown = '' }) => harmless(markdown)
  )
}

const speak: Action = async (call) => {
  const { doc, client } = at(call)
  const output = call.words('output')
  const saves = call.flag('save') === true
  const started = await client.startSpeech(doc, call.fields as InputOf<'startSpeech'>)
  if (call.flag('wait') === false) return call.answer(started, () => started.id)
  const job = await ended(started, (talkId) => client.readSpeech(doc, { talkId, wait: waitSeconds }))
  if (output !== undefined) {
    const { blob } = await client.readSpeechAudio(doc, { talkId: job.id })
    if (blob !== undefined) writeWhole(output, Buffer.from(await blob.arrayBuffer()))
  }
  const asset = saves ? await client.saveSpeech(doc, { talkId: job.id }) : undefined
  return call.answer({ ...job, ...(output === undefined ? {} : { file: output }), ...(asset && { asset }) }, () =>
    harmless(asset?.markdown ?? output ?? job.audioUrl ?? '')
  )
}

const transcribe: Action = async (call) => {
  const { doc, client } = at(call)
  const file = mediaFile(call.words('file') ?? '', ['audio', 'video'])
  if (file.size > limits.transcriptionBytesMax)
    throw new Failure('usage', `A recording may have ${limits.transcriptionBytesMax} bytes.`, 'Send it in parts.')
  const started = await client.startTranscription(doc, {}, { file })
  await tell(
    call,
    started,
    (asrId) => client.readTranscription(doc, { asrId, wait: waitSeconds }),
    ({ text = '' }) => harmless(text)
  )
}

const ocr: Action = async (call) => {
  const { doc, client } = at(call)
  const started = await client.startOcr(doc, {}, { file: mediaFile(call.words('file') ?? '', ['image']) })
  await tell(
    call,
    started,
    (ocrId) => client.readOcr(doc, { ocrId, wait: waitSeconds }),
    ({ text = '' }) => harmless(text)
  )
}

export const mediaActions: Readonly<Record<string, Action>> = {
  'media image': image,
  'media speak': speak,
  'media transcribe': transcribe,
  'media ocr': ocr
}
