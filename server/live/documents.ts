/**
 * The documents in memory. Each document is loaded from the journal. When a document has been idle for a while, its pending data is written, and the
 * document is unloaded. A document whose journal failed is dropped from memory, and its sockets are closed.
 */
import { type Connection, type Document, type Hocuspocus, isTransactionOrigin } from '@hocuspocus/server'
import { type ErrorCode, ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import { serviceClientId } from '../../shared/text/client-ids.ts'
import { actorOf, type Caller, systemActor } from '../domain/rights/caller.ts'
import { createFollower } from '../domain/text/follow.ts'
import type { Follower } from '../domain/text/follower.ts'
import type { StoredEvent } from '../domain/records/keys.ts'
import { entriesBetween, rebuild } from '../domain/text/journal.ts'
import type { DocumentHandle, Registry } from '../domain/live.ts'
import { OpenDocument } from '../domain/text/open-document.ts'
import type { Vault } from '../domain/secrets.ts'
import type { Service } from '../domain/service.ts'
import { type Agents, createAgents } from './agents.ts'
import { closeCodes } from '../../shared/live-protocol.ts'
import type { Peer } from './durable-acks.ts'
import { type DoubledValues, watchDoubledValues } from './doubled-values.ts'
import { createTidier, type Tidier } from './tidy.ts'
import type { Inbox } from './backlog.ts'
import { createPresenceFrames, type PresenceFrames } from './presence-frames.ts'
import { sendUpdates, takeOverUpdates } from './update-frames.ts'

/** The context that Hocuspocus stores with each connection. */
export interface Context {
  readonly peer: Peer
  readonly inbox: Inbox
  readonly caller: Caller
  /** Determines the caller again, for credentials that another service may end without notice. Throws the errors of `callerOfDocument`. */
  readonly again?: () => Promise<Caller>
  /** The name that a guest chose in its presence, or "Guest" and the number. */
  guestName?: string
  /** The mark of the person (awareness.ts). Absent until it has been sent. */
  person?: string
  /** The number of the guest's device in this document. Absent until it is known. */
  deviceNumber?: number
  /** The number that distinguishes this guest from other guests without a name. */
  number?: number | undefined
  /** The color in which others see the person. Absent until it has been sent. */
  hue?: number
  /** The state vector that the page sent when it connected. Absent after the first update. */
  vector?: Uint8Array | undefined
}

/** The close code for a document that ended while its journal was being written. All other errors are failures of the store. */
const closeCodeOfEnd: Partial<Readonly<Record<ErrorCode, number>>> = {
  document_deleted: closeCodes.deleted,
  taken_down: closeCodes.takenDown
}

export type LiveLog = (level: 'debug' | 'info' | 'warn' | 'error', message: string, facts?: Record<string, unknown>) => void

/** An edit that is waiting to be applied. */
export interface WaitingEdit {
  readonly peer: Peer
  readonly connection: Connection
  readonly update: Uint8Array
  /** Passes the edit to Hocuspocus, if the edit cannot be applied as part of a batch. */
  readonly pass: () => void
}

/** Applies the edits of one document together (turn-edits.ts). */
export interface TurnEdits {
  /** Adds an edit to the batch. */
  add(waiting: WaitingEdit): void
  /** Applies the waiting edits immediately, because the caller's next step must find them in the document. */
  flush(): void
  stop(): void
}

export interface LoadedDocument {
  readonly id: string
  readonly openDoc: OpenDocument
  readonly follower: Follower
  readonly document: Document
  /** The programs that are shown in presence although they have no socket. */
  readonly agents: Agents
  readonly tidier: Tidier
  /** Removes doubled values. */
  readonly doubled: DoubledValues
  /** The edits of this turn of the event loop. */
  readonly edits: TurnEdits
  /** Returns a stable name for text, which does not reveal the text (`Vault`). */
  readonly disguise: Vault['disguise']
  /** Sends the document's presence. */
  readonly presence: PresenceFrames
  /** Follows the other nodes. Undefined if no other node can write. */
  readonly nodes: DocumentNodes | undefined
  /** The connection that writes with each Yjs client id. */
  readonly owners: Map<number, Peer>
  /** The number of callers that have opened the document and not yet released it. */
  uses: number
  cancelUnload: () => void
}

export interface Documents {
  /** Brings an empty Hocuspocus document to the state on disk, and registers it. Throws `not_found`, `document_deleted` or `storage_*`. */
  load(id: string, document: Document): Promise<void>
  /** Returns the document if it is in memory and its journal has not failed. */
  find(id: string): LoadedDocument | undefined
  /** Returns the document in memory, and loads it if necessary. The document stays in memory until it is released. */
  open(id: string): Promise<DocumentHandle>
  /** Starts the timer after which the document leaves memory if it is idle. */
  scheduleUnload(id: string): void
  /** Drops a document whose journal failed. Its sockets close; clients store their edits and reconnect. */
  fence(id: string, cause: unknown): void
  /** Unloads a document immediately. */
  drop(id: string): void
  /** Resolves when the edits received so far are on disk, or after `limits.stopWriteMs` if the store is too slow. */
  written(): Promise<void>
  /** Writes the pending data of every document, and unloads all documents. */
  settleAll(): Promise<void>
  count(): number
  /** Counts the people and agents with a connection, and finds the oldest update that is not on disk. */
  crowd(): Crowd
}

export interface Crowd {
  /** The number of people and agents. An account or agent counts once. All of a guest's pages on the same document and device count as one. */
  readonly people: number
  /** When the oldest update that is not on disk was applied, in milliseconds since 1970; undefined if all updates are on disk. */
  readonly waitingSince: number | undefined
}

interface DocumentsOptions {
  readonly service: () => Service
  readonly hocuspocus: () => Hocuspocus<Context>
  readonly registry: Registry
  readonly idleUnloadSeconds: number
  /** Creates the edit queue of a document. The queue looks up the document each time, because the document may have left memory. */
  readonly editsOf: (id: string, entry: () => LoadedDocument | undefined) => TurnEdits
  /** Starts following the other nodes. Undefined if no other node can write to the store. */
  readonly follow: ((entry: Omit<LoadedDocument, 'nodes'>) => DocumentNodes) | undefined
  readonly log: LiveLog
}

/** Follows what other nodes do in one document (nodes.ts). */
export interface DocumentNodes {
  /** Announces an event that this process has written, after earlier events from other nodes. */
  event(event: StoredEvent): void
  /** Whether `ask` must be called before a page of this node writes with a client id. */
  mustAsk(client: number): boolean
  /** Asks the other nodes whether their pages write with some client ids, unless this is known. Takes up to `limits.nodeAnswerMs`. */
  ask(clients: readonly number[]): Promise<void>
  /** Whether a page that is connected to another node uses a client id. */
  isElsewhere(client: number): boolean
  /** Whether another node reported the presence with a client id. */
  isForeign(client: number): boolean
  stop(): void
}

export const actorOfConnection = ({ caller, guestName }: Context): string => {
  const { identity } = caller
  return actorOf(
    identity.kind === 'guest' && identity.name === null ? { ...caller, identity: { kind: 'guest', name: guestName ?? null } } : caller
  )
}

const actorOfOrigin = (origin: unknown): string => {
  if (!isTransactionOrigin(origin)) return systemActor
  if (origin.source === 'connection') return actorOfConnection(origin.connection.context as Context)
  return origin.source === 'local' ? ((origin.context as { actor?: string } | undefined)?.actor ?? systemActor) : systemActor
}

/** Identifies a person. A guest who shows no presence is identified by the socket. */
const whoOf = ({ peer, person, caller: { identity } }: Context): unknown =>
  identity.kind === 'guest' ? (person ?? peer) : `${identity.kind} ${identity.id}`

/** The request that Hocuspocus sees for every connection. Separate requests would cost several kilobytes for each connection. */
export const internalRequest = new Request('http://localhost/')

export const createDocuments = (options: DocumentsOptions): Documents => {
  const { service, hocuspocus, registry, idleUnloadSeconds, editsOf, follow, log } = options
  const loaded = new Map<string, LoadedDocument>()

  const forget = (entry: LoadedDocument): void => {
    entry.cancelUnload()
    entry.follower.stop()
    entry.agents.stop()
    entry.tidier.stop()
    entry.doubled.stop()
    entry.edits.stop()
    entry.presence.stop()
    entry.nodes?.stop()
    loaded.delete(entry.id)
    hocuspocus().documents.delete(entry.id)
  }

  const drop = (id: string): void => {
    const entry = loaded.get(id)
    if (entry === undefined) return
    forget(entry)
    entry.document.destroy()
  }

  const fence = (id: string, cause: unknown): void => {
    const entry = loaded.get(id)
    if (entry === undefined) return
    const code = cause instanceof ServiceError ? closeCodeOfEnd[cause.code] : undefined
    if (code === undefined) log('error', 'journal failed, document dropped from memory', { doc: id, error: cause })
    forget(entry)
    for (const connection of entry.document.getConnections())
      (connection.context as Context).peer.close(code ?? closeCodes.storeFailed, 'the document could not be stored')
    entry.document.destroy()
  }

  const load = async (id: string, document: Document): Promise<void> => {
    const { storage, ledger, clock, quotas, texts } = service()
    const head = await ledger.head(id)
    await quotas.load(head)
    document.clientID = serviceClientId()
    // Nobody is connected yet. A listener would make Yjs encode the entire document a second time.
    takeOverUpdates(document)
    const tail = await rebuild(storage, id, document, head)
    const onFailure = (cause: unknown): void => fence(id, cause)
    const openDoc = new OpenDocument({
      id,
      ydoc: document,
      head,
      tail,
      ledger,
      clock,
      actorOf: actorOfOrigin,
      ...(storage.nodes && { entriesTo: (after, to) => entriesBetween(storage, id, after, to) }),
      onFailure
    })
    sendUpdates(document, openDoc)
    const onProblem = (error: unknown): void => log('warn', 'follow-up work failed', { doc: id, error })
    const follower = await createFollower({ openDoc, head, storage, ledger, clock, texts, onProblem })
    const agents = createAgents({ doc: id, document, openDoc, registry, clock })
    const tidier = createTidier({ document, openDoc, agents, clock, texts, turns: service().turns, onProblem })
    const edits = editsOf(id, () => (openDoc.failed || loaded.get(id) !== entry ? undefined : entry))
    const loading: Omit<LoadedDocument, 'nodes'> = {
      id,
      openDoc,
      follower,
      document,
      agents,
      tidier,
      doubled: watchDoubledValues(document, openDoc),
      edits,
      disguise: service().vault.disguise,
      presence: createPresenceFrames(document, edits.flush),
      owners: new Map(),
      uses: 0,
      cancelUnload: () => undefined
    }
    const entry: LoadedDocument = Object.assign(loading, { nodes: undefined })
    loaded.set(id, entry)
    if (follow !== undefined) Object.assign(entry, { nodes: follow(loading) })
  }

  const isIdle = (entry: LoadedDocument): boolean => entry.uses === 0 && entry.document.getConnectionsCount() === 0

  const unload = async (entry: LoadedDocument): Promise<void> => {
    await entry.follower.settle()
    await service().turns?.leave(entry.id)
    // The check runs in a separate macrotask, so that callers that have looked up the document can attach to it first.
    await new Promise((resolve) => setImmediate(resolve))
    if (isIdle(entry) && loaded.get(entry.id) === entry && entry.openDoc.durableSeq === entry.openDoc.seq) drop(entry.id)
  }

  const scheduleUnload = (id: string): void => {
    const entry = loaded.get(id)
    if (entry === undefined || !isIdle(entry)) return
    entry.cancelUnload()
    entry.cancelUnload = service().clock.after(idleUnloadSeconds * 1000, () => {
      if (!isIdle(entry)) return
      unload(entry).catch((error: unknown) => {
        log('warn', 'unloading failed; the server will try again', { doc: id, error })
        scheduleUnload(id)
      })
    })
  }

  const open = async (id: string): Promise<DocumentHandle> => {
    await hocuspocus().createDocument(id, internalRequest, 'service', { isAuthenticated: true, readOnly: false })
    const entry = loaded.get(id)
    if (entry === undefined || entry.openDoc.failed) throw new ServiceError('storage_unavailable')
    entry.uses += 1
    entry.cancelUnload()
    if (entry.openDoc.coming !== undefined) await entry.openDoc.coming
    let released = false
    const release = (): void => {
      if (released) return
      released = true
      entry.uses -= 1
      scheduleUnload(id)
    }
    return { openDoc: entry.openDoc, follower: entry.follower, release }
  }

  return {
    load,
    find(id) {
      const entry = loaded.get(id)
      return entry?.openDoc.failed === true ? undefined : entry
    },
    open,
    scheduleUnload,
    fence,
    drop,
    async written() {
      const write = async ({ edits, openDoc }: LoadedDocument): Promise<void> => {
        edits.flush()
        await openDoc.durable().catch(() => undefined)
      }
      const { promise: late, resolve } = Promise.withResolvers<void>()
      const timer = setTimeout(resolve, limits.stopWriteMs)
      const isWaiting = ({ openDoc }: LoadedDocument): boolean => !openDoc.failed && openDoc.durableMark < openDoc.mark
      // While one document is written, another one may receive the rest of its edits.
      const all = async (): Promise<void> => {
        do await Promise.all([...loaded.values()].map(write))
        while ([...loaded.values()].some(isWaiting))
      }
      await Promise.race([late, all()])
      clearTimeout(timer)
    },
    async settleAll() {
      // A document that cannot be settled must not block other documents. The next start recovers it from its journal.
      const settle = (entry: LoadedDocument): Promise<void> =>
        entry.follower
          .settle()
          .then(() => service().turns?.leave(entry.id))
          .catch((error: unknown) => log('warn', 'a document could not be settled at shutdown', { doc: entry.id, error }))
      await Promise.all([...loaded.values()].map(settle))
      for (const id of loaded.keys()) drop(id)
    },
    count: () => loaded.size,
    crowd() {
      const people = new Set<unknown>()
      let waitingSince: number | undefined
      for (const { document, openDoc } of loaded.values()) {
        for (const { context } of document.getConnections()) people.add(whoOf(context as Context))
        if (openDoc.waitingSince !== undefined) waitingSince = Math.min(waitingSince ?? openDoc.waitingSince, openDoc.waitingSince)
      }
      return { people: people.size, waitingSince }
    }
  }
}
