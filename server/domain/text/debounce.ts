/** Delays work until a document has been quiet for a while. Each open document has several, so this is a class: it has no closures of its own. */
import type { Clock } from '../ports.ts'

/**
 * Calls `run` once: `quietMs` after the last `poke`, but at most `maxMs` after the first. A `poke` costs almost nothing, because it does not set the
 * timer again. Instead, the timer checks when it ends whether there were more pokes.
 */
export class Debounce {
  readonly #clock: Clock
  readonly #quietMs: number
  readonly #maxMs: number
  readonly #run: () => void
  #first = 0
  #last = 0
  #cancel: (() => void) | undefined

  constructor(clock: Clock, quietMs: number, maxMs: number, run: () => void) {
    this.#clock = clock
    this.#quietMs = quietMs
    this.#maxMs = maxMs
    this.#run = run
  }

  /** Notes activity at a time, in milliseconds since 1970. */
  poke(at: number): void {
    this.#last = at
    if (this.#cancel !== undefined) return
    this.#first = at
    this.#wait(at)
  }

  /** Cancels the call. */
  stop(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  get #due(): number {
    return Math.min(this.#last + this.#quietMs, this.#first + this.#maxMs)
  }

  #wait(now: number): void {
    this.#cancel = this.#clock.after(Math.max(0, this.#due - now), () => {
      const at = this.#clock.now()
      // A clock that was set back must not delay the call.
      if (at >= this.#last && at < this.#due) return this.#wait(at)
      this.#cancel = undefined
      return this.#run()
    })
  }
}
