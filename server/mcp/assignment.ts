/** The assignment of the caller's link, with tool names in its next step. */
import type { TaskState } from '../../shared/task-states.ts'
import type { Fields } from './tool.ts'

const nextTools: Readonly<Record<TaskState, string>> = {
  open: 'start_review_task with this taskId',
  started: 'add_comment and add_suggestion, then report_review_task with this taskId, reviewedVersion, summary, commentIds, suggestionIds',
  reported: 'Nothing is left to do: it was reported.',
  closed: 'Nothing is left to do: it was closed.'
}

/** The answer with the next tool in place of the next HTTP call. */
export const withNextTool = (answer: Fields): Fields => {
  const assignment = answer['assignment'] as { readonly status: TaskState } | undefined
  const task = answer['task'] as { readonly status: TaskState } | undefined
  if (assignment !== undefined) return { ...answer, assignment: { ...assignment, next: nextTools[assignment.status] } }
  return task === undefined || answer['next'] === undefined ? answer : { ...answer, next: nextTools[task.status] }
}
