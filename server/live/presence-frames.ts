/**
 * Sends the presence of one document. One frame contains all cursors that moved. Frames are sent at most ten times a second, or four times in a
 * crowd. Hocuspocus would send a frame in each turn of the event loop. For hooks that nobody uses, it would also list all states with each message.
 */
import { type Connection, type Document, isTransactionOrigin } from '@hocuspocus/server'
import * as encoding from 'lib0/encoding'
import { encodeAwarenessUpdate } from 'y-protocols/awareness'
import { limits } from '../../shared/limits.ts'
import { messageTypes } from '../../shared/live-protocol.ts'
import { liveFrame } from './frame.ts'

export interface PresenceFrames {
  /** Removes the listener that Hocuspocus adds once a document is loaded. */
  takeOver(): void
  stop(): void
}

interface Moved {
  readonly added: number[]
  readonly updated: number[]
  readonly removed: number[]
}

/** Returns a frame with an awareness update (y-protocols). */
export const presenceFrame = (address: string, update: Uint8Array): Uint8Array =>
  liveFrame(address, messageTypes.awareness, (frame) => encoding.writeVarUint8Array(frame, update))

/**
 * Creates the sender of a document's presence. `settle` applies the waiting edits, because a cursor must not arrive before the text to which it
 * points.
 */
export const createPresenceFrames = (document: Document, settle: () => void): PresenceFrames => {
  const { awareness } = document
  const moved = new Set<number>()
  let cancel: (() => void) | undefined
  let sentAt = Number.NEGATIVE_INFINITY

  /** Sends a frame to a few sockets in each turn of the event loop. Otherwise, edits would wait until an entire crowd has the frame. */
  const sendTo = (connections: readonly Connection[], update: Uint8Array, frame: Uint8Array): void => {
    for (const connection of connections.slice(0, limits.presenceFrameSockets))
      connection.send(connection.messageAddress === document.name ? frame : presenceFrame(connection.messageAddress, update))
    const rest = connections.slice(limits.presenceFrameSockets)
    if (rest.length > 0) setImmediate(() => sendTo(rest, update, frame))
  }

  const send = (): void => {
    cancel = undefined
    settle()
    sentAt = performance.now()
    const update = encodeAwarenessUpdate(awareness, [...moved])
    moved.clear()
    sendTo(document.getConnections(), update, presenceFrame(document.name, update))
  }

  const plan = (): void => {
    const least = document.getConnectionsCount() > limits.crowdMin ? limits.presenceFrameCrowdMs : limits.presenceFrameMs
    const wait = sentAt + least - performance.now()
    if (wait < 1) {
      const immediate = setImmediate(send)
      cancel = () => clearImmediate(immediate)
    } else {
      const timer = setTimeout(send, wait).unref()
      cancel = () => clearTimeout(timer)
    }
  }

  const onMoved = ({ added, updated, removed }: Moved, origin: unknown): void => {
    if (isTransactionOrigin(origin) && origin.source === 'connection' && document.hasConnection(origin.connection)) {
      // Hocuspocus removes these client ids when the connection closes.
      const clients = document.getClients(origin.connection) as Set<number>
      for (const client of added) clients.add(client)
      for (const client of removed) clients.delete(client)
    }
    for (const client of [...added, ...updated, ...removed]) moved.add(client)
    if (cancel === undefined && !document.isDestroyed) plan()
  }

  const observers = (awareness as unknown as { readonly _observers: Map<string, Set<unknown>> })._observers
  const takeOver = (): void => void observers.set('update', new Set([onMoved]))
  takeOver()

  return {
    takeOver,
    stop() {
      cancel?.()
      observers.delete('update')
    }
  }
}
