/** The meaning of an edit in a text: a range and its replacement, or the reason why it has none. */
import type { Candidate, Range } from './anchors.ts'

/** A range of the text and its replacement. */
export interface Resolved extends Range {
  readonly insert: string
  /** The words next to the place. If the text has changed, the operation follows these words and not the place between characters. */
  readonly beside?: Range
  /** The words of the text, if the operation named them differently. */
  readonly matched?: string
}

export interface Unresolved {
  readonly code: 'target_not_found' | 'target_ambiguous' | 'invalid_request'
  readonly message: string
  readonly candidates?: readonly Candidate[]
  /** The words or the section that were not found. */
  readonly sought?: string
  /** The words of the text, for the caller to use. */
  readonly source?: string
  /** The next step, if the usual one does not fit. */
  readonly hint?: string
}

export type Resolution = Resolved | Unresolved
export type Resolutions = Resolution | readonly Resolved[]

export const isUnresolved = (found: object): found is Unresolved => 'code' in found
