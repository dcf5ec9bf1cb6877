/**
 * Several nodes on one store: an open document follows the others.
 *
 * The journal is the truth. A commit notice from another node names the document's head, and only wakes this node up. This node then reads the
 * updates, events and annotations that it lacks. Presence is not stored. It travels in messages (node-presence.ts).
 */
import { limits } from '../../shared/limits.ts'
import { reasonOfEnd } from '../domain/documents/deleted.ts'
import { announceWritten, isAnnounced } from '../domain/review/annotations-shown.ts'
import { annotationsOf, hasAnnotations, tellReplaced } from '../domain/review/annotated-document.ts'
import type { AnnotationKind } from '../domain/review/annotation-records.ts'
import { announceStoredTask } from '../domain/review/tasks.ts'
import { decodeRecord, type Head, keys, type Owner, type StoredEvent } from '../domain/records/keys.ts'
import type { Nodes, Storage } from '../domain/ports.ts'
import type { Service } from '../domain/service.ts'
import type { DocumentNodes, LiveLog, LoadedDocument } from './documents.ts'
import { createNodePresence } from './node-presence.ts'

type Followed = Omit<LoadedDocument, 'nodes'>

export interface OtherNodes {
  /** Starts following the other nodes in a document that has just been loaded. */
  follow(entry: Followed): DocumentNodes
  stop(): void
}

interface OtherNodesOptions {
  readonly service: () => Service
  readonly nodes: Nodes
  readonly find: (doc: string) => LoadedDocument | undefined
  readonly announceEvent: (doc: string, event: StoredEvent) => void
  /** Called when another node has deleted a document, or an operator has taken it down there. */
  readonly onDeleted: (doc: string, reason: 'document_deleted' | 'taken_down') => void
  /** Called when another node has given a document to another owner. */
  readonly onOwner: (doc: string) => void
  readonly log: LiveLog
}

/** Announces the events of one document to its pages on this node, each once and in order, no matter which node wrote them. */
const createReports = (
  storage: Storage,
  doc: string,
  from: number,
  tell: (event: StoredEvent, isForeign: boolean) => void,
  onProblem: (error: unknown) => void
) => {
  let reported = from
  let wanted = from
  let reading: Promise<void> | undefined
  const own = new Set<number>()

  const read = async (): Promise<void> => {
    while (reported < wanted) {
      const entries = await storage.list(keys.events(doc), { after: reported, limit: limits.eventPageMax })
      // The document was erased.
      if (entries.length === 0) reported = wanted
      for (const { value } of entries) {
        const event = decodeRecord<StoredEvent>(value)
        reported = event.seq
        tell(event, !own.delete(event.seq))
      }
    }
  }

  const upTo = (seq: number): void => {
    if (seq <= reported) return
    wanted = Math.max(wanted, seq)
    reading ??= read()
      .catch(onProblem)
      .finally(() => (reading = undefined))
  }

  return {
    own(event: StoredEvent): void {
      if (event.seq <= reported) return
      if (reading === undefined && event.seq === reported + 1) {
        reported = event.seq
        tell(event, false)
        return
      }
      own.add(event.seq)
      upTo(event.seq)
    },
    upTo
  }
}

export const createNodes = ({ service, nodes, find, announceEvent, onDeleted, onOwner, log }: OtherNodesOptions): OtherNodes => {
  const presence = createNodePresence({ clock: () => service().clock, nodes, find })

  const follow = (entry: Followed): DocumentNodes => {
    const { id, openDoc, follower, document } = entry
    const { storage, ledger, turns } = service()
    const onProblem = (error: unknown): void => log('warn', 'following other nodes failed', { doc: id, error })
    const held = { openDoc, follower, release: () => undefined }

    /** The reads of assignments. They run one after another, so that no state arrives after a later one. */
    let readingTasks = Promise.resolve()
    const tell = (event: StoredEvent, isForeign: boolean): void => {
      announceEvent(id, event)
      const { taskId } = event.payload as { readonly taskId?: string }
      if (!isForeign || !event.kind.startsWith('task.') || taskId === undefined) return
      readingTasks = readingTasks.then(() => announceStoredTask(service(), id, taskId)).catch(onProblem)
    }
    const reports = createReports(storage, id, openDoc.head.event, tell, onProblem)

    const nameOf = ({ kind, id: who }: Owner): string => `${kind} ${who}`
    let owner = nameOf(openDoc.head.owner)
    let { annotated } = openDoc.head
    tellReplaced(openDoc, announceWritten)
    /** The number of commits with annotations for which `announceTouched` is about to run. */
    let announcing = 0
    const noteAnnotations = (head: Head): void => {
      if (head.annotated === annotated) return
      annotated = head.annotated
      if (document.getConnectionsCount() === 0) return
      if (hasAnnotations(openDoc)) annotationsOf(service(), held).catch(onProblem)
      else if (announcing === 0) service().live.announce(id, { type: 'annotations' })
    }
    /**
     * Announces annotations that another node has written, unless this has been done. Annotations in memory are announced when they are read again.
     * They may also have been read for the first time after the other node's commit, but before this node knew of it.
     */
    const announceTouched = async (touched: ReadonlyMap<string, AnnotationKind>): Promise<void> => {
      if (document.getConnectionsCount() === 0) return
      const annotations = await annotationsOf(service(), held)
      const opened = { ...held, service: service(), doc: id, annotations }
      const written = [...touched].map(([annotation, kind]) => {
        const record = annotations[kind].get(annotation)
        return { kind, id: annotation, record, bytes: annotations.bytesOf(annotation) }
      })
      announceWritten(
        opened,
        written.filter((each) => !isAnnounced(opened, each))
      )
    }

    const look = async (): Promise<void> => {
      if (openDoc.failed) return
      const looking = ledger.look(id)
      openDoc.expect(looking)
      await looking
    }
    const stopForeign = openDoc.onForeign((head) => {
      turns?.note(id, head)
      if (head.deletedAt !== null) return onDeleted(id, reasonOfEnd(head))
      if (nameOf(head.owner) !== owner) onOwner(id)
      owner = nameOf(head.owner)
      reports.upTo(head.event)
      return noteAnnotations(head)
    })
    const followTouched = async (touched: ReadonlyMap<string, AnnotationKind>): Promise<void> => {
      announcing += 1
      await look().finally(() => (announcing -= 1))
      await announceTouched(touched)
    }
    const stopWatch = storage.watch(keys.head(id), (written, isForeign) => {
      if (!isForeign) return
      const touched = new Map<string, AnnotationKind>()
      for (const [, , kind, annotation] of written) if (kind === 'comment' || kind === 'suggestion') touched.set(String(annotation), kind)
      if (touched.size > 0) followTouched(touched).catch(onProblem)
      else if (written.length === 0 || written.some(({ length }) => length === 2)) look().catch(onProblem)
    })
    const exchange = presence.follow(entry)
    // Another node may have written since the journal was read.
    look().catch(onProblem)

    return {
      ...exchange,
      event: reports.own,
      stop() {
        stopForeign()
        stopWatch()
        exchange.stop()
      }
    }
  }

  return { follow, stop: presence.stop }
}
