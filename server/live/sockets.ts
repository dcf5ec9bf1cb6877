/** WebSockets: who may open one, how much it may send, and whether it is still there. Frames are looked at here before Hocuspocus sees them. */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Hocuspocus } from '@hocuspocus/server'
import { type WebSocket, WebSocketServer } from 'ws'
import { limits } from '../../shared/limits.ts'
import { collabPath, isDocumentId } from '../../shared/names.ts'
import type { Clock } from '../domain/ports.ts'
import type { LiveLog } from './documents.ts'
import { closeCodes, messageTypes, Peer, readFrame } from './durable-acks.ts'
import type { Room } from '../domain/room.ts'

interface SocketsOptions {
  readonly clock: () => Clock
  /** Hands a new socket to Hocuspocus. */
  readonly attach: (peer: Peer) => ReturnType<Hocuspocus['handleConnection']>
  readonly findRoom: (doc: string) => Room | undefined
  /** Called with the content of each presence message. Errors: throws when it does not decode. */
  readonly onPresence: (peer: Peer, doc: string, message: Uint8Array) => void
  /** Origins that may open sockets; a missing Origin header is a program and may too. */
  readonly allowsOrigin: (origin: string, request: IncomingMessage) => boolean
  /** The client's address, behind trusted proxies. */
  readonly addressOf: (request: IncomingMessage) => string
  /** The session of the browser that asks. Looked at only when the request comes from a page of ours. */
  readonly cookieOf: (request: IncomingMessage) => string | undefined
  readonly log: LiveLog
}

export interface Sockets {
  /** Takes over an HTTP upgrade. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Takes no more sockets and says goodbye to those there are. */
  stop(): void
  /** Cuts off who did not answer the goodbye. */
  terminateAll(): void
  count(): number
}

interface Bucket {
  tokens: number
  /** Milliseconds, monotonic. */
  at: number
}

/** Takes one token; false when the socket is too fast. */
const spend = (bucket: Bucket): boolean => {
  const now = performance.now()
  bucket.tokens = Math.min(limits.socketMessagesBurst, bucket.tokens + ((now - bucket.at) / 1000) * limits.socketMessagesPerSecond)
  bucket.at = now
  bucket.tokens -= 1
  return bucket.tokens >= 0
}

const deny = (socket: Duplex, status: string): void => {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

const isKnown = (type: number): boolean => type <= messageTypes.stateless || type === messageTypes.close || type === messageTypes.syncStatus

// The types of `ws` do not know this option yet (ws 8.19).
const goodbye = { closeTimeout: limits.socketGoodbyeSecondsMax * 1000 }

export const createSockets = ({ clock, attach, findRoom, onPresence, allowsOrigin, addressOf, cookieOf, log }: SocketsOptions): Sockets => {
  const wss = new WebSocketServer({
    noServer: true,
    maxPayload: limits.socketMessageBytesMax,
    perMessageDeflate: false,
    ...goodbye,
    clientTracking: false
  })
  const peers = new Set<Peer>()
  const perAddress = new Map<string, number>()
  let stopping = false

  const count = (address: string, by: number): void => {
    const left = (perAddress.get(address) ?? 0) + by
    if (left > 0) perAddress.set(address, left)
    else perAddress.delete(address)
  }

  /** Errors: throws when the frame is not one that a client may send. */
  const inspect = (peer: Peer, frame: Uint8Array, documents: Set<string>): void => {
    if (documents.size === 0 && frame.length > limits.socketHelloBytesMax) throw new RangeError('open a document first')
    const { doc, type, offset } = readFrame(frame)
    if (!isDocumentId(doc)) throw new RangeError('not a document id')
    if (!isKnown(type)) throw new RangeError(`messages of type ${type} are not accepted`)
    documents.add(doc)
    if (documents.size > limits.socketDocumentsMax) throw new RangeError('too many documents')
    if (type !== messageTypes.awareness) return
    if (frame.length > limits.awarenessBytesMax) throw new RangeError('a presence message is too large')
    onPresence(peer, doc, frame.subarray(offset))
  }

  const accept = (ws: WebSocket, socket: Duplex, address: string, cookie: string | undefined): void => {
    const peer = new Peer(ws, socket, address, findRoom, cookie)
    const client = attach(peer)
    const documents = new Set<string>()
    const bucket: Bucket = { tokens: limits.socketMessagesBurst, at: performance.now() }
    peers.add(peer)
    count(address, 1)
    const cancelHello = clock().after(limits.socketHelloSecondsMax * 1000, () => {
      if (documents.size === 0) peer.close(closeCodes.tooSlow, 'no document was opened')
    })
    ws.on('message', (data: Buffer, isBinary) => {
      // A client that does not answer the goodbye must not write on.
      if (!peer.isOpen) return undefined
      if (!spend(bucket)) return peer.close(closeCodes.tooFast, 'too many messages')
      if (!isBinary) return peer.close(closeCodes.badMessage, 'binary messages only')
      const frame = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
      try {
        inspect(peer, frame, documents)
        client.handleMessage(frame)
      } catch (error) {
        peer.close(closeCodes.badMessage, error instanceof Error ? error.message : 'bad message')
      }
      return undefined
    })
    // Hocuspocus drops who sends nothing for a minute; an answered ping is a sign of life too.
    ws.on('pong', () => (client.lastMessageReceivedAt = Date.now()))
    ws.on('error', (error) => log('debug', 'socket error', { error }))
    ws.on('close', (code, reason) => {
      cancelHello()
      peers.delete(peer)
      count(address, -1)
      client.handleClose({ code, reason: reason.toString() })
    })
  }

  // A socket that did not answer the last ping is gone, whatever its TCP connection says.
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
      if ((perAddress.get(address) ?? 0) >= limits.socketsPerAddressMax) return deny(socket, '429 Too Many Requests')
      // A cookie goes along with every socket that the browser opens: it counts only where Origin says that our own page did.
      const cookie = origin === undefined ? undefined : cookieOf(request)
      return wss.handleUpgrade(request, socket, head, (ws) => accept(ws, socket, address, cookie))
    },
    stop() {
      stopping = true
      clearInterval(pinging)
      for (const peer of peers) peer.close(closeCodes.restarting, 'restarting')
    },
    terminateAll() {
      for (const peer of peers) peer.terminate()
    },
    count: () => peers.size
  }
}
