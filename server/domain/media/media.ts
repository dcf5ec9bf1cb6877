/**
 * The operations on media jobs: starting, reading and canceling them, and saving their results (docs/api.md, Assets and media jobs).
 *
 * This folder contains the code for files: assets, drawings, and the jobs and nodes that create them.
 */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import type { JobInput, JobKind } from '../../../shared/media-jobs.ts'
import { type MediaKind, mediaTypes } from '../../../shared/media-types.ts'
import type { Input, Output } from '../../../shared/operations/index.ts'
import { assetAt, checkBytes, type File, presentAsset, putAsset } from './assets.ts'
import { accountOf, actorOf, type Caller } from '../rights/caller.ts'
import { remember } from '../records/idempotency.ts'
import { type Asset, decodeRecord, type Job, type JobBlob, keys, encodeRecord } from '../records/keys.ts'
import { endJob, isOpen, makeRoom, putNewJob, resultName } from './media-jobs.ts'
import type { Blob, Upload } from '../ports.ts'
import { newAssetId, newId } from '../secrets.ts'
import type { Service } from '../service.ts'
import type { WaitEnd } from '../events/waits.ts'

/** A request that concerns the jobs of a document. */
interface Asked {
  readonly service: Service
  readonly caller: Caller
  readonly doc: string
  readonly end: WaitEnd
}

// ——— Files ———

const invalid = (path: string, message: string): ServiceError => new ServiceError('invalid_request', { details: [{ path, message }] })

/** The files that each kind of job accepts. */
const fileRules = {
  transcription: { kinds: ['audio', 'video'], bytesMax: limits.transcriptionBytesMax },
  ocr: { kinds: ['image'], bytesMax: limits.ocrBytesMax }
} as const satisfies Partial<Record<JobKind, { kinds: readonly MediaKind[]; bytesMax: number }>>

type FileKind = keyof typeof fileRules

/** The request fields that contain a job's file, or its address. */
interface SentFile {
  readonly data?: string | undefined
  readonly url?: string | undefined
}

/** Returns the decoded bytes. Throws `invalid_request`. */
const decodeBase64 = (text: string): Buffer => {
  const encoded = text.replace(/^data:[^,]{0,200};base64,/, '').replaceAll(/\s/g, '')
  const digits = encoded.slice(0, encoded.length - paddingOf(encoded))
  // A repetition such as [A-Z]+ needs 16 bytes of V8's 64 MiB stack for each character, once a process has compiled much. This search needs none.
  if (digits === '' || /[^A-Za-z0-9+/_-]/.test(digits)) throw invalid('data', 'must be base64')
  return Buffer.from(digits, 'base64')
}

const paddingOf = (encoded: string): number => ['==', '='].find((padding) => encoded.endsWith(padding))?.length ?? 0

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes)
}

/** Receives the bytes from the fields, or from an address of this service. Throws `invalid_request`, `body_too_large` or `not_found`. */
const receive = async (service: Service, { data, url }: SentFile, bytesMax: number): Promise<Upload> => {
  if ((data === undefined) === (url === undefined))
    throw invalid(
      'data',
      'or url must be given, but not both: data is the file in base64, and url is an asset of this service. You can also send the file itself as the body'
    )
  if (data !== undefined) {
    const bytes = decodeBase64(data)
    if (bytes.length > bytesMax) throw new ServiceError('body_too_large', { bodyBytesMax: bytesMax })
    return service.blobs.receive(once(bytes))
  }
  const { asset, open } = await assetAt(service, url ?? '')
  if (asset.size > bytesMax) throw new ServiceError('body_too_large', { bodyBytesMax: bytesMax })
  return service.blobs.receive((await open()).read(0, asset.size - 1))
}

/** Returns a file with the media type detected from its bytes, because the sender declared none. Throws `unsupported_media_type`. */
const byBytes = (upload: Upload, of: readonly MediaKind[]): File => {
  const type = mediaTypes.find(
    ({ kind, contentType, looksLike = [contentType] }) =>
      of.includes(kind) && upload.sniffed !== undefined && looksLike.includes(upload.sniffed)
  )
  if (type !== undefined) return { type, upload }
  const takes = mediaTypes.filter(({ kind }) => of.includes(kind)).map(({ contentType }) => contentType)
  const found = upload.sniffed === undefined ? 'The file is not of an accepted type.' : `The bytes are ${upload.sniffed}.`
  throw new ServiceError('unsupported_media_type', {
    message: found,
    hint: 'Send a file whose type is listed in takes.',
    sniffed: upload.sniffed,
    takes
  })
}

/**
 * Receives an asset that was sent as base64 in a field, and detects its media type from its bytes. The caller must discard the upload at the end.
 * Throws `invalid_request`, `body_too_large` or `unsupported_media_type`.
 */
export const receiveAsset = async (service: Service, data: string): Promise<File> => {
  const upload = await receive(service, { data }, limits.assetBytesMax)
  try {
    return byBytes(upload, ['image', 'audio', 'video'])
  } catch (error) {
    await upload.discard()
    throw error
  }
}

const keepFile = async ({ type, upload }: File): Promise<JobBlob> => {
  const name = newAssetId()
  await upload.keep(name)
  return { name, contentType: type.contentType, size: upload.bytes, hash: upload.hash }
}

// ——— Starting jobs ———

/** Checks that a node can take the job. Throws `node_offline`, `engine_unavailable` or `media_queue_full`. */
const checkOffer = ({ relay }: Service, account: string, kind: JobKind): void => {
  const { nodes, capabilities } = relay.offer(account)
  if (nodes === 0) throw new ServiceError('node_offline', { retryAfterSeconds: 10 })
  if (!capabilities.includes(kind))
    throw new ServiceError('engine_unavailable', {
      message: `No connected compute node has an engine for ${kind}.`,
      capabilities,
      retryAfterSeconds: 60
    })
  if (relay.openJobs(account) >= limits.mediaOpenJobsMax)
    throw new ServiceError('media_queue_full', { openJobsMax: limits.mediaOpenJobsMax, retryAfterSeconds: 5 })
}

interface Start {
  readonly kind: JobKind
  readonly input: JobInput
  readonly saves?: boolean
  readonly wait: number | undefined
  readonly takeFile?: () => Promise<JobBlob>
}

/** Writes the record of a new job, and submits the job to the relay. */
const submitJob = async (
  { service, caller, doc }: Asked,
  account: string,
  { kind, input, saves = false, takeFile }: Start
): Promise<Job> => {
  await makeRoom(service, account)
  const file = (await takeFile?.()) ?? null
  const job: Job = {
    id: newId(),
    kind,
    account,
    share: caller.share,
    actor: actorOf(caller),
    status: 'queued',
    input,
    saves,
    file,
    attempt: 0,
    losses: 0,
    createdAt: service.clock.now(),
    endedAt: null,
    result: null,
    resultFile: null,
    asset: null,
    error: null
  }
  try {
    await service.ledger.write(doc, caller, (tx) => {
      putNewJob(tx, job)
      return remember(service, tx, caller, doc, presentJob(service, doc, job))
    })
  } catch (error) {
    if (file !== null) await service.blobs.delete(file.name)
    throw error
  }
  service.relay.submit(doc, job)
  return job
}

const startJob = async (asked: Asked, start: Start): Promise<Job> => {
  const { service, caller, doc, end } = asked
  const account = accountOf(caller)
  checkOffer(service, account, start.kind)
  const expected = service.relay.expectJob(account)
  const job = await submitJob(asked, account, start).finally(expected)
  return waitForEnd(service, doc, job, start.wait, end)
}

// ——— Reading jobs ———

const waitForEnd = async (service: Service, doc: string, job: Job, seconds: number | undefined, { signal }: WaitEnd): Promise<Job> => {
  if (seconds === undefined || seconds === 0 || !isOpen(job)) return job
  const key = keys.job(doc, job.id)
  const deadline = service.clock.now() + seconds * 1000
  let wake = (): void => undefined
  const nudge = (): void => wake()
  // Subscribes before reading. Otherwise, the end of a job between the two would go unnoticed.
  const stop = service.storage.watch(key, nudge)
  signal.addEventListener('abort', nudge)
  try {
    for (;;) {
      const woken = new Promise<void>((resolve) => (wake = resolve))
      const entry = await service.storage.get(key)
      if (entry === undefined) throw gone()
      const found = decodeRecord<Job>(entry.value)
      const left = deadline - service.clock.now()
      if (!isOpen(found) || left <= 0 || signal.aborted) return found
      const cancel = service.clock.after(left, nudge)
      await woken
      cancel()
    }
  } finally {
    stop()
    signal.removeEventListener('abort', nudge)
  }
}

const gone = (): ServiceError => new ServiceError('not_found', { message: 'You have no such job in this document.' })

/** Returns one of the caller's jobs. Throws `not_found` if the job does not exist or belongs to another account. */
const findJob = async ({ storage }: Service, caller: Caller, doc: string, id: string, kind?: JobKind): Promise<Job> => {
  const entry = await storage.get(keys.job(doc, id))
  const job = entry && decodeRecord<Job>(entry.value)
  if (job === undefined || job.account !== accountOf(caller) || (kind !== undefined && job.kind !== kind)) throw gone()
  return job
}

const idNames: Readonly<Record<JobKind, string>> = { image: 'jobId', speech: 'talkId', transcription: 'asrId', ocr: 'ocrId' }

const assetOf = ({ resultFile, asset, input, kind }: Job): Asset | undefined => {
  if (asset === null || resultFile === null) return undefined
  const type = mediaTypes.find(({ contentType }) => contentType === resultFile.contentType)
  if (type === undefined) return undefined
  const name = resultName(kind, input)
  return { ...resultFile, id: asset, extension: type.extension, kind: type.kind, name: name || type.kind, createdAt: 0 }
}

/** Returns a job's result as API fields. */
const resultOf = (service: Service, doc: string, job: Job): Record<string, unknown> | null => {
  if (job.status !== 'done' || job.result === null) return null
  const { text = '', duration = 0, segments = [], engine } = job.result
  const asset = assetOf(job)
  const shown = asset && presentAsset(service, asset)
  const by = engine === undefined ? {} : { engine }
  if (job.kind === 'image') return { markdown: shown?.markdown ?? '', url: shown?.url ?? '', ...by }
  if (job.kind === 'speech') {
    const audioUrl = `${service.baseUrl}/api/docs/${doc}/media/speak/${job.id}/audio`
    return { audioUrl, ...(shown && { markdown: shown.markdown, url: shown.url }), ...by }
  }
  return job.kind === 'ocr' ? { text, ...by } : { text, duration, segments, ...by }
}

/** Returns a job in the form that its owner sees. The fields of the result also appear at the top level. */
const presentJob = (service: Service, doc: string, job: Job): Record<string, unknown> => {
  const { id, kind, status, error, createdAt } = job
  const result = resultOf(service, doc, job)
  const progress = status === 'running' ? service.relay.progressOf(id) : undefined
  return {
    ...result,
    id,
    jobId: id,
    [idNames[kind]]: id,
    kind,
    status,
    ...(progress === undefined ? {} : { progress }),
    result,
    ...(error === null ? {} : { error }),
    createdAt: new Date(createdAt).toISOString()
  }
}

const started = async (asked: Asked, start: Start): Promise<Record<string, unknown>> =>
  presentJob(asked.service, asked.doc, await startJob(asked, start))

const read = async (
  { service, caller, doc, end }: Asked,
  kind: JobKind,
  id: string,
  wait: number | undefined
): Promise<Record<string, unknown>> =>
  presentJob(service, doc, await waitForEnd(service, doc, await findJob(service, caller, doc, id, kind), wait, end))

// ——— Operations ———

export const startImage = (asked: Asked, { prompt, width, height, wait }: Input<'startImage'>): Promise<Output<'startImage'>> => {
  const size = { width: width ?? limits.imagePixelsDefault, height: height ?? limits.imagePixelsDefault }
  return started(asked, { kind: 'image', input: { prompt, ...size }, saves: true, wait }) as Promise<Output<'startImage'>>
}

export const startSpeech = (asked: Asked, { text, voice, save = false, wait }: Input<'startSpeech'>): Promise<Output<'startSpeech'>> =>
  started(asked, { kind: 'speech', input: { text, ...(voice !== undefined && { voice }) }, saves: save, wait }) as Promise<
    Output<'startSpeech'>
  >

const startWithFile = async <Kind extends FileKind>(
  asked: Asked,
  kind: Kind,
  input: SentFile & { readonly wait?: number | undefined },
  sent: File | null
): Promise<Record<string, unknown>> => {
  const { kinds, bytesMax } = fileRules[kind]
  const takeFile = async (): Promise<JobBlob> => {
    if (sent !== null) {
      checkBytes(sent)
      return keepFile(sent)
    }
    const upload = await receive(asked.service, input, bytesMax)
    try {
      const file = byBytes(upload, kinds)
      checkBytes(file)
      return await keepFile(file)
    } finally {
      await upload.discard()
    }
  }
  return started(asked, { kind, input: {}, wait: input.wait, takeFile })
}

export const startTranscription = (
  asked: Asked,
  input: Input<'startTranscription'>,
  file: File | null
): Promise<Output<'startTranscription'>> => startWithFile(asked, 'transcription', input, file) as Promise<Output<'startTranscription'>>

export const startOcr = (asked: Asked, input: Input<'startOcr'>, file: File | null): Promise<Output<'startOcr'>> =>
  startWithFile(asked, 'ocr', input, file) as Promise<Output<'startOcr'>>

export const readImage = (asked: Asked, { jobId, wait }: Input<'readImage'>): Promise<Output<'readImage'>> =>
  read(asked, 'image', jobId, wait) as Promise<Output<'readImage'>>

export const readSpeech = (asked: Asked, { talkId, wait }: Input<'readSpeech'>): Promise<Output<'readSpeech'>> =>
  read(asked, 'speech', talkId, wait) as Promise<Output<'readSpeech'>>

export const readTranscription = (asked: Asked, { asrId, wait }: Input<'readTranscription'>): Promise<Output<'readTranscription'>> =>
  read(asked, 'transcription', asrId, wait) as Promise<Output<'readTranscription'>>

export const readOcr = (asked: Asked, { ocrId, wait }: Input<'readOcr'>): Promise<Output<'readOcr'>> =>
  read(asked, 'ocr', ocrId, wait) as Promise<Output<'readOcr'>>

/** A property of a response: the function that opens its file. It is not called for a response without a body. */
export const openFile: unique symbol = Symbol('opens the file of the answer')

/** Returns the file of a finished job. Throws `job_not_done`. */
const doneFile = (job: Job): JobBlob => {
  if (job.status === 'done' && job.resultFile !== null) return job.resultFile
  throw new ServiceError('job_not_done', { jobStatus: job.status, ...(isOpen(job) ? { retryAfterSeconds: 1 } : {}) })
}

export const readSpeechAudio = async (
  { service, caller, doc }: Asked,
  { talkId }: Input<'readSpeechAudio'>
): Promise<Output<'readSpeechAudio'> & { readonly [openFile]: () => Promise<Blob> }> => {
  const { name, contentType, size } = doneFile(await findJob(service, caller, doc, talkId, 'speech'))
  const open = async (): Promise<Blob> => {
    const blob = await service.blobs.open(name)
    if (blob === undefined) throw gone()
    return blob
  }
  return { contentType, size, [openFile]: open }
}

/** Turns the result of a speech job into an asset. A repeated call returns the same asset. */
export const saveSpeech = async ({ service, caller, doc }: Asked, { talkId }: Input<'saveSpeech'>): Promise<Output<'saveSpeech'>> => {
  await findJob(service, caller, doc, talkId, 'speech')
  const key = keys.job(doc, talkId)
  return service.ledger.write(
    doc,
    caller,
    (tx) => {
      const job = tx.read<Job>(key)
      if (job === undefined) throw gone()
      const file = doneFile(job)
      const known = assetOf(job)
      if (known !== undefined) return remember(service, tx, caller, doc, presentAsset(service, known))
      const asset = putAsset(service, tx, file, resultName(job.kind, job.input), actorOf(caller))
      tx.put(key, encodeRecord({ ...job, asset: asset.id } satisfies Job))
      tx.delete(keys.jobBlob(file.name))
      return remember(service, tx, caller, doc, presentAsset(service, asset))
    },
    { reads: [key] }
  )
}

/** Cancels a waiting or running job. For a job that has already ended, it only returns the outcome. */
export const cancelJob = async ({ service, caller, doc }: Asked, { jobId }: Input<'cancelJob'>): Promise<Output<'cancelJob'>> => {
  await findJob(service, caller, doc, jobId)
  const canceled = await endJob(service, doc, jobId, null, { canceled: true })
  service.relay.forget(jobId)
  return { ok: true, jobId, status: canceled ? 'canceled' : (await findJob(service, caller, doc, jobId)).status }
}
