/** Reads and writes the records of annotations on disk. */
import { limits } from '../../../shared/limits.ts'
import type { Entry, Key, Storage } from '../ports.ts'
import type { Transaction } from '../records/transaction.ts'
import { type Comment, encodeRecord, keys, type Suggestion } from '../records/keys.ts'
import type { Service } from '../service.ts'
import type { Anchor } from '../../../shared/text/anchors.ts'

/** The record of each kind of annotation. */
export interface Kinds {
  readonly comment: Comment
  readonly suggestion: Suggestion
}

export type AnnotationKind = keyof Kinds

/** An annotation's anchor. */
export interface Anchored {
  readonly kind: AnnotationKind
  readonly anchor: Anchor
}

/** The effect of a text change on an anchor. */
export interface Moved extends Anchored {
  readonly id: string
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

/** Returns the records of all comments and suggestions in a document. Rejects with `storage_*`. */
export const readAll = ({ storage }: Service, doc: string): Promise<[Entry[], Entry[]]> =>
  Promise.all([listAll(storage, keys.comments(doc)), listAll(storage, keys.suggestions(doc))])

const keyOf = (kind: AnnotationKind, doc: string, id: string): Key => keys[kind](doc, id)

/** The result of a change to an annotation: its current record, or undefined if it was deleted. */
export interface Written<K extends AnnotationKind = AnnotationKind> {
  readonly kind: K
  readonly id: string
  readonly record: Kinds[K] | undefined
  readonly bytes: number
}

/** Counts a change to an annotation in the head, so that other nodes read the annotations again. */
const countAnnotated = (tx: Transaction): void => {
  tx.head = { ...tx.head, annotated: (tx.head.annotated ?? 0) + 1 }
}

/** Puts an annotation into the transaction. */
export const putAnnotation = <K extends AnnotationKind>(tx: Transaction, kind: K, record: Kinds[K]): Written<K> => {
  const value = encodeRecord(record)
  tx.put(keyOf(kind, tx.head.id, record.id), value)
  countAnnotated(tx)
  return { kind, id: record.id, record, bytes: value.length }
}

export const deleteAnnotation = <K extends AnnotationKind>(tx: Transaction, kind: K, id: string): Written<K> => {
  tx.delete(keyOf(kind, tx.head.id, id))
  countAnnotated(tx)
  return { kind, id, record: undefined, bytes: 0 }
}

/** Returns the keys of the records whose anchors moved. */
export const keysOfMoved = (doc: string, moved: readonly Moved[]): Key[] => moved.map(({ kind, id }) => keyOf(kind, doc, id))

/** Writes moved anchors into their records. Annotations that have since been deleted or decided are skipped. */
export const putMoved = (tx: Transaction, moved: readonly Moved[]): Written[] =>
  moved.flatMap(({ kind, id, anchor }) => {
    const record = tx.read<Kinds[AnnotationKind]>(keyOf(kind, tx.head.id, id))
    return record === undefined || record.pin === null ? [] : [putAnnotation(tx, kind, { ...record, pin: anchor })]
  })
