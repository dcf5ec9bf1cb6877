/** A place that holds backups: a folder, a tar file, or a folder in a bucket. `format.ts` names the objects in it. */

export type ObjectKind = 'chunks' | 'blobs' | 'secrets' | 'snapshots'

export interface Place {
  /** The place, for messages. */
  readonly shown: string
  /** Returns the names of all objects of a kind, sorted. */
  names(kind: ObjectKind): Promise<string[]>
  /** Returns an object; undefined if there is none. */
  find(name: string): Promise<Uint8Array | undefined>
  /** Writes an object under a temporary name and then gives it its name. When it resolves, the object is on disk. */
  write(name: string, content: Uint8Array): Promise<void>
  remove(name: string): Promise<void>
  /** Makes everything that was written visible under the name of the place. */
  finish(): Promise<void>
  /** Releases the place. Without `finish`, removes what has no name yet. */
  close(): Promise<void>
}
