/** Protects a document from its clients: the server checks every update before it applies the update, and rewrites every presence state. */
import type { Connection } from '@hocuspocus/server'
import { applyAwarenessUpdate, removeAwarenessStates } from 'y-protocols/awareness'
import * as Y from 'yjs'
import { onceFor } from '../../shared/once-for.ts'
import { type ErrorCode, ServiceError } from '../../shared/errors.ts'
import { limits } from '../../shared/limits.ts'
import { coarseDiff, type Edit } from '../../shared/text/diff.ts'
import { withLineFeeds } from '../../shared/text/line-ends.ts'
import { type Caller, systemActor } from '../domain/rights/caller.ts'
import { guestNumberOf } from '../domain/rights/guest-numbers.ts'
import { saveBeforeWipe } from '../domain/text/follow.ts'
import type { OpenDocument } from '../domain/text/open-document.ts'
import type { Service } from '../domain/service.ts'
import { stateMessage } from './agents.ts'
import { guestWithoutName, presentHue, presentState, readStates, removedClients, unnamedDevice } from './awareness.ts'
import type { Context, LoadedDocument } from './documents.ts'
import { closeCodes, type LiveMessage } from '../../shared/live-protocol.ts'
import type { Peer } from './durable-acks.ts'
import { lengthAfter } from './text-length.ts'
import { checkUpdate, parseUpdate, type ParsedUpdate, UpdateRefused } from './update-check.ts'

/** The value of `WebSocket.OPEN`. */
const socketOpen = 1

const peerOf = (connection: Connection): Peer => (connection.context as Context).peer

// The client id under which a writing connection shows its presence: the id of its own page. The connection also sends states with other ids, because
// each page loads the state that the device has stored. These ids belong to earlier or other open pages on the device.
const homesOf = onceFor((_entry: LoadedDocument) => new Map<Peer, number>())

/**
 * Whether another open connection, perhaps to another node, uses this client id to write. A connection without presence owns every id that it has
 * used. Queued messages of a closed connection may still be applied, and must not reserve the id.
 */
const takenByOther = (entry: LoadedDocument, client: number, peer: Peer): boolean => {
  const owner = entry.owners.get(client)
  if (owner === peer) return false
  if (owner === undefined || owner.readyState !== socketOpen) return entry.nodes?.isElsewhere(client) ?? false
  return (homesOf(entry).get(owner) ?? client) === client
}

// The owners of presence ids. They are separate from `owners`: otherwise, a reader could lock out a writer by showing presence with an id from the
// text.
const presences = new WeakMap<LoadedDocument, Map<number, Peer>>()

const presencesOf = (entry: LoadedDocument): Map<number, Peer> => {
  const known = presences.get(entry) ?? new Map<number, Peer>()
  presences.set(entry, known)
  return known
}

// The id under which each connection is shown. Hocuspocus 4.7 registers an id only if no earlier connection had it, and would not remove other ids.
const shownIds = new WeakMap<LoadedDocument, Map<Peer, number>>()

const shownIdsOf = (entry: LoadedDocument): Map<Peer, number> => {
  const known = shownIds.get(entry) ?? new Map<Peer, number>()
  shownIds.set(entry, known)
  return known
}

/**
 * Whether this client id is already in use for presence. It may belong to a program, to another connection that writes with it, or to another
 * connection that shows presence with it. The last case does not count if this connection itself writes with the id.
 */
const shownByOther = (entry: LoadedDocument, client: number, peer: Peer): boolean => {
  if (takenByOther(entry, client, peer) || entry.agents.has(client)) return true
  const other = presencesOf(entry).get(client)
  return entry.owners.get(client) !== peer && other !== undefined && other !== peer && other.readyState === socketOpen
}

const newsOf = (entry: LoadedDocument, peer: Peer, update: ParsedUpdate): number[] =>
  checkUpdate(update, {
    clockOf: (client) => Y.getState(entry.openDoc.ydoc.store, client),
    takenByOther: (client) => takenByOther(entry, client, peer)
  })

/** If text has more carriage returns and NULs than this, a single edit replaces them together with the text between them. */
const signsAtOnceMax = 1000

/** Returns edits that remove all carriage returns and NULs from the text. */
const tidyingEdits = (content: string): readonly Edit[] => {
  const edits: Edit[] = []
  for (const { 0: sign, index: from } of content.matchAll(/\r\n?|\0/g)) {
    if (edits.length === signsAtOnceMax) return coarseDiff(content, withLineFeeds(content).replaceAll('\0', ''))
    edits.push(sign === '\r' ? { from, to: from + 1, insert: '\n' } : { from, to: from + 1, insert: '' })
  }
  return edits
}

/** Removes carriage returns and NULs from a document, no matter who typed them. CodeMirror counts CR LF as one character. */
const tidy = (openDoc: OpenDocument): void => {
  if (openDoc.failed) return
  const edits = tidyingEdits(openDoc.snapshot().content)
  if (edits.length > 0) openDoc.apply(edits, systemActor, false, false)
}

/** The documents that will be tidied, and how long the last tidying took, in milliseconds. */
const tidying = new WeakMap<OpenDocument, { planned: boolean; took: number }>()

/** Schedules tidying. The server spends at most a twentieth of its time on tidying, regardless of how many updates need it. */
const tidySoon = (openDoc: OpenDocument): void => {
  const state = tidying.get(openDoc) ?? { planned: false, took: 0 }
  tidying.set(openDoc, state)
  if (state.planned) return
  state.planned = true
  setTimeout(() => {
    const start = performance.now()
    state.planned = false
    tidy(openDoc)
    state.took = performance.now() - start
  }, state.took * 20)
}

const wipes = (update: ParsedUpdate, openDoc: OpenDocument): boolean =>
  update.deleted > limits.wipeUnitsMin && update.deleted > openDoc.text.length * limits.wipeShare

/** Throws `credential_invalid` if the socket was closed. Earlier messages that are still waiting are then not applied. */
export const requireOpen = (peer: Peer): void => {
  if (!peer.isOpen) throw new ServiceError('credential_invalid')
}

/**
 * Checks an update that Hocuspocus is about to apply. There is no `await` between the last check and the return. Throws `UpdateRefused`,
 * `content_too_large`, `quota_exceeded` or `credential_invalid`. `vector` is the state vector that the page sent when it connected.
 */
export const takeUpdate = async (
  entry: LoadedDocument,
  { ledger, quotas }: Pick<Service, 'ledger' | 'quotas'>,
  payload: Uint8Array,
  connection: Connection,
  vector?: Uint8Array
): Promise<void> => {
  const update = parseUpdate(payload)
  // Hocuspocus already ignores updates from readers.
  if (connection.readOnly) return
  const { openDoc, owners } = entry
  const peer = peerOf(connection)
  requireOpen(peer)
  if (entry.nodes !== undefined) {
    await entry.nodes.ask(update.spans.map(({ client }) => client))
    requireOpen(peer)
  }
  let news = newsOf(entry, peer, update)
  if (openDoc.text.length + update.inserted > limits.contentUnitsMax && lengthAfter(openDoc.ydoc, update) > limits.contentUnitsMax)
    throw new ServiceError('content_too_large')
  // A page that is opening a document sends nothing new, and is never refused.
  if (news.length > 0) quotas.require(openDoc.held(), payload.length, update.inserted === 0)
  if (wipes(update, openDoc)) {
    await saveBeforeWipe(ledger, openDoc)
    requireOpen(peer)
    news = newsOf(entry, peer, update)
  }
  for (const client of news) owners.set(client, peer)
  entry.doubled.note(update, vector)
  if (update.untidy) tidySoon(openDoc)
}

/**
 * Returns the update if the server can apply it together with other updates. Such an update only appends to the document's state, does not delete the
 * whole text, and passes all checks. All other updates go to `takeUpdate`, which refuses them with an error message.
 */
export const plainUpdate = (
  entry: LoadedDocument,
  { quotas }: Pick<Service, 'quotas'>,
  payload: Uint8Array,
  connection: Connection
): ParsedUpdate | undefined => {
  const peer = peerOf(connection)
  const { openDoc } = entry
  if (connection.readOnly || peer.isEnded || !entry.document.hasConnection(connection)) return undefined
  try {
    const update = parseUpdate(payload)
    const isNext = update.spans.every(({ client, from, to }) => to > from && from === Y.getState(openDoc.ydoc.store, client))
    const { nodes } = entry
    if (nodes !== undefined && update.spans.some(({ client }) => nodes.mustAsk(client))) return undefined
    if (!isNext || wipes(update, openDoc) || openDoc.text.length + update.inserted > limits.contentUnitsMax) return undefined
    if (newsOf(entry, peer, update).length > 0) quotas.require(openDoc.held(), payload.length, update.inserted === 0)
    return update
  } catch {
    return undefined
  }
}

/** Records the changes of an update that was applied together with other updates. */
export const noteUpdate = ({ owners, openDoc, doubled }: LoadedDocument, update: ParsedUpdate, peer: Peer): void => {
  for (const { client } of update.spans) owners.set(client, peer)
  doubled.note(update)
  if (update.untidy) tidySoon(openDoc)
}

/** Close codes after which a client keeps its unsent changes. */
const endings: Partial<Record<ErrorCode, number>> = { content_too_large: closeCodes.tooBig, quota_exceeded: closeCodes.full }

/** The next steps for clients, by close code. Each is appended to the error message in a close frame's reason (at most 123 bytes). */
const nextSteps: Partial<Record<number, string>> = { [closeCodes.full]: ' Make room, then connect again.' }

/** Closes the socket that sent a refused update. The close code tells the client the next step. Returns the text to log. */
export const refuseUpdate = (entry: LoadedDocument | undefined, peer: Peer, error: unknown): string => {
  if (error instanceof UpdateRefused) {
    const honest = error.reason === 'gap' || error.reason === 'client_id'
    // The client that owns the id may be gone without having closed its socket.
    if (error.client !== undefined) entry?.owners.get(error.client)?.probe()
    peer.close(honest ? closeCodes.syncAgain : closeCodes.badMessage, error.message)
    return `${error.reason}: ${error.message}`
  }
  const code = error instanceof ServiceError ? endings[error.code] : undefined
  const said = code === undefined || !(error instanceof Error) ? 'sync again' : `${error.message}${nextSteps[code] ?? ''}`
  peer.close(code ?? closeCodes.syncAgain, said)
  return error instanceof Error ? error.message : String(error)
}

/** Returns the device whose number must be found before a connection's presence is shown; undefined if there is none. */
const deviceWithoutNumber = (connection: Connection, states: ReadonlyMap<number, unknown>): string | undefined => {
  const { caller, deviceNumber } = connection.context as Context
  if (deviceNumber !== undefined) return undefined
  for (const state of states.values()) {
    const device = unnamedDevice(state, caller)
    if (device !== undefined) return device
  }
  return undefined
}

/** Finds the number of a guest without a name, before anything is stored under it. If the store fails, the next presence tries again. */
export const findNumber = async (
  { id }: LoadedDocument,
  service: Pick<Service, 'storage' | 'ledger'>,
  connection: Connection,
  states: ReadonlyMap<number, unknown>
): Promise<void> => {
  const device = deviceWithoutNumber(connection, states)
  const number = device === undefined ? undefined : await guestNumberOf(service, id, device).catch(() => undefined)
  if (number !== undefined) (connection.context as Context).deviceNumber = number
}

/** Reduces a message's states to one presence, with an id of this connection, in the form that the server shows. Changes `states` in place. */
export const takePresence = (
  entry: LoadedDocument,
  connection: Connection,
  states: Map<number, Record<string, unknown>>,
  caller: Caller
): void => {
  const peer = peerOf(connection)
  // Presence from a socket that is closing is not logged, because nobody sees it.
  if (!peer.isOpen) return states.clear()
  const own = [...states.keys()].findLast((client) => !shownByOther(entry, client, peer))
  for (const [client, state] of states) {
    if (client !== own) {
      states.delete(client)
      continue
    }
    const presented = presentState(state, caller, entry.id, entry.disguise, (connection.context as Context).deviceNumber)
    const { name, person, number } = presented.user
    const hue = presentHue(entry.document.awareness.states, client, presented.user)
    states.set(client, { ...presented, user: { ...presented.user, hue } })
    const context = connection.context as Context
    // A guest without a name writes under the number that everybody sees.
    if (number !== undefined) context.guestName = `${guestWithoutName} ${number}`
    else if (name !== guestWithoutName) context.guestName = name
    entry.agents.arrived(caller, context.guestName ?? name)
    if (person === undefined || (person === context.person && number === context.number && hue === context.hue)) continue
    context.person = person
    context.number = number
    context.hue = hue
    connection.sendStateless(JSON.stringify({ type: 'you', person, hue, ...(number !== undefined && { number }) } satisfies LiveMessage))
  }
  if (own === undefined) return
  presencesOf(entry).set(own, peer)
  if (!connection.readOnly) {
    entry.owners.set(own, peer)
    homesOf(entry).set(peer, own)
  }
  const former = shownIdsOf(entry).get(peer)
  shownIdsOf(entry).set(peer, own)
  if (former === undefined || former === own) return
  if (presencesOf(entry).get(former) === peer) removeAwarenessStates(entry.document.awareness, [former], null)
  giveUp(entry, former, peer)
}

/**
 * Shows a connection's presence. Hocuspocus would do the same in many more steps. Returns false if the guest's number must be found first, so that
 * Hocuspocus must take the message. Throws if the message cannot be decoded.
 */
export const showPresence = (entry: LoadedDocument, connection: Connection, message: Uint8Array): boolean => {
  const { states, clocks } = readStates(message)
  if (deviceWithoutNumber(connection, states) !== undefined) return false
  takePresence(entry, connection, states, (connection.context as Context).caller)
  for (const [client, state] of states)
    applyAwarenessUpdate(entry.document.awareness, stateMessage(client, clocks.get(client) ?? 0, state), {
      source: 'connection',
      connection
    })
  return true
}

/** Frees an id that a connection used only for presence. Otherwise, a client that changes its id with every message would fill the memory. */
const giveUp = (entry: LoadedDocument, client: number, peer: Peer): void => {
  if (presencesOf(entry).get(client) === peer) presencesOf(entry).delete(client)
  if (entry.owners.get(client) === peer && Y.getState(entry.openDoc.ydoc.store, client) === 0) entry.owners.delete(client)
}

/** Applies the removals in a presence message (awareness.ts explains why). Throws if the message cannot be decoded. */
export const takeRemovals = (entry: LoadedDocument, peer: Peer, message: Uint8Array): void => {
  const removed = removedClients(message)
  const own = removed.filter((client) => presencesOf(entry).get(client) === peer)
  if (own.length > 0) removeAwarenessStates(entry.document.awareness, own, null)
}

/**
 * Removes the presence of a connection that the server is closing, because its page may respond late or never. The ids are forgotten too, because the
 * page may return with the same id before this connection is gone.
 */
export const hidePresence = (entry: LoadedDocument, connection: Connection, peer: Peer): void => {
  const clients = entry.document.getClients(connection) as Set<number>
  clients.clear()
  hide(entry, peer)
}

const hide = (entry: LoadedDocument, peer: Peer): void => {
  const own = shownIdsOf(entry).get(peer)
  shownIdsOf(entry).delete(peer)
  if (own === undefined || presencesOf(entry).get(own) !== peer) return
  removeAwarenessStates(entry.document.awareness, [own], null)
  presencesOf(entry).delete(own)
}

/** Removes the presence of a connection that ended, and frees its client ids. */
export const freeClients = (entry: LoadedDocument, peer: Peer): void => {
  hide(entry, peer)
  homesOf(entry).delete(peer)
  for (const ids of [entry.owners, presencesOf(entry)]) for (const [client, owner] of ids) if (owner === peer) ids.delete(client)
}
