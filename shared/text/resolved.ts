/** The result of resolving an edit in the text: a range and its replacement, or the reason why the edit cannot be applied. */
import type { Candidate, Range } from './targets.ts'

/** A range of the text and its replacement. */
export interface Resolved extends Range {
  readonly insert: string
  /**
   * The range of the neighboring text. If the document has since changed, the operation follows this text and not the offsets.
   */
  readonly neighbor?: Range
  /** The actual text, if the operation named it differently. */
  readonly matched?: string
}

export interface Unresolved {
  readonly code: 'target_not_found' | 'target_ambiguous' | 'invalid_request'
  readonly message: string
  readonly candidates?: readonly Candidate[]
  /** The words or the section that were not found. */
  readonly sought?: string
  /** The source of the text, which the caller can use in the next attempt. */
  readonly source?: string
  /** The next step, if the usual one does not apply. */
  readonly hint?: string
}

export type Resolution = Resolved | Unresolved
export type Resolutions = Resolution | readonly Resolved[]

export const isUnresolved = (found: object): found is Unresolved => 'code' in found
