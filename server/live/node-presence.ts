/**
 * Presence across nodes. A node tells the others the states of its own sockets, and repeats them, because messages are not stored.
 *
 *     presence {document} {[[client id, clock, state or null], …] as JSON}
 *     who {document}          another node has loaded the document, and asks for the states
 *     whose {document} {id}   a page of the node writes with a client id that it has not used there before
 *     owned {document} {id}   a page of another node is connected and writes with this id
 *     gone                    the node stops
 */
import { type Document } from '@hocuspocus/server'
import { applyAwarenessUpdate, removeAwarenessStates } from 'y-protocols/awareness'
import * as Y from 'yjs'
import { limits } from '../../shared/limits.ts'
import { includesRole, type Role } from '../../shared/roles.ts'
import { nodeOrigin } from '../domain/text/node-updates.ts'
import type { Clock, Nodes } from '../domain/ports.ts'
import { type Agents, stateMessage } from './agents.ts'
import type { DocumentNodes, LoadedDocument } from './documents.ts'

type Followed = Omit<LoadedDocument, 'nodes'>

type State = readonly [client: number, clock: number, state: object | null]

/** The time between two checks for silent nodes, in seconds. */
const lookSeconds = limits.nodeRepeatSeconds / 2

/** The states of one node on one document. */
interface Reported {
  readonly clients: Set<number>
  /** When the node last sent a message about the document, in milliseconds since 1970. */
  heardAt: number
}

interface Shown {
  readonly document: Document
  readonly entry: Followed
  readonly agents: Agents
  readonly others: Map<string, Reported>
  /** Client ids with which pages of this node have written. */
  readonly own: Set<number>
  /** Client ids about which the other nodes were asked. For those that another node owned, also the time of its answer. */
  readonly asked: Map<number, Promise<void>>
  readonly owned: Map<number, number>
  /** Clients of this node whose states have not been sent to the other nodes yet. */
  readonly moved: Set<number>
  timer: NodeJS.Timeout | undefined
}

export interface NodePresence {
  /** Starts exchanging a document's presence. */
  follow(entry: Followed): Omit<DocumentNodes, 'event'>
  stop(): void
}

interface NodePresenceOptions {
  readonly clock: () => Clock
  readonly nodes: Nodes
  readonly find: (doc: string) => LoadedDocument | undefined
}

/** Whether the connection with this presence may write. The server sets the role in the presence (`presentState`). */
const mayWrite = (state: object | undefined): boolean => {
  const { user } = (state ?? {}) as { readonly user?: { readonly role?: Role } }
  return includesRole(user?.role ?? null, 'edit')
}

/** Returns groups of states that fit into one message each. A state that is too large for a message is left out. */
const messagesOf = (doc: string, states: readonly State[]): string[] => {
  const start = `presence ${doc} `
  const messages: string[] = []
  let parts: string[] = []
  let bytes = 0
  const end = (): void => {
    if (parts.length > 0) messages.push(`${start}[${parts.join(',')}]`)
    parts = []
    bytes = 0
  }
  for (const state of states) {
    const text = JSON.stringify(state)
    const size = Buffer.byteLength(text) + 1
    if (bytes + size + start.length + 2 > limits.nodeMessageBytesMax) end()
    parts.push(text)
    bytes += size
  }
  end()
  return messages
}

export const createNodePresence = ({ clock, nodes }: NodePresenceOptions): NodePresence => {
  const documents = new Map<string, Shown>()

  const isOurs = ({ document, others }: Shown, client: number): boolean =>
    client !== document.awareness.clientID && ![...others.values()].some(({ clients }) => clients.has(client))

  const stateOf = ({ awareness }: Document, client: number): State => [
    client,
    awareness.meta.get(client)?.clock ?? 0,
    awareness.states.get(client) ?? null
  ]

  const send = (doc: string, shown: Shown, clients: Iterable<number>): void => {
    for (const message of messagesOf(
      doc,
      [...clients].map((client) => stateOf(shown.document, client))
    ))
      nodes.send(message)
  }

  const sendAll = (doc: string, shown: Shown): void =>
    send(
      doc,
      shown,
      [...shown.document.awareness.states.keys()].filter((client) => isOurs(shown, client))
    )

  const take = (shown: Shown, node: string, states: readonly State[]): void => {
    const { document, agents, others } = shown
    const { awareness } = document
    const reported = others.get(node) ?? { clients: new Set<number>(), heardAt: 0 }
    others.set(node, reported)
    reported.heardAt = clock().now()
    for (const [client, at, state] of states) {
      // A page that has moved to this node keeps its client id. A program has the same id everywhere.
      if (agents.has(client) && at > (awareness.meta.get(client)?.clock ?? 0)) agents.leave(client)
      else if (awareness.states.has(client) && isOurs(shown, client)) continue
      if (state === null) reported.clients.delete(client)
      else reported.clients.add(client)
      applyAwarenessUpdate(awareness, stateMessage(client, at, state), nodeOrigin)
    }
  }

  const forget = (shown: Shown, node: string): void => {
    const reported = shown.others.get(node)
    if (reported === undefined) return
    removeAwarenessStates(shown.document.awareness, [...reported.clients], nodeOrigin)
    shown.others.delete(node)
  }

  const isOwn = ({ entry }: Shown, client: number): boolean => entry.owners.get(client)?.isOpen === true

  const hear = (message: string, node: string): void => {
    if (message === 'gone') for (const shown of documents.values()) forget(shown, node)
    const [what = '', doc = ''] = message.split(' ', 2)
    const rest = message.slice(what.length + doc.length + 2)
    const shown = documents.get(doc)
    if (shown === undefined) return
    if (what === 'who') sendAll(doc, shown)
    else if (what === 'presence') take(shown, node, JSON.parse(rest) as State[])
    else if (what === 'owned') shown.owned.set(Number(rest), performance.now())
    else if (what === 'whose' && isOwn(shown, Number(rest))) nodes.send(`owned ${doc} ${rest}`)
  }

  /** Whether the other nodes must be asked before a page of this node writes with a client id that the document already has. */
  const mustAsk = ({ entry, own, asked, owned }: Shown, client: number): boolean => {
    if (entry.owners.has(client)) own.add(client)
    // The former connection of a page that has moved to this node may have ended since.
    const at = owned.get(client)
    if (at !== undefined && performance.now() - at >= limits.nodeOwnedMs) {
      owned.delete(client)
      asked.delete(client)
    }
    return !own.has(client) && !asked.has(client) && Y.getState(entry.openDoc.ydoc.store, client) > 0
  }

  const ask = (shown: Shown, client: number): Promise<void> => {
    const { asked, entry } = shown
    const known = asked.get(client)
    if (known !== undefined) return known
    nodes.send(`whose ${entry.id} ${client}`)
    const answered = new Promise<void>((resolve) => setTimeout(resolve, limits.nodeAnswerMs))
    asked.set(client, answered)
    return answered
  }

  const stopMessages = nodes.onMessage(hear)

  let turn = 0
  let cancel = (): void => undefined
  const look = (): void => {
    const silentSince = clock().now() - limits.nodeSilentSecondsMax * 1000
    turn += 1
    for (const [doc, shown] of documents) {
      for (const [node, { heardAt }] of shown.others) if (heardAt < silentSince) forget(shown, node)
      if (turn % 2 === 0) sendAll(doc, shown)
    }
    cancel = clock().after(lookSeconds * 1000, look)
  }
  let isLooking = false

  return {
    follow(entry) {
      const { id, document, agents } = entry
      const shown: Shown = {
        entry,
        own: new Set(),
        asked: new Map(),
        owned: new Map(),
        document,
        agents,
        others: new Map(),
        moved: new Set(),
        timer: undefined
      }
      documents.set(id, shown)
      if (!isLooking) {
        isLooking = true
        cancel = clock().after(lookSeconds * 1000, look)
      }
      const onChange = ({ added, updated, removed }: Record<'added' | 'updated' | 'removed', number[]>, origin: unknown): void => {
        if (origin === nodeOrigin || document.isDestroyed) return
        for (const client of [...added, ...updated, ...removed]) {
          for (const { clients } of shown.others.values()) clients.delete(client)
          if (client !== document.awareness.clientID) shown.moved.add(client)
        }
        shown.timer ??= setTimeout(() => {
          shown.timer = undefined
          send(id, shown, shown.moved)
          shown.moved.clear()
        }, limits.presenceFrameMs).unref()
      }
      document.awareness.on('change', onChange)
      nodes.send(`who ${id}`)
      return {
        async ask(clients) {
          const those = clients.filter((client) => mustAsk(shown, client))
          if (those.length > 0) await Promise.all(those.map((client) => ask(shown, client)))
        },
        mustAsk: (client) => mustAsk(shown, client),
        isForeign: (client) => [...shown.others.values()].some(({ clients }) => clients.has(client)),
        isElsewhere(client) {
          if (shown.owned.has(client)) return true
          const node = [...shown.others].find(([, { clients }]) => clients.has(client))?.[0]
          // A reader must not lock out a writer by showing presence with the writer's id.
          if (node === undefined || !mayWrite(document.awareness.states.get(client))) return false
          // The node may have ended without telling the others.
          nodes.isAlive(node).then(
            (isAlive) => isAlive || forget(shown, node),
            () => undefined
          )
          return true
        },
        stop() {
          clearTimeout(shown.timer)
          document.awareness.off('change', onChange)
          if (documents.get(id) === shown) documents.delete(id)
        }
      }
    },
    stop() {
      cancel()
      stopMessages()
      nodes.send('gone')
    }
  }
}
