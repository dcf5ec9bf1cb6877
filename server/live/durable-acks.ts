/**
 * The outbound gate: what a socket may say about a document waits until that is true on disk.
 *
 * Hocuspocus acknowledges an update when it is applied in memory. Here frames of sync (type 0 and 4) and acknowledgements (type 8)
 * are held, in order, until the journal has everything the document had when they were written. So an acknowledgement means fsynced,
 * the stock provider's "unsynced" flag means "not yet durable", and nobody ever sees text that a crash could take back.
 */
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

const waitsForDisk = (type: number): boolean =>
  type === messageTypes.sync || type === messageTypes.syncReply || type === messageTypes.syncStatus

interface Held {
  readonly frame: Uint8Array
  /** The document's sequence number that must be on disk first. */
  readonly seq: number
}

/** Frames of one document that wait for its journal. */
interface Channel {
  readonly held: Held[]
  readonly stop: () => void
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

/** One WebSocket, as Hocuspocus may use it. */
export class Peer implements WebSocketLike {
  readonly address: string
  readonly #ws: WebSocket
  readonly #findRoom: (doc: string) => Room | undefined
  readonly #channels = new Map<string, Channel>()
  #answered = true

  constructor(ws: WebSocket, address: string, findRoom: (doc: string) => Room | undefined) {
    this.#ws = ws
    this.address = address
    this.#findRoom = findRoom
    ws.on('pong', () => (this.#answered = true))
    ws.on('close', () => this.#forget())
  }

  get readyState(): number {
    return this.#ws.readyState
  }

  send(data: string | ArrayBufferLike | Blob | ArrayBufferView): void {
    const frame = data as Uint8Array
    const { doc, type } = headOf(frame)
    const channel = this.#channels.get(doc)
    const room = waitsForDisk(type) || channel !== undefined ? this.#findRoom(doc) : undefined
    if (waitsForDisk(type) && room === undefined) return
    if (room !== undefined && (channel !== undefined || room.durableSeq < room.seq)) this.#hold(doc, room, frame)
    else this.#write(frame)
  }

  /** Ends the socket. The reason reaches the client as it is (at most 123 bytes). */
  close(code: number = closeCodes.badMessage, reason = ''): void {
    if (this.#ws.readyState === this.#ws.OPEN) this.#ws.close(closeCode(code), reason.slice(0, 120))
    this.#forget()
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
    if (this.#ws.readyState === this.#ws.OPEN) this.#ws.ping()
  }

  #hold(doc: string, room: Room, frame: Uint8Array): void {
    const channel = this.#channels.get(doc) ?? this.#open(doc, room)
    channel.held.push({ frame, seq: room.seq })
  }

  #open(doc: string, room: Room): Channel {
    const channel: Channel = { held: [], stop: room.onDurable(() => this.#release(doc, room, channel)) }
    this.#channels.set(doc, channel)
    return channel
  }

  #release(doc: string, room: Room, channel: Channel): void {
    if (room.failed) channel.held.length = 0
    const due = channel.held.findIndex((each) => each.seq > room.durableSeq)
    const ready = channel.held.splice(0, due === -1 ? channel.held.length : due)
    for (const { frame } of ready) this.#write(frame)
    if (channel.held.length > 0) return
    channel.stop()
    this.#channels.delete(doc)
  }

  #write(frame: Uint8Array): void {
    if (this.#ws.readyState !== this.#ws.OPEN) return
    if (this.#ws.bufferedAmount > limits.socketBufferBytesMax) {
      // Whoever does not read must not cost the others memory.
      this.close(closeCodes.tooSlow, 'too slow')
      this.#ws.terminate()
      return
    }
    this.#ws.send(frame)
  }

  #forget(): void {
    for (const channel of this.#channels.values()) channel.stop()
    this.#channels.clear()
  }
}

/** A code that may be sent in a close frame (RFC 6455 §7.4.2). */
const closeCode = (code: number): number =>
  [1000, 1001, 1008, 1009, 1011, 1013].includes(code) || (code >= 4000 && code <= 4999) ? code : closeCodes.storeFailed
