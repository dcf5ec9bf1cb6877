/** The result of a change that a session requested. */
import type { Edit } from '../text/diff.ts'

/**
 * `unchanged`: the text is the same already. `refused`: the text takes no edits. `gone`: the part no longer exists. `closed`: the component cannot
 * be reached.
 */
export type Result = 'done' | 'unchanged' | 'refused' | 'gone' | 'closed'

/** Returns the result of edits; undefined stands for a part that no longer exists. `isDone`: the edits were written. */
export const resultOf = (edits: readonly Edit[] | undefined, isDone: boolean): Result =>
  edits === undefined ? 'gone' : edits.length === 0 ? 'unchanged' : isDone ? 'done' : 'refused'
