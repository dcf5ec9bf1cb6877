/**
 * Finds a new target for an annotation whose place the service did not find. The text around its words has changed, but the editor knows where they
 * are.
 */
import type { EditorView } from '@codemirror/view'
import { storedRangesIn } from './annotation-ranges.ts'
import { storedText } from './draft-field.ts'
import { targetOf } from './targets.ts'
import type { Target, OutboxEntry } from '../outbox/entry.ts'

/** Returns the new target. Undefined if the words themselves were deleted or the text around them has not changed. */
export function newTargetOf({ state }: EditorView, { id, action }: OutboxEntry): Target | undefined {
  const range = storedRangesIn(state).get(id)
  if (range === undefined || !('target' in action) || action.target === null) return undefined
  const text = storedText(state).toString()
  const isThere = action.kind === 'suggest' ? text.slice(range.from, range.to) === action.original : range.from < range.to
  const target = isThere ? targetOf(text, range) : null
  return target === null || JSON.stringify(target) === JSON.stringify(action.target) ? undefined : target
}
