/**
 * Handles the edits of one document that arrive in the same turn of the event loop as one piece of work. Each edit is checked. Then all of them are
 * applied in one transaction, journaled in one record with their authors, and sent as one frame. They are acknowledged together once they are on
 * disk. Hocuspocus would run its chains of hooks for each edit. In a crowd, the edits that arrive within a few milliseconds are handled together. A
 * single writer's edits never wait.
 *
 * Only edits that can be accepted without other steps are handled here. All other edits (those that are refused, wipe the text, or overlap
 * existing structs) go to Hocuspocus. Everything that the same connection sent after such an edit goes there too.
 */
import * as encoding from 'lib0/encoding'
import { limits } from '../../shared/limits.ts'
import { messageTypes } from '../../shared/live-protocol.ts'
import type { Service } from '../domain/service.ts'
import type { OpenDocument } from '../domain/text/open-document.ts'
import { actorOfConnection, type Context, type LoadedDocument, type TurnEdits, type WaitingEdit } from './documents.ts'
import type { Peer } from './durable-acks.ts'
import { liveFrame } from './frame.ts'
import { noteUpdate, plainUpdate } from './incoming.ts'
import type { Rounds } from './rounds.ts'
import type { EditsOrigin } from './update-frames.ts'

/** `SyncStatus(true)`, the acknowledgement of one update. */
const acknowledgement = (address: string): Uint8Array =>
  liveFrame(address, messageTypes.syncStatus, (frame) => encoding.writeVarUint(frame, 1))

interface TurnEditsOptions {
  readonly id: string
  /** Returns the document, which may have left memory. */
  readonly entry: () => LoadedDocument | undefined
  readonly service: () => Pick<Service, 'quotas'>
  readonly rounds: Rounds
}

export const createTurnEdits = ({ id, entry, service, rounds }: TurnEditsOptions): TurnEdits => {
  let waiting: WaitingEdit[] = []
  let cancel: (() => void) | undefined
  /** The time of the last batch in milliseconds, and its writer if only one person wrote. */
  let last: { at: number; writer: Peer | undefined } = { at: Number.NEGATIVE_INFINITY, writer: undefined }
  /** All connections without a session name get the same bytes, so these are framed only once. */
  let usual: Uint8Array | undefined

  const acknowledge = (openDoc: OpenDocument, { peer, connection: { messageAddress, document } }: WaitingEdit): void => {
    const frame = messageAddress === document.name ? (usual ??= acknowledgement(messageAddress)) : acknowledgement(messageAddress)
    peer.sendAbout(openDoc, frame)
  }

  /** Applies and acknowledges the edits that can be handled here. Returns the remaining edits, which go to Hocuspocus. */
  const take = (found: LoadedDocument, first: WaitingEdit, batch: readonly WaitingEdit[]): WaitingEdit[] => {
    const taken: WaitingEdit[] = []
    const passed = new Set<Peer>()
    const left: WaitingEdit[] = []
    const origin: EditsOrigin = { source: 'connection', connection: first.connection, several: last.writer === undefined }
    found.openDoc.takeTogether(origin, (apply) => {
      for (const each of batch) {
        const plain = passed.has(each.peer) ? undefined : plainUpdate(found, service(), each.update, each.connection)
        if (plain === undefined) {
          passed.add(each.peer)
          left.push(each)
          continue
        }
        apply(each.update, actorOfConnection(each.connection.context as Context), plain.inserted, plain.spans.length > 0)
        noteUpdate(found, plain, each.peer)
        taken.push(each)
      }
    })
    for (const each of left) each.pass()
    return taken
  }

  const flush = (): void => {
    cancel?.()
    cancel = undefined
    const batch = waiting
    const [first] = batch
    if (first === undefined) return
    waiting = []
    last = { at: performance.now(), writer: batch.every(({ peer }) => peer === first.peer) ? first.peer : undefined }
    const found = entry()
    // Edits to a dropped document are not acknowledged. The client sends them again.
    if (found === undefined) return
    for (const each of take(found, first, batch)) acknowledge(found.openDoc, each)
  }

  /** Returns how long edits wait for other edits, in milliseconds. A single writer's edits, and edits after a pause, do not wait. */
  const delay = (): number => {
    const people = entry()?.document.getConnectionsCount() ?? 0
    if (people < limits.crowdMin || waiting.every(({ peer }) => peer === last.writer)) return 0
    const wait = Math.min(limits.crowdWaitMsMax, people / limits.crowdPerMs)
    return Math.max(0, last.at + wait - performance.now())
  }

  const plan = (): void => {
    const wait = delay()
    if (wait < 1) cancel = rounds.enter(id, flush)
    else {
      const timer = setTimeout(flush, wait)
      cancel = () => clearTimeout(timer)
    }
  }

  return {
    add(each) {
      waiting.push(each)
      if (waiting.length >= limits.editsTogetherMax) flush()
      else if (cancel === undefined) plan()
    },
    flush,
    stop() {
      cancel?.()
      waiting = []
    }
  }
}
