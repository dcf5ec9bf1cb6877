/** Combines the service's records with the entries of the outbox, as the page shows them. */
import type { Action, Decision, OutboxEntry } from './entry.ts'
import type { Comment, Suggestion } from './records.ts'

/** A comment as it will be once all waiting actions have arrived. */
export interface Thread {
  readonly comment: Comment
  /** Entries for this comment that are waiting or were refused. */
  readonly waiting: readonly OutboxEntry[]
  /** Whether the comment was deleted. Its card stays while this person types in it. */
  readonly isDeleted?: true
}

export interface Proposal {
  readonly suggestion: Suggestion
  /** The decision made on this page that is waiting for a response. */
  readonly deciding: Decision | 'withdraw' | undefined
  /** Replies, and changes to replies, that are waiting or were refused. */
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

/** Returns replies with their waiting edits and deletions applied. */
export const withReplyEntries = (replies: Comment['replies'], entries: readonly OutboxEntry[]): Comment['replies'] =>
  entries.reduce((next, { action, refusal }) => {
    if (refusal !== undefined) return next
    if (action.kind === 'deleteReply') return next.filter(({ id }) => id !== action.reply)
    return action.kind === 'editReply' ? next.map((each) => (each.id === action.reply ? { ...each, body: action.body } : each)) : next
  }, replies)

/** Returns the comment that an entry concerns. For a reply, it can also be a suggestion. */
const threadOf = (action: Action): string | undefined => ('comment' in action ? action.comment : 'on' in action ? action.on : undefined)

/** Returns the entries of each comment, by the comment's id, or by the id of its own entry while it is unsent. */
export function entriesByComment(entries: readonly OutboxEntry[]): ReadonlyMap<string, readonly OutboxEntry[]> {
  const found = new Map<string, OutboxEntry[]>()
  for (const entry of entries) {
    const thread = threadOf(entry.action)
    if (thread !== undefined) found.set(thread, [...(found.get(thread) ?? []), entry])
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
    const answered = action.kind === 'answer' ? action.suggestion : 'on' in action ? action.on : undefined
    if (answered !== undefined) answers.set(answered, [...(answers.get(answered) ?? []), entry])
    if (action.kind === 'withdraw' && refusal === undefined) deciding.set(action.suggestion, 'withdraw')
    if (action.kind === 'restore') deciding.set(action.suggestion, 'reopen')
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
