/**
 * Messages of one socket that Hocuspocus has not handled yet. Hocuspocus shifts its own backlog from the front of an array, so n messages cost n²;
 * it therefore gets a few at a time. A bounded number of the rest waits here; beyond that the socket is not read.
 */
import { limits } from '../../shared/limits.ts'
import { messageTypes } from '../../shared/live-protocol.ts'
import { type FrameHead } from './durable-acks.ts'
import type { Turns } from './turns.ts'
import type { Valve } from './valve.ts'

export interface Waiting {
  readonly frame: Uint8Array
  readonly head: FrameHead
}

interface InboxOptions {
  readonly valve: Valve
  readonly turns: Turns
  /** Gives a frame to Hocuspocus. Returns whether `handled` will be called at its end. */
  readonly deliver: (waiting: Waiting) => boolean
}

// A token and a presence wait until all that came before is handled: a session that was closed must be gone before the next one of its
// document, and a presence that is taken back must have been shown.
const waitsForOthers = ({ head: { type } }: Waiting): boolean => type === messageTypes.auth || type === messageTypes.awareness

export class Inbox {
  readonly #valve: Valve
  readonly #turns: Turns
  readonly #deliver: (waiting: Waiting) => boolean
  readonly #handling = new Set<Uint8Array>()
  #waiting: Waiting[] = []
  /** The delivered ones of `#waiting`. */
  #delivered = 0
  #bytes = 0
  #isEntered = false

  constructor({ valve, turns, deliver }: InboxOptions) {
    this.#valve = valve
    this.#turns = turns
    this.#deliver = deliver
  }

  take(waiting: Waiting): void {
    this.#waiting.push(waiting)
    this.#bytes += waiting.frame.length
    if (this.#count > limits.socketInboxMessagesMax || this.#bytes > limits.socketInboxBytesMax) this.#valve.shut('inbox')
    this.#enter()
  }

  /** Whether Hocuspocus has frames of it that it has not finished: later ones must not overtake them. */
  get isHandling(): boolean {
    return this.#handling.size > 0
  }

  /** Called when a frame that was delivered otherwise is given to Hocuspocus after all. */
  passed(frame: Uint8Array): void {
    this.#handling.add(frame)
  }

  /** Called when Hocuspocus has finished a frame. */
  handled(frame: Uint8Array): void {
    if (this.#handling.delete(frame)) this.#enter()
  }

  /** Forgets what is being handled: the session that it was for has ended. */
  forget(): void {
    this.#handling.clear()
    this.#enter()
  }

  /** Drops all waiting messages. */
  clear(): void {
    this.#waiting = []
    this.#delivered = 0
    this.#bytes = 0
  }

  get #count(): number {
    return this.#waiting.length - this.#delivered
  }

  #enter(): void {
    if (this.#isEntered || this.#count === 0 || this.#handling.size > 0) return
    this.#isEntered = true
    this.#turns.enter(this.#step)
  }

  readonly #step = (): void => {
    this.#isEntered = false
    for (let given = 0; given < limits.socketSliceMessages && this.#deliverNext(); given++);
    this.#tidy()
    this.#enter()
  }

  #deliverNext(): boolean {
    const next = this.#waiting[this.#delivered]
    if (next === undefined || (waitsForOthers(next) && this.#handling.size > 0)) return false
    this.#delivered++
    this.#bytes -= next.frame.length
    if (this.#deliver(next)) this.#handling.add(next.frame)
    return true
  }

  #tidy(): void {
    if (this.#delivered === this.#waiting.length || this.#delivered > limits.socketInboxMessagesMax) {
      this.#waiting = this.#waiting.slice(this.#delivered)
      this.#delivered = 0
    }
    if (this.#count <= limits.socketInboxMessagesMax / 4 && this.#bytes <= limits.socketInboxBytesMax / 4) this.#valve.open('inbox')
  }
}
