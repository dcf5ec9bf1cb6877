/**
 * Hocuspocus between the sockets and the domain. What it does not do is done here: it validates nothing, acknowledges before anything
 * is stored, swallows store errors and lets clients speak for each other (architecture.md lists the traps).
 *
 * Its own store hooks and `onChange` are never used. A document's life: loaded from the journal in `onLoadDocument` → a Room takes its
 * updates → idle → settled and unloaded by `unload`, or fenced when its journal failed.
 */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type Connection, type Document, Hocuspocus, isTransactionOrigin } from '@hocuspocus/server'
import * as decoding from 'lib0/decoding'
import { type WebSocket, WebSocketServer } from 'ws'
import { removeAwarenessStates } from 'y-protocols/awareness'
import * as Y from 'yjs'
import { type ErrorCode, ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import { collabPath, isDocumentId } from '../../shared/names.ts'
import { includesRole } from '../../shared/roles.ts'
import { diff } from '../../shared/text/diff.ts'
import { callerOfDocument } from '../domain/access.ts'
import { actorOf, type Caller, systemActor } from '../domain/caller.ts'
import { createFollower, type Follower, saveBeforeWipe } from '../domain/follow.ts'
import { rebuild } from '../domain/journal.ts'
import type { Live, LiveMessage, OpenRoom } from '../domain/live.ts'
import { createRoom, type Room } from '../domain/room.ts'
import type { Service } from '../domain/service.ts'
import { presentState, removedClients } from './awareness.ts'
import { closeCodes, messageTypes, Peer, readFrame } from './durable-acks.ts'
import type { Registry } from './registry.ts'
import { checkUpdate, parseUpdate, UpdateRefused } from './update-check.ts'

/** What Hocuspocus carries along for each connection. */
interface Context {
  readonly peer: Peer
  readonly caller: Caller
}

interface Loaded extends OpenRoom {
  readonly document: Document
  /** Which connection writes under which Yjs client id. */
  readonly owners: Map<number, Peer>
  /** Callers within `open` and `release`. */
  pins: number
  cancelUnload: () => void
}

export interface LiveOptions {
  /** The service, which itself needs this part: asked for when the first document opens. */
  readonly service: () => Service
  readonly registry: Registry
  /** Origins that may open sockets; a missing Origin header is a program and may too. */
  readonly allowsOrigin: (origin: string) => boolean
  /** The client's address, behind trusted proxies. */
  readonly addressOf: (request: IncomingMessage) => string
  readonly idleUnloadSeconds: number
  readonly log: (level: 'debug' | 'info' | 'warn' | 'error', message: string, facts?: Record<string, unknown>) => void
}

export interface LiveServer extends Live {
  /** Takes over an HTTP upgrade. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  /** Closes the sockets, writes what is open, lets go of every document. */
  stop(): Promise<void>
  counts(): { documents: number; sockets: number }
}

/** Thrown in hooks: Hocuspocus sends `reason` to the client and, without a message, prints nothing. */
const refusal = (reason: string, code?: number): object => ({ reason, code })

const actorOfOrigin = (origin: unknown): string => {
  if (!isTransactionOrigin(origin)) return systemActor
  if (origin.source === 'connection') return actorOf((origin.connection.context as Context).caller)
  return origin.source === 'local' ? ((origin.context as { actor?: string } | undefined)?.actor ?? systemActor) : systemActor
}

const closeCodeOf = (code: ErrorCode): number =>
  code === 'document_deleted'
    ? closeCodes.deleted
    : code === 'shutting_down'
      ? closeCodes.restarting
      : code === 'forbidden'
        ? closeCodes.notAllowed
        : closeCodes.credentialEnded

export const createLive = ({ service, registry, allowsOrigin, addressOf, idleUnloadSeconds, log }: LiveOptions): LiveServer => {
  const loaded = new Map<string, Loaded>()
  const peers = new Set<Peer>()
  const perAddress = new Map<string, number>()
  let stopping = false

  const find = (doc: string): Room | undefined => {
    const room = loaded.get(doc)?.room
    return room?.failed === true ? undefined : room
  }

  // ——— documents ———

  const fence = (doc: string, cause: unknown): void => {
    const entry = loaded.get(doc)
    if (entry === undefined) return
    log('error', 'journal failed, document dropped from memory', { doc, cause: String(cause) })
    drop(doc, entry)
    const code = cause instanceof ServiceError && cause.code === 'document_deleted' ? closeCodes.deleted : closeCodes.storeFailed
    for (const connection of entry.document.getConnections())
      (connection.context as Context).peer.close(code, 'the document could not be stored')
    entry.document.destroy()
  }

  const drop = (doc: string, entry: Loaded): void => {
    entry.cancelUnload()
    entry.follower.stop()
    loaded.delete(doc)
    hocuspocus.documents.delete(doc)
  }

  const idle = (entry: Loaded): boolean => entry.pins === 0 && entry.document.getConnectionsCount() === 0

  const unload = async (doc: string, entry: Loaded): Promise<void> => {
    await entry.follower.settle()
    // In a macrotask of its own: whoever has looked the document up by now has also attached to it.
    await new Promise((resolve) => setImmediate(resolve))
    if (!idle(entry) || loaded.get(doc) !== entry || entry.room.durableSeq < entry.room.seq) return
    drop(doc, entry)
    entry.document.destroy()
  }

  const scheduleUnload = (doc: string): void => {
    const entry = loaded.get(doc)
    if (entry === undefined || !idle(entry)) return
    entry.cancelUnload()
    entry.cancelUnload = service().clock.after(idleUnloadSeconds * 1000, () => {
      unload(doc, entry).catch((error: unknown) => {
        log('warn', 'unloading failed, tried again later', { doc, error: String(error) })
        scheduleUnload(doc)
      })
    })
  }

  const load = async (doc: string, document: Document): Promise<void> => {
    const { storage, ledger, clock } = service()
    const head = await ledger.head(doc)
    const tail = await rebuild(storage, doc, document, head)
    // Nobody is connected yet: what loading left to be broadcast would reach the first one twice.
    document.flush()
    const room = createRoom({
      id: doc,
      ydoc: document,
      head,
      tail,
      ledger,
      clock,
      actorOf: actorOfOrigin,
      onFailure: (cause) => fence(doc, cause)
    })
    const onProblem = (error: unknown): void => log('warn', 'follow-up work failed', { doc, error: String(error) })
    const follower = await createFollower({ room, head, storage, ledger, clock, onProblem })
    const release = (): void => undefined
    loaded.set(doc, { room, follower, document, owners: new Map(), pins: 0, cancelUnload: () => undefined, release })
    document.on('destroy', () => follower.stop())
  }

  const open = async (doc: string): Promise<OpenRoom> => {
    await hocuspocus.createDocument(doc, internalRequest, 'service', { isAuthenticated: true, readOnly: false }, undefined)
    const entry = loaded.get(doc)
    if (entry === undefined || entry.room.failed) throw new ServiceError('storage_unavailable')
    entry.pins += 1
    entry.cancelUnload()
    let released = false
    const release = (): void => {
      if (released) return
      released = true
      entry.pins -= 1
      scheduleUnload(doc)
    }
    return { room: entry.room, follower: entry.follower, release }
  }

  // ——— what clients send ———

  const takeUpdate = async (doc: string, payload: Uint8Array, connection: Connection): Promise<void> => {
    const entry = loaded.get(doc)
    if (entry === undefined || entry.room.failed) throw refusal('the document is not open', closeCodes.syncAgain)
    const { peer } = connection.context as Context
    const update = parseUpdate(payload)
    if (connection.readOnly) return
    const { room, owners } = entry
    const check = (): number[] =>
      checkUpdate(update, {
        clockOf: (client) => Y.getState(room.ydoc.store, client),
        takenByOther: (client) => (owners.get(client) ?? peer) !== peer
      })
    let news = check()
    if (room.text.length + update.inserted > limits.contentUnitsMax) throw new ServiceError('content_too_large')
    if (update.deleted > limits.wipeUnitsMin && update.deleted > room.text.length * limits.wipeShare) {
      await saveBeforeWipe(service().ledger, doc, room.snapshot())
      news = check()
    }
    for (const client of news) owners.set(client, peer)
    if (update.untidy) setImmediate(() => tidy(room))
  }

  /** Carriage returns and NUL never stay in a document, whoever typed them (CodeMirror counts CR LF as one). */
  const tidy = (room: Room): void => {
    if (room.failed) return
    const { content } = room.snapshot()
    const clean = content.replace(/\r\n?/g, '\n').replaceAll('\0', '')
    if (clean !== content) room.apply(diff(content, clean), systemActor)
  }

  const refuse = (peer: Peer, doc: string, error: unknown): object => {
    if (error instanceof UpdateRefused) {
      const honest = error.reason === 'gap' || error.reason === 'client_id'
      // The holder of the id may be gone without a goodbye.
      if (error.client !== undefined) loaded.get(doc)?.owners.get(error.client)?.probe()
      log('debug', 'update refused', { doc, reason: error.reason, what: error.message })
      peer.close(honest ? closeCodes.syncAgain : closeCodes.badMessage, error.message)
      return refusal(error.message)
    }
    if (error instanceof ServiceError && error.code === 'content_too_large') peer.close(closeCodes.tooBig, error.message)
    else peer.close(closeCodes.syncAgain, 'sync again')
    return refusal('refused')
  }

  const claim = (
    entry: Loaded,
    peer: Peer,
    states: Map<number, Record<string, unknown>>,
    caller: Caller,
    mine: ReadonlySet<number>
  ): void => {
    const [own] = [...states.keys()].filter((client) => (entry.owners.get(client) ?? peer) === peer).slice(-1)
    for (const [client, state] of states) {
      if (client === own) states.set(client, presentState(client, state, caller))
      else states.delete(client)
    }
    if (own === undefined) return
    entry.owners.set(own, peer)
    // One presence per connection: an id it used before goes away.
    const former = [...mine].filter((client) => client !== own)
    if (former.length > 0) removeAwarenessStates(entry.document.awareness, former, null)
  }

  const takeAwareness = (peer: Peer, doc: string, message: Uint8Array): void => {
    const entry = loaded.get(doc)
    if (entry === undefined) return
    const gone = removedClients(decoding.readVarUint8Array(decoding.createDecoder(message))).filter(
      (client) => entry.owners.get(client) === peer
    )
    if (gone.length > 0) removeAwarenessStates(entry.document.awareness, gone, null)
  }

  // ——— Hocuspocus ———

  const internalRequest = new Request('http://localhost/')

  const hocuspocus = new Hocuspocus<Context>({
    quiet: true,
    timeout: 60_000,
    unloadImmediately: false,
    maxPendingDocuments: 1,
    maxUnauthenticatedQueueSize: limits.socketMessageBytesMax,
    // Unused hooks cost a promise chain per message.
    ...{
      onConnect: undefined,
      onChange: undefined,
      onStoreDocument: undefined,
      afterStoreDocument: undefined,
      onAwarenessUpdate: undefined
    },
    ...{ onStateless: undefined, beforeHandleMessage: undefined, afterHandleMessage: undefined, beforeBroadcastStateless: undefined },
    ...{
      onTokenSync: undefined,
      onRequest: undefined,
      onUpgrade: undefined,
      onListen: undefined,
      onConfigure: undefined,
      onDestroy: undefined
    },
    ...{ afterUnloadDocument: undefined, onCreateDocument: undefined },

    async onAuthenticate({ token, documentName, connectionConfig, context }) {
      if (stopping) throw refusal('shutting_down')
      if (!isDocumentId(documentName)) throw refusal('not_found')
      const bearer = /^(asess_|ai_)/.test(token)
      try {
        const caller = await callerOfDocument(
          service(),
          documentName,
          bearer ? { bearer: token } : { key: token === '' ? undefined : token }
        )
        const connections = loaded.get(documentName)?.document.getConnectionsCount() ?? 0
        if (connections >= limits.socketsPerDocumentMax) throw new ServiceError('rate_limited')
        connectionConfig.readOnly = !includesRole(caller.role, 'edit')
        return { ...context, caller }
      } catch (error) {
        throw refusal(error instanceof ServiceError ? error.code : 'internal')
      }
    },

    async onLoadDocument({ document, documentName }) {
      try {
        await load(documentName, document)
      } catch (error) {
        document.destroy()
        throw refusal(error instanceof ServiceError ? error.code : 'internal')
      }
    },

    afterLoadDocument({ document }) {
      // The room hears the Y.Doc itself; Hocuspocus' own way to its store hooks is cut.
      document.onUpdate(() => undefined)
      return Promise.resolve()
    },

    connected({ connection, documentName, context }) {
      const { peer, caller } = context
      const forget = registry.add(documentName, caller, (code) => {
        connection.sendStateless(JSON.stringify({ type: 'ended', code } satisfies LiveMessage))
        peer.close(closeCodeOf(code), code)
      })
      connection.onClose(() => {
        forget()
        release(documentName, peer)
      })
      connection.sendStateless(JSON.stringify({ type: 'role', role: caller.role ?? 'view' } satisfies LiveMessage))
      return Promise.resolve()
    },

    async beforeSync({ documentName, payload, type, connection }) {
      if (type === 0) return
      try {
        await takeUpdate(documentName, payload, connection)
      } catch (error) {
        throw refuse((connection.context as Context).peer, documentName, error)
      }
    },

    beforeHandleAwareness({ states, connection, documentName, document }) {
      const entry = loaded.get(documentName)
      const { peer, caller } = connection?.context as Context
      if (entry !== undefined && connection !== undefined)
        claim(entry, peer, states, caller, document.getClients(connection) as Set<number>)
      return Promise.resolve()
    },

    // Documents leave memory by `unload` alone, once everything is on disk.
    beforeUnloadDocument() {
      return Promise.reject(refusal('kept'))
    },

    onDisconnect({ documentName }) {
      scheduleUnload(documentName)
      return Promise.resolve()
    }
  } as ConstructorParameters<typeof Hocuspocus<Context>>[0])

  const release = (doc: string, peer: Peer): void => {
    const owners = loaded.get(doc)?.owners
    if (owners === undefined) return
    for (const [client, owner] of owners) if (owner === peer) owners.delete(client)
  }

  // ——— sockets ———

  const wss = new WebSocketServer({
    noServer: true,
    maxPayload: limits.socketMessageBytesMax,
    perMessageDeflate: false,
    clientTracking: false
  })

  /** Looks at a frame before Hocuspocus does. Errors: throws when it is not one of the protocol. */
  const inspect = (peer: Peer, frame: Uint8Array, documents: Set<string>): void => {
    const { doc, type, offset } = readFrame(frame)
    if (!isDocumentId(doc)) throw new RangeError('not a document id')
    documents.add(doc)
    if (documents.size > limits.socketDocumentsMax) throw new RangeError('too many documents')
    if (type === messageTypes.awareness) {
      if (frame.length > limits.awarenessBytesMax) throw new RangeError('a presence message is too large')
      takeAwareness(peer, doc, frame.subarray(offset))
    }
    const known = type <= messageTypes.stateless || type === messageTypes.close || type === messageTypes.syncStatus
    if (!known) throw new RangeError(`messages of type ${type} are not accepted`)
  }

  const accept = (ws: WebSocket, request: IncomingMessage, address: string): void => {
    const peer = new Peer(ws, address, find)
    peers.add(peer)
    perAddress.set(address, (perAddress.get(address) ?? 0) + 1)
    const headers = new Headers({ origin: request.headers.origin ?? '' })
    const client = hocuspocus.handleConnection(peer, new Request('http://localhost/', { headers }), { peer } as Context)
    const documents = new Set<string>()
    const bucket = { tokens: limits.socketMessagesBurst as number, at: performance.now() }
    const { clock } = service()
    const cancelHello = clock.after(limits.socketHelloSecondsMax * 1000, () => {
      if (documents.size === 0) peer.close(closeCodes.tooSlow, 'no document was opened')
    })
    ws.on('message', (data: Buffer, isBinary) => {
      if (!spend(bucket)) return peer.close(closeCodes.tooFast, 'too many messages')
      const frame = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
      if (!isBinary) return peer.close(closeCodes.badMessage, 'binary messages only')
      if (documents.size === 0 && frame.length > limits.socketHelloBytesMax)
        return peer.close(closeCodes.badMessage, 'open a document first')
      try {
        inspect(peer, frame, documents)
        client.handleMessage(frame)
      } catch (error) {
        peer.close(closeCodes.badMessage, error instanceof Error ? error.message : 'bad message')
      }
      return undefined
    })
    ws.on('error', (error) => log('debug', 'socket error', { error: String(error) }))
    ws.on('close', (code, reason) => {
      cancelHello()
      peers.delete(peer)
      const left = (perAddress.get(address) ?? 1) - 1
      if (left > 0) perAddress.set(address, left)
      else perAddress.delete(address)
      client.handleClose({ code, reason: reason.toString() })
    })
  }

  const spend = (bucket: { tokens: number; at: number }): boolean => {
    const now = performance.now()
    bucket.tokens = Math.min(limits.socketMessagesBurst, bucket.tokens + ((now - bucket.at) / 1000) * limits.socketMessagesPerSecond)
    bucket.at = now
    bucket.tokens -= 1
    return bucket.tokens >= 0
  }

  const pinging = setInterval(() => {
    for (const peer of peers) peer.probe()
  }, limits.socketPingSeconds * 1000).unref()

  const deny = (socket: Duplex, status: string): void => {
    socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
  }

  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    socket.on('error', () => socket.destroy())
    const { origin } = request.headers
    const address = addressOf(request)
    if (stopping) return deny(socket, '503 Service Unavailable')
    if ((request.url ?? '').split('?')[0] !== collabPath) return deny(socket, '404 Not Found')
    if (origin !== undefined && !allowsOrigin(origin)) return deny(socket, '403 Forbidden')
    if ((perAddress.get(address) ?? 0) >= limits.socketsPerAddressMax) return deny(socket, '429 Too Many Requests')
    wss.handleUpgrade(request, socket, head, (ws) => accept(ws, request, address))
  }

  const stop = async (): Promise<void> => {
    stopping = true
    clearInterval(pinging)
    for (const peer of peers) peer.close(closeCodes.restarting, 'restarting')
    await Promise.all([...loaded.values()].map(async (entry) => entry.follower.settle()))
    for (const [doc, entry] of [...loaded]) {
      drop(doc, entry)
      entry.document.destroy()
    }
  }

  return {
    open,
    find,
    fence,
    upgrade,
    stop,
    end(doc, share, code) {
      registry.end(doc, share, code)
      const entry = loaded.get(doc)
      if (code !== 'document_deleted' || entry === undefined) return
      drop(doc, entry)
      entry.document.destroy()
    },
    announce(doc, message) {
      loaded.get(doc)?.document.broadcastStateless(JSON.stringify(message))
    },
    counts: () => ({ documents: loaded.size, sockets: peers.size })
  }
}
