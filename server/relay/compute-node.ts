/** The socket of one compute node. It checks the node's messages and passes them to their attempts. */
import { limits } from '../../shared/limits.ts'
import {
  type Capability,
  decodeChunk,
  relayCloseCodes,
  relayProtocol,
  relayWindowBytes,
  type NodeMessage,
  type ServiceMessage
} from '../../shared/relay.ts'
import { type JobKind, voicePattern } from '../../shared/media-jobs.ts'
import type { WebSocket } from 'ws'
import type { Job } from '../domain/records/keys.ts'
import type { Outcome } from '../domain/media/media-jobs.ts'
import type { ComputeNodeToken } from '../domain/media/compute-nodes.ts'
import type { Service } from '../domain/service.ts'
import { Attempt } from './attempt.ts'
import { parseMessage } from './messages.ts'

export interface ComputeNodeEvents {
  /** Called when the node has sent its hello and can receive jobs. */
  ready(node: ComputeNode): void
  /** Called when a slot is free again. */
  free(): void
  /** Called when the node has disconnected. `lost` contains its unfinished jobs. */
  gone(node: ComputeNode, lost: readonly Attempt[]): void
}

export class ComputeNode {
  readonly token: ComputeNodeToken
  /** Whether the node works for everyone, or only for its token's account. */
  readonly shared: boolean
  readonly #service: Service
  readonly #socket: WebSocket
  readonly #events: ComputeNodeEvents
  readonly #attempts = new Map<number, Attempt>()
  #capabilities: readonly Capability[] = []
  #slots = 0
  #reserved = 0
  #numbers = 0
  /** The number of bytes for finished jobs that can still arrive. A node that sends more violates the protocol. */
  #strayBytes = 0
  #heardAt: number
  #cancelBeat = (): void => undefined
  #ended = false

  constructor(
    service: Service,
    socket: WebSocket,
    { node, shared }: { node: ComputeNodeToken; shared: boolean },
    events: ComputeNodeEvents
  ) {
    this.token = node
    this.shared = shared
    this.#service = service
    this.#socket = socket
    this.#events = events
    this.#heardAt = service.clock.now()
    socket.on('message', (data: Buffer, isBinary) => this.#hear(data, isBinary))
    socket.on('close', () => this.end())
    this.#cancelBeat = service.clock.after(limits.relayHelloSecondsMax * 1000, () => this.close(relayCloseCodes.tooSlow, 'no hello'))
  }

  get isReady(): boolean {
    return this.#slots > 0 && !this.#ended
  }

  get isFree(): boolean {
    return this.isReady && this.#attempts.size + this.#reserved < this.#slots
  }

  /** Reserves a slot for a job that is about to be assigned. */
  reserve(): void {
    this.#reserved += 1
  }

  release(): void {
    this.#reserved -= 1
  }

  can(kind: JobKind): boolean {
    return this.#capabilities.some((each) => each.kind === kind)
  }

  /** The kinds of jobs that the node can do. */
  get kinds(): readonly JobKind[] {
    return this.#capabilities.map(({ kind }) => kind)
  }

  /** Returns the node's voices, except those with invalid names. */
  get voices(): readonly string[] {
    return this.#capabilities.flatMap(({ kind, voices = [] }) =>
      kind === 'speech' ? voices.filter((voice) => voicePattern.test(voice)) : []
    )
  }

  serves(account: string | null): boolean {
    return this.isReady && (this.shared || this.token.account === account)
  }

  find(job: string): Attempt | undefined {
    return [...this.#attempts.values()].find((each) => each.job.id === job)
  }

  /** Assigns a job to the node. `settle` receives the outcome, unless the node disconnects first. */
  assign(doc: string, job: Job, settle: (outcome: Outcome) => void): void {
    const number = ++this.#numbers
    const over = (): void => {
      cancelTime()
      this.#forget(number)
      this.#events.free()
    }
    const attempt: Attempt = new Attempt(this.#service, this, doc, job, number, (outcome) => {
      over()
      settle(outcome)
    })
    this.#attempts.set(number, attempt)
    const seconds = limits.mediaSeconds[job.kind]
    const cancelTime = this.#service.clock.after(seconds * 1000, () => {
      this.say({ type: 'cancel', job: number })
      attempt.fail({ code: 'timed_out', message: `The job took longer than ${seconds} s.` })
    })
    attempt.start().catch((error: unknown) => {
      this.say({ type: 'cancel', job: number })
      attempt.fail({ code: 'engine_failed', message: error instanceof Error ? error.message : 'The file could not be sent.' })
    })
  }

  /** Withdraws a job from the node. */
  cancel(attempt: Attempt): void {
    attempt.stop()
    this.say({ type: 'cancel', job: attempt.number })
    this.#forget(attempt.number)
    this.#events.free()
  }

  say(message: ServiceMessage): void {
    if (!this.#ended) this.#socket.send(JSON.stringify(message))
  }

  send(frame: Uint8Array): void {
    if (!this.#ended) this.#socket.send(frame)
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason)
    // The relay does not wait for nodes that do not answer the close frame.
    this.end()
  }

  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#cancelBeat()
    // The server is already writing the outcomes of finished jobs, so these jobs are not lost.
    const lost = [...this.#attempts.values()].filter((each) => !each.isOver)
    this.#attempts.clear()
    for (const each of lost) each.stop()
    this.#events.gone(this, lost)
  }

  #forget(number: number): void {
    if (this.#attempts.delete(number)) this.#strayBytes += relayWindowBytes
  }

  #beat(): void {
    const { clock } = this.#service
    if (clock.now() - this.#heardAt > limits.relaySilentSecondsMax * 1000) {
      this.close(relayCloseCodes.tooSlow, 'silent for too long')
      this.#socket.terminate()
      return
    }
    this.say({ type: 'beat' })
    this.#cancelBeat = clock.after(limits.relayBeatSeconds * 1000, () => this.#beat())
  }

  #hear(data: Buffer, isBinary: boolean): void {
    if (this.#ended) return
    this.#heardAt = this.#service.clock.now()
    try {
      if (isBinary) this.#take(data)
      else this.#obey(parseMessage(data.toString('utf8')))
    } catch (error) {
      this.close(relayCloseCodes.badMessage, error instanceof RangeError ? error.message : 'bad message')
    }
  }

  #take(data: Buffer): void {
    const { job, bytes } = decodeChunk(data)
    const attempt = this.#meant(job)
    if (attempt !== undefined) return attempt.push(bytes)
    this.#strayBytes -= bytes.length
    if (this.#strayBytes < 0) throw new RangeError('more bytes for a finished job than could have been in transit')
    return undefined
  }

  /** Returns the job with the given number; undefined if the job is over. Throws `RangeError` if the node never received a job with this number. */
  #meant(number: number): Attempt | undefined {
    if (number > this.#numbers) throw new RangeError('this job was never assigned to this node')
    return this.#attempts.get(number)
  }

  #obey(message: NodeMessage): void {
    if (message.type === 'hello') return this.#greet(message)
    if (this.#slots === 0) throw new RangeError('send hello first')
    if (message.type === 'beat') return undefined
    const attempt = this.#meant(message.job)
    if (attempt === undefined) return undefined
    if (message.type === 'progress') attempt.progress = message.progress
    else if (message.type === 'credit') attempt.credit(message.bytes)
    else if (message.type === 'fail') attempt.fail({ code: message.code, message: message.message })
    else attempt.finish(message.result, message.file)
    return undefined
  }

  #greet({ protocol, slots, capabilities }: Extract<NodeMessage, { type: 'hello' }>): void {
    if (this.#slots > 0) throw new RangeError('hello must be sent only once')
    if (protocol !== relayProtocol) throw new RangeError(`this service speaks version ${relayProtocol} of the protocol`)
    this.#slots = slots
    this.#capabilities = capabilities
    this.#cancelBeat()
    this.say({
      type: 'welcome',
      protocol: relayProtocol,
      name: this.token.name,
      beatSeconds: limits.relayBeatSeconds,
      silentSecondsMax: limits.relaySilentSecondsMax
    })
    this.#beat()
    this.#events.ready(this)
  }
}
