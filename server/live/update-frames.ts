/**
 * The outgoing updates of one document: one frame for each transaction, which is made once and is the same for everybody. Hocuspocus would hold the
 * updates until another turn of the event loop, and send an edit back to its author.
 */
import { type Connection, type Document, isTransactionOrigin } from '@hocuspocus/server'
import * as encoding from 'lib0/encoding'
import { messageTypes } from '../../shared/live-protocol.ts'

/** The origin of a transaction with edits of connections. `several`: the edits come from more than this connection. */
export interface EditsOrigin {
  readonly source: 'connection'
  readonly connection: Connection
  readonly several: boolean
}

/** Second number of a sync message with an update (y-protocols). */
const updateStep = 2

const frameOf = (address: string, update: Uint8Array): Uint8Array => {
  const encoder = encoding.createEncoder()
  encoding.writeVarString(encoder, address)
  encoding.writeVarUint(encoder, messageTypes.sync)
  encoding.writeVarUint(encoder, updateStep)
  encoding.writeVarUint8Array(encoder, update)
  return encoding.toUint8Array(encoder)
}

/** Returns the only author of a transaction, who has the edit already. */
const authorOf = (origin: unknown): Connection | undefined =>
  isTransactionOrigin(origin) && origin.source === 'connection' && !(origin as Partial<EditsOrigin>).several ? origin.connection : undefined

/** Removes the update listener of Hocuspocus. Call this before others listen. */
export const takeOverUpdates = (document: Document): void => {
  const observers = (document as unknown as { readonly _observers: Map<string, unknown> })._observers
  observers.delete('update')
}

/** Begins to send updates. Call this after the journal listens, because a frame waits until its updates are journaled. */
export const sendUpdates = (document: Document): void => {
  document.on('update', (update: Uint8Array, origin: unknown) => {
    const author = authorOf(origin)
    const frame = frameOf(document.name, update)
    for (const connection of document.getConnections())
      if (connection !== author)
        connection.send(connection.messageAddress === document.name ? frame : frameOf(connection.messageAddress, update))
  })
}
