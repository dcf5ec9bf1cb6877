/** Actions on comments, suggestions and assignments, as entries of the outbox (web/device/outbox.ts). */
import type { Kept } from '../../device/records.ts'

/** Identifies a place of the text by its words (docs/api.md, Comments and suggestions). */
export interface Target {
  readonly find: string
  readonly prefix: string
  readonly suffix: string
  readonly occurrence?: number
  /** For an insertion: the side of the words. */
  readonly at?: 'before' | 'after' | 'start'
}

export type Action = 'accept' | 'reject' | 'reopen'

/** Identifies a suggestion that is being typed: all its versions share one id, which only this person knows, and the highest step wins. */
export interface DraftName {
  readonly id: string
  readonly step: number
}

export interface SuggestDeed {
  readonly kind: 'suggest'
  readonly operation: 'insert' | 'delete' | 'replace'
  readonly original: string
  readonly text: string
  /** `null`: at the start of a document without text. */
  readonly target: Target | null
  readonly note: string
  /** Absent if it was not typed, but suggested at once. */
  readonly draft?: DraftName
}

/** For typed suggestions: the versions that the cards showed. */
export type Steps = Readonly<Record<string, number>>

export type Deed =
  /** `null`: on the document as a whole. */
  | {
      readonly kind: 'comment'
      readonly body: string
      readonly target: Target | null
      /** The same range by the ids of its characters, which others cannot affect by writing next to them. */
      readonly characters?: readonly number[]
    }
  | { readonly kind: 'reply'; readonly comment: string; readonly body: string }
  /** A reply to a suggestion. */
  | { readonly kind: 'answer'; readonly suggestion: string; readonly body: string }
  | { readonly kind: 'edit'; readonly comment: string; readonly body: string }
  | { readonly kind: 'delete'; readonly comment: string }
  | { readonly kind: 'resolve'; readonly comment: string; readonly resolved: boolean }
  | SuggestDeed
  | {
      readonly kind: 'decide'
      readonly action: Action
      readonly suggestions: readonly string[]
      readonly steps?: Steps
      /** For a rejection: the reason, at most `reasonCharsMax` characters. */
      readonly reason?: string
    }
  | { readonly kind: 'withdraw'; readonly suggestion: string }
  | { readonly kind: 'ask'; readonly title: string; readonly instructions: string }
  | { readonly kind: 'start'; readonly task: string }
  | {
      readonly kind: 'report'
      readonly task: string
      readonly reviewedVersion: string
      readonly summary: string
      readonly commentIds: readonly string[]
      readonly suggestionIds: readonly string[]
    }
  | { readonly kind: 'close'; readonly task: string }

/** With its id the service also recognises the request when it is sent again. */
export interface Waiting extends Kept {
  /** The name of a guest at that time. */
  readonly author: string
  readonly deed: Deed
  /** Why the service refused it; it is then no longer sent automatically. */
  readonly refusal?: string
  /** It was refused because the service did not find its place. */
  readonly isLost?: boolean
}
