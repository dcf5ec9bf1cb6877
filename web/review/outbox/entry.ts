/** Actions on comments, suggestions and assignments, in the form of outbox entries (web/device/outbox.ts). */
import type { StoredRecord } from '../../device/records.ts'

/** Identifies a place in the text by its words (docs/api.md, Comments and suggestions). */
export interface Target {
  readonly find: string
  readonly prefix: string
  readonly suffix: string
  readonly occurrence?: number
  /** For an insertion, the side of the words on which the text is inserted. */
  readonly at?: 'before' | 'after' | 'start'
}

export type Decision = 'accept' | 'reject' | 'reopen'

/**
 * Identifies a version of a suggestion that is being typed. All versions share one id, which only this person knows, and the version with the highest
 * step counts.
 */
export interface DraftName {
  readonly id: string
  readonly step: number
  /** Whether the service already had exactly these words, as an earlier version, when this version was made. */
  readonly isDelivered?: boolean
  /** The text that the service had, as an earlier version, when this version was made. Undefined if it had no such text. */
  readonly before?: string
}

export interface SuggestAction {
  readonly kind: 'suggest'
  readonly operation: 'insert' | 'delete' | 'replace'
  readonly original: string
  readonly text: string
  /** Null if the text is inserted at the start of a document without text. */
  readonly target: Target | null
  readonly note: string
  /** Absent if the suggestion was made in one step instead of being typed. */
  readonly draft?: DraftName
}

/** For suggestions that were typed, the version that each card showed. */
export type Steps = Readonly<Record<string, number>>

export type Action =
  /** A comment. With `target: null`, it is on the entire document. */
  | {
      readonly kind: 'comment'
      readonly body: string
      readonly target: Target | null
      /** The ids of the characters in the range. Text that others write next to the range does not affect them. */
      readonly characters?: readonly number[]
    }
  | { readonly kind: 'reply'; readonly comment: string; readonly body: string }
  /** A reply to a suggestion. */
  | { readonly kind: 'answer'; readonly suggestion: string; readonly body: string }
  | { readonly kind: 'edit'; readonly comment: string; readonly body: string }
  | { readonly kind: 'delete'; readonly comment: string }
  /** The edit of a reply. `on` is the comment or suggestion of the reply. */
  | { readonly kind: 'editReply'; readonly reply: string; readonly on: string; readonly body: string }
  | { readonly kind: 'deleteReply'; readonly reply: string; readonly on: string }
  | { readonly kind: 'resolve'; readonly comment: string; readonly resolved: boolean }
  | SuggestAction
  | {
      readonly kind: 'decide'
      readonly action: Decision
      readonly suggestions: readonly string[]
      readonly steps?: Steps
      /** The reason for a rejection, with at most `reasonUnitsMax` characters. */
      readonly reason?: string
    }
  | { readonly kind: 'withdraw'; readonly suggestion: string }
  /** Opens a withdrawn suggestion again. If the service refuses that, `instead` suggests its text again. */
  | { readonly kind: 'restore'; readonly suggestion: string; readonly instead: SuggestAction }
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

/** An action that waits for its response. The service identifies a repeated request by the id of the entry. */
export interface OutboxEntry extends StoredRecord {
  /** The guest's name at the time of the action. */
  readonly author: string
  readonly action: Action
  /** The reason why the service refused the entry. The entry is then not retried automatically. */
  readonly refusal?: string
  /** Whether the service refused the entry because it did not find the place. */
  readonly isLost?: boolean
  /** Whether the service refused the entry because of the person's role. */
  readonly isForbidden?: boolean
}

/**
 * An entry as the device stores it, in the database and in local storage. The action is stored as `deed`, because entries of earlier versions use
 * this name, and a page of an earlier version may be open and send the entries of this page.
 */
export type StoredEntry = Omit<OutboxEntry, 'action'> & { readonly deed: Action }

export const storedEntry = ({ action, ...entry }: OutboxEntry): StoredEntry => ({ ...entry, deed: action })
export const entryOf = ({ deed, ...entry }: StoredEntry): OutboxEntry => ({ ...entry, action: deed })
