/** Combines the service's records with the entries of the outbox, as the page shows them. */
import type { Decision, OutboxEntry } from './entry.ts'
import type { Comment, Suggestion } from './records.ts'

/** A comment as it will be once all waiting actions have arrived. */
export interface Thread {
  readonly comment: Comment
  /** Entries for this comment that are waiting or were refused. */
  readonly waiting: readonly OutboxEntry[]
}

export interface Proposal {
  readonly suggestion: Suggestion
  /** The decision made on this page that is waiting for a response. */
  readonly deciding: Decision | 'withdraw' | undefined
  /** Replies that are waiting or were refused. */
  readonly waiting: readonly OutboxEntry[]
  /** The reason why a decision made on this page was refused. */
  readonly refusal: string | undefined
  /** The reason in a rejection from this page that is waiting or was refused. */
  readonly reason: string | undefined
}

const none: readonly OutboxEntry[] = []

/** Returns a comment with its waiting actions applied. */
function withEntries(comment: Comment, entries: readonly OutboxEntry[]): Comment {
  let next = comment
  for (const { action, refusal } of entries) {
    if (refusal !== undefined) continue
    if (action.kind === 'edit') next = { ...next, body: action.body }
    if (action.kind === 'resolve') next = { ...next, resolved: action.resolved, status: action.resolved ? 'resolved' : 'open' }
  }
  return next
}

/** Returns the entries of each comment, by the comment's id, or by the id of its own entry while it is unsent. */
export function entriesByComment(entries: readonly OutboxEntry[]): ReadonlyMap<string, readonly OutboxEntry[]> {
  const found = new Map<string, OutboxEntry[]>()
  for (const entry of entries) {
    const { action } = entry
    if (!('comment' in action)) continue
    found.set(action.comment, [...(found.get(action.comment) ?? []), entry])
  }
  return found
}

export const threadsOf = (comments: Iterable<Comment>, entriesOf: ReadonlyMap<string, readonly OutboxEntry[]>): Thread[] =>
  [...comments].flatMap((comment): Thread[] => {
    const waiting = entriesOf.get(comment.id) ?? none
    const isGoing = waiting.some(({ action, refusal }) => action.kind === 'delete' && refusal === undefined)
    return isGoing ? [] : [{ comment: withEntries(comment, waiting), waiting }]
  })

/** Returns the suggestions with their entries. `refusals` and `reasons` belong to refused decisions, by suggestion. */
export function proposalsOf(
  suggestions: Iterable<Suggestion>,
  entries: readonly OutboxEntry[],
  refusals: ReadonlyMap<string, string>,
  reasons: ReadonlyMap<string, string>
): Proposal[] {
  const deciding = new Map<string, Decision | 'withdraw'>()
  const answers = new Map<string, OutboxEntry[]>()
  const why = new Map(reasons)
  for (const entry of entries) {
    const { action, refusal } = entry
    if (action.kind === 'answer') answers.set(action.suggestion, [...(answers.get(action.suggestion) ?? []), entry])
    if (action.kind === 'withdraw' && refusal === undefined) deciding.set(action.suggestion, 'withdraw')
    if (action.kind === 'decide' && refusal === undefined)
      for (const each of action.suggestions) {
        deciding.set(each, action.action)
        if (action.reason !== undefined) why.set(each, action.reason)
      }
  }
  return [...suggestions].map((suggestion): Proposal => ({
    suggestion,
    deciding: deciding.get(suggestion.id),
    waiting: answers.get(suggestion.id) ?? none,
    refusal: refusals.get(suggestion.id),
    reason: why.get(suggestion.id)
  }))
}
