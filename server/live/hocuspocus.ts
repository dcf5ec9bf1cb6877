/**
 * Connects the sockets to the domain through Hocuspocus, and adds the checks that Hocuspocus lacks. Hocuspocus does not validate anything,
 * acknowledges updates before they are stored, swallows storage errors, and lets clients impersonate each other. Its store hooks, its `onChange` and
 * its unloading are never used.
 */
import type { IncomingMessage } from 'node:http'
import { Hocuspocus } from '@hocuspocus/server'
import type { ErrorCode } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import { type Caller, nameOfIdentity } from '../domain/rights/caller.ts'
import type { Live, Registry } from '../domain/live.ts'
import { formsOf } from '../domain/events/events.ts'
import type { StoredEvent } from '../domain/records/keys.ts'
import type { Nodes, Trace } from '../domain/ports.ts'
import { docOptions } from '../domain/text/journal.ts'
import type { Service } from '../domain/service.ts'
import { createAdmission, type Guesses, Refusal, refusalOf } from './admission.ts'
import { createAnswers } from './answers.ts'
import type { PresenceUser } from './awareness.ts'
import { agentName } from './agents.ts'
import {
  type Context,
  createDocuments,
  type Crowd,
  type LiveLog,
  internalRequest,
  type LoadedDocument,
  type TurnEdits
} from './documents.ts'
import { closeCodes, type LiveMessage } from '../../shared/live-protocol.ts'
import type { Peer } from './durable-acks.ts'
import { findNumber, freeClients, hidePresence, refuseUpdate, showPresence, takePresence, takeRemovals, takeUpdate } from './incoming.ts'
import { createNodes } from './nodes.ts'
import { createRounds } from './rounds.ts'
import { createConnectionLimits } from './connection-limits.ts'
import { createSockets, type Sockets } from './sockets.ts'
import { createTurnEdits } from './turn-edits.ts'

export interface LiveOptions {
  /** Returns the service. The service itself needs this module, so the function is called only when the first document opens. */
  readonly service: () => Service
  readonly registry: Registry
  readonly allowsOrigin: (origin: string, request: IncomingMessage) => boolean
  readonly addressOf: (request: IncomingMessage) => string
  /** Returns the session cookie of the browser that sent a request. */
  readonly cookieOf: (request: IncomingMessage) => string | undefined
  readonly idleUnloadSeconds: number
  readonly guesses: Guesses
  /** The maximum number of sockets for each address, and of connections for each document. Null means no limit. */
  readonly socketsPerAddressMax: number | null
  readonly socketsPerDocumentMax: number | null
  /** Records the opening of a document as a span. Undefined if tracing is off. */
  readonly trace: Trace | undefined
  /** The other nodes; undefined if no other process can use the store. */
  readonly nodes: Nodes | undefined
  readonly log: LiveLog
}

export interface LiveServer extends Live, Pick<Sockets, 'upgrade'> {
  /** Closes the sockets, writes pending data, and unloads every document. */
  stop(): Promise<void>
  /** Cuts the sockets that did not answer the close frame. */
  terminateSockets(): void
  counts(): { documents: number; sockets: number; waitingBytes: number }
  crowd(): Crowd
}

const closeCodeOf = (code: ErrorCode): number => {
  if (code === 'document_deleted') return closeCodes.deleted
  if (code === 'taken_down') return closeCodes.takenDown
  if (code === 'account_disabled') return closeCodes.accountDisabled
  if (code === 'shutting_down') return closeCodes.restarting
  return code === 'forbidden' ? closeCodes.notAllowed : closeCodes.credentialEnded
}

/** Whether a page on another node shows a guest with this name. Presence does not say which link the page uses. */
const isOnOtherNode = ({ document, nodes }: LoadedDocument, name: string): boolean =>
  nodes !== undefined &&
  [...document.awareness.states].some(([client, { user }]) => {
    const { name: shown, kind, number } = (user ?? {}) as Partial<PresenceUser>
    return kind === 'guest' && (number === undefined ? shown : `${shown} ${number}`) === name && nodes.isForeign(client)
  })

/** Whether the author already has an open page or socket, which shows the author in presence. */
const isThere = (entry: LoadedDocument, { identity, share }: Caller, name: string): boolean =>
  (identity.kind === 'guest' && isOnOtherNode(entry, name)) ||
  entry.document.getConnections().some(({ context }) => {
    const { caller, guestName } = context as Context
    return caller.share === share && caller.identity.kind === identity.kind && (nameOfIdentity(caller.identity) ?? guestName) === name
  })

/** The types of a sync message that requests missing updates, and of the response to one (y-protocols). */
const syncStep1 = 0
const syncStep2 = 1

/** Throws if a client's state vector is larger than any page needs, and closes the client's socket. */
const refuseLargeVector = (peer: Peer, vector: Uint8Array): void => {
  if (vector.length <= limits.stateVectorBytesMax) return
  peer.close(closeCodes.badMessage, 'the state vector is too large')
  throw new Refusal('the state vector is too large')
}

export const createLive = ({
  service,
  registry,
  allowsOrigin,
  addressOf,
  cookieOf,
  idleUnloadSeconds,
  guesses,
  socketsPerAddressMax,
  socketsPerDocumentMax,
  trace,
  nodes,
  log
}: LiveOptions): LiveServer => {
  let stopping = false
  const answers = createAnswers(() => service().clock)
  const admission = createAdmission({ service, guesses, connectionLimits: createConnectionLimits(socketsPerDocumentMax), nodes })
  const rounds = createRounds()
  const editsOf = (id: string, entry: () => LoadedDocument | undefined): TurnEdits => createTurnEdits({ id, entry, service, rounds })

  const announce: Live['announce'] = (doc, message, to = () => true) => {
    const wanted = ({ context }: { context: unknown }): boolean => to((context as Context).caller)
    documents.find(doc)?.document.broadcastStateless(JSON.stringify(message), wanted)
  }
  const announceEvent = (doc: string, stored: StoredEvent): void => {
    for (const { event, sees } of formsOf(stored)) announce(doc, { type: 'event', event }, sees)
  }
  const others =
    nodes &&
    createNodes({
      service,
      nodes,
      find: (doc) => documents.find(doc),
      announceEvent,
      onDeleted: (doc, reason) => live.end(doc, null, reason),
      onOwner: registry.recheck,
      log
    })
  const stopNodes = others?.stop
  const documents = createDocuments({
    service,
    hocuspocus: () => hocuspocus,
    registry,
    idleUnloadSeconds,
    editsOf,
    follow: others?.follow,
    log
  })

  // The default hooks are removed, because Hocuspocus would run them all in a promise chain for each message.
  const unused = {
    onConfigure: undefined,
    onListen: undefined,
    onUpgrade: undefined,
    onRequest: undefined,
    onDestroy: undefined,
    onConnect: undefined,
    onTokenSync: undefined,
    onCreateDocument: undefined,
    beforeHandleMessage: undefined,
    afterHandleMessage: undefined,
    beforeBroadcastStateless: undefined,
    onStateless: undefined,
    onChange: undefined,
    onStoreDocument: undefined,
    afterStoreDocument: undefined,
    onAwarenessUpdate: undefined,
    afterUnloadDocument: undefined
  }

  const hooks: Partial<Hocuspocus<Context>['configuration']> = {
    onAuthenticate({ token, documentName, connectionConfig, context }) {
      if (stopping) return Promise.reject(new Refusal('shutting_down'))
      return admission.admit(documentName, token, context as Context, connectionConfig)
    },

    async onLoadDocument({ document, documentName }) {
      try {
        const load = (): Promise<void> => documents.load(documentName, document)
        await (trace?.('open document', { 'agmd.document': documentName }, load) ?? load())
      } catch (error) {
        // Hocuspocus leaks the Y.Doc and its timers when loading fails (ueberdosis/hocuspocus#1156).
        document.destroy()
        throw refusalOf(error)
      }
    },

    afterLoadDocument({ document }) {
      // The open document listens to the Y.Doc directly, so the store hooks of Hocuspocus are disconnected.
      document.onUpdate(() => undefined)
      return Promise.resolve()
    },

    connected({ connection, documentName, context: { peer, inbox, caller, again } }) {
      // The client closed the connection before the document was ready.
      if (!connection.document.hasConnection(connection)) {
        peer.sessions.release(documentName)
        return Promise.resolve()
      }
      peer.sessions.opened(documentName, connection)
      documents.find(documentName)?.presence.takeOver()
      connection.afterHandleMessage((_connection, frame) => {
        inbox.handled(frame)
        return Promise.resolve()
      })
      const end = (code: ErrorCode): void => {
        connection.sendStateless(JSON.stringify({ type: 'ended', code } satisfies LiveMessage))
        peer.close(closeCodeOf(code), code)
      }
      const forget = registry.add(documentName, caller, (code, linkIsLeft) => {
        // The page reconnects with only its link. If the link has ended too, the page finds out when it reconnects.
        if (linkIsLeft) peer.close(closeCodes.syncAgain, code)
        else end(code)
        const entry = documents.find(documentName)
        if (entry !== undefined) hidePresence(entry, connection, peer)
      })
      const stopAsking = again === undefined ? undefined : admission.askAgain(again, end)
      connection.onClose(() => {
        peer.sessions.release(documentName)
        inbox.forget()
        forget()
        stopAsking?.()
        const entry = documents.find(documentName)
        if (entry !== undefined) freeClients(entry, peer)
      })
      const { role, linkName, linkEndsAt, identity } = caller
      const { formerNames = [] } = identity.kind === 'account' ? identity : {}
      const named =
        identity.kind === 'account'
          ? { account: identity.name, ...(formerNames.length > 0 && { formerNames }) }
          : linkName !== null && identity.kind === 'guest'
            ? { name: linkName }
            : {}
      const ending = linkEndsAt === null ? {} : { expiresAt: new Date(linkEndsAt).toISOString() }
      connection.sendStateless(JSON.stringify({ type: 'role', role: role ?? 'view', ...ending, ...named } satisfies LiveMessage))
      return Promise.resolve()
    },

    async beforeSync({ documentName, payload, type, connection }) {
      const entry = documents.find(documentName)
      if (type === syncStep1) {
        const context = connection.context as Context
        refuseLargeVector(context.peer, payload)
        context.vector = payload.slice()
        const answered = answers.turn(context.peer, entry?.openDoc.text.length ?? 0)
        return answered.catch((error: Error) => Promise.reject(new Refusal(error.message)))
      }
      try {
        if (entry === undefined) throw new Error('the document is not open')
        const context = connection.context as Context
        const { vector } = context
        context.vector = undefined
        await takeUpdate(entry, service(), payload, connection, type === syncStep2 ? vector : undefined)
      } catch (error) {
        const why = refuseUpdate(entry, (connection.context as Context).peer, error)
        log('debug', 'update refused', { doc: documentName, why })
        throw new Refusal(why)
      }
    },

    async beforeHandleAwareness({ states, connection, documentName }) {
      // Hocuspocus decodes the message with its own `Awareness`, whose first state is empty and belongs to nobody.
      const [scratch] = states.keys()
      if (scratch !== undefined) states.delete(scratch)
      const found = documents.find(documentName)
      if (found === undefined || connection === undefined) return
      await findNumber(found, service(), connection, states)
      const entry = documents.find(documentName)
      if (entry !== undefined) takePresence(entry, connection, states, (connection.context as Context).caller)
    },

    // Only `scheduleUnload` removes documents from memory, once everything is on disk.
    beforeUnloadDocument() {
      return Promise.reject(new Refusal('kept'))
    },

    onDisconnect({ documentName }) {
      documents.scheduleUnload(documentName)
      return Promise.resolve()
    }
  }

  const hocuspocus = new Hocuspocus<Context>({
    quiet: true,
    timeout: 60_000,
    yDocOptions: { gc: true, gcFilter: () => true, ...docOptions },
    unloadImmediately: false,
    maxPendingDocuments: limits.socketDocumentsMax,
    maxUnauthenticatedQueueSize: limits.socketQueueBytesMax,
    ...(unused as unknown as Record<string, never>),
    ...hooks
  })

  const sockets = createSockets({
    clock: () => service().clock,
    attach: (peer, inbox) => hocuspocus.handleConnection(peer, internalRequest, { peer, inbox } as Context),
    findOpen: (doc) => documents.find(doc)?.openDoc,
    onPresence(peer, doc, message, isNext) {
      const entry = documents.find(doc)
      const connection = peer.sessions.connection(doc)
      if (entry === undefined) return false
      takeRemovals(entry, peer, message)
      if (!isNext || connection === undefined) return false
      return showPresence(entry, connection, message)
    },
    onEdit(peer, doc, update, pass) {
      const connection = peer.sessions.connection(doc)
      const entry = documents.find(doc)
      if (connection === undefined || entry === undefined) return false
      entry.edits.add({ peer, connection, update, pass })
      return true
    },
    onOther: (doc) => documents.find(doc)?.edits.flush(),
    allowsOrigin,
    addressOf,
    cookieOf,
    socketsPerAddressMax,
    log
  })

  const live: LiveServer = {
    open: (doc) => documents.open(doc),
    find: (doc) => documents.find(doc)?.openDoc,
    fence: (doc, cause) => documents.fence(doc, cause),
    upgrade: (request, socket, head) => sockets.upgrade(request, socket, head),
    end(doc, share, code) {
      registry.end(doc, share, code)
      if (code === 'document_deleted' || code === 'taken_down') documents.drop(doc)
    },
    renew: (doc, share, role) => registry.renew(doc, share, role),
    isUsed: (doc, share) => registry.isUsed(doc, share),
    usedSessions: () => registry.usedSessions(),
    readmit: (doc, owner) => registry.readmit(doc, owner),
    endOwner: (doc, owner) => registry.endOwner(doc, owner),
    hasEnded: (doc) => registry.hasEnded(doc),
    forget: (doc, share) => registry.forget(doc, share),
    requireRight: (doc, caller) => registry.requireRight(doc, caller),
    endSession: (session, code) => registry.endSession(session, code),
    showAgent(doc, caller, at) {
      const entry = documents.find(doc)
      const name = agentName(caller)
      if (entry !== undefined && name !== undefined && !isThere(entry, caller, name)) entry.agents.show(caller, name, at)
    },
    announce,
    event(doc, event) {
      const follower = documents.find(doc)?.nodes
      if (follower === undefined) announceEvent(doc, event)
      else follower.event(event)
    },
    async stop() {
      stopping = true
      // When a socket closes, its page moves to another node at once, and sends again what was not acknowledged. If those edits were still waiting
      // here, one of the nodes would have to drop its copy of the document.
      sockets.pause()
      await documents.written()
      registry.endAll('shutting_down')
      sockets.stop()
      stopNodes?.()
      await documents.settleAll()
    },
    terminateSockets: () => sockets.terminateAll(),
    counts: () => ({ documents: documents.count(), sockets: sockets.count(), waitingBytes: sockets.waitingBytes() }),
    crowd: () => documents.crowd()
  }
  return live
}
