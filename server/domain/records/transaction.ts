/** A transaction collects the records that a change to a document writes. The ledger commits them (ledger.ts). */
import type { EventKind, EventPayload } from '../../../shared/events.ts'
import type { By } from '../rights/caller.ts'
import type { Head, Notice, Revision, StoredEvent } from './keys.ts'
import type { Key } from '../ports.ts'

export interface Transaction {
  /** The head of the document. A change can replace it. The commit writes it. */
  head: Head
  /** The time of the change, in milliseconds since 1970. It does not advance during the change. */
  readonly now: number
  /**
   * Returns the JSON record at a key named in `reads`, including the earlier changes of this commit; undefined if there is none. Throws the store's
   * error if the store could not read the record.
   */
  read<T>(key: Key): T | undefined
  put(key: Key, value: Uint8Array): void
  delete(key: Key): void
  /** Declares that this change deletes or replaces text that must not stay in the store's files (`Batch.erase`). */
  erase(): void
  /** Appends an event to the feed. */
  event<Kind extends EventKind>(kind: Kind, actor: string, payload: EventPayload<Kind>, version?: string): StoredEvent
  /** Notifies the recipients of an event of this transaction. */
  notify(event: StoredEvent, notice: Notice): void
  /** Appends a revision with the next number. */
  revision(revision: Omit<Revision, 'id' | 'createdAt'>): Revision
}

export interface WriteOptions {
  /** Keys of the records that the change reads. */
  readonly reads?: readonly Key[]
  /** Whether the change may touch a deleted document. */
  readonly afterDeletion?: boolean
}

/** A copy of a document in memory, which follows the commits of this process and of other nodes (open-document.ts). */
export interface DocumentCopy {
  written(head: Head): void
  isCurrent(head: Head): boolean
  catchUp(head: Head): Promise<void>
}

export interface Ledger {
  /**
   * Runs a change on the document and resolves with its result once all of its writes are on disk. Changes to one document take effect in the
   * order of the calls. If the change throws, the promise rejects with its error, and nothing is written. A change on behalf of a
   * caller runs only if the caller still has access at that point (authority.ts). Throws `not_found`, `document_deleted` (unless `afterDeletion` is set), `storage_*`, and
   * the error that says why the access ended.
   */
  write<T>(doc: string, by: By, change: (tx: Transaction) => T, options?: WriteOptions): Promise<T>
  /** Writes the first head of a new document, together with the records that the change puts. */
  create<T>(head: Head, by: By, change: (tx: Transaction) => T): Promise<T>
  /** Returns the head on disk. Throws `not_found` or `document_deleted`. */
  head(doc: string): Promise<Head>
  findHead(doc: string): Promise<Head | undefined>
  /**
   * Passes each head that this process writes to a copy of the document, and lets the copy catch up with other nodes before each change. Only the
   * latest copy of a document follows. Returns a function that ends this.
   */
  follow(doc: string, copy: DocumentCopy): () => void
  /** Lets the copy of a document catch up with other nodes, in order with the changes, and resolves afterward. Throws `not_found` and `storage_*`. */
  look(doc: string): Promise<void>
  /** Resolves when no change is waiting to be written. */
  idle(): Promise<void>
}
