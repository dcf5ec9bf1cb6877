/** Rewrites the next calls that a response names (for an assignment, or for inbox items) as tools, under the names that the connection lists. */
import type { Output } from '../../shared/operations/index.ts'
import type { TaskState } from '../../shared/task-states.ts'
import type { Fields } from './tool.ts'

const nextTools: Readonly<Record<TaskState, (to: string) => string>> = {
  open: (to) => `${to}start_review_task with this taskId`,
  started: (to) =>
    `${to}add_comment and ${to}add_suggestion, then ${to}report_review_task with this taskId, reviewedVersion, summary, commentIds, suggestionIds`,
  reported: () => 'Nothing is left to do: the review was reported.',
  closed: () => 'Nothing is left to do: the assignment was closed.'
}

type Items = Output<'readInbox'>['items']

const withTool = (item: Items[number], to: string): Items[number] =>
  item.next.tool === undefined ? item : { ...item, next: { ...item.next, tool: `${to}${item.next.tool}` } }

/** Returns the response with the next tools instead of the next HTTP calls. `to` is the beginning of tool names on that connection. */
export const withNextTool = (answer: Fields, to: string): Fields => {
  const { assignment, task, items } = answer as {
    readonly assignment?: { readonly status: TaskState }
    readonly task?: { readonly status: TaskState }
    readonly items?: Items
  }
  if (assignment !== undefined) return { ...answer, assignment: { ...assignment, next: nextTools[assignment.status](to) } }
  if (items !== undefined) return { ...answer, items: items.map((item) => withTool(item, to)) }
  return task === undefined || answer['next'] === undefined ? answer : { ...answer, next: nextTools[task.status](to) }
}
