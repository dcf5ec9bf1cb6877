/**
 * An open document's comments and suggestions, in memory. Both are called "annotations".
 *
 * This folder contains the code for reviewing a document: comments, suggestions, and the assignments that ask for a review.
 *
 * Records match the disk; anchors match the text in memory (`annotation-anchors.ts`).
 */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import { type Anchor, insertionRange } from '../../../shared/text/anchors.ts'
import type { Lines, Range } from '../../../shared/text/targets.ts'
import type { Entry } from '../ports.ts'
import { type Comment, decodeRecord, encodeRecord, type Suggestion } from '../records/keys.ts'
import type { OpenDocument } from '../text/open-document.ts'
import { type AnchorSet, createAnchorSet } from './annotation-anchors.ts'
import type { AnnotationKind, Kinds, Moved, Written } from './annotation-records.ts'

export interface Annotations extends Pick<AnchorSet, 'apply'> {
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
  tie(kind: AnnotationKind, id: string, anchor: Anchor | null, range: Range | undefined): void
  /** Ties an existing annotation to different text, which is currently at `range`. Returns a function that undoes the change. */
  retie(kind: AnnotationKind, id: string, anchor: Anchor, range: Range | undefined): () => void
  /** Returns the size of a record in bytes. */
  bytesOf(id: string): number
  /** Checks that a record may grow to its new size. Throws `invalid_request`. */
  requireRoom(written: Pick<Written, 'id' | 'bytes'>): void
  /** Removes the position of an annotation that could not be written, or that no longer needs a position. */
  untie(id: string): void
  /** Stores in memory a record that was written to disk. `bytes` is its size. */
  keep<K extends AnnotationKind>(kind: K, record: Kinds[K], bytes: number): void
  forget(kind: AnnotationKind, id: string): void
  /** The work on suggestions that are currently being decided or changed, by suggestion id. */
  readonly deciding: Map<string, Promise<unknown>>
  /** `Head.annotated` at the commit that these annotations match. Other nodes increase it. */
  annotated: number
  /** Replaces all records with those on disk, and returns the ones that differ from before. Call it only while no annotation is being written. */
  replaceAll(comments: readonly Entry[], suggestions: readonly Entry[]): Written[]
}

const byNumber = (one: { readonly number: number }, other: { readonly number: number }): number => one.number - other.number

const tooLarge = "This document's comments and suggestions take up too much space."

const tooMany = (message: string): ServiceError => new ServiceError('invalid_request', { message })

/** Creates the annotations for a document. `keepMoved` saves relocated anchors to disk. */
export const createAnnotations = (
  openDoc: OpenDocument,
  comments: readonly Entry[],
  suggestions: readonly Entry[],
  keepMoved: (moved: readonly Moved[]) => void
): Annotations => {
  const records: { readonly [K in AnnotationKind]: Map<string, Kinds[K]> } = { comment: new Map(), suggestion: new Map() }
  const sizes = new Map<string, number>()
  const anchors = createAnchorSet(openDoc, keepMoved)
  /** The number of annotations that are currently being written. */
  let coming = 0
  let bytes = 0

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
      if (record.pin !== null) anchors.load(kind, record.id, record.pin)
    }
  }
  load('comment', comments)
  load('suggestion', suggestions)

  /** Replaces the records of one kind. Records that did not change keep their anchors, which may have been found again. */
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
      anchors.remove(id)
    }
    const changed = entries.filter((entry) => {
      const record = before.get(String(entry.key.at(-1)))
      return record === undefined || !isSame(record.id, record)
    })
    for (const entry of changed) anchors.remove(String(entry.key.at(-1)))
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

  const rangeOf = (id: string): Range | undefined => {
    const range = anchors.rangeOf(id)
    const suggestion = records.suggestion.get(id)
    if (range === undefined || suggestion?.operation !== 'insert' || suggestion.pin === null) return range
    return insertionRange(openDoc.snapshot().content, range, suggestion.pin, suggestion.text)
  }

  return {
    ...records,
    rangeOf,
    get lines() {
      return anchors.lines
    },
    tie(kind, id, anchor, range) {
      if (records[kind].size + coming >= limits.annotationsMax)
        throw tooMany(`A document may have ${limits.annotationsMax} ${kind}s; delete those that are no longer needed.`)
      if (bytes >= limits.annotationsBytesMax) throw tooMany(tooLarge)
      coming++
      if (anchor !== null) anchors.set(kind, id, anchor, range)
    },
    retie: anchors.set,
    bytesOf: (id) => sizes.get(id) ?? 0,
    requireRoom({ id, bytes: size }) {
      const growth = size - (sizes.get(id) ?? 0)
      if (growth > 0 && bytes + growth > limits.annotationsBytesMax) throw tooMany(tooLarge)
    },
    untie: anchors.remove,
    keep(kind, record, size) {
      if (!records[kind].has(record.id)) coming--
      noteBytes(record.id, size)
      records[kind].set(record.id, record)
      if (record.pin === null) anchors.remove(record.id)
    },
    forget(kind, id) {
      anchors.remove(id)
      noteBytes(id, 0)
      if (!records[kind].delete(id)) coming--
    },
    apply: anchors.apply,
    deciding: new Map(),
    annotated: openDoc.head.annotated ?? 0,
    replaceAll(all, proposed) {
      anchors.reset()
      return [...replace('comment', all), ...replace('suggestion', proposed)]
    }
  }
}
