/** Back-pressure on one socket: while there is any reason, nothing is read from it, and TCP slows its sender. */
import type { WebSocket } from 'ws'

/**
 * Why a socket is not read: too many of its messages wait here, it has spent its messages, it does not read its frames, or its edits wait for the
 * disk.
 */
export type Reason = 'inbox' | 'rate' | 'output' | 'disk'

export class Valve {
  readonly #ws: WebSocket
  readonly #reasons = new Set<Reason>()
  #isFixed = false

  constructor(ws: WebSocket) {
    this.#ws = ws
  }

  get isShut(): boolean {
    return this.#ws.isPaused
  }

  /** Stops reading until the reason is gone. Bytes that were already read still arrive: up to 64 KiB. */
  shut(reason: Reason): void {
    if (this.#isFixed) return
    this.#reasons.add(reason)
    if (this.#reasons.size === 1) this.#ws.pause()
  }

  open(reason: Reason): void {
    if (this.#reasons.delete(reason) && this.#reasons.size === 0 && !this.#isFixed) this.#ws.resume()
  }

  /** Reads from now on, regardless of reasons: an unread socket would not see the close frame of the other side. */
  leaveOpen(): void {
    if (this.#isFixed) return
    this.#isFixed = true
    this.#ws.resume()
  }

  /** Stops reading permanently. */
  stayShut(): void {
    this.#isFixed = true
    this.#ws.pause()
  }
}
