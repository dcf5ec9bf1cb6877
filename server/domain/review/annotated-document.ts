/**
 * Keeps a document open together with its annotations. The annotations are read from the store at first use, and again after another node has changed
 * them.
 */
import type { DocumentHandle } from '../live.ts'
import type { Transaction } from '../records/transaction.ts'
import type { Service } from '../service.ts'
import type { OpenDocument } from '../text/open-document.ts'
import { keysOfMoved, type Moved, putMoved, readAll, type Written } from './annotation-records.ts'
import { type Annotations, createAnnotations } from './annotations.ts'

/** An open document, together with its annotations. */
export interface AnnotatedDocument extends DocumentHandle {
  readonly service: Service
  readonly doc: string
  readonly annotations: Annotations
}

const loaded = new WeakMap<OpenDocument, Promise<Annotations>>()

/** The annotations that are being read again, by document. */
const reading = new WeakMap<OpenDocument, Promise<Annotations>>()

/** Reads the annotations again, because other nodes have changed some of them. */
const readAgain = async (service: Service, handle: DocumentHandle, annotations: Annotations): Promise<Annotations> => {
  const { openDoc } = handle
  while (annotations.annotated < (openDoc.head.annotated ?? 0)) {
    const { annotated = 0 } = openDoc.head
    const found = await readAll(service, openDoc.id)
    // This node may have since written an annotation. To do so, it took the turn and read the annotations of other nodes first.
    if (annotations.annotated >= annotated) break
    const changed = annotations.replaceAll(...found)
    annotations.annotated = annotated
    onReplaced.get(openDoc)?.({ ...handle, service, doc: openDoc.id, annotations }, changed)
  }
  return annotations
}

const onReplaced = new WeakMap<OpenDocument, (opened: AnnotatedDocument, changed: readonly Written[]) => void>()

/** Calls `tell` with the annotations of an open document that other nodes have changed, once they have been read again. */
export const tellReplaced = (openDoc: OpenDocument, tell: (opened: AnnotatedDocument, changed: readonly Written[]) => void): void =>
  void onReplaced.set(openDoc, tell)

/**
 * Returns an open document's annotations. They are read from the store on first use, and again after another node has changed them. Throws
 * `storage_*`.
 */
export const annotationsOf = (service: Service, handle: DocumentHandle): Promise<Annotations> => {
  const { openDoc } = handle
  const known = loaded.get(openDoc)
  if (known === undefined) return loadAnnotations(service, openDoc)
  if (service.turns === null) return known
  return known.then((annotations) => {
    if (annotations.annotated >= (openDoc.head.annotated ?? 0)) return annotations
    const again = reading.get(openDoc) ?? readAgain(service, handle, annotations).finally(() => reading.delete(openDoc))
    reading.set(openDoc, again)
    return again
  })
}

/** Reads an open document's annotations again if they are in memory, because an operator has changed their records. */
export const rereadAnnotations = async (service: Service, handle: DocumentHandle): Promise<void> => {
  const known = loaded.get(handle.openDoc)
  if (known !== undefined) await readAgain(service, handle, await known)
}

/** Whether the annotations of an open document have been read. */
export const hasAnnotations = (openDoc: OpenDocument): boolean => loaded.has(openDoc)

const loadAnnotations = (service: Service, openDoc: OpenDocument): Promise<Annotations> => {
  const { ledger, turns } = service
  const { annotated = 0 } = openDoc.head
  const first = readAll(service, openDoc.id).then(([comments, suggestions]) => {
    const keepMoved = (moved: readonly Moved[]): void => {
      const change = (tx: Transaction): Written[] => {
        openDoc.journalInto(tx)
        return putMoved(tx, moved)
      }
      const kept = (written: readonly Written[]): void => {
        annotations.annotated += written.length
        for (const { kind, record, bytes } of written) if (record !== undefined) annotations.keep(kind, record, bytes)
      }
      // If this node does not have the turn, another node may be writing these records. That node also moves the anchors.
      if (turns !== null && !turns.has(openDoc.id)) return
      // If this write fails, the moved anchors are found again the next time the document is read.
      ledger.write(openDoc.id, 'system', change, { reads: keysOfMoved(openDoc.id, moved) }).then(kept, () => undefined)
    }
    const annotations = createAnnotations(openDoc, comments, suggestions, keepMoved)
    annotations.annotated = annotated
    return annotations
  })
  loaded.set(openDoc, first)
  first.catch(() => loaded.delete(openDoc))
  return first
}

/** Keeps the document open while `read` runs, which must not change anything. Rejects if the document cannot be loaded. */
export const withAnnotationsRead = async <T>(
  service: Service,
  doc: string,
  read: (opened: AnnotatedDocument) => Promise<T>
): Promise<T> => {
  const opened = await service.live.open(doc)
  try {
    return await read({ ...opened, service, doc, annotations: await annotationsOf(service, opened) })
  } finally {
    opened.release()
  }
}

/**
 * Keeps the document open while `work` runs, with the turn to write its text if other nodes could write it too. Rejects if the document cannot be
 * loaded. Do not call it inside another call: a node that is asked for its turn begins no other work.
 */
export const withAnnotations = async <T>(service: Service, doc: string, work: (opened: AnnotatedDocument) => Promise<T>): Promise<T> => {
  const { turns } = service
  if (turns === null) return withAnnotationsRead(service, doc, work)
  const opened = await service.live.open(doc)
  try {
    return await turns.run(doc, async () => {
      // Another node may have ended the caller's access just before it gave the turn back.
      await service.storage.nodes?.heard()
      await opened.follower.refresh()
      return work({ ...opened, service, doc, annotations: await annotationsOf(service, opened) })
    })
  } finally {
    opened.release()
  }
}

/**
 * Waits until no decision on the suggestion and no change to it is in progress, then runs `work`. Decisions and changes that come later wait for
 * `work`.
 */
export const alone = async <T>({ annotations: { deciding } }: AnnotatedDocument, id: string, work: () => Promise<T>): Promise<T> => {
  for (let other = deciding.get(id); other !== undefined; other = deciding.get(id)) await Promise.allSettled([other])
  const working = work()
  deciding.set(id, working)
  try {
    return await working
  } finally {
    if (deciding.get(id) === working) deciding.delete(id)
  }
}
