/**
 * The comments, suggestions and assignments of a document as this device last saw them, for reading without a connection. They are in the store
 * `lists`.
 */
import type { Quoted } from '../../../shared/text/characters.ts'
import { records, type StoredRecord } from '../../device/records.ts'
import type { Lists } from './received.ts'

/** A document's record. Its id is the document's id. */
export interface StoredLists extends StoredRecord {
  readonly lists: Lists
  /** For each annotation, the characters that it refers to. */
  readonly places: readonly (readonly [id: string, quoted: Quoted])[]
}

export const storedLists = records<StoredLists>('lists')
