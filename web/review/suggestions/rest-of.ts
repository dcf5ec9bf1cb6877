/** The rest of a suggestion that others decided, or replied to, while it was typed. */
import { newDraftId } from '../outbox/draft-name.ts'
import { operationOf, trimmed } from './hunks.ts'
import type { Suggestion } from '../outbox/records.ts'
import { findTarget, targetOf } from './targets.ts'
import type { SuggestDeed, Target } from '../outbox/waiting.ts'

/** Returns where the accepted words are; undefined if they cannot be identified. */
function acceptedAt(text: string, { original, target }: SuggestDeed, accepted: string) {
  if (target === null) return text.startsWith(accepted) ? { from: 0, to: accepted.length } : undefined
  if (accepted === '') return undefined
  const { find, prefix, suffix, at } = target
  const words: Target = { find: at === undefined ? accepted : at === 'after' ? find + accepted : accepted + find, prefix, suffix }
  const range = at === undefined && original === '' ? undefined : findTarget(text, words)
  if (range === undefined) return undefined
  const from = at === 'after' ? range.from + find.length : range.from
  return { from, to: from + accepted.length }
}

/** Returns the suggestion that continues it in the current text; undefined if nothing is left, or its place cannot be found. */
export function restOf(text: string, deed: SuggestDeed, { status, text: accepted }: Suggestion): SuggestDeed | undefined {
  const draft = { id: newDraftId(), step: 1 }
  if (status !== 'accepted') return { ...deed, draft }
  const range = acceptedAt(text, deed, accepted)
  if (range === undefined) return undefined
  const proposed = deed.operation === 'delete' ? '' : deed.text
  const { from, to } = range
  const hunk = trimmed({ from, to, fromShown: from, toShown: to, original: accepted, text: proposed })
  if (hunk === undefined) return undefined
  return { ...deed, draft, operation: operationOf(hunk), original: hunk.original, text: hunk.text, target: targetOf(text, hunk) }
}
