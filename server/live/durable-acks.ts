/**
 * The outbound gate: what a socket may say about a document waits until that is true on disk.
 *
 * Hocuspocus acknowledges an update when it is applied in memory. Here frames of sync (type 0 and 4) and acknowledgements (type 8)
 * are held, in order, until the journal has everything the document had when they were written. So an acknowledgement means fsynced,
 * the stock provider's "unsynced" flag means "not yet durable", and nobody ever sees text that a crash could take back.
 */
import type { Duplex } from 'node:stream'
import type { WebSocketLike } from '@hocuspocus/server'
import * as decoding from 'lib0/decoding'
import type { WebSocket } from 'ws'
import { limits } from '../../shared/limits.ts'
import type { Room } from '../domain/room.ts'

/** Types of message of the Hocuspocus protocol. */
export const messageTypes = { sync: 0, awareness: 1, auth: 2, syncReply: 4, stateless: 5, close: 7, syncStatus: 8 } as const

/** Close codes (api.md, Live protocol; RFC 6455 §7.4.1). */
export const closeCodes = {
  restarting: 1001,
  tooBig: 1009,
  storeFailed: 1011,
  syncAgain: 1013,
  badMessage: 4400,
  credentialEnded: 4401,
  notAllowed: 4403,
  deleted: 4404,
  tooSlow: 4408,
  tooFast: 4429
} as const

export interface FrameHead {
  readonly doc: string
  readonly type: number
  /** Where the message's own content begins. */
  readonly offset: number
}

/** Reads document and type of a frame: its address is `doc` or `doc NUL session`. Errors: throws when the frame does not decode. */
export const readFrame = (frame: Uint8Array): FrameHead => {
  const decoder = decoding.createDecoder(frame)
  const address = decoding.readVarString(decoder)
  const end = address.indexOf('\0')
  const type = decoding.readVarUint(decoder)
  return { doc: end === -1 ? address : address.slice(0, end), type, offset: decoder.pos }
}

const tellsOfText = (type: number): boolean =>
  type === messageTypes.sync || type === messageTypes.syncReply || type === messageTypes.syncStatus

/** A frame that waits until the document is on disk up to `seq`, and whom it goes to. */
interface Held {
  readonly seq: number
  readonly frame: Uint8Array
  readonly peers: Peer[]
}

/** The frames of one document that wait for its journal, in the order in which they were written. */
class Gate {
  readonly #room: Room
  #held: Held[] = []

  constructor(room: Room) {
    this.#room = room
    room.onDurable(() => this.#release())
  }

  get isOpen(): boolean {
    return this.#held.length === 0 && this.#room.durableSeq >= this.#room.seq
  }

  hold(peer: Peer, frame: Uint8Array): void {
    const { seq } = this.#room
    const last = this.#held.at(-1)
    if (last !== undefined && last.frame === frame && last.seq === seq) last.peers.push(peer)
    else this.#held.push({ seq, frame, peers: [peer] })
  }

  #release(): void {
    // What the journal did not take is never told: the clients come back and sync with what is on disk.
    if (this.#room.failed) this.#held = []
    const later = this.#held.findIndex((each) => each.seq > this.#room.durableSeq)
    const ready = this.#held.splice(0, later === -1 ? this.#held.length : later)
    const broadcasts = ready.filter(({ peers }) => peers.length > 1)
    if (broadcasts.length > 1) writeTogether(ready)
    else writeEach(ready)
  }
}

const writeEach = (ready: readonly Held[]): void => {
  for (const { frame, peers } of ready) for (const peer of peers) peer.write(frame)
}

/** Several frames for one peer leave in one system call: what piled up while the disk was busy goes out as cheaply as one. */
const writeTogether = (ready: readonly Held[]): void => {
  const peers = new Set(ready.flatMap((each) => each.peers))
  for (const peer of peers) peer.cork()
  writeEach(ready)
  for (const peer of peers) peer.uncork()
}

const gates = new WeakMap<Room, Gate>()

const gateOf = (room: Room): Gate => {
  const known = gates.get(room)
  if (known !== undefined) return known
  const gate = new Gate(room)
  gates.set(room, gate)
  return gate
}

// A broadcast hands the same bytes to every socket: its head is read once.
let lastFrame: Uint8Array | undefined
let lastHead: FrameHead | undefined
const headOf = (frame: Uint8Array): FrameHead => {
  if (frame !== lastFrame || lastHead === undefined) {
    lastHead = readFrame(frame)
    lastFrame = frame
  }
  return lastHead
}

/** A binary message as a frame of a server (RFC 6455 §5.2): unmasked, so that its bytes are the same for everyone. */
const frameOf = (message: Uint8Array): Buffer => {
  const { length } = message
  const header = length < 126 ? 2 : length < 65_536 ? 4 : 10
  const frame = Buffer.allocUnsafe(header + length)
  frame[0] = 0x82
  frame[1] = header === 2 ? length : header === 4 ? 126 : 127
  if (header === 4) frame.writeUInt16BE(length, 2)
  if (header === 10) frame.writeBigUInt64BE(BigInt(length), 2)
  frame.set(message, header)
  return frame
}

let lastMessage: Uint8Array | undefined
let lastFramed: Buffer | undefined
/** As `frameOf`; a broadcast is framed once, not once for each reader. */
const framedOnce = (message: Uint8Array): Buffer => {
  if (message !== lastMessage || lastFramed === undefined) {
    lastFramed = frameOf(message)
    lastMessage = message
  }
  return lastFramed
}

/** One WebSocket, as Hocuspocus may use it. */
export class Peer implements WebSocketLike {
  readonly address: string
  /** The browser's session, when a page of ours opened the socket. */
  readonly cookie: string | undefined
  readonly #ws: WebSocket
  /** What `ws` reads from and writes its control frames to. Nothing is compressed, so whole frames of ours may go between them. */
  readonly #socket: Duplex
  readonly #findRoom: (doc: string) => Room | undefined
  #answered = true

  constructor(ws: WebSocket, socket: Duplex, address: string, findRoom: (doc: string) => Room | undefined, cookie?: string) {
    this.#ws = ws
    this.#socket = socket
    this.address = address
    this.cookie = cookie
    this.#findRoom = findRoom
    ws.on('pong', () => (this.#answered = true))
  }

  get readyState(): number {
    return this.#ws.readyState
  }

  /** Sends a message of Hocuspocus, or holds it back until what it tells is on disk. */
  send(data: string | ArrayBufferLike | Blob | ArrayBufferView): void {
    const message = data as Uint8Array
    const { doc, type } = headOf(message)
    // A cursor must not come before the text that it points into.
    const room = tellsOfText(type) || type === messageTypes.awareness ? this.#findRoom(doc) : undefined
    if (room === undefined) {
      // The document was dropped: nothing may be said about a text that did not reach the disk.
      if (!tellsOfText(type)) this.write(message)
      return
    }
    const gate = gateOf(room)
    if (gate.isOpen) this.write(message)
    else gate.hold(this, message)
  }

  /** Sends a message at once. */
  write(message: Uint8Array): void {
    if (!this.isOpen) return
    if (this.#socket.writableLength > limits.socketBufferBytesMax) {
      // Whoever does not read must not cost the others memory.
      this.close(closeCodes.tooSlow, 'too slow')
      this.#ws.terminate()
      return
    }
    this.#socket.write(framedOnce(message))
  }

  get isOpen(): boolean {
    return this.#ws.readyState === this.#ws.OPEN
  }

  /** Resolves when the client has read what it was sent, or is gone. */
  async drained(): Promise<void> {
    while (this.isOpen && this.#socket.writableNeedDrain)
      await new Promise<void>((resolve) => {
        const done = (): void => {
          this.#socket.off('drain', done)
          this.#socket.off('close', done)
          resolve()
        }
        this.#socket.on('drain', done)
        this.#socket.on('close', done)
      })
  }

  cork(): void {
    this.#socket.cork()
  }

  uncork(): void {
    this.#socket.uncork()
  }

  /** Ends the socket. The reason reaches the client as it is (at most 123 bytes). */
  close(code: number = closeCodes.badMessage, reason = ''): void {
    if (this.isOpen) this.#ws.close(closeCode(code), reason.slice(0, 120))
  }

  /** Cuts the socket off without a goodbye. */
  terminate(): void {
    this.#ws.terminate()
  }

  /** Drops the socket at once when it did not answer the last ping, else pings it. */
  probe(): void {
    if (!this.#answered) {
      this.#ws.terminate()
      return
    }
    this.#answered = false
    if (this.isOpen) this.#ws.ping()
  }
}

/** What Hocuspocus closes with when too much waits for an authentication. */
const resetConnection = 4205

/** A code that may be sent in a close frame (RFC 6455 §7.4.2), and that our protocol knows. */
const closeCode = (code: number): number => {
  if (code === resetConnection) return closeCodes.tooFast
  return [1000, 1001, 1008, 1009, 1011, 1013].includes(code) || (code >= 4000 && code <= 4999) ? code : closeCodes.storeFailed
}
