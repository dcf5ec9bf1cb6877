/** Limits the messages read from a socket with a token bucket. While the bucket is empty, the server reads nothing, but does not close the socket. */
import { limits } from '../../shared/limits.ts'
import type { BackPressure } from './back-pressure.ts'

/** Reading resumes only when this many tokens have accumulated, because stopping and starting cost two system calls each time. */
const atOnce = 100

export class MessageRate {
  readonly #backPressure: BackPressure
  #tokens: number = limits.socketMessagesBurst
  /** The time of the last refill, in milliseconds of a monotonic clock. */
  #at = performance.now()
  #timer: NodeJS.Timeout | undefined

  constructor(backPressure: BackPressure) {
    this.#backPressure = backPressure
  }

  /** Counts a message that was read. */
  spend(): void {
    this.#refill()
    this.#tokens -= 1
    if (this.#tokens >= 0 || this.#timer !== undefined) return
    this.#backPressure.pause('rate')
    this.#wait()
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #refill(): void {
    const now = performance.now()
    this.#tokens = Math.min(limits.socketMessagesBurst, this.#tokens + ((now - this.#at) / 1000) * limits.socketMessagesPerSecond)
    this.#at = now
  }

  #wait(): void {
    // Messages that arrive before reading stops also count, so the number of tokens may be far below zero.
    const milliseconds = ((atOnce - this.#tokens) / limits.socketMessagesPerSecond) * 1000
    this.#timer = setTimeout(() => this.#again(), milliseconds).unref()
  }

  #again(): void {
    this.#timer = undefined
    this.#refill()
    if (this.#tokens < atOnce / 2) this.#wait()
    else this.#backPressure.resume('rate')
  }
}
