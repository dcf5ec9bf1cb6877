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

export type Decision = 'accept' | 'reject' | 'reopen'

/** Identifies a suggestion that is being typed: all its versions share one id, which only this person knows, and the highest step wins. */
export interface DraftName {
  readonly id: string
  readonly step: number
}

export interface SuggestAction {
  readonly kind: 'suggest'
  readonly operation: 'insert' | 'delete' | 'replace'
  readonly original: string
  readonly text: string
  /** `null`: at the start of a document without text. */
  readonly target: Target | null
  readonly note: string
  /** Absent if the suggestion was not typed step by step. */
  readonly draft?: DraftName
}

/** For typed suggestions: the versions that the cards showed. */
export type Steps = Readonly<Record<string, number>>

export type Action =
  /** `null`: the comment is on the entire document. */
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
  | SuggestAction
  | {
      readonly kind: 'decide'
      readonly action: Decision
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
export interface OutboxEntry extends Kept {
  /** The name of a guest at that time. */
  readonly author: string
  readonly action: Action
  /** The reason for which the service refused the entry, which is then no longer sent automatically. */
  readonly refusal?: string
  /** Whether the entry was refused because the service did not find its place. */
  readonly isLost?: boolean
}

/**
 * An entry as the device stores it, in the database and in local storage. The action is stored as `deed`: entries of pages of earlier versions have
 * this name, and such a page may be open now and send what this one stored.
 */
export type StoredEntry = Omit<OutboxEntry, 'action'> & { readonly deed: Action }

export const storedEntry = ({ action, ...entry }: OutboxEntry): StoredEntry => ({ ...entry, deed: action })
export const entryOf = ({ deed, ...entry }: StoredEntry): OutboxEntry => ({ ...entry, action: deed })
