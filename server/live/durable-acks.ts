/**
 * The outbound gate: messages about a document wait until its state is on disk.
 *
 * Hocuspocus acknowledges an update when it is applied in memory. This gate holds sync frames (types 0 and 4) and acknowledgements (type 8) in
 * order. It releases a frame when the journal contains everything that the document contained when the frame was written. An acknowledgement
 * therefore means that the update was fsynced, and the "unsynced" flag of the standard provider means "not yet durable". Nobody ever sees text that
 * a crash could undo.
 */
import type { Duplex } from 'node:stream'
import type { WebSocketLike } from '@hocuspocus/server'
import * as encoding from 'lib0/encoding'
import type { WebSocket } from 'ws'
import { onceFor } from '../../shared/once-for.ts'
import { limits } from '../../shared/limits.ts'
import { closeCodes, messageTypes } from '../../shared/live-protocol.ts'
import type { OpenDocument } from '../domain/text/open-document.ts'
import { liveFrame, readFrame } from './frame.ts'
import { SocketSessions } from './socket-sessions.ts'
import { BackPressure } from './back-pressure.ts'

const tellsOfText = (type: number): boolean =>
  type === messageTypes.sync || type === messageTypes.syncReply || type === messageTypes.syncStatus

/** A frame with its recipients. The gate holds the frame until this process's updates are on disk up to `mark`. */
interface Held {
  readonly mark: number
  readonly frame: Uint8Array
  readonly peers: Peer[]
}

/** The frames of one document that wait for its journal, in the order in which they were written. */
class Gate {
  readonly #openDoc: OpenDocument
  #held: Held[] = []

  constructor(openDoc: OpenDocument) {
    this.#openDoc = openDoc
    openDoc.onDurable(() => this.#release())
  }

  get isOpen(): boolean {
    return this.#held.length === 0 && this.#openDoc.durableMark >= this.#openDoc.mark
  }

  hold(peer: Peer, frame: Uint8Array): void {
    peer.hold(frame)
    const { mark } = this.#openDoc
    const last = this.#held.at(-1)
    if (last !== undefined && last.frame === frame && last.mark === mark) last.peers.push(peer)
    else this.#held.push({ mark, frame, peers: [peer] })
  }

  #release(): void {
    // Updates that the journal did not accept are never announced. The clients reconnect and synchronize with the state on disk.
    if (this.#openDoc.failed) this.#drop()
    const later = this.#held.findIndex((each) => each.mark > this.#openDoc.durableMark)
    const ready = this.#held.splice(0, later === -1 ? this.#held.length : later)
    if (ready.length > 1) writeTogether(ready)
    else writeEach(ready)
    letGo(ready)
  }

  #drop(): void {
    const dropped = this.#held
    this.#held = []
    letGo(dropped)
  }
}

const letGo = (held: readonly Held[]): void => {
  for (const { frame, peers } of held) for (const peer of peers) peer.letGo(frame)
}

const writeEach = (ready: readonly Held[]): void => {
  for (const { frame, peers } of ready)
    for (let at = 0; at < peers.length;) {
      const peer = peers[at] as Peer
      const from = at
      while (peers[at] === peer) at++
      peer.write(frame, at - from)
    }
}

/** Sends several frames to one peer in one system call. Many frames that waited for the disk then cost no more than one frame. */
const writeTogether = (ready: readonly Held[]): void => {
  const seen = new Set<Peer>()
  const corked = new Set<Peer>()
  for (const { peers } of ready)
    for (const peer of peers)
      if (seen.has(peer)) corked.add(peer)
      else seen.add(peer)
  for (const peer of corked) peer.cork()
  writeEach(ready)
  for (const peer of corked) peer.uncork()
}

const gateOf = onceFor((openDoc: OpenDocument): Gate => new Gate(openDoc))

/** Returns a function that computes the result of `make` again only if the bytes differ from those of the last call. */
const forLast = <Result>(make: (bytes: Uint8Array) => Result): ((bytes: Uint8Array) => Result) => {
  let last: { readonly bytes: Uint8Array; readonly result: Result } | undefined
  return (bytes) => {
    if (last?.bytes !== bytes) last = { bytes, result: make(bytes) }
    return last.result
  }
}

// A broadcast passes the same bytes to every socket, so the server parses their head only once.
const headOf = forLast(readFrame)

/** Returns a binary message as a server frame (RFC 6455 §5.2). The frame is not masked, so its bytes are the same for all recipients. */
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

/** Does the same as `frameOf`, but frames the message of a broadcast only once for all readers. */
const framedOnce = forLast(frameOf)

/** Node's internal counters of a TCP connection. Node uses them to find stalled connections (net.js, `_onTimeout`). */
interface Handle {
  /** Bytes passed to the kernel or waiting for the kernel, since the connection began. */
  readonly bytesWritten: number
  readonly writeQueueSize: number
}

const handleOf = (socket: Duplex): Handle | undefined => (socket as { readonly _handle?: Handle | null })._handle ?? undefined

/** The first number of an authentication message that denies access. */
const permissionDenied = 1

/** Returns the response that Hocuspocus sends to an invalid token. */
export const refusalOf = (address: string, reason: string): Uint8Array =>
  liveFrame(address, messageTypes.auth, (frame) => {
    encoding.writeVarUint(frame, permissionDenied)
    encoding.writeVarString(frame, reason)
  })

/** Whether a message contains the updates that a client requested. The second number of a sync message indicates this (y-protocols). */
const isAnswer = (message: Uint8Array): boolean => {
  const { type, offset } = readFrame(message)
  return (type === messageTypes.sync || type === messageTypes.syncReply) && message[offset] === 1
}

/** One WebSocket, with the methods that Hocuspocus may call. */
export class Peer implements WebSocketLike {
  readonly address: string
  /** The session cookie of the browser, if one of our pages opened the socket. */
  readonly cookie: string | undefined
  readonly sessions = new SocketSessions()
  readonly backPressure: BackPressure
  readonly #ws: WebSocket
  /**
   * The socket from which `ws` reads, and to which it writes its control frames. Nothing is compressed, so the server may insert complete frames
   * between those of `ws`.
   */
  readonly #socket: Duplex
  readonly #findOpen: (doc: string) => OpenDocument | undefined
  #answered = true
  /** The number of frames that wait for the disk, and their total size. */
  #held = 0
  #heldBytes = 0
  /** Functions to call when frames are released, when the socket has drained, or when the socket is closed. */
  #onProgress: (() => void)[] = []
  /**
   * The bytes that were waiting right after the server sent an entire document. The client requested that document, so only bytes that are queued
   * later count as its backlog.
   */
  #answerBytes = 0
  #takenBefore = 0
  #slowSeconds = 0
  #isEnded = false

  constructor(ws: WebSocket, socket: Duplex, address: string, findOpen: (doc: string) => OpenDocument | undefined, cookie?: string) {
    this.#ws = ws
    this.#socket = socket
    this.address = address
    this.cookie = cookie
    this.#findOpen = findOpen
    this.backPressure = new BackPressure(ws)
    ws.on('pong', () => this.seen())
    socket.on('drain', () => {
      this.#answerBytes = 0
      this.backPressure.resume('output')
      this.#progressed()
    })
    socket.on('close', () => this.#progressed())
  }

  get readyState(): number {
    return this.#ws.readyState
  }

  /** Sends a message from Hocuspocus, or holds it until its content is on disk. */
  send(data: string | ArrayBufferLike | Blob | ArrayBufferView): void {
    const message = data as Uint8Array
    const { doc, type, offset } = headOf(message)
    if (type === messageTypes.auth && message[offset] === permissionDenied) this.sessions.release(doc)
    // A cursor must not arrive before the text to which it points.
    const openDoc = tellsOfText(type) || type === messageTypes.awareness ? this.#findOpen(doc) : undefined
    if (openDoc !== undefined) this.sendAbout(openDoc, message)
    // If the document was dropped, the server must not send text that did not reach the disk.
    else if (!tellsOfText(type)) this.write(message)
  }

  /** Sends a message about an open document, or holds it until its content is on disk. */
  sendAbout(openDoc: OpenDocument, message: Uint8Array): void {
    if (openDoc.failed) return
    const gate = gateOf(openDoc)
    if (gate.isOpen) this.write(message)
    else gate.hold(this, message)
  }

  /** Sends a message immediately, `times` times, because each edit needs a separate acknowledgement. */
  write(message: Uint8Array, times = 1): void {
    if (!this.isOpen) return
    if (this.#socket.writableLength > limits.socketBufferPauseBytes && !this.#keepsUp()) return
    const framed = framedOnce(message)
    this.#socket.write(times === 1 ? framed : Buffer.alloc(framed.length * times, framed))
    if (message.length > limits.socketBufferPauseBytes && isAnswer(message)) this.#answerBytes = this.#socket.writableLength
  }

  /**
   * Whether the server may write more. A client that does not read must not use up memory. The server therefore first stops reading from the client's
   * socket, and finally closes the socket.
   */
  #keepsUp(): boolean {
    const behind = this.#socket.writableLength - this.#answerBytes
    if (behind > limits.socketBufferPauseBytes) this.backPressure.pause('output')
    if (behind <= limits.socketBufferBytesMax) return true
    this.cutOff(closeCodes.tooSlow, 'too slow')
    return false
  }

  /** Bytes that the kernel has accepted. */
  get #taken(): number {
    const handle = handleOf(this.#socket)
    return handle === undefined ? 0 : handle.bytesWritten - handle.writeQueueSize
  }

  /** Bytes that the kernel has not accepted yet. */
  get waitingBytes(): number {
    return this.#socket.writableLength
  }

  /** Called periodically. Checks whether the client reads its frames, and closes the socket with 4408 if it has not read for too long. */
  look(seconds: number): void {
    const read = this.#taken - this.#takenBefore
    this.#takenBefore += read
    const isSlow = this.#socket.writableLength > 0 && read < seconds * limits.socketReadBytesPerSecondMin
    this.#slowSeconds = isSlow ? this.#slowSeconds + seconds : 0
    if (this.#slowSeconds >= limits.socketStallSeconds) this.cutOff(closeCodes.tooSlow, 'nothing was read')
  }

  get isOpen(): boolean {
    return this.#ws.readyState === this.#ws.OPEN
  }

  /** Whether the server has begun to close the socket. Edits that arrive after that are not applied together with others. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  /**
   * Counts a frame that starts waiting for the disk. While too many frames wait, the server does not read from the socket. A well-behaved writer
   * waits anyway.
   */
  hold({ length }: Uint8Array): void {
    this.#heldBytes += length
    if (++this.#held > limits.socketHeldFramesMax) this.backPressure.pause('disk')
  }

  /** Counts a frame that no longer waits. */
  letGo({ length }: Uint8Array): void {
    this.#heldBytes -= length
    if (--this.#held <= limits.socketHeldFramesMax / 4) this.backPressure.resume('disk')
    if (this.#onProgress.length > 0) this.#progressed()
  }

  #progressed(): void {
    for (const resolve of this.#onProgress.splice(0)) resolve()
  }

  /** Resolves when the client has read everything and no entire document is waiting for the disk, or when the client is gone. */
  async drained(): Promise<void> {
    while (this.isOpen && (this.#heldBytes > limits.socketBufferPauseBytes || this.#socket.writableNeedDrain))
      await new Promise<void>((resolve) => this.#onProgress.push(resolve))
  }

  cork(): void {
    this.#socket.cork()
  }

  uncork(): void {
    this.#socket.uncork()
  }

  /** Ends the socket. The client receives the reason unchanged (at most 123 bytes). */
  close(code: number = closeCodes.badMessage, reason = ''): void {
    if (!this.isOpen) return
    this.#isEnded = true
    this.#ws.close(closeCode(code), reason.slice(0, 120))
    // The client's close frame follows its earlier messages, so the server must keep reading.
    this.backPressure.end()
    this.#progressed()
  }

  /** Ends the socket of a client that exceeds a limit, and reads nothing more from it. */
  cutOff(code: number, reason: string): void {
    if (!this.isOpen) return
    this.#isEnded = true
    this.#ws.close(closeCode(code), reason)
    this.backPressure.pauseForever()
    this.#progressed()
  }

  /** Cuts the connection without a close frame. */
  terminate(): void {
    this.#ws.terminate()
  }

  /** Records a sign of life from the client. */
  seen(): void {
    this.#answered = true
  }

  /**
   * Drops the socket if there has been no sign of life since the last ping; otherwise sends a ping. The server cannot have seen an answer while it is
   * not reading from the socket. The client cannot have answered before it has read everything that precedes the ping.
   */
  probe(): void {
    if (!this.#answered && !this.backPressure.isPaused && this.#socket.writableLength === 0) {
      this.#ws.terminate()
      return
    }
    this.#answered = false
    if (this.isOpen) this.#ws.ping()
  }
}

/** The close code that Hocuspocus sends if too many messages are waiting for authentication. */
const resetConnection = 4205

/** Returns a close code that our protocol defines and that a close frame may contain (RFC 6455 §7.4.2). */
const closeCode = (code: number): number => {
  if (code === resetConnection) return closeCodes.tooFast
  return [1000, 1001, 1008, 1009, 1011, 1013].includes(code) || (code >= 4000 && code <= 4999) ? code : closeCodes.storeFailed
}
