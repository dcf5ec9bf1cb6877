/** Back-pressure on one socket. While there is any reason not to read, the server reads nothing from the socket, so TCP slows the sender. */
import type { WebSocket } from 'ws'

/**
 * The reason why a socket is not read. `inbox`: too many of its messages wait in the backlog. `rate`: it has sent too many messages. `output`: its
 * client does not read frames. `disk`: its edits wait for the disk. `stop`: the server is stopping.
 */
export type Reason = 'inbox' | 'rate' | 'output' | 'disk' | 'stop'

export class BackPressure {
  readonly #ws: WebSocket
  readonly #reasons = new Set<Reason>()
  #isFixed = false

  constructor(ws: WebSocket) {
    this.#ws = ws
  }

  get isPaused(): boolean {
    return this.#ws.isPaused
  }

  /** Stops reading until the reason is gone. Bytes that have already been read still arrive, up to 64 KiB. */
  pause(reason: Reason): void {
    if (this.#isFixed) return
    this.#reasons.add(reason)
    if (this.#reasons.size === 1) this.#ws.pause()
  }

  resume(reason: Reason): void {
    if (this.#reasons.delete(reason) && this.#reasons.size === 0 && !this.#isFixed) this.#ws.resume()
  }

  /** Resumes reading and ignores all reasons, because otherwise the server would not see the client's close frame. */
  end(): void {
    if (this.#isFixed) return
    this.#isFixed = true
    this.#ws.resume()
  }

  /** Stops reading permanently. */
  pauseForever(): void {
    this.#isFixed = true
    this.#ws.pause()
  }
}
