/**
 * The life cycle of a review assignment: open → started → reported → closed. An assignment can be closed in any state, and closed is final
 * (docs/api.md, Review assignments). This is the only definition of the cycle.
 */
import type { ErrorCode } from './errors.ts'

export const taskStates = ['open', 'started', 'reported', 'closed'] as const
export type TaskState = (typeof taskStates)[number]

export const taskActions = ['start', 'report', 'close'] as const
export type TaskAction = (typeof taskActions)[number]

/**
 * `starter` is the identity that started the assignment, and `another` is any other identity. Until somebody starts the assignment,
 * everyone is `another`.
 */
export const taskActors = ['starter', 'another'] as const
export type TaskActor = (typeof taskActors)[number]

/**
 * The state after an action, or the reason why the action is refused. An unchanged state means that the action has already been done. The service
 * then repeats its response without an event.
 */
export type TaskOutcome = TaskState | ErrorCode

const anyone = (outcome: TaskOutcome): Record<TaskActor, TaskOutcome> => ({ starter: outcome, another: outcome })

const outcomes: Readonly<Record<TaskState, Record<TaskAction, Record<TaskActor, TaskOutcome>>>> = {
  open: {
    start: anyone('started'),
    report: anyone('not_started'),
    close: anyone('closed')
  },
  started: {
    start: { starter: 'started', another: 'already_started' },
    report: { starter: 'reported', another: 'not_starter' },
    close: anyone('closed')
  },
  reported: {
    start: { starter: 'reported', another: 'already_started' },
    // Sending the same report again is a retry and not a second report. tasks.ts distinguishes the two.
    report: { starter: 'already_reported', another: 'not_starter' },
    close: anyone('closed')
  },
  closed: {
    start: anyone('task_closed'),
    report: anyone('task_closed'),
    close: anyone('closed')
  }
}

export const taskOutcome = (state: TaskState, action: TaskAction, actor: TaskActor): TaskOutcome => outcomes[state][action][actor]

export const isTaskState = (outcome: TaskOutcome): outcome is TaskState => (taskStates as readonly string[]).includes(outcome)
