/** A repository that holds backups: a folder, a tar file, or a folder in a bucket. `format.ts` names the objects in it. */

export type ObjectKind = 'chunks' | 'blobs' | 'secrets' | 'snapshots'

export interface Repository {
  /** The repository as messages show it. */
  readonly shown: string
  /** Returns the names of all objects of a kind, sorted. */
  names(kind: ObjectKind): Promise<string[]>
  /** Returns the sizes of all objects of a kind, in bytes, by name. A tar file that is being written has none yet. */
  sizes(kind: ObjectKind): Promise<Map<string, number>>
  /** Returns an object; undefined if there is none. */
  find(name: string): Promise<Uint8Array | undefined>
  /** Writes an object, which becomes visible only when it is complete. A folder and a bucket have then stored it durably. */
  write(name: string, content: Uint8Array): Promise<void>
  remove(name: string): Promise<void>
  /** Completes the repository. A tar file is stored durably and gets its name only now. */
  finish(): Promise<void>
  /** Releases the repository. Removes a tar file that was not finished. */
  close(): Promise<void>
}
