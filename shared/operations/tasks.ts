/** Operations on review assignments (docs/api.md, Review assignments). */
import { z } from 'zod'
import { limits } from '../limits.ts'
import { operation, rename } from '../operation.ts'
import { taskStates } from '../task-states.ts'
import { AuthorName, Instant, line, MarkdownInput, Title, Version } from './schemas.ts'

const Identity = z
  .object({
    kind: z.enum(['guest', 'account', 'agent']),
    id: z.string().meta({ description: 'Id of the account or agent; for a guest, the link’s id.' }),
    name: z.string().nullable().meta({ description: 'Guests choose this name, and nobody verifies it; null if there is none.' })
  })
  .meta({ id: 'TaskIdentity' })

const TaskLink = z
  .object({ id: z.string(), role: z.literal('suggest'), url: z.string(), agentUrl: z.string(), revoked: z.boolean() })
  .meta({
    id: 'TaskLink',
    description: 'The assignment’s own link. Give the reviewer only this link. Only the owner and the holder of the link see it.'
  })

const TaskReport = z
  .object({
    reviewedVersion: Version,
    summary: z.string(),
    commentIds: z.array(z.string()),
    suggestionIds: z.array(z.string()),
    stale: z.boolean().meta({ description: 'Whether the document already had a newer version.' }),
    reportedBy: Identity,
    reportedAt: Instant
  })
  .meta({ id: 'TaskReport', description: 'Links comments and suggestions by any author to the assignment.' })

const TaskRecord = z
  .object({
    id: z.string(),
    taskId: z.string(),
    docId: z.string(),
    requestId: z.string(),
    title: z.string(),
    instructions: z.string(),
    status: z.enum(taskStates),
    startingVersion: Version,
    share: TaskLink.optional(),
    createdBy: Identity,
    createdAt: Instant,
    startedBy: Identity.nullable(),
    startedAt: Instant.nullable(),
    report: TaskReport.nullable(),
    closedBy: Identity.nullable(),
    closedAt: Instant.nullable()
  })
  .meta({ id: 'Task' })

const TaskAnswer = z.object({
  task: TaskRecord,
  next: z.string().optional().meta({ description: 'The next call for the holder of the assignment’s link.' })
})

const taskId = line(limits.idUnitsMax)

const notBlank = 'must not be blank'

const Prose = (charsMax: number): z.ZodPipe<z.ZodString, typeof MarkdownInput> => z.string().max(charsMax).pipe(MarkdownInput)

// The domain refuses lists that are too long, because the status must be 422 and not 400 (docs/api.md, Errors).
const Ids = z.array(taskId).default([]).meta({ maxItems: limits.taskIdsMax, description: 'Ids from this document.' })

export const createTask = operation({
  summary: 'Creates a review assignment with its own suggest link.',
  description:
    'The same requestId with the same fields returns the existing assignment (200, created: false); with other fields it returns 409. ' +
    'Give the reviewer only task.share.url.',
  on: 'document',
  role: 'owner',
  rest: { method: 'POST', path: '/api/docs/{id}/tasks', status: 201, repeatStatus: 200 },
  mcp: 'create_review_task',
  cli: 'tasks create',
  input: z.object({
    requestId: line(limits.requestIdUnitsMax)
      .regex(/\S/, notBlank)
      .meta({ description: 'Id that the client chooses; unique in the document.' }),
    title: Title.regex(/\S/, notBlank),
    instructions: Prose(limits.taskTextUnitsMax),
    author: AuthorName.optional()
  }),
  output: z.object({ task: TaskRecord, created: z.boolean().meta({ description: 'False if an earlier request created the assignment.' }) }),
  errors: ['request_id_conflict'],
  normalise: rename({ body: 'instructions', description: 'instructions' })
})

export const listTasks = operation({
  summary: 'Lists the review assignments that the caller may see, newest first, 50 per page.',
  description: 'With an assignment’s link, the list has only that assignment; other links show all. Only the owner sees the links.',
  on: 'document',
  role: 'view',
  rest: { method: 'GET', path: '/api/docs/{id}/tasks', query: ['before'] },
  mcp: 'list_review_tasks',
  cli: 'tasks list',
  input: z.object({
    before: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional().meta({ description: 'nextBefore of the previous page.' })
  }),
  output: z.object({ tasks: z.array(TaskRecord), nextBefore: z.number().int().nullable() }),
  errors: []
})

export const readTask = operation({
  summary: 'Reads a review assignment.',
  on: 'document',
  role: 'view',
  rest: { method: 'GET', path: '/api/docs/{id}/tasks/{taskId}' },
  mcp: 'get_review_task',
  cli: 'tasks get',
  input: z.object({ taskId }),
  output: TaskAnswer,
  errors: []
})

export const startTask = operation({
  summary: 'Starts a review assignment with its link. The same identity must report on it.',
  description: 'The identity is the account, or else the agent, or else the link and author name.',
  on: 'document',
  role: 'suggest',
  taskLink: true,
  rest: { method: 'POST', path: '/api/docs/{id}/tasks/{taskId}/start' },
  mcp: 'start_review_task',
  cli: 'tasks start',
  input: z.object({ taskId, author: AuthorName.optional() }),
  output: TaskAnswer,
  errors: ['task_link_required', 'already_started', 'task_closed']
})

export const reportTask = operation({
  summary: 'Reports a review with the version you read, a summary, and your comments and suggestions.',
  description:
    'You may repeat a report with the same version, summary and ids. If the version is no longer the newest, the report is marked stale.',
  on: 'document',
  role: 'suggest',
  taskLink: true,
  rest: { method: 'POST', path: '/api/docs/{id}/tasks/{taskId}/report' },
  mcp: 'report_review_task',
  cli: 'tasks report',
  input: z.object({
    taskId,
    reviewedVersion: Version,
    summary: Prose(limits.taskTextUnitsMax),
    commentIds: Ids,
    suggestionIds: Ids,
    author: AuthorName.optional()
  }),
  output: TaskAnswer,
  errors: [
    'task_link_required',
    'not_starter',
    'not_started',
    'already_reported',
    'task_closed',
    'unknown_reviewed_version',
    'unknown_ids',
    'too_many_ids'
  ],
  normalise: rename({ version: 'reviewedVersion', body: 'summary', text: 'summary', comments: 'commentIds', suggestions: 'suggestionIds' })
})

export const closeTask = operation({
  summary: 'Closes or cancels a review assignment for good.',
  description: 'This does not change the text or decide suggestions. The link stays valid unless revokeLink is true.',
  on: 'document',
  role: 'owner',
  rest: { method: 'POST', path: '/api/docs/{id}/tasks/{taskId}/close' },
  mcp: 'close_review_task',
  cli: 'tasks close',
  input: z.object({
    taskId,
    revokeLink: z.boolean().optional().meta({ description: 'Also revokes the assignment’s link.' }),
    author: AuthorName.optional()
  }),
  output: TaskAnswer,
  errors: []
})
