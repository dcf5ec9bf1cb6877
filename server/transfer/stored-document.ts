/**
 * Reads everything about a document from the store, even while a server runs. Every write to a document rewrites its head in the same commit. If the head
 * is the same before and after the reads, the records therefore belong together. The journal only grows, so it is read separately, up to the head.
 */
import * as Y from 'yjs'
import { limits } from '../../shared/limits.ts'
import { textRootName } from '../../shared/names.ts'
import type { Entry, Key, Storage } from '../domain/ports.ts'
import { type Asset, type Comment, decodeRecord, type Head, type Imported, keys } from '../domain/records/keys.ts'
import type { Revision, Share, StoredEvent, Suggestion, Task } from '../domain/records/keys.ts'
import { entriesAfter, firstOf, formatVersion, type JournalEntry } from '../domain/text/journal.ts'
import { TransferError } from './source.ts'

export type StoreReader = Pick<Storage, 'get' | 'list'>

export interface StoredDocument {
  readonly head: Head
  readonly revisions: readonly Revision[]
  readonly events: readonly StoredEvent[]
  readonly comments: readonly Comment[]
  readonly suggestions: readonly Suggestion[]
  readonly tasks: readonly Task[]
  readonly assets: readonly Asset[]
  readonly shares: readonly Share[]
  readonly imported: Imported | undefined
}

/** Returns all entries below a prefix, page by page. */
export const listAll = async (store: StoreReader, prefix: Key): Promise<Entry[]> => {
  const all: Entry[] = []
  for (;;) {
    const after = all.at(-1)?.key[prefix.length]
    const page = await store.list(prefix, { limit: limits.listMax, ...(after !== undefined && { after }) })
    all.push(...page)
    if (page.length < limits.listMax) return all
  }
}

const recordsAt = async <T>(store: StoreReader, prefix: Key): Promise<T[]> =>
  (await listAll(store, prefix)).map(({ value }) => decodeRecord<T>(value))

const byNumber = (one: { readonly number: number }, other: { readonly number: number }): number => one.number - other.number

/** Maximum number of times that the records are read. They are read again if the document changed meanwhile. */
const attemptsMax = 50

/** The records that can change between two reads. Revisions and events are only added. */
type Changing = Omit<StoredDocument, 'revisions' | 'events'>

const readOnce = async (store: StoreReader, doc: string, head: Head): Promise<Changing> => {
  const imported = await store.get(keys.imported(doc))
  return {
    head,
    comments: (await recordsAt<Comment>(store, keys.comments(doc))).toSorted(byNumber),
    suggestions: (await recordsAt<Suggestion>(store, keys.suggestions(doc))).toSorted(byNumber),
    tasks: (await recordsAt<Task>(store, keys.tasks(doc))).toSorted(byNumber),
    assets: await recordsAt<Asset>(store, keys.assets(doc)),
    shares: await recordsAt<Share>(store, keys.shares(doc)),
    imported: imported && decodeRecord<Imported>(imported.value)
  }
}

/** Returns the records as they were at one moment. Returns undefined if there is no such document, or it is deleted. */
const readChanging = async (store: StoreReader, doc: string): Promise<Changing | undefined> => {
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const before = await store.get(keys.head(doc))
    const head = before && decodeRecord<Head>(before.value)
    if (head === undefined || head.deletedAt !== null) return undefined
    const found = await readOnce(store, doc, head)
    const after = await store.get(keys.head(doc))
    if (after?.version === before?.version) return found
  }
  throw new TransferError('changes too often to be read. Run the command again later')
}

/** Returns a document's records as they were at one moment. Returns undefined if there is no such document, or it is deleted. */
export const readStored = async (store: StoreReader, doc: string): Promise<StoredDocument | undefined> => {
  const found = await readChanging(store, doc)
  if (found === undefined) return undefined
  // Events and revisions are only added, so the ones that belong to the head still exist.
  const events = await recordsAt<StoredEvent>(store, keys.events(doc))
  const revisions = await recordsAt<Revision>(store, keys.revisions(doc))
  const { event, revision } = found.head
  return { ...found, events: events.filter(({ seq }) => seq <= event), revisions: revisions.filter(({ id }) => id <= revision) }
}

/** Applies journal entries, which are in order, to a Y.Doc. Calls `onText` with the text at each of the given sequence numbers, which must ascend. */
export const replay = (
  ydoc: Y.Doc,
  entries: readonly JournalEntry[],
  at: readonly number[],
  onText: (seq: number, text: string) => void
): void => {
  const text = ydoc.getText(textRootName)
  let applied = 0
  const applyUntil = (seq: number): void =>
    ydoc.transact(() => {
      for (; applied < entries.length; applied++) {
        const entry = entries[applied] as JournalEntry
        if (entry.seq > seq) return
        Y.applyUpdate(ydoc, entry.update)
      }
    })
  for (const seq of at) {
    applyUntil(seq)
    onText(seq, text.toString())
  }
  applyUntil(Infinity)
}

const readEntries = async (store: StoreReader, head: Head): Promise<JournalEntry[]> => {
  const found: JournalEntry[] = []
  for await (const entries of entriesAfter(store, head.id, 0))
    for (const entry of entries) {
      const last = found.at(-1)?.seq ?? 0
      if (entry.seq > last && firstOf(entry) <= last + 1 && entry.seq <= head.seq) found.push(entry)
    }
  const last = found.at(-1) ?? { seq: 0, tag: head.firstTag }
  if (last.seq === head.seq && last.tag === head.tag) return found
  throw new TransferError(
    `has a history that ends at ${formatVersion(last)}, not at ${formatVersion(head)}. Check the store with admin verify, or restore a backup`
  )
}

/** Returns a document's journal up to its head. Throws `TransferError` if it has gaps. */
export const readJournal = (store: StoreReader, head: Head): Promise<JournalEntry[]> =>
  // The server may move records to a segment between two reads. The second attempt then finds them there.
  readEntries(store, head).catch(() => readEntries(store, head))
