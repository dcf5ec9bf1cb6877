/** Operations on replies to comments and suggestions. A reply is named by its own id. */
import { z } from 'zod'
import { operation, rename } from '../operation.ts'
import { AnnotationId, Body, bodyAliases } from './annotations.ts'
import { CommentRecord } from './comments.ts'
import { AuthorName, Brief } from './schemas.ts'
import { SuggestionRecord } from './suggestions.ts'

/** The comment or suggestion of the reply. */
const ThreadAnswer = z.object({ ok: z.literal(true), comment: CommentRecord.optional(), suggestion: SuggestionRecord.optional() })

const path = '/api/docs/{id}/replies/{replyId}'
const replyId = AnnotationId

export const editReply = operation({
  summary: 'Edits the caller’s own reply.',
  on: 'document',
  role: 'comment',
  rest: { method: 'PATCH', path, query: ['brief'] },
  mcp: 'edit_comment',
  cli: 'replies edit',
  input: z.object({ brief: Brief, replyId, body: Body, author: AuthorName.optional() }),
  output: ThreadAnswer,
  example: { body: 'Well.' },
  errors: ['not_author', 'text_too_large', 'quota_exceeded'],
  normalise: rename(bodyAliases)
})

export const deleteReply = operation({
  summary: 'Deletes the caller’s own reply; owners delete any.',
  on: 'document',
  role: 'comment',
  rest: { method: 'DELETE', path, query: ['brief'] },
  mcp: 'delete_comment',
  cli: 'replies delete',
  input: z.object({ brief: Brief, replyId }),
  output: ThreadAnswer,
  errors: ['not_author']
})
