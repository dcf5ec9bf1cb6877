/** The result of a change that a component session requested. */
import type { Edit } from '../text/diff.ts'

/**
 * `unchanged`: the text was already as requested. `refused`: the text cannot be edited. `gone`: the part no longer exists. `closed`: the component
 * cannot be reached.
 */
export type Result = 'done' | 'unchanged' | 'refused' | 'gone' | 'closed'

/** Returns the result of applying edits. Undefined edits mean that the part no longer exists. `isDone`: the edits were written. */
export const resultOf = (edits: readonly Edit[] | undefined, isDone: boolean): Result =>
  edits === undefined ? 'gone' : edits.length === 0 ? 'unchanged' : isDone ? 'done' : 'refused'
