/**
 * Threads for work on untrusted text, so that a slow job does not block other jobs. A lane has one thread, which runs one job at a time, with a
 * deadline and a memory limit.
 *
 * Each holder (a document) has a bounded queue of jobs. Holders take turns, so a holder with many jobs delays only its own. Jobs with the same name
 * share one run. A newer job replaces an older one that waits in the same slot.
 */
import { Worker } from 'node:worker_threads'
import { type ErrorCode, ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'

/**
 * The reason why a job was not done. `full`: too many jobs wait. `late`: it waited too long for its turn. `replaced`: a newer job replaced it.
 * `slow`: it took too long. `failed`: its thread failed.
 */
export type RefusedWhy = 'full' | 'late' | 'replaced' | 'slow' | 'failed'

/** Thrown for a job that was not done. */
export class WorkRefused extends Error {
  readonly why: RefusedWhy

  constructor(why: RefusedWhy, options?: ErrorOptions) {
    super(`the work was not done: ${why}`, options)
    this.name = 'WorkRefused'
    this.why = why
  }
}

/** A thread's response. */
export type Reply<Answer> =
  | { readonly kind: 'done'; readonly answer: Answer }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly details: Readonly<Record<string, unknown>> }

/** The load of a lane: the numbers of waiting and running jobs. */
export interface LaneLoad {
  readonly lane: string
  readonly waiting: number
  readonly running: number
}

const lanes: { readonly load: () => LaneLoad }[] = []

/** Returns the load of every lane of this process that has a name. */
export const laneLoads = (): LaneLoad[] => lanes.map(({ load }) => load())

export interface LaneOptions {
  /** The name of the lane in the metrics. */
  readonly name?: string
  /** The module that the thread runs. It must call `serve`. */
  readonly entry: URL
  /** The maximum time for one job, counted from its start, in seconds. */
  readonly secondsMax: number
  /** The maximum number of waiting jobs: in total, and for each holder. */
  readonly waitingMax: number
  readonly waitingOfHolderMax: number
}

export interface JobOptions {
  /** Jobs with the same name share one run. */
  readonly name?: string
  /** A newer job replaces an older job that waits in the same slot. */
  readonly slot?: string
  /** Called when the job itself took a long time. */
  readonly onSlow?: () => void
}

interface Waiting<Job, Answer> extends JobOptions {
  readonly job: Job
  readonly since: number
  readonly promise: Promise<Answer>
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

interface Thread {
  readonly worker: Worker
  /** Resolves once the thread can accept jobs. */
  readonly ready: Promise<void>
}

/** A queue of jobs with one thread. The lane starts its thread for the first job, and again after the thread has ended. */
export class Lane<Job, Answer> {
  readonly #options: LaneOptions
  /** The waiting jobs by holder, in the order of the holders' turns. */
  readonly #queues = new Map<string, Waiting<Job, Answer>[]>()
  #waiting = 0
  #running: Waiting<Job, Answer> | undefined
  #thread: Thread | undefined
  #idle: NodeJS.Timeout | undefined

  constructor(options: LaneOptions) {
    this.#options = options
    const { name: lane } = options
    if (lane !== undefined) lanes.push({ load: () => ({ lane, waiting: this.#waiting, running: this.#running === undefined ? 0 : 1 }) })
  }

  /** Queues a job and resolves to its result. Throws `WorkRefused`, or the `ServiceError` that the job throws. */
  run(holder: string, job: Job, options: JobOptions = {}): Promise<Answer> {
    const queue = this.#queues.get(holder) ?? []
    const same = [this.#running, ...queue].find((each) => each?.name !== undefined && each.name === options.name)
    if (same !== undefined) return same.promise
    const { promise, resolve, reject } = Promise.withResolvers<Answer>()
    const waiting = { ...options, job, since: performance.now(), promise, resolve, reject }
    const older = queue.findIndex(({ slot }) => slot !== undefined && slot === options.slot)
    if (older !== -1) {
      queue.splice(older, 1, waiting)[0]?.reject(new WorkRefused('replaced'))
      return promise
    }
    const isFull = this.#waiting >= this.#options.waitingMax || queue.length >= this.#options.waitingOfHolderMax
    if (isFull) return Promise.reject(new WorkRefused('full'))
    queue.push(waiting)
    this.#queues.set(holder, queue)
    this.#waiting++
    void this.#work()
    return promise
  }

  /** Returns the next job. Its holder then waits until all other holders have had a turn. */
  #next(): Waiting<Job, Answer> | undefined {
    const [first] = this.#queues
    if (first === undefined) return undefined
    const [holder, queue] = first
    const next = queue.shift()
    this.#queues.delete(holder)
    if (queue.length > 0) this.#queues.set(holder, queue)
    this.#waiting--
    return next
  }

  async #work(): Promise<void> {
    if (this.#running !== undefined) return
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      this.#running = next
      await this.#do(next)
    }
    this.#running = undefined
  }

  async #do({ job, since, resolve, reject, onSlow }: Waiting<Job, Answer>): Promise<void> {
    const start = performance.now()
    try {
      if (start - since > limits.laneWaitSecondsMax * 1000) throw new WorkRefused('late')
      resolve(await this.#inThread(job))
    } catch (error) {
      reject(error)
    } finally {
      if (performance.now() - start > limits.renderSlowMs) onSlow?.()
    }
  }

  #start(): Thread {
    const worker = new Worker(this.#options.entry, { resourceLimits: { maxOldGenerationSizeMb: limits.laneMegabytesMax } })
    // The thread never keeps the process alive. The caller that waits for the job must keep it alive.
    worker.unref()
    const { promise: ready, resolve, reject } = Promise.withResolvers<void>()
    worker.once('message', () => resolve())
    worker.once('error', reject)
    worker.once('exit', () => {
      reject(new Error('the thread ended'))
      if (this.#thread?.worker === worker) this.#thread = undefined
    })
    return { worker, ready }
  }

  #end(): void {
    void this.#thread?.worker.terminate()
    this.#thread = undefined
  }

  async #inThread(job: Job): Promise<Answer> {
    clearTimeout(this.#idle)
    const { worker, ready } = (this.#thread ??= this.#start())
    const { promise, resolve, reject } = Promise.withResolvers<Reply<Answer>>()
    const failed = (cause: unknown): void => reject(new WorkRefused('failed', { cause }))
    let timer: NodeJS.Timeout | undefined
    ready.then(() => {
      // The time to start the thread does not count toward the time of the job.
      timer = setTimeout(() => reject(new WorkRefused('slow')), this.#options.secondsMax * 1000)
      worker.once('message', resolve).once('error', failed).once('exit', failed)
      worker.postMessage(job)
    }, failed)
    try {
      return answerOf(await promise)
    } catch (error) {
      if (error instanceof WorkRefused) this.#end()
      throw error
    } finally {
      clearTimeout(timer)
      worker.off('message', resolve).off('error', failed).off('exit', failed)
      this.#idle = setTimeout(() => this.#end(), limits.laneIdleSeconds * 1000)
      this.#idle.unref()
    }
  }
}

const answerOf = <Answer>(reply: Reply<Answer>): Answer => {
  if (reply.kind === 'refused') throw new ServiceError(reply.code, reply.details)
  return reply.answer
}
