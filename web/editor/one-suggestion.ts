/** Changes that make sense only together. */
import type { ChangeSet, EditorState } from '@codemirror/state'
import { isSuggesting } from './binding.ts'

/** Joins changes into one while edits are only suggested, so that they become one suggestion. */
export function asOneSuggestion(state: EditorState, changes: ChangeSet): ChangeSet {
  if (!isSuggesting(state) || changes.empty) return changes
  let [from, to, end] = [Infinity, 0, 0]
  changes.iterChangedRanges((start, before, _start, after) => {
    from = Math.min(from, start)
    to = before
    end = after
  })
  return state.changes({ from, to, insert: changes.apply(state.doc).slice(from, end) })
}
