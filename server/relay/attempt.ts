/** One attempt at a job on one node. It sends the input file to the node and receives the result. */
import { ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import type { JobKind, JobResult } from '../../shared/media-jobs.ts'
import { findMediaType, type MediaKind, maySendAs } from '../../shared/media-types.ts'
import { encodeChunk, Inbox, relayChunkBytesMax, type ServiceMessage, Window, type WireFile } from '../../shared/relay.ts'
import type { Job, JobBlob } from '../domain/records/keys.ts'
import type { JobError, Outcome } from '../domain/media/media-jobs.ts'
import type { Upload } from '../domain/ports.ts'
import { newAssetId } from '../domain/secrets.ts'
import type { Service } from '../domain/service.ts'

/** The part of a connection that attempts use. */
export interface Wire {
  say(message: ServiceMessage): void
  send(frame: Uint8Array): void
}

/** The kind of media in the result file of a job. Other jobs have no result file. */
const fileOf: Partial<Readonly<Record<JobKind, MediaKind>>> = { image: 'image', speech: 'audio' }

/** Thrown if the attempt is over because the node disconnected, the job was canceled, or the data was refused. The received data is discarded. */
class Stopped extends Error {}

const refused = (message: string): { error: JobError } => ({ error: { code: 'result_refused', message } })

export class Attempt {
  readonly number: number
  readonly job: Job
  readonly doc: string
  /** The progress that the node has reported, from 0 to 1. Undefined if it has not reported any. */
  progress: number | undefined
  readonly #service: Service
  readonly #wire: Wire
  readonly #window = new Window()
  readonly #inbox: Inbox
  /** The upload of the result file. Undefined until its first bytes arrive. */
  #upload: Promise<Upload> | undefined
  #over = false
  readonly #settle: (outcome: Outcome) => void

  /** `settle` is called once, with the outcome that the node's messages determine. */
  constructor(service: Service, wire: Wire, doc: string, job: Job, number: number, settle: (outcome: Outcome) => void) {
    this.#service = service
    this.#wire = wire
    this.doc = doc
    this.job = job
    this.number = number
    this.#settle = settle
    this.#inbox = new Inbox((bytes) => {
      if (!this.#over) wire.say({ type: 'credit', job: number, bytes })
    })
  }

  /** Whether the attempt needs no more messages from the node. */
  get isOver(): boolean {
    return this.#over
  }

  /** Sends the job and its file to the node, as fast as the node accepts them. Throws `storage_unavailable` and blob store errors. */
  async start(): Promise<void> {
    const { job, number } = this
    const { file, kind, input } = job
    const wired: WireFile | null = file && { bytes: file.size, hash: file.hash, contentType: file.contentType }
    const resultBytesMax = fileOf[kind] === undefined ? 0 : limits.mediaResultBytesMax
    this.#wire.say({ type: 'job', job: number, kind, input, file: wired, seconds: limits.mediaSeconds[kind], resultBytesMax })
    if (file === null) return
    const blob = await this.#service.blobs.open(file.name)
    if (blob === undefined) throw new ServiceError('storage_unavailable', {}, { cause: new Error(`the blob of job ${job.id} is gone`) })
    for await (const bytes of blob.read(0, file.size - 1))
      for (let at = 0; at < bytes.length; at += relayChunkBytesMax) {
        const piece = bytes.subarray(at, at + relayChunkBytesMax)
        if (!(await this.#window.take(piece.length))) return
        this.#wire.send(encodeChunk(number, piece))
      }
  }

  /** Records that the node has processed more bytes of the file. Throws `RangeError` if these bytes were never sent. */
  credit(bytes: number): void {
    this.#window.give(bytes)
  }

  /** Receives a chunk of the result. A result that is too large ends the job. Throws `RangeError` if the node sends more than the window allows. */
  push(bytes: Uint8Array): void {
    if (this.#over) return
    const bytesMax = fileOf[this.job.kind] === undefined ? 0 : limits.mediaResultBytesMax
    if (this.#inbox.bytes + bytes.length > bytesMax)
      return this.#refuse(`The result is larger than ${bytesMax} bytes, the limit for this job.`)
    this.#inbox.push(bytes)
    this.#upload ??= this.#receive()
    return undefined
  }

  #receive(): Promise<Upload> {
    const upload = this.#service.blobs.receive(this.#inbox)
    upload.catch((error: unknown) => {
      // A full disk is not the fault of the node, but it ends this job.
      if (!(error instanceof Stopped)) this.#refuse(error instanceof Error ? error.message : 'The result could not be stored.')
    })
    return upload
  }

  #refuse(message: string): void {
    if (this.#over) return
    this.stop()
    this.#wire.say({ type: 'cancel', job: this.number })
    this.#settle(refused(message))
  }

  /** Called when the node has ended the job. Only the node's first result or failure counts. */
  finish(result: JobResult, file: WireFile | null): void {
    if (this.#over) return
    this.#over = true
    this.#window.close()
    this.#inbox.end()
    this.#take(result, file).then(
      (outcome) => this.#settle(outcome),
      (error: unknown) => this.#settle(refused(error instanceof Error ? error.message : 'The result could not be stored.'))
    )
  }

  fail(error: JobError): void {
    if (this.#over) return
    this.stop()
    this.#settle({ error })
  }

  /** Ignores all later messages, and discards the data that has arrived. */
  stop(): void {
    this.#over = true
    this.#window.close()
    this.#inbox.end(new Stopped('the job is over'))
    this.#upload?.then((upload) => upload.discard()).catch(() => undefined)
  }

  async #take(result: JobResult, told: WireFile | null): Promise<Outcome> {
    const upload = await this.#upload
    try {
      const expected = fileOf[this.job.kind]
      if (expected === undefined) return { result, file: null }
      if (upload === undefined || told === null) return refused('The node sent no file.')
      if (upload.bytes !== told.bytes || upload.hash !== told.hash) return refused('The file was damaged in transit.')
      const type = findMediaType(told.contentType)
      if (type?.kind !== expected || !maySendAs(type, upload.sniffed) || !upload.whole)
        return refused(
          `The node declared ${told.contentType} and sent ${upload.sniffed ?? 'an unknown type'} instead of a complete ${expected} file.`
        )
      const file: JobBlob = { name: newAssetId(), contentType: type.contentType, size: upload.bytes, hash: upload.hash }
      await upload.keep(file.name)
      return { result, file }
    } finally {
      await upload?.discard()
    }
  }
}
