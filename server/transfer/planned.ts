/** Documents as an import plans them, before anything is stored. */
import type { MediaType } from '../../shared/media-types.ts'
import type { Imported } from '../domain/records/keys.ts'
import type { Note } from './source.ts'

/** A file of the source that becomes an asset of a document. */
export interface PlannedAsset {
  readonly id: string
  /** The path of the file in the source. */
  readonly path: string
  readonly name: string
  readonly type: MediaType
  readonly bytes: number
}

export interface PlannedDocument {
  readonly id: string
  readonly text: string
  /** The given title; null if the title comes from the text. */
  readonly title: string | null
  /** The time of the last change, in milliseconds since 1970. */
  readonly at: number
  readonly assets: readonly PlannedAsset[]
  readonly imported: Imported
  /** Changes to the text, and files that were left out. */
  readonly notes: readonly Note[]
}

/** Computes the ids of imported documents and assets. Equal arguments give equal ids, so that a second import finds the first import's documents. */
export interface Ids {
  document(path: string): string
  asset(document: string, path: string): string
}
