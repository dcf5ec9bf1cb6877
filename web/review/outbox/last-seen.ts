/** Comments, suggestions and assignments of a document as this device last saw them (the store `lists`), for reading without a connection. */
import type { Quoted } from '../../../shared/text/characters.ts'
import { records, type Kept } from '../../device/records.ts'
import type { Lists } from './store.ts'

/** One record for each document, by its id. */
export interface KeptLists extends Kept {
  readonly lists: Lists
  /** The characters that annotations refer to. */
  readonly places: readonly (readonly [id: string, quoted: Quoted])[]
}

export const keptLists = records<KeptLists>('lists')
