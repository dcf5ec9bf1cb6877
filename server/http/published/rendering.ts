/** Where texts are rendered: in threads of their own, with limits of time and memory, so that no text holds the server up. */
import { Worker } from 'node:worker_threads'
import type { Rendered } from '../../../shared/markdown/render.ts'
import { limits } from '../../../shared/limits.ts'
import type { Answer, Job } from './worker.ts'

/** The text took too long or too much memory, or became too large: the page shows the source instead. */
export class CannotRender extends Error {}

interface Thread {
  readonly worker: Worker
  /** Resolves once it takes texts. */
  readonly ready: Promise<void>
}

/** One thread, one text at a time. It starts with its first text, and again after it was ended. */
export class Lane {
  readonly #secondsMax: number
  #thread: Thread | undefined
  #last: Promise<unknown> = Promise.resolve()
  #idle: NodeJS.Timeout | undefined

  constructor(secondsMax: number) {
    this.#secondsMax = secondsMax
  }

  /** Waits for its turn. `onSlow` is called when the text took long by itself. Errors: `CannotRender`. */
  render(job: Job, onSlow?: () => void): Promise<Rendered> {
    const mine = this.#last.then(async () => {
      const start = performance.now()
      try {
        return await this.#inThread(job)
      } finally {
        if (performance.now() - start > limits.renderSlowMs) onSlow?.()
      }
    })
    this.#last = mine.catch(() => undefined)
    return mine
  }

  #start(): Thread {
    const worker = new Worker(new URL('worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: limits.renderMegabytesMax }
    })
    // It never keeps the process alive by itself: who asked for a page does.
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

  async #inThread(job: Job): Promise<Rendered> {
    clearTimeout(this.#idle)
    const { worker, ready } = (this.#thread ??= this.#start())
    const { promise, resolve, reject } = Promise.withResolvers<Rendered>()
    const took = ({ rendered }: Answer): void => (rendered === undefined ? reject(new CannotRender('too large')) : resolve(rendered))
    const failed = (error: unknown): void => reject(new CannotRender('failed', { cause: error }))
    let timer: NodeJS.Timeout | undefined
    ready.then(() => {
      // The time to start is not the text's.
      timer = setTimeout(() => reject(new CannotRender('too slow')), this.#secondsMax * 1000)
      worker.once('message', took).once('error', failed).once('exit', failed)
      worker.postMessage(job)
    }, failed)
    try {
      return await promise
    } catch (error) {
      this.#end()
      throw error
    } finally {
      clearTimeout(timer)
      worker.off('message', took).off('error', failed).off('exit', failed)
      this.#idle = setTimeout(() => this.#end(), limits.renderIdleSeconds * 1000)
      this.#idle.unref()
    }
  }
}

/** All servers of a process share them. */
const quick = new Lane(limits.renderQuickSecondsMax)
const long = new Lane(limits.renderSecondsMax)

export type Render = (doc: string, source: string) => Promise<Rendered>

/** Renders texts of documents. Long ones, and those that took long before, wait for each other and for nobody else. Errors: `CannotRender`. */
export const createRender = (baseUrl: string): Render => {
  const slow = new Set<string>()
  const remember = (doc: string): void => {
    slow.add(doc)
    const [first] = slow
    if (slow.size > limits.renderSlowMax && first !== undefined) slow.delete(first)
  }
  return (doc, source) => {
    const job = { source, baseUrl }
    if (source.length > limits.renderQuickUnitsMax || slow.has(doc)) return long.render(job)
    return quick.render(job, () => remember(doc))
  }
}
