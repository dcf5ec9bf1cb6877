/** The meaning of an edit in a text: a range and its replacement, or why it means nothing there. */
import type { Candidate, Range } from './anchors.ts'

/** A range of the text and what comes there instead. */
export interface Resolved extends Range {
  readonly insert: string
  /** The words that it stands next to: what is followed when the text has changed, not the place between characters. */
  readonly beside?: Range
  /** The words as they stand in the text, where they were named otherwise. */
  readonly matched?: string
}

export interface Unresolved {
  readonly code: 'target_not_found' | 'target_ambiguous' | 'invalid_request'
  readonly message: string
  readonly candidates?: readonly Candidate[]
  /** The words or the section that are not there. */
  readonly sought?: string
  /** The words as they stand in the text, to be named so. */
  readonly source?: string
  /** The next step, where the usual one does not fit. */
  readonly hint?: string
}

export type Resolution = Resolved | Unresolved
export type Resolutions = Resolution | readonly Resolved[]

export const isUnresolved = (found: object): found is Unresolved => 'code' in found
