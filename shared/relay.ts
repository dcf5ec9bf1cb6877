/** The messages between the service and compute nodes. server/relay/relay.ts explains their meaning and order. */
import type { JobInput, JobKind, JobResult } from './media-jobs.ts'

/** Path of the WebSocket endpoint for nodes. */
export const relayPath = '/relay'

/** Version of the protocol. */
export const relayProtocol = 1

/** Largest chunk of a file in one frame, in bytes. */
export const relayChunkBytesMax = 64 * 1024
/** Maximum number of bytes of a file that may be in flight without a credit. */
export const relayWindowBytes = 256 * 1024

/** Close codes of `/relay`. */
export const relayCloseCodes = { restarting: 1001, badMessage: 4400, tokenEnded: 4401, tooSlow: 4408, tooMany: 4429 } as const

/** A kind of job that a node can do, with its engine. */
export interface Capability {
  readonly kind: JobKind
  readonly engine: string
  readonly voices?: readonly string[] | undefined
}

/** A file to transfer. It is announced before or after its bytes. */
export interface WireFile {
  readonly bytes: number
  /** SHA-256 hash of the file, in base64url. */
  readonly hash: string
  readonly contentType: string
}

export const nodeFailures = ['bad_input', 'engine_failed', 'engine_unavailable', 'timed_out'] as const

/** A message from a node to the service. */
export type NodeMessage =
  | { readonly type: 'hello'; readonly protocol: number; readonly slots: number; readonly capabilities: readonly Capability[] }
  | { readonly type: 'beat' }
  | { readonly type: 'progress'; readonly job: number; readonly progress: number }
  | { readonly type: 'credit'; readonly job: number; readonly bytes: number }
  | { readonly type: 'result'; readonly job: number; readonly result: JobResult; readonly file: WireFile | null }
  | { readonly type: 'fail'; readonly job: number; readonly code: (typeof nodeFailures)[number]; readonly message: string }

/** A job that is assigned to a node. */
export interface JobMessage {
  readonly type: 'job'
  /** Number of this attempt at the job, unique on this connection. */
  readonly job: number
  readonly kind: JobKind
  readonly input: JobInput
  readonly file: WireFile | null
  /** Time limit of the job, in seconds. */
  readonly seconds: number
  /** Largest result file, in bytes; 0 if the job has no result file. */
  readonly resultBytesMax: number
}

/** A message from the service to a node. */
export type ServiceMessage =
  | {
      readonly type: 'welcome'
      readonly protocol: number
      readonly name: string
      readonly beatSeconds: number
      readonly silentSecondsMax: number
    }
  | { readonly type: 'beat' }
  | JobMessage
  | { readonly type: 'credit'; readonly job: number; readonly bytes: number }
  | { readonly type: 'cancel'; readonly job: number }

/** Encodes bytes from a job's file as a frame: the job number, big-endian, then the bytes. */
export const encodeChunk = (job: number, bytes: Uint8Array): Uint8Array<ArrayBuffer> => {
  const frame = new Uint8Array(4 + bytes.length)
  new DataView(frame.buffer).setUint32(0, job)
  frame.set(bytes, 4)
  return frame
}

/** Decodes a frame. Throws `RangeError` if the frame is invalid. */
export const decodeChunk = (frame: Uint8Array): { job: number; bytes: Uint8Array } => {
  if (frame.length <= 4 || frame.length > 4 + relayChunkBytesMax) throw new RangeError('a piece of a file has the wrong size')
  return { job: new DataView(frame.buffer, frame.byteOffset, frame.byteLength).getUint32(0), bytes: frame.subarray(4) }
}

/** Counts the bytes in flight to the other side, and makes the sender wait if there are too many. */
export class Window {
  #left = relayWindowBytes
  #wake: (() => void) | undefined
  #closed = false

  /** Waits until this many bytes may be sent. Resolves to false if the window was closed. */
  async take(bytes: number): Promise<boolean> {
    while (this.#left < bytes && !this.#closed) await new Promise<void>((resolve) => (this.#wake = resolve))
    this.#left -= bytes
    return !this.#closed
  }

  /** Records that the other side has processed this many bytes. Throws `RangeError` if they were never sent. */
  give(bytes: number): void {
    this.#left += bytes
    if (this.#left > relayWindowBytes) throw new RangeError('a credit for bytes that were not sent')
    this.#wake?.()
  }

  close(): void {
    this.#closed = true
    this.#wake?.()
  }
}
/** Buffers the bytes from the other side in order of arrival. It never holds more bytes than the window allows. */
export class Inbox implements AsyncIterable<Uint8Array> {
  readonly #chunks: Uint8Array[] = []
  readonly #consumed: (bytes: number) => void
  #waiting = 0
  #wake: (() => void) | undefined
  #ended = false
  #error: Error | undefined
  /** Total number of bytes that have arrived. */
  bytes = 0

  /** `consumed` is called with the number of processed bytes, which are sent as credit. */
  constructor(consumed: (bytes: number) => void) {
    this.#consumed = consumed
  }

  /** Adds received bytes. Throws `RangeError` if the sender exceeds the window. */
  push(chunk: Uint8Array): void {
    this.#waiting += chunk.length
    this.bytes += chunk.length
    if (this.#waiting > relayWindowBytes) throw new RangeError('more bytes than the window allows')
    if (this.#ended) return
    this.#chunks.push(chunk)
    this.#wake?.()
  }

  /** Ends the input. The reader gets the remaining bytes and then the end, or this error. */
  end(error?: Error): void {
    this.#ended = true
    this.#error ??= error
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = this.#chunks.shift()
      if (chunk !== undefined) {
        yield chunk
        this.#waiting -= chunk.length
        this.#consumed(chunk.length)
      } else if (this.#error !== undefined) throw this.#error
      else if (this.#ended) return
      else await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }
}
