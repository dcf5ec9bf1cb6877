/**
 * A WebSocket that counts, on the wire, how many of our updates the server has not yet confirmed.
 *
 * Frame of the Hocuspocus protocol: name (varint length + bytes), type (varint), and for type 0 (sync) a subtype: 0 asks for
 * what we lack, 1 and 2 carry our text. The server answers each 1 or 2 with one type 8 (SyncStatus), sent when it is on disk.
 *
 * The provider's own `unsyncedChanges` is set back to 1 when a connection opens, with older updates still under way, so it can
 * reach 0 too early. Invariant here: `unconfirmed` is frames sent minus frames answered, since this socket opened.
 */
export interface WireState {
  /** Updates sent and not yet answered. */
  readonly unconfirmed: number
  /** True once what this device had before connecting was sent (sync step 2): only then does 0 mean everything. */
  readonly offered: boolean
  /** True when the server answered that it did not take an update (read only). */
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

/** Type, subtype (or status) of a frame. */
export function frameKind(bytes: Uint8Array): { type: number; detail: number } {
  const name = varint(bytes, 0)
  const type = varint(bytes, name.next + name.value)
  return { type: type.value, detail: varint(bytes, type.next).value }
}

const sync = 0
const syncStatus = 8

/** A WebSocket class for the provider that reports each change of its wire state. */
export function durableSocket(report: (state: WireState) => void): typeof WebSocket {
  return class DurableSocket extends WebSocket {
    #state: WireState = closedWire

    constructor(url: string | URL, protocols?: string | string[]) {
      super(url, protocols)
      this.#set({})
      this.addEventListener('message', (event: MessageEvent) => {
        if (event.data instanceof ArrayBuffer) this.#received(new Uint8Array(event.data))
      })
    }

    override send(data: Parameters<WebSocket['send']>[0]): void {
      if (data instanceof Uint8Array) this.#sent(data)
      super.send(data)
    }

    #set(change: Partial<WireState>): void {
      this.#state = { ...this.#state, ...change }
      report(this.#state)
    }

    #sent(bytes: Uint8Array): void {
      const { type, detail } = frameKind(bytes)
      if (type !== sync || detail === 0) return
      this.#set({ unconfirmed: this.#state.unconfirmed + 1, ...(detail === 1 && { offered: true }) })
    }

    #received(bytes: Uint8Array): void {
      // A ping of the connection is one byte, without a name.
      if (bytes.length < 2) return
      const { type, detail } = frameKind(bytes)
      if (type !== syncStatus) return
      this.#set({ unconfirmed: Math.max(0, this.#state.unconfirmed - 1), ...(detail === 0 && { declined: true }) })
    }
  }
}
