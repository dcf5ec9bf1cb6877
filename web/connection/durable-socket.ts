/**
 * A WebSocket that counts, on the wire, how many of our updates the server has not yet confirmed, and notices when the server has gone silent.
 *
 * A frame of the Hocuspocus protocol has a name (varint length + bytes), a type (varint), and for type 0 (sync) a subtype: 0 requests missing
 * updates, 1 and 2 carry our updates. The server answers each 1 or 2 with one frame of type 8 (SyncStatus), sent when the update is on disk.
 *
 * The provider resets its own `unsyncedChanges` to 1 when a connection opens, although older updates may still be in transit, so it can reach 0 too
 * early. Invariant: `unconfirmed` is the number of frames sent minus frames answered, since this socket opened.
 *
 * Subtype 1 answers the server's request at the start of the connection, and carries every update that it lacks. A 2 before it is held back: it may
 * build on updates that were made offline, and the server would refuse it for the gap.
 *
 * The change of a keystroke is sent after it was painted: sending wakes other processes, which would delay the paint. Frames keep their order. A page
 * that closes sends its waiting frames, and a hidden page sends without delay.
 */
import { afterPaint } from '../base/after-paint.ts'

export interface WireState {
  /** Updates that are sent but not yet answered. */
  readonly unconfirmed: number
  /** True once everything that this device had before connecting was sent (sync step 2): only then does 0 mean that nothing is missing. */
  readonly offered: boolean
  /** True if the server answered that it refused an update (read only). */
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

/** Returns type and subtype (or status) of a frame. */
export function frameKind(bytes: Uint8Array): { type: number; detail: number } {
  const name = varint(bytes, 0)
  const type = varint(bytes, name.next + name.value)
  return { type: type.value, detail: varint(bytes, type.next).value }
}

const sync = 0
const presence = 1
const syncStatus = 8
const step = { ask: 0, answer: 1, update: 2 } as const

/** Longest silence of a server, in milliseconds. */
const silentMsMax = {
  /** While it owes an answer: to the handshake, an update or a question. */
  owing: 10_000,
  /** The same while the browser reports no network: only a server on this machine can answer then. */
  owingOffline: 2_000,
  /** After it has admitted us: a large document may be in transit. */
  opening: 120_000,
  /** Otherwise; then we ask it. Presence is renewed, and so received, every 15 seconds. */
  idle: 40_000
} as const
/** Slowest connection that is supported, in bytes per millisecond: sent data needs time before it can be answered. */
const bytesPerMsMin = 16

interface SocketEvents {
  /** Called at each change of the current socket's state. */
  readonly onChange: (state: WireState) => void
  /** Nothing was received for a while: the caller should ask the server something. */
  readonly onIdle: () => void
}

const noGoodbye = 1006

/**
 * Creates a WebSocket class for the provider. Only the newest instance is in use. If the server is silent although it should answer, the socket
 * closes at once, without the closing handshake that the browser would wait for.
 */
export function durableSocket({ onChange, onIdle }: SocketEvents): typeof WebSocket {
  let made = 0
  return class DurableSocket extends WebSocket {
    readonly #number = ++made
    #state: WireState = closedWire
    #owing = true
    #heardAt = Date.now()
    /** Bytes sent since the server was last heard. */
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

    /** Whether a frame comes from a keystroke, on a page that paints. */
    #canWait(bytes: Uint8Array): boolean {
      const { type, detail } = frameKind(bytes)
      return (type === presence || (type === sync && detail === step.update)) && document.visibilityState === 'visible'
    }

    #flush(): void {
      for (const data of this.#waiting.splice(0)) super.send(data)
    }

    #set(change: Partial<WireState>): void {
      this.#state = { ...this.#state, ...change }
      if (this.#number === made) onChange(this.#state)
    }

    /** Records a frame; returns whether it may be sent. */
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
      // A ping of the connection is one byte, without a name.
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
