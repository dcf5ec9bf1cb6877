/**
 * The updates of one document as they are sent: one frame for each transaction, made once and the same for everybody. Hocuspocus would gather them
 * for another turn of the event loop, and send an edit back to its author.
 */
import { type Connection, type Document, isTransactionOrigin } from '@hocuspocus/server'
import * as encoding from 'lib0/encoding'
import { messageTypes } from '../../shared/live-protocol.ts'

/** The origin of a transaction with edits of connections; `several`: they are not all of this one. */
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

/** The only author of a transaction, who has it already. */
const authorOf = (origin: unknown): Connection | undefined =>
  isTransactionOrigin(origin) && origin.source === 'connection' && !(origin as Partial<EditsOrigin>).several ? origin.connection : undefined

/** Removes the update listener of Hocuspocus. Call this before others listen. */
export const takeOverUpdates = (document: Document): void => {
  const observers = (document as unknown as { readonly _observers: Map<string, unknown> })._observers
  observers.delete('update')
}

/** Sends updates from now on. Call this once the journal listens: a frame waits for what it counted. */
export const sendUpdates = (document: Document): void => {
  document.on('update', (update: Uint8Array, origin: unknown) => {
    const author = authorOf(origin)
    const frame = frameOf(document.name, update)
    for (const connection of document.getConnections())
      if (connection !== author)
        connection.send(connection.messageAddress === document.name ? frame : frameOf(connection.messageAddress, update))
  })
}
