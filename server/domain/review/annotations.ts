/**
 * The comments and suggestions of an open document, in memory. Both are called "annotations".
 *
 * This folder contains the code for reviewing a text: comments, suggestions, and the assignments that ask for a review.
 *
 * Records match the disk. Pins match the text in memory, which may be ahead of the disk: a replacement also moves the pin of an annotation that is
 * still being written. Pins are located once for each version of the text.
 */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import { contextOf, type Lines, linesOf, type Range } from '../../../shared/text/targets.ts'
import type { Edit } from '../../../shared/text/diff.ts'
import { locatePins, type Pin, pinsAfter, pinsReturned } from '../../../shared/text/anchors.ts'
import type { Snapshot } from '../text/journal.ts'
import { type Comment, decodeRecord, encodeRecord, keys, type Suggestion } from '../records/keys.ts'
import type { Draft } from '../records/draft.ts'
import type { HeldDocument } from '../live.ts'
import type { Entry, Key, Storage } from '../ports.ts'
import type { OpenDocument } from '../text/open-document.ts'
import type { Service } from '../service.ts'

interface Kinds {
  readonly comment: Comment
  readonly suggestion: Suggestion
}

export type AnnotationKind = keyof Kinds

interface Pinned {
  readonly kind: AnnotationKind
  readonly pin: Pin
}

/** The effect of a text change on a pin. */
export interface Moved extends Pinned {
  readonly id: string
}

export interface Annotations {
  readonly comment: ReadonlyMap<string, Comment>
  readonly suggestion: ReadonlyMap<string, Suggestion>
  /** Returns the current range of an annotation's text; undefined if the annotation has no text, or the text is gone. */
  rangeOf(id: string): Range | undefined
  /** The line index of the current text. */
  readonly lines: Lines
  /**
   * Ties a new annotation to its text, which is currently at `range`. Call it before the annotation is written. Throws `invalid_request` if there
   * are too many annotations.
   */
  tie(kind: AnnotationKind, id: string, pin: Pin | null, range: Range | undefined): void
  /** Ties an existing annotation to different text, which is currently at `range`. Returns a function that undoes the change. */
  retie(kind: AnnotationKind, id: string, pin: Pin, range: Range | undefined): () => void
  /** Returns the size of a record in bytes. */
  bytesOf(id: string): number
  /** Checks that a record may grow to its new size. Throws `invalid_request`. */
  requireRoom(written: Pick<Written, 'id' | 'bytes'>): void
  /** Removes the position of an annotation that could not be written, or that no longer needs a position. */
  untie(id: string): void
  /** Stores in memory a record that was written to disk. `bytes` is its size. */
  keep<K extends AnnotationKind>(kind: K, record: Kinds[K], bytes: number): void
  forget(kind: AnnotationKind, id: string): void
  /** Applies edits to the text and moves the pins with it. `isCompared` is true if the edits are the difference between two texts. Synchronous. */
  apply(edits: readonly Edit[], actor: string, isCompared: boolean): { after: Snapshot; moved: readonly Moved[] }
  /** The work on suggestions that are currently being decided or changed, by suggestion id. */
  readonly deciding: Map<string, Promise<unknown>>
  /** `Head.annotated` at the commit that these annotations match. Other nodes increase it. */
  annotated: number
  /** Replaces all records with those on disk, and returns the ones that differ from before. Call it only while no annotation is being written. */
  replaceAll(comments: readonly Entry[], suggestions: readonly Entry[]): Written[]
}

/** Returns all records of one kind, oldest first. */
const listAll = async (storage: Storage, prefix: Key): Promise<Entry[]> => {
  const entries: Entry[] = []
  for (;;) {
    const after = entries.at(-1)?.key.at(-1)
    const page = await storage.list(prefix, { limit: limits.listMax, ...(after === undefined ? {} : { after }) })
    entries.push(...page)
    if (page.length < limits.listMax) return entries
  }
}

const byNumber = (one: { readonly number: number }, other: { readonly number: number }): number => one.number - other.number

const tooLarge = 'The comments and suggestions of this document are larger than allowed.'

const tooMany = (message: string): ServiceError => new ServiceError('invalid_request', { message })

/** The ranges of all pins in one version of the text. */
interface Located {
  readonly seq: number
  readonly content: string
  readonly ranges: Map<string, Range | undefined>
  /** Computed when first used. */
  lines?: Lines
}

const zipped = <T>(ids: readonly string[], values: readonly T[]): [string, T][] => ids.map((id, index) => [id, values[index] as T])

/** Creates the annotations of a document. `keepMoved` writes the pins that were found again to disk. */
const createAnnotations = (
  openDoc: OpenDocument,
  comments: readonly Entry[],
  suggestions: readonly Entry[],
  keepMoved: (moved: readonly Moved[]) => void
): Annotations => {
  const records: { readonly [K in AnnotationKind]: Map<string, Kinds[K]> } = { comment: new Map(), suggestion: new Map() }
  const sizes = new Map<string, number>()
  const pinned = new Map<string, Pinned>()
  /** The number of annotations that are currently being written. */
  let coming = 0
  let bytes = 0
  let located: Located | undefined
  /** The last text of each annotation whose text was deleted or changed by typing, and the context of that text at that time. */
  const lastSeen = new Map<string, Pick<Pin, 'quote' | 'prefix' | 'suffix'>>()

  const noteBytes = (id: string, size: number): void => {
    bytes += size - (sizes.get(id) ?? 0)
    if (size === 0) sizes.delete(id)
    else sizes.set(id, size)
  }

  const load = <K extends AnnotationKind>(kind: K, entries: readonly Entry[]): void => {
    const found = entries.map(({ value }) => decodeRecord<Kinds[K]>(value))
    for (const [index, { value }] of entries.entries()) noteBytes(found[index]?.id ?? '', value.length)
    for (const record of found.toSorted(byNumber)) {
      records[kind].set(record.id, record)
      if (record.pin !== null) pinned.set(record.id, { kind, pin: record.pin })
    }
  }
  load('comment', comments)
  load('suggestion', suggestions)

  /** Replaces the records of one kind. Records that did not change keep their pins, which may have been found again. */
  const replace = <K extends AnnotationKind>(kind: K, entries: readonly Entry[]): Written[] => {
    const before = records[kind]
    const found = new Map(entries.map((entry) => [String(entry.key.at(-1)), entry.value]))
    const isSame = (id: string, record: Kinds[K]): boolean => {
      const value = found.get(id)
      return value !== undefined && Buffer.compare(value, encodeRecord(record)) === 0
    }
    const gone = [...before.keys()].filter((id) => !found.has(id))
    for (const id of gone) {
      before.delete(id)
      noteBytes(id, 0)
      for (const map of [pinned, lastSeen]) map.delete(id)
    }
    const changed = entries.filter((entry) => {
      const record = before.get(String(entry.key.at(-1)))
      return record === undefined || !isSame(record.id, record)
    })
    for (const entry of changed) for (const map of [pinned, lastSeen]) map.delete(String(entry.key.at(-1)))
    load(kind, changed)
    const sorted = [...before.values()].toSorted(byNumber)
    before.clear()
    for (const record of sorted) before.set(record.id, record)
    const now = changed.map(({ key, value }) => {
      const id = String(key.at(-1))
      return { kind, id, record: before.get(id), bytes: value.length }
    })
    return [...gone.map((id) => ({ kind, id, record: undefined, bytes: 0 })), ...now]
  }

  const locate = (): Located => {
    if (located?.seq === openDoc.seq) return located
    const { content } = openDoc.snapshot()
    const ids = [...pinned.keys()]
    const pins = ids.map((id) => (pinned.get(id) as Pinned).pin)
    const earlier = located
    located = { seq: openDoc.seq, content, ranges: new Map(zipped(ids, locatePins(openDoc.text, content, pins))) }
    if (earlier !== undefined) noteGone(earlier, located)
    const back = takeReturned(located, content)
    if (back.length > 0) keepMoved(back)
    return located
  }

  const movedTo = (id: string, pin: Pin): Moved => {
    const { kind } = pinned.get(id) as Pinned
    pinned.set(id, { kind, pin })
    return { id, kind, pin }
  }

  /** Remembers the last text and context of each annotation whose text was deleted or changed. */
  const noteGone = (then: Located, now: Located): void => {
    for (const [id, range] of now.ranges) {
      const was = then.ranges.get(id)
      if (was === undefined || lastSeen.has(id)) continue
      const quote = then.content.slice(was.from, was.to)
      const isWhole = range !== undefined && now.content.slice(range.from, range.to) === quote
      if (!isWhole) lastSeen.set(id, { quote, ...contextOf(then.content, was) })
    }
  }

  /** Ties annotations to their text again if the deleted text was inserted again as new characters. */
  const takeReturned = ({ ranges }: Located, content: string): Moved[] => {
    const ids = [...pinned.keys()]
    const pins = ids.map((id) => ({ ...(pinned.get(id) as Pinned).pin, ...lastSeen.get(id) }))
    const stood = ids.map((id) => ranges.get(id))
    return [...pinsReturned(openDoc.text, content, pins, stood)].map(([index, { pin, range }]) => {
      const id = ids[index] ?? ''
      lastSeen.delete(id)
      ranges.set(id, range)
      return movedTo(id, pin)
    })
  }

  return {
    ...records,
    rangeOf: (id) => locate().ranges.get(id),
    get lines() {
      return (locate().lines ??= linesOf(openDoc.snapshot().content))
    },
    tie(kind, id, pin, range) {
      if (records[kind].size + coming >= limits.annotationsMax)
        throw tooMany(`A document may have ${limits.annotationsMax} ${kind}s; delete those that are no longer needed.`)
      if (bytes >= limits.annotationsBytesMax) throw tooMany(tooLarge)
      coming++
      if (pin === null) return
      locate().ranges.set(id, range)
      pinned.set(id, { kind, pin })
    },
    retie(kind, id, pin, range) {
      const [before, stood] = [pinned.get(id), locate().ranges.get(id)]
      pinned.set(id, { kind, pin })
      lastSeen.delete(id)
      locate().ranges.set(id, range)
      return () => {
        if (before === undefined) return this.untie(id)
        pinned.set(id, before)
        located?.ranges.set(id, stood)
      }
    },
    bytesOf: (id) => sizes.get(id) ?? 0,
    requireRoom({ id, bytes: size }) {
      const growth = size - (sizes.get(id) ?? 0)
      if (growth > 0 && bytes + growth > limits.annotationsBytesMax) throw tooMany(tooLarge)
    },
    untie(id) {
      pinned.delete(id)
      lastSeen.delete(id)
      located?.ranges.delete(id)
    },
    keep(kind, record, size) {
      if (!records[kind].has(record.id)) coming--
      noteBytes(record.id, size)
      records[kind].set(record.id, record)
      if (record.pin === null) this.untie(record.id)
    },
    forget(kind, id) {
      this.untie(id)
      noteBytes(id, 0)
      if (!records[kind].delete(id)) coming--
    },
    apply(edits, actor, isCompared) {
      const { ranges } = locate()
      const before = openDoc.snapshot()
      const ids = [...pinned.keys()]
      const pins = ids.map((id) => (pinned.get(id) as Pinned).pin)
      const stood = ids.map((id) => ranges.get(id))
      const after = openDoc.apply(edits, actor, isCompared)
      const replacement = { before: before.content, after: after.content, edits, isCompared }
      const { changed, ranges: now } = pinsAfter(openDoc.text, pins, stood, replacement)
      located = { seq: openDoc.seq, content: after.content, ranges: new Map(zipped(ids, now)) }
      const moved = [...changed].map(([index, pin]) => movedTo(ids[index] ?? '', pin))
      const all = [...moved, ...takeReturned(located, after.content)]
      return { after, moved: [...new Map(all.map((each) => [each.id, each])).values()] }
    },
    deciding: new Map(),
    annotated: openDoc.head.annotated ?? 0,
    replaceAll(all, proposed) {
      located = undefined
      return [...replace('comment', all), ...replace('suggestion', proposed)]
    }
  }
}

const loaded = new WeakMap<OpenDocument, Promise<Annotations>>()

const readAll = ({ storage }: Service, doc: string): Promise<[Entry[], Entry[]]> =>
  Promise.all([listAll(storage, keys.comments(doc)), listAll(storage, keys.suggestions(doc))])

/** The annotations that are being read again, by document. */
const reading = new WeakMap<OpenDocument, Promise<Annotations>>()

/** Reads the annotations again, because other nodes have changed some. */
const readAgain = async (service: Service, held: HeldDocument, annotations: Annotations): Promise<Annotations> => {
  const { openDoc } = held
  while (annotations.annotated < (openDoc.head.annotated ?? 0)) {
    const { annotated = 0 } = openDoc.head
    const found = await readAll(service, openDoc.id)
    // This node may have written an annotation in the meantime. To do so, it took the turn and read the annotations of other nodes first.
    if (annotations.annotated >= annotated) break
    const changed = annotations.replaceAll(...found)
    annotations.annotated = annotated
    onReplaced.get(openDoc)?.({ ...held, service, doc: openDoc.id, annotations }, changed)
  }
  return annotations
}

const onReplaced = new WeakMap<OpenDocument, (opened: Opened, changed: readonly Written[]) => void>()

/** Calls `tell` with the annotations of an open document that other nodes have changed, once they have been read again. */
export const tellReplaced = (openDoc: OpenDocument, tell: (opened: Opened, changed: readonly Written[]) => void): void =>
  void onReplaced.set(openDoc, tell)

/**
 * Returns the annotations of an open document. They are read from the store on first use, and again after another node has changed them. Throws
 * `storage_*`.
 */
export const annotationsOf = (service: Service, held: HeldDocument): Promise<Annotations> => {
  const { openDoc } = held
  const known = loaded.get(openDoc)
  if (known === undefined) return loadAnnotations(service, openDoc)
  if (service.turns === null) return known
  return known.then((annotations) => {
    if (annotations.annotated >= (openDoc.head.annotated ?? 0)) return annotations
    const again = reading.get(openDoc) ?? readAgain(service, held, annotations).finally(() => reading.delete(openDoc))
    reading.set(openDoc, again)
    return again
  })
}

/** Reads the annotations of an open document again if they are in memory, because an operator has changed their records. */
export const rereadAnnotations = async (service: Service, held: HeldDocument): Promise<void> => {
  const known = loaded.get(held.openDoc)
  if (known !== undefined) await readAgain(service, held, await known)
}

/** Whether the annotations of an open document have been read. */
export const hasAnnotations = (openDoc: OpenDocument): boolean => loaded.has(openDoc)

const loadAnnotations = (service: Service, openDoc: OpenDocument): Promise<Annotations> => {
  const { ledger, turns } = service
  const { annotated = 0 } = openDoc.head
  const first = readAll(service, openDoc.id).then(([comments, suggestions]) => {
    const keepMoved = (moved: readonly Moved[]): void => {
      const change = (draft: Draft): Written[] => {
        openDoc.journalInto(draft)
        return putMoved(draft, moved)
      }
      const kept = (written: readonly Written[]): void => {
        annotations.annotated += written.length
        for (const { kind, record, bytes } of written) if (record !== undefined) annotations.keep(kind, record, bytes)
      }
      // If this node does not have the turn, another node may be writing these records, and also moves the pins.
      if (turns !== null && !turns.has(openDoc.id)) return
      // If this write fails, the moved pins are found again when the document is read the next time.
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

/** An open document, together with its annotations. */
export interface Opened extends HeldDocument {
  readonly service: Service
  readonly doc: string
  readonly annotations: Annotations
}

/** Keeps the document open while `read` runs, which must not change anything. Rejects if the document cannot be loaded. */
export const withAnnotationsRead = async <T>(service: Service, doc: string, read: (opened: Opened) => Promise<T>): Promise<T> => {
  const opened = await service.live.open(doc)
  try {
    return await read({ ...opened, service, doc, annotations: await annotationsOf(service, opened) })
  } finally {
    opened.release()
  }
}

/**
 * Keeps the document open while `work` runs, with the turn to write its text if other nodes could write it too. Rejects if the document cannot be
 * loaded. Do not call it inside another call: a node that is asked for its turn begins no further work.
 */
export const withAnnotations = async <T>(service: Service, doc: string, work: (opened: Opened) => Promise<T>): Promise<T> => {
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
export const alone = async <T>({ annotations: { deciding } }: Opened, id: string, work: () => Promise<T>): Promise<T> => {
  for (let other = deciding.get(id); other !== undefined; other = deciding.get(id)) await Promise.allSettled([other])
  const working = work()
  deciding.set(id, working)
  try {
    return await working
  } finally {
    if (deciding.get(id) === working) deciding.delete(id)
  }
}

// ——— Writing ———

const keyOf = (kind: AnnotationKind, doc: string, id: string): Key => keys[kind](doc, id)

/** The result of a change to an annotation: its current record, or undefined if it was deleted. */
export interface Written<K extends AnnotationKind = AnnotationKind> {
  readonly kind: K
  readonly id: string
  readonly record: Kinds[K] | undefined
  readonly bytes: number
}

/** Counts a change of an annotation in the head, so that other nodes read the annotations again. */
const countAnnotated = (draft: Draft): void => {
  draft.head = { ...draft.head, annotated: (draft.head.annotated ?? 0) + 1 }
}

/** Puts an annotation into the draft. */
export const putAnnotation = <K extends AnnotationKind>(draft: Draft, kind: K, record: Kinds[K]): Written<K> => {
  const value = encodeRecord(record)
  draft.put(keyOf(kind, draft.head.id, record.id), value)
  countAnnotated(draft)
  return { kind, id: record.id, record, bytes: value.length }
}

export const deleteAnnotation = <K extends AnnotationKind>(draft: Draft, kind: K, id: string): Written<K> => {
  draft.delete(keyOf(kind, draft.head.id, id))
  countAnnotated(draft)
  return { kind, id, record: undefined, bytes: 0 }
}

/** Returns the keys of the records whose pins moved. */
export const keysOfMoved = (doc: string, moved: readonly Moved[]): Key[] => moved.map(({ kind, id }) => keyOf(kind, doc, id))

/** Writes moved pins into their records. Annotations that were deleted or decided in the meantime are skipped. */
export const putMoved = (draft: Draft, moved: readonly Moved[]): Written[] =>
  moved.flatMap(({ kind, id, pin }) => {
    const record = draft.read<Kinds[AnnotationKind]>(keyOf(kind, draft.head.id, id))
    return record === undefined || record.pin === null ? [] : [putAnnotation(draft, kind, { ...record, pin })]
  })
