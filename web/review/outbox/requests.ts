/** The operations for comments, suggestions and assignments. */
import { limits } from '../../../shared/limits.ts'
import { operation, type Access } from '../../client/operation.ts'
import type { Comment, Suggestion, Task } from './records.ts'

export const createComment = operation<'createComment'>('POST /api/docs/{id}/comments')
export const replyToComment = operation<'replyToComment'>('POST /api/docs/{id}/comments/{commentId}/replies')
export const editComment = operation<'editComment'>('PATCH /api/docs/{id}/comments/{commentId}')
export const deleteComment = operation<'deleteComment'>('DELETE /api/docs/{id}/comments/{commentId}')
export const resolveComment = operation<'resolveComment'>('POST /api/docs/{id}/comments/{commentId}/resolve')
export const editReply = operation<'editReply'>('PATCH /api/docs/{id}/replies/{replyId}')
export const deleteReply = operation<'deleteReply'>('DELETE /api/docs/{id}/replies/{replyId}')
export const createSuggestion = operation<'createSuggestion'>('POST /api/docs/{id}/suggestions')
export const draftSuggestion = operation<'draftSuggestion'>('PUT /api/docs/{id}/drafts/{draftId}')
export const readSuggestion = operation<'readSuggestion'>('GET /api/docs/{id}/suggestions/{suggestionId}')
export const replyToSuggestion = operation<'replyToSuggestion'>('POST /api/docs/{id}/suggestions/{suggestionId}/replies')
export const decideSuggestions = operation<'decideSuggestions'>('POST /api/docs/{id}/decisions')
export const withdrawSuggestion = operation<'withdrawSuggestion'>('DELETE /api/docs/{id}/suggestions/{suggestionId}')
export const createTask = operation<'createTask'>('POST /api/docs/{id}/tasks')
export const startTask = operation<'startTask'>('POST /api/docs/{id}/tasks/{taskId}/start')
export const reportTask = operation<'reportTask'>('POST /api/docs/{id}/tasks/{taskId}/report')
export const closeTask = operation<'closeTask'>('POST /api/docs/{id}/tasks/{taskId}/close')
const readComments = operation<'listComments'>('GET /api/docs/{id}/comments')
const readSuggestions = operation<'listSuggestions'>('GET /api/docs/{id}/suggestions')
const readTasks = operation<'listTasks'>('GET /api/docs/{id}/tasks')

/** Returns the records of all pages of a list. `read` reads the page that precedes a record. */
const all = async <Record, Answer extends { readonly nextBefore: number | null }>(
  read: (before: number | undefined) => Promise<Answer>,
  recordsOf: (answer: Answer) => readonly Record[]
): Promise<Record[]> => {
  const found: Record[] = []
  let before: number | undefined
  for (;;) {
    const answer = await read(before)
    found.push(...recordsOf(answer))
    if (answer.nextBefore === null) return found
    before = answer.nextBefore
  }
}

const limit = limits.annotationPageMax

export const listComments = ({ id, key }: Access): Promise<Comment[]> =>
  all(
    (before) => readComments({ id, key }, { limit, before }),
    ({ comments }) => comments
  )

/** Returns the undecided suggestions, which are pending or orphaned. */
export async function listSuggestions({ id, key }: Access): Promise<Suggestion[]> {
  const of = (status: 'pending' | 'orphaned'): Promise<Suggestion[]> =>
    all(
      (before) => readSuggestions({ id, key }, { status, limit, before }),
      ({ suggestions }) => suggestions
    )
  return [...(await of('pending')), ...(await of('orphaned'))]
}

/** Number of decided suggestions of one status on a page. */
const decidedPageSize = 60

/** Returns a page of accepted or rejected suggestions, newest first. */
export const listDecided = ({ id, key }: Access, status: 'accepted' | 'rejected', before: number | null | undefined) =>
  readSuggestions({ id, key }, { status, limit: decidedPageSize, before: before ?? undefined })

export const listTasks = ({ id, key }: Access): Promise<Task[]> =>
  all(
    (before) => readTasks({ id, key }, { before }),
    ({ tasks }) => tasks
  )
