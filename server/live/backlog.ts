/**
 * The messages of one socket that Hocuspocus has not handled yet. Hocuspocus removes messages from the front of an array, so a backlog of n
 * messages costs n². To avoid this, the server passes on a few messages at a time, and keeps a bounded number of the remaining messages here. When
 * this backlog is full, the server stops reading from the socket.
 */
import { limits } from '../../shared/limits.ts'
import { messageTypes } from '../../shared/live-protocol.ts'
import type { FrameHead } from './frame.ts'
import type { Turns } from './turns.ts'
import type { BackPressure } from './back-pressure.ts'

export interface Waiting {
  readonly frame: Uint8Array
  readonly head: FrameHead
}

interface InboxOptions {
  readonly backPressure: BackPressure
  readonly turns: Turns
  /** Passes a frame to Hocuspocus. Returns whether Hocuspocus will call `handled` when it has finished. */
  readonly deliver: (waiting: Waiting) => boolean
}

// A token waits until all earlier messages are handled, because a closed session must be gone before its document gets the next session. A presence
// message also waits, because presence must be shown before it can be removed.
const waitsForOthers = ({ head: { type } }: Waiting): boolean => type === messageTypes.auth || type === messageTypes.awareness

export class Inbox {
  readonly #backPressure: BackPressure
  readonly #turns: Turns
  readonly #deliver: (waiting: Waiting) => boolean
  readonly #handling = new Set<Uint8Array>()
  #waiting: Waiting[] = []
  /** The number of messages in `#waiting` that have already been delivered. */
  #delivered = 0
  #bytes = 0
  #isEntered = false

  constructor({ backPressure, turns, deliver }: InboxOptions) {
    this.#backPressure = backPressure
    this.#turns = turns
    this.#deliver = deliver
  }

  take(waiting: Waiting): void {
    this.#waiting.push(waiting)
    this.#bytes += waiting.frame.length
    if (this.#count > limits.socketInboxMessagesMax || this.#bytes > limits.socketInboxBytesMax) this.#backPressure.pause('inbox')
    this.#enter()
  }

  /** Whether Hocuspocus is still handling frames of this socket. Later frames must not overtake them. */
  get isHandling(): boolean {
    return this.#handling.size > 0
  }

  /** Records that a frame is passed to Hocuspocus after all, although it was first handled in another way. */
  passed(frame: Uint8Array): void {
    this.#handling.add(frame)
  }

  /** Records that Hocuspocus has finished handling a frame. */
  handled(frame: Uint8Array): void {
    if (this.#handling.delete(frame)) this.#enter()
  }

  /** Forgets the frames that are being handled, because their session has ended. */
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
    if (this.#count <= limits.socketInboxMessagesMax / 4 && this.#bytes <= limits.socketInboxBytesMax / 4)
      this.#backPressure.resume('inbox')
  }
}
