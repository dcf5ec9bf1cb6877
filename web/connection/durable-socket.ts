/**
 * A WebSocket that counts, on the wire, how many of this page's updates the server has not confirmed. It also detects a server that has gone silent.
 *
 * A frame of the Hocuspocus protocol has a name (varint length + bytes), a type (varint), and for type 0 (sync) a subtype: 0 requests missing
 * updates, and 1 and 2 carry this page's updates. The server answers each frame of subtype 1 or 2 with one frame of type 8 (SyncStatus), which it
 * sends when the update is on disk.
 *
 * The provider resets its own `unsyncedChanges` to 1 when a connection opens, although older updates may still be in transit. Its count can therefore
 * reach 0 too early. Invariant: `unconfirmed` is the number of frames sent minus the number of frames answered since this socket opened.
 *
 * Subtype 1 answers the server's request at the start of a connection and carries every update that the server lacks. The socket drops frames of
 * subtype 2 before that: they may depend on updates made offline, and the server would refuse them because of the gap. The frame of subtype 1
 * contains their updates.
 *
 * The change made by a key press is sent after it has been painted, because sending wakes other processes, which would delay the paint. Frames keep their
 * order. A closing page sends its waiting frames, and a hidden page sends without delay.
 */
import { afterPaint } from '../base/after-paint.ts'

export interface WireState {
  /** Number of updates that were sent and have not been answered yet. */
  readonly unconfirmed: number
  /**
   * Whether this page has sent everything that it had before it connected (sync step 2). Only then does an `unconfirmed` of 0 mean that nothing is
   * missing.
   */
  readonly offered: boolean
  /** Whether the server has refused an update because the page may only read. */
  readonly declined: boolean
}

export const closedWire: WireState = { unconfirmed: 0, offered: false, declined: false }

function varint(bytes: Uint8Array, at: number): { value: number; next: number } {
  let value = 0
  let shift = 1
  let next = at
  for (;;) {
    const byte = bytes[next++]
    if (byte === undefined) return { value, next }
    value += (byte & 127) * shift
    shift *= 128
    if (byte < 128) return { value, next }
  }
}

/** Returns the type of a frame and its subtype (or status). */
export function frameKind(bytes: Uint8Array): { type: number; detail: number } {
  const name = varint(bytes, 0)
  const type = varint(bytes, name.next + name.value)
  return { type: type.value, detail: varint(bytes, type.next).value }
}

const sync = 0
const presence = 1
const syncStatus = 8
const step = { ask: 0, answer: 1, update: 2 } as const

/** Longest time that a server may stay silent, in milliseconds. */
const silentMsMax = {
  /** While the page waits for an answer to the handshake, to an update or to a request. */
  owing: 10_000,
  /** While the page waits for an answer and the browser reports no network. In that case, only a server on this machine can answer. */
  owingOffline: 2_000,
  /** After the server has accepted the connection, because a large document may be in transit. */
  opening: 120_000,
  /**
   * At any other time. The page then requests a response from the server. Presence is renewed every 15 seconds, so something usually arrives earlier.
   */
  idle: 40_000
} as const
/** Slowest supported connection, in bytes per millisecond. The server can answer only after the data has arrived. */
const bytesPerMsMin = 16

interface SocketEvents {
  /** Called whenever the state of the current socket changes. */
  readonly onChange: (state: WireState) => void
  /** Called when nothing has arrived for a while. The caller should send the server a request. */
  readonly onIdle: () => void
}

const noGoodbye = 1006

/**
 * Creates a WebSocket class for the provider. Only the newest instance is in use. If the server is silent when it should answer, the socket closes
 * immediately, without the closing handshake that the browser would wait for.
 */
export function durableSocket({ onChange, onIdle }: SocketEvents): typeof WebSocket {
  let made = 0
  return class DurableSocket extends WebSocket {
    readonly #number = ++made
    #state: WireState = closedWire
    #owing = true
    #heardAt = Date.now()
    /** Number of bytes sent since the last message from the server. */
    #unheardBytes = 0
    #timer: ReturnType<typeof setTimeout> | undefined
    /** Frames waiting for the next paint, oldest first. */
    #waiting: Parameters<WebSocket['send']>[0][] = []

    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols)
      this.#set({})
      this.#watch()
      this.addEventListener('open', () => (this.#heardAt = Date.now()))
      this.addEventListener('message', (event: MessageEvent) => {
        if (event.data instanceof ArrayBuffer) this.#received(new Uint8Array(event.data))
      })
      this.addEventListener('close', () => clearTimeout(this.#timer))
    }

    override send(data: Parameters<WebSocket['send']>[0]): void {
      if (data instanceof Uint8Array) {
        if (!this.#sends(data)) return
        if (this.#canWait(data)) {
          this.#waiting.push(data)
          if (this.#waiting.length === 1) afterPaint(() => this.#flush())
          return
        }
      }
      this.#flush()
      super.send(data)
    }

    override close(code?: number, reason?: string): void {
      this.#flush()
      super.close(code, reason)
    }

    /** Whether a frame may wait for the next paint: it carries an update or presence, and the page is visible. */
    #canWait(bytes: Uint8Array): boolean {
      const { type, detail } = frameKind(bytes)
      return (type === presence || (type === sync && detail === step.update)) && document.visibilityState === 'visible'
    }

    /** Sends the waiting frames. On a closed socket, they are lost. */
    #flush(): void {
      for (const data of this.#waiting.splice(0)) if (this.readyState === WebSocket.OPEN) super.send(data)
    }

    #set(change: Partial<WireState>): void {
      this.#state = { ...this.#state, ...change }
      if (this.#number === made) onChange(this.#state)
    }

    /** Records a frame. Returns whether it may be sent. */
    #sends(bytes: Uint8Array): boolean {
      const { type, detail } = frameKind(bytes)
      if (type !== sync) return true
      if (detail === step.update && !this.#state.offered) return false
      if (!this.#owing) this.#heardAt = Date.now()
      this.#owing = true
      this.#unheardBytes += bytes.length
      if (detail !== step.ask) this.#set({ unconfirmed: this.#state.unconfirmed + 1, ...(detail === step.answer && { offered: true }) })
      this.#watch()
      return true
    }

    #received(bytes: Uint8Array): void {
      this.#heardAt = Date.now()
      this.#unheardBytes = 0
      // A ping is a single byte without a name.
      const { type, detail } = bytes.length < 2 ? { type: -1, detail: 0 } : frameKind(bytes)
      if (type === syncStatus) this.#set({ unconfirmed: Math.max(0, this.#state.unconfirmed - 1), ...(detail === 0 && { declined: true }) })
      this.#owing = this.#state.unconfirmed > 0
      this.#watch()
    }

    #silentMsMax(): number {
      if (this.#owing) return (navigator.onLine ? silentMsMax.owing : silentMsMax.owingOffline) + this.#unheardBytes / bytesPerMsMin
      return this.#state.offered ? silentMsMax.idle : silentMsMax.opening
    }

    #watch(): void {
      const due = this.#heardAt + this.#silentMsMax()
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => this.#look(), Math.max(0, due - Date.now()))
    }

    #look(): void {
      if (this.#number !== made) return
      if (Date.now() < this.#heardAt + this.#silentMsMax()) this.#watch()
      else if (this.#state.offered && !this.#owing) onIdle()
      else this.dispatchEvent(new CloseEvent('close', { code: noGoodbye, reason: 'silent' }))
    }
  }
}
