/**
 * Sends the updates of one document. Each transaction becomes one frame, which is created once and is the same for everyone. Hocuspocus would hold
 * the updates until another turn of the event loop, and would send an edit back to its author.
 */
import { type Connection, type Document, isTransactionOrigin } from '@hocuspocus/server'
import * as encoding from 'lib0/encoding'
import { messageTypes } from '../../shared/live-protocol.ts'
import type { OpenDocument } from '../domain/text/open-document.ts'
import type { Peer } from './durable-acks.ts'
import { liveFrame } from './frame.ts'

/** The origin of a transaction with edits from connections. `several` is true if other connections also contributed edits. */
export interface EditsOrigin {
  readonly source: 'connection'
  readonly connection: Connection
  readonly several: boolean
}

/** The second number of a sync message that contains an update (y-protocols). */
const updateStep = 2

const frameOf = (address: string, update: Uint8Array): Uint8Array =>
  liveFrame(address, messageTypes.sync, (frame) => {
    encoding.writeVarUint(frame, updateStep)
    encoding.writeVarUint8Array(frame, update)
  })

/** Returns a transaction's author if it has only one. That author already has the edit. */
const authorOf = (origin: unknown): Connection | undefined =>
  isTransactionOrigin(origin) && origin.source === 'connection' && !(origin as Partial<EditsOrigin>).several ? origin.connection : undefined

/** Removes the update listener of Hocuspocus. Call this before other listeners are added. */
export const takeOverUpdates = (document: Document): void => {
  const observers = (document as unknown as { readonly _observers: Map<string, unknown> })._observers
  observers.delete('update')
}

/** Starts sending updates. Call this after the journal has started to listen, because a frame waits until its updates are journaled. */
export const sendUpdates = (document: Document, openDoc: OpenDocument): void => {
  document.on('update', (update: Uint8Array, origin: unknown) => {
    const author = authorOf(origin)
    const frame = frameOf(document.name, update)
    for (const connection of document.getConnections()) {
      if (connection === author) continue
      const own = connection.messageAddress === document.name ? frame : frameOf(connection.messageAddress, update)
      const { peer } = connection.context as { readonly peer: Peer }
      // Hocuspocus removes a connection whose socket is closing.
      if (peer.isOpen) peer.sendAbout(openDoc, own)
      else connection.send(own)
    }
  })
}
