/** The node's side of the relay: it receives jobs, passes them to engines and sends the results. server/relay/relay.ts describes the protocol. */
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import {
  type Capability,
  decodeChunk,
  encodeChunk,
  Inbox,
  type JobMessage,
  type NodeMessage,
  relayChunkBytesMax,
  relayPath,
  relayProtocol,
  type ServiceMessage,
  Window,
  type WireFile
} from '../../shared/relay.ts'
import type { Done, Engine } from './engine.ts'
import { withFolder } from './folders.ts'
import { JobFailure } from './program.ts'

/** Thrown when a job was canceled. */
class Canceled extends Error {}

interface Running {
  readonly window: Window
  readonly inbox: Inbox
  readonly controller: AbortController
}

export interface WorkerOptions {
  /** Origin of the service, without a trailing slash. */
  readonly origin: string
  readonly token: string
  readonly engines: readonly Engine[]
  readonly slots: number
  /** Called when the service has sent its welcome message, with the node's name. */
  readonly onWelcome: (name: string) => void
  readonly onJob: (kind: string, how: string) => void
}

export interface Ended {
  readonly code: number
  readonly reason: string
  /** Whether the service sent its welcome message before the connection ended. */
  readonly welcomed: boolean
}

/** File extensions by content type. Some programs detect the format by the extension. */
const endings: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'audio/wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/flac': 'flac',
  'audio/mp4': 'm4a',
  'audio/webm': 'webm',
  'video/webm': 'webm',
  'video/mp4': 'mp4'
}

/** Receives a file in chunks. Throws `engine_failed` if it differs from the announced size or hash. */
const receive = async (inbox: Inbox, { bytes, hash, contentType }: WireFile, folder: string): Promise<string> => {
  const path = join(folder, `input.${endings[contentType] ?? 'bin'}`)
  const out = createWriteStream(path, { mode: 0o600 })
  const digest = createHash('sha256')
  let received = 0
  for await (const chunk of inbox) {
    received += chunk.length
    digest.update(chunk)
    if (!out.write(chunk)) await new Promise<void>((resolve) => out.once('drain', () => resolve()))
    if (received >= bytes) break
  }
  out.end()
  await finished(out)
  if (received !== bytes || digest.digest('base64url') !== hash) throw new JobFailure('engine_failed', 'The file was damaged in transit.')
  return path
}

const failureOf = (error: unknown): { code: JobFailure['code']; message: string } =>
  error instanceof JobFailure
    ? { code: error.code, message: error.message.slice(0, 500) }
    : { code: 'engine_failed', message: (error instanceof Error ? error.message : String(error)).slice(0, 500) }

/** Runs one connection from start to end. Aborting `signal` ends it. */
export const connect = (options: WorkerOptions, signal: AbortSignal): Promise<Ended> => {
  const { origin, token, engines, slots, onWelcome, onJob } = options
  const { promise, resolve } = Promise.withResolvers<Ended>()
  // Unlike a browser's WebSocket, Node's accepts headers.
  const init = { headers: { Authorization: `Bearer ${token}` } } as unknown as string[]
  const socket = new WebSocket(`${origin.replace(/^http/, 'ws')}${relayPath}`, init)
  socket.binaryType = 'arraybuffer'
  const jobs = new Map<number, Running>()
  let welcomed = false
  let silence: ReturnType<typeof setTimeout> | undefined

  const say = (message: NodeMessage): void => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message))
  }

  const stop = (running: Running): void => {
    const reason = new Canceled('canceled')
    running.window.close()
    running.inbox.end(reason)
    running.controller.abort(reason)
  }

  const give = async (job: number, bytes: Buffer, contentType: string, window: Window): Promise<WireFile> => {
    for (let at = 0; at < bytes.length; at += relayChunkBytesMax) {
      const piece = bytes.subarray(at, at + relayChunkBytesMax)
      if (!(await window.take(piece.length))) throw new Canceled('canceled')
      socket.send(encodeChunk(job, piece))
    }
    return { bytes: bytes.length, hash: createHash('sha256').update(bytes).digest('base64url'), contentType }
  }

  const work = async (
    { job, kind, input, file }: JobMessage,
    { inbox, controller }: Running,
    folder: string
  ): Promise<{ done: Done; engine: string }> => {
    const engine = engines.find((each) => each.kind === kind)
    if (engine === undefined) throw new JobFailure('engine_unavailable', `This node has no engine for ${kind}.`)
    const path = file === null ? '' : await receive(inbox, file, folder)
    const progress = (part: number): void => say({ type: 'progress', job, progress: part })
    progress(0)
    const done = await engine.work({ input, file: path, contentType: file?.contentType ?? '', folder, signal: controller.signal, progress })
    return { done, engine: engine.name }
  }

  const take = async (message: JobMessage): Promise<void> => {
    const { job, kind, resultBytesMax, seconds } = message
    const inbox = new Inbox((bytes) => say({ type: 'credit', job, bytes }))
    const running: Running = { window: new Window(), inbox, controller: new AbortController() }
    jobs.set(job, running)
    const overdue = setTimeout(
      () => running.controller.abort(new JobFailure('timed_out', `The job took longer than ${seconds} s.`)),
      seconds * 1000
    )
    try {
      const { done, engine } = await withFolder((folder) => work(message, running, folder))
      if (done.file !== undefined && done.file.bytes.length > resultBytesMax)
        throw new JobFailure('engine_failed', `The result is larger than ${resultBytesMax} bytes.`)
      const file = done.file === undefined ? null : await give(job, done.file.bytes, done.file.contentType, running.window)
      say({ type: 'result', job, result: { engine, ...done.result }, file })
      onJob(kind, 'done')
    } catch (error) {
      const { signal: own } = running.controller
      const reason: unknown = own.aborted ? own.reason : error
      if (reason instanceof Canceled) return onJob(kind, 'canceled')
      const failure = failureOf(reason)
      say({ type: 'fail', job, ...failure })
      onJob(kind, `failed: ${failure.message}`)
    } finally {
      clearTimeout(overdue)
      jobs.delete(job)
    }
    return undefined
  }

  const obey = (message: ServiceMessage): void => {
    if (message.type === 'welcome') {
      welcomed = true
      listen(message.silentSecondsMax)
      onWelcome(message.name)
    } else if (message.type === 'beat') say({ type: 'beat' })
    else if (message.type === 'job') void take(message)
    else if (message.type === 'credit') jobs.get(message.job)?.window.give(message.bytes)
    else {
      const running = jobs.get(message.job)
      if (running !== undefined) stop(running)
    }
  }

  /** Milliseconds without a message after which the service counts as gone, even if the network still reports a connection. */
  let silentMs = 30_000
  const listen = (seconds?: number): void => {
    if (seconds !== undefined) silentMs = seconds * 1000
    clearTimeout(silence)
    silence = setTimeout(() => end(1006, 'the service is silent'), silentMs)
  }

  const end = (code: number, reason: string): void => {
    clearTimeout(silence)
    for (const running of jobs.values()) stop(running)
    socket.close()
    resolve({ code, reason, welcomed })
  }

  socket.onopen = () => {
    const capabilities = engines.map(({ kind, name, voices }): Capability => ({
      kind,
      engine: name.slice(0, 80),
      ...(voices && { voices })
    }))
    say({ type: 'hello', protocol: relayProtocol, slots, capabilities })
  }
  socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
    listen()
    try {
      if (typeof data === 'string') return obey(JSON.parse(data) as ServiceMessage)
      const { job, bytes } = decodeChunk(new Uint8Array(data))
      jobs.get(job)?.inbox.push(bytes)
    } catch (error) {
      end(1006, error instanceof Error ? error.message : 'bad message')
    }
    return undefined
  }
  socket.onclose = ({ code, reason }) => end(code, reason)
  socket.onerror = () => undefined
  signal.addEventListener('abort', () => end(1000, 'stopped'), { once: true })
  listen()
  return promise
}
