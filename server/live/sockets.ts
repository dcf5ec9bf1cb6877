/** WebSockets: admission, limits on incoming data, and liveness. The server checks frames here before Hocuspocus sees them. */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Hocuspocus } from '@hocuspocus/server'
import * as decoding from 'lib0/decoding'
import { type WebSocket, WebSocketServer } from 'ws'
import { limits } from '../../shared/limits.ts'
import { collabPath, isDocumentId } from '../../shared/names.ts'
import type { Clock } from '../domain/ports.ts'
import type { OpenDocument } from '../domain/text/open-document.ts'
import type { LiveLog } from './documents.ts'
import { closeCodes, messageTypes } from '../../shared/live-protocol.ts'
import { Peer, refusalOf } from './durable-acks.ts'
import { type FrameHead, readFrame } from './frame.ts'
import { Inbox, type Waiting } from './backlog.ts'
import { MessageRate } from './message-rate.ts'
import { PresencePace } from './presence-pace.ts'
import { createTurns } from './turns.ts'

type Client = ReturnType<Hocuspocus['handleConnection']>

interface SocketsOptions {
  readonly clock: () => Clock
  /** Hands a new socket to Hocuspocus. */
  readonly attach: (peer: Peer, inbox: Inbox) => Client
  readonly findOpen: (doc: string) => OpenDocument | undefined
  /**
   * Called with the content of each presence message. `isNext` is true if no earlier message of the connection is waiting. Returns whether the
   * message was handled, so that Hocuspocus need not see it. Throws if the message cannot be decoded.
   */
  readonly onPresence: (peer: Peer, doc: string, message: Uint8Array, isNext: boolean) => boolean
  /**
   * Called with an update if no earlier message of its connection is waiting. Returns whether the update was accepted. `pass` passes the
   * update to Hocuspocus later.
   */
  readonly onEdit: (peer: Peer, doc: string, update: Uint8Array, pass: () => void) => boolean
  /** Called before any message that is neither presence nor an accepted update. That message must find the earlier edits in the document. */
  readonly onOther: (doc: string) => void
  /** Whether pages of an origin may open sockets. A request without an Origin header comes from a program and is allowed too. */
  readonly allowsOrigin: (origin: string, request: IncomingMessage) => boolean
  /** Returns the client's address, as seen through trusted proxies. */
  readonly addressOf: (request: IncomingMessage) => string
  /** Returns the session cookie of the browser. Called only if the request comes from one of our pages. */
  readonly cookieOf: (request: IncomingMessage) => string | undefined
  /** The maximum number of sockets for each address; null means no limit. */
  readonly socketsPerAddressMax: number | null
  readonly log: LiveLog
}

export interface Sockets {
  /** Handles an HTTP upgrade. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Stops accepting sockets, and reads nothing more from the open ones. */
  pause(): void
  /** Stops accepting sockets, and closes the open ones. */
  stop(): void
  /** Cuts the sockets that did not answer the close frame. */
  terminateAll(): void
  count(): number
  /** Returns the number of bytes that clients have not read yet. */
  waitingBytes(): number
}

/**
 * The maximum number of bytes that a socket may send before its first token is accepted. The limit covers the messages that Hocuspocus queues, and
 * the token.
 */
const earlyBytesMax = limits.socketQueueBytesMax + limits.socketHelloBytesMax

/** The maximum size of an unfinished message on a read-only socket, in bytes. The largest message that such a socket may send is a state vector. */
const readerBytesMax = 2 * limits.stateVectorBytesMax

const deny = (socket: Duplex, status: string): void => {
  // Ends the connection. Otherwise, it would stay open if the client never closes it.
  socket.once('finish', () => socket.destroy())
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

const isKnown = (type: number): boolean => type <= messageTypes.stateless || type === messageTypes.close || type === messageTypes.syncStatus

/** Whether a message contains changes. The second number of a sync message indicates this (y-protocols). */
const isEdit = (frame: Uint8Array, { type, offset }: FrameHead): boolean =>
  (type === messageTypes.sync || type === messageTypes.syncReply) && frame[offset] !== 0

/** Whether a message is an update, and not a requested state. */
const isUpdate = (frame: Uint8Array, { type, offset }: FrameHead): boolean =>
  (type === messageTypes.sync || type === messageTypes.syncReply) && frame[offset] === 2

/** Returns the content of a message. Throws if the message cannot be decoded. */
const contentOf = (frame: Uint8Array, offset: number): Uint8Array => {
  const decoder = decoding.createDecoder(frame)
  decoder.pos = offset
  return decoding.readVarUint8Array(decoder)
}

// The types of `ws` do not include this option yet (ws 8.19).
const goodbye = { closeTimeout: limits.socketGoodbyeSecondsMax * 1000 }

export const createSockets = ({
  clock,
  attach,
  findOpen,
  onPresence,
  onEdit,
  onOther,
  allowsOrigin,
  addressOf,
  cookieOf,
  socketsPerAddressMax,
  log
}: SocketsOptions): Sockets => {
  const wss = new WebSocketServer({
    noServer: true,
    maxPayload: limits.socketMessageBytesMax,
    perMessageDeflate: false,
    ...goodbye,
    clientTracking: false
  })
  const turns = createTurns()
  const peers = new Set<Peer>()
  const perAddress = new Map<string, number>()
  let stopping = false

  const count = (address: string, by: number): void => {
    const left = (perAddress.get(address) ?? 0) + by
    if (left > 0) perAddress.set(address, left)
    else perAddress.delete(address)
  }

  /** Returns a frame's head. Throws if clients must not send this kind of frame. */
  const inspect = (peer: Peer, frame: Uint8Array): FrameHead => {
    if (!peer.sessions.isAdmitted && frame.length > limits.socketHelloBytesMax) throw new RangeError('open a document first')
    const head = readFrame(frame)
    if (!isDocumentId(head.doc)) throw new RangeError('not a document id')
    if (!isKnown(head.type)) throw new RangeError(`messages of type ${head.type} are not accepted`)
    if (head.type === messageTypes.awareness && frame.length > limits.awarenessBytesMax)
      throw new RangeError('a presence message is too large')
    return head
  }

  /** Begins the session for a token. Returns whether Hocuspocus should see the token. */
  const admit = (peer: Peer, { doc, address }: FrameHead): boolean => {
    const claim = peer.sessions.claim(doc, address)
    if (claim === 'too many') peer.close(closeCodes.badMessage, 'too many documents')
    if (claim === 'other session') peer.write(refusalOf(address, 'a socket can have only one session of a document'))
    return claim === 'claimed'
  }

  /** Handles edits and presence without Hocuspocus, which needs many steps for each message. Returns whether the message was handled. */
  const takeOurselves = (peer: Peer, client: Client, inbox: Inbox, { frame, head }: Waiting): boolean => {
    const isNext = !inbox.isHandling && peer.sessions.isOpen(head.doc)
    if (head.type === messageTypes.awareness) return onPresence(peer, head.doc, contentOf(frame, head.offset), isNext)
    if (isNext && isUpdate(frame, head)) {
      const pass = (): void => {
        inbox.passed(frame)
        client.handleMessage(frame)
      }
      if (onEdit(peer, head.doc, contentOf(frame, head.offset + 1), pass)) return true
    }
    onOther(head.doc)
    return false
  }

  /** Passes a frame to Hocuspocus. Returns true if Hocuspocus will report when it has finished handling the frame. */
  const deliver = (peer: Peer, client: Client, inbox: Inbox, { frame, head }: Waiting): boolean => {
    if (!peer.isOpen) return false
    try {
      if (head.type === messageTypes.auth && !admit(peer, head)) return false
      if (peer.sessions.isOther(head.doc, head.address)) throw new RangeError('a socket can have only one session of a document')
      if (takeOurselves(peer, client, inbox, { frame, head })) return false
      client.handleMessage(frame)
      return peer.sessions.isOpen(head.doc)
    } catch (error) {
      refuse(peer, error)
      return false
    }
  }

  const refuse = (peer: Peer, error: unknown): void =>
    peer.close(closeCodes.badMessage, error instanceof Error ? error.message : 'bad message')

  /** The bytes of unfinished messages on all sockets. */
  const unfinished = new Map<Peer, number>()
  let unfinishedBytes = 0
  const noteUnfinished = (peer: Peer, bytes: number): void => {
    unfinishedBytes += bytes - (unfinished.get(peer) ?? 0)
    if (bytes === 0) unfinished.delete(peer)
    else unfinished.set(peer, bytes)
  }

  /** Closes the sockets that use the most memory, until the total is within its limit. */
  const relieve = (): void => {
    const bytesOf = (peer: Peer): number => peer.waitingBytes + (unfinished.get(peer) ?? 0)
    let total = [...peers].reduce((sum, peer) => sum + bytesOf(peer), 0)
    if (total <= limits.socketsBufferBytesMax) return
    for (const peer of [...peers].toSorted((one, other) => bytesOf(other) - bytesOf(one))) {
      total -= bytesOf(peer)
      noteUnfinished(peer, 0)
      peer.cutOff(closeCodes.tooSlow, 'too much data is waiting')
      if (total <= limits.socketsBufferBytesMax) return
    }
  }

  /** Limits the unfinished messages of a socket, because `ws` buffers each of them up to the maximum message size. */
  const watchBytes = (peer: Peer, socket: Duplex): void => {
    let early = 0
    socket.on('data', (chunk: Buffer) => {
      if (!peer.isOpen) return
      noteUnfinished(peer, (unfinished.get(peer) ?? 0) + chunk.length)
      if (!peer.sessions.isAdmitted && (early += chunk.length) > earlyBytesMax) peer.cutOff(closeCodes.tooFast, 'open a document first')
      if (!peer.sessions.writes && (unfinished.get(peer) ?? 0) > readerBytesMax) peer.cutOff(closeCodes.tooBig, 'the message is too large')
      if (unfinishedBytes > limits.socketsBufferBytesMax) relieve()
    })
  }

  const accept = (ws: WebSocket, socket: Duplex, address: string, cookie: string | undefined): void => {
    const peer = new Peer(ws, socket, address, findOpen, cookie)
    const inbox: Inbox = new Inbox({ backPressure: peer.backPressure, turns, deliver: (waiting) => deliver(peer, client, inbox, waiting) })
    const pace = new PresencePace((frame) => inbox.take({ frame, head: readFrame(frame) }))
    const rate = new MessageRate(peer.backPressure)
    const client = attach(peer, inbox)
    let hasSpoken = false
    peers.add(peer)
    count(address, 1)
    startLooking()
    const cancelHello = clock().after(limits.socketHelloSecondsMax * 1000, () => {
      if (!hasSpoken) peer.close(closeCodes.tooSlow, 'no document was opened')
    })
    ws.on('message', (data: Buffer, isBinary) => {
      noteUnfinished(peer, 0)
      // A client that has not answered the close frame must no longer be able to write.
      if (!peer.isOpen) return undefined
      if (!isBinary) return peer.close(closeCodes.badMessage, 'binary messages only')
      peer.seen()
      const frame = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
      try {
        const head = inspect(peer, frame)
        hasSpoken = true
        // Edits need no rate limit here, because the disk and the readers slow them down.
        if (!isEdit(frame, head) || !peer.sessions.mayWrite(head.doc)) rate.spend()
        const isHeld = head.type === messageTypes.awareness && !pace.take(head.address, frame.subarray(head.offset))
        if (!isHeld) inbox.take({ frame, head })
      } catch (error) {
        refuse(peer, error)
      }
      return undefined
    })
    watchBytes(peer, socket)
    // Hocuspocus drops a socket that sends nothing for a minute. A pong also counts as a sign of life.
    ws.on('pong', () => (client.lastMessageReceivedAt = Date.now()))
    ws.on('error', (error) => log('debug', 'socket error', { error }))
    ws.on('close', (code, reason) => {
      cancelHello()
      peers.delete(peer)
      noteUnfinished(peer, 0)
      count(address, -1)
      rate.stop()
      pace.forget()
      inbox.clear()
      for (const doc of peer.sessions.documents) onOther(doc)
      peer.sessions.releaseAll()
      client.handleClose({ code, reason: reason.toString() })
    })
  }

  let cancelLook: (() => void) | undefined
  const startLooking = (): void => {
    cancelLook ??= clock().after(limits.socketCheckSeconds * 1000, look)
  }
  const look = (): void => {
    cancelLook = undefined
    if (peers.size === 0) return
    for (const peer of peers) peer.look(limits.socketCheckSeconds)
    relieve()
    startLooking()
  }

  // A socket that did not answer the last ping is gone, regardless of the state of its TCP connection.
  const pinging = setInterval(() => {
    for (const peer of peers) peer.probe()
  }, limits.socketPingSeconds * 1000).unref()

  return {
    upgrade(request, socket, head) {
      socket.on('error', () => socket.destroy())
      const { origin } = request.headers
      const address = addressOf(request)
      if (stopping) return deny(socket, '503 Service Unavailable')
      if ((request.url ?? '').split('?')[0] !== collabPath) return deny(socket, '404 Not Found')
      if (origin !== undefined && !allowsOrigin(origin, request)) return deny(socket, '403 Forbidden')
      if (socketsPerAddressMax !== null && (perAddress.get(address) ?? 0) >= socketsPerAddressMax)
        return deny(socket, '429 Too Many Requests')
      // The browser sends a cookie with every socket. The server accepts the cookie only if Origin names one of our pages.
      const cookie = origin === undefined ? undefined : cookieOf(request)
      return wss.handleUpgrade(request, socket, head, (ws) => accept(ws, socket, address, cookie))
    },
    pause() {
      stopping = true
      for (const peer of peers) peer.backPressure.pause('stop')
    },
    stop() {
      stopping = true
      clearInterval(pinging)
      cancelLook?.()
      for (const peer of peers) peer.close(closeCodes.restarting, 'restarting')
    },
    terminateAll() {
      for (const peer of peers) peer.terminate()
    },
    count: () => peers.size,
    waitingBytes: () => [...peers].reduce((sum, peer) => sum + peer.waitingBytes, 0)
  }
}
