/** A draft collects the records of a change to a document; the ledger commits them (ledger.ts). */
import type { EventKind, EventPayload } from '../../../shared/events.ts'
import type { By } from '../rights/caller.ts'
import type { Head, Notice, Revision, StoredEvent } from './keys.ts'
import type { Key } from '../ports.ts'

export interface Draft {
  /** The head that the change found, and that will be written. */
  head: Head
  /** Milliseconds since 1970; the same for the whole change. */
  readonly now: number
  /**
   * Returns the JSON record at a key named in `reads`, with the earlier changes of this commit applied; undefined if there is none. Throws the
   * errors of the store.
   */
  read<T>(key: Key): T | undefined
  put(key: Key, value: Uint8Array): void
  delete(key: Key): void
  /** Marks that this change deletes or replaces text that must not stay in the files of the store (`Batch.erase`). */
  erase(): void
  /** Appends to the event feed. */
  event<Kind extends EventKind>(kind: Kind, actor: string, payload: EventPayload<Kind>, version?: string): StoredEvent
  /** Notifies the recipients of an event of this draft. */
  notify(event: StoredEvent, notice: Notice): void
  /** Appends a revision; its number is the next one. */
  revision(revision: Omit<Revision, 'id' | 'createdAt'>): Revision
}

export interface WriteOptions {
  /** Keys of the records that the change reads. */
  readonly reads?: readonly Key[]
  /** Whether the change may touch a deleted document. */
  readonly afterDeletion?: boolean
}

export interface Ledger {
  /**
   * Runs a change on the document and resolves with its result once everything that it wrote is on disk. Changes to one document take effect in the
   * order of the calls. If the change throws, this rejects with its error and writes none of it. A change for a caller runs only if the caller's
   * right is still valid in that turn (authority.ts). Throws `not_found`, `document_deleted` (unless the change concerns the remains of a deletion),
   * `storage_*`, and the errors of the caller's right.
   */
  write<T>(doc: string, by: By, change: (draft: Draft) => T, options?: WriteOptions): Promise<T>
  /** Writes the first head of a new document together with the records that the change puts. */
  create<T>(head: Head, by: By, change: (draft: Draft) => T): Promise<T>
  /** Returns the head on disk. Throws `not_found` or `document_deleted`. */
  head(doc: string): Promise<Head>
  findHead(doc: string): Promise<Head | undefined>
  /**
   * Calls `onHead` with each head of a document that this process writes. Only the latest follower is called. Returns a function that ends the
   * calls.
   */
  follow(doc: string, onHead: (head: Head) => void): () => void
  /** Resolves when no change is waiting to be written. */
  idle(): Promise<void>
}
