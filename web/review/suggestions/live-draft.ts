/** One suggestion while its author types it, and its versions. */
import type { ChangeSet, Text } from '@codemirror/state'
import type { Range } from '../../../shared/text/targets.ts'
import { signature } from '../../presence/person.ts'
import type { DraftName, SuggestAction } from '../outbox/entry.ts'
import { newDraftId } from '../outbox/draft-name.ts'
import type { Suggestion } from '../outbox/records.ts'
import { type Sent, staysBefore } from './accepted.ts'

/** Maximum number of versions of a suggestion that the service may have, not counting the confirmed one. */
const sentMax = 8

export interface LiveDraft extends Range {
  readonly id: string
  readonly author: string
  from: number
  to: number
  step: number
  /** The versions that were sent, newest first. */
  sent: Sent[]
  /** The version that the service has stored. */
  saved: string | undefined
  /** The last text that the service had, as far as this page knows. Undefined before its first answer. */
  told: Pick<Suggestion, 'original' | 'text'> | undefined
  /** Whether the service has a version from another tab that this page does not know yet. */
  isBehind: boolean
  /** The version that the service refused. The draft is sent again only when it changes. */
  refused: string | undefined
  isSending: boolean
  /** The id that the service assigned to the suggestion. */
  suggestion: string | undefined
  /** The version that was sent before the suggestion was edited again. Undefined if the suggestion is new. */
  readonly former: SentSuggestion | undefined
  /** The same version with its range. */
  formerSent: Sent | undefined
  /** The id of the entry in the outbox that had this version. Undefined if the service has it, or if the suggestion is new. */
  readonly entry: string | undefined
}

/** A version of a suggestion. */
export type SentSuggestion = SuggestAction & { readonly draft: DraftName }

/** A suggestion that was sent before and is in the editor again. */
export interface Resumed {
  readonly action: SentSuggestion
  readonly author: string
  /** The id that the service assigned. Undefined if the service does not have this version yet. */
  readonly suggestion: string | undefined
  /** The id of the entry in the outbox. Undefined if the service has this version. */
  readonly entry: string | undefined
}

export const meets = (one: Range, other: Range): boolean => one.from <= other.to && one.to >= other.from
export const versionOf = ({ operation, original, text, note }: Pick<SuggestAction, 'operation' | 'original' | 'text' | 'note'>): string =>
  JSON.stringify([operation, original, text, note])

/** Returns a draft of new text, which the service does not have yet. */
export const newDraft = ({ from, to }: Range): LiveDraft => ({
  id: newDraftId(),
  author: signature.peek(),
  from,
  to,
  step: 0,
  sent: [],
  saved: undefined,
  told: undefined,
  isBehind: false,
  refused: undefined,
  isSending: false,
  suggestion: undefined,
  former: undefined,
  formerSent: undefined,
  entry: undefined
})

/** Returns the draft of a suggestion that was sent before. */
export const resumedDraft = ({ from, to }: Range, { action, author, suggestion, entry }: Resumed): LiveDraft => {
  const { draft, original, text } = action
  const formerSent = { draft: draft.id, from, to, original, text }
  return {
    ...newDraft({ from, to }),
    id: draft.id,
    author,
    step: draft.step,
    former: action,
    formerSent,
    entry,
    sent: [formerSent],
    saved: suggestion && versionOf(action),
    told: suggestion === undefined ? undefined : { original, text },
    suggestion
  }
}

/** Adds the next version to the versions that the service may have. */
export const addVersion = (draft: LiveDraft, { from, to, original, text }: Range & Pick<Sent, 'original' | 'text'>): void => {
  draft.step += 1
  draft.sent = [{ draft: draft.id, from, to, original, text }, ...draft.sent].slice(0, sentMax)
}

/** Moves a draft and its versions past changes that others make to the text `base`. */
export const moveDraft = (draft: LiveDraft, base: Text, theirs: ChangeSet): void => {
  // Text that others type at the edges is not part of the words that a version replaces.
  const mapped = (at: Sent): Sent => {
    const isEarly = at.from === at.to && staysBefore(base, at.from, at.text)
    const from = theirs.mapPos(at.from, isEarly ? -1 : 1)
    return { ...at, from, to: Math.max(from, theirs.mapPos(at.to, -1)) }
  }
  draft.from = theirs.mapPos(draft.from, -1)
  draft.to = theirs.mapPos(draft.to, 1)
  draft.sent = draft.sent.map(mapped)
  draft.formerSent &&= mapped(draft.formerSent)
}
