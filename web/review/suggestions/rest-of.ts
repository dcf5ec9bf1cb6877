/** Finds the remaining part of a suggestion that others decided, or replied to, while it was being typed. */
import { newDraftId } from '../outbox/draft-name.ts'
import { operationOf, trimmed } from './hunks.ts'
import { isRejected, type Suggestion } from '../outbox/records.ts'
import { findTarget, targetOf } from './targets.ts'
import { unseenIn } from './unseen-words.ts'
import type { SuggestAction, Target } from '../outbox/entry.ts'

/** Returns the range of the accepted words. Undefined if they cannot be identified. */
function acceptedAt(text: string, { original, target }: SuggestAction, accepted: string) {
  if (target === null) return text.startsWith(accepted) ? { from: 0, to: accepted.length } : undefined
  if (accepted === '') return undefined
  const { find, prefix, suffix, at } = target
  const words: Target = { find: at === undefined ? accepted : at === 'after' ? find + accepted : accepted + find, prefix, suffix }
  const range = at === undefined && original === '' ? undefined : findTarget(text, words)
  if (range === undefined) return undefined
  const from = at === 'after' ? range.from + find.length : range.from
  return { from, to: from + accepted.length }
}

/** Returns the part of a suggestion that the person who rejected it could not see yet, as a new suggestion. Undefined if there is none. */
function unseenRest(text: string, action: SuggestAction, rejected: string): SuggestAction | undefined {
  const { target } = action
  const range = target === null ? { from: 0, to: 0 } : findTarget(text, target)
  if (range === undefined || action.operation === 'delete') return undefined
  const unseen = unseenIn(action.text, rejected, text.slice(0, range.to).slice(-1).trim() === '')
  if (unseen === undefined) return undefined
  const words = action.text.slice(unseen.from, unseen.to)
  const draft = { id: newDraftId(), step: 1 }
  if (unseen.from === 0) return { ...action, draft, text: words }
  return { ...action, draft, operation: 'insert', original: '', text: words, target: targetOf(text, { from: range.to, to: range.to }) }
}

/** Returns the suggestion that continues another one in the current text. Undefined if nothing remains or its place cannot be found. */
export function restOf(text: string, action: SuggestAction, decided: Suggestion): SuggestAction | undefined {
  const { status, text: accepted } = decided
  if (isRejected(decided)) return unseenRest(text, action, accepted)
  const draft = { id: newDraftId(), step: 1 }
  if (status !== 'accepted') return { ...action, draft }
  const range = acceptedAt(text, action, accepted)
  if (range === undefined) return undefined
  const proposed = action.operation === 'delete' ? '' : action.text
  const { from, to } = range
  const hunk = trimmed({ from, to, fromShown: from, toShown: to, original: accepted, text: proposed })
  if (hunk === undefined) return undefined
  return { ...action, draft, operation: operationOf(hunk), original: hunk.original, text: hunk.text, target: targetOf(text, hunk) }
}
