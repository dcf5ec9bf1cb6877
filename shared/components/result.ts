/** The result of a change that a session asked for. */
import type { Edit } from '../text/diff.ts'

/**
 * `unchanged`: the text is so already. `refused`: the text takes no edits. `gone`: its part no longer exists. `closed`: the component cannot be
 * reached.
 */
export type Result = 'done' | 'unchanged' | 'refused' | 'gone' | 'closed'

/** The result of edits; undefined: their part no longer exists. `isDone`: they were written. */
export const resultOf = (edits: readonly Edit[] | undefined, isDone: boolean): Result =>
  edits === undefined ? 'gone' : edits.length === 0 ? 'unchanged' : isDone ? 'done' : 'refused'
