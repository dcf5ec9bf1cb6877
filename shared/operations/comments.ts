/** Operations on comments (docs/api.md, Comments and suggestions). */
import { z } from 'zod'
import { limits } from '../limits.ts'
import { operation, rename } from '../operation.ts'
import {
  AuthorKind,
  authorFields,
  Body,
  bodyAliases,
  listFields,
  Offsets,
  pageFields,
  AnnotationId,
  renameWithTarget,
  ReplyRecord,
  targetFields,
  targetElsewhere,
  listElsewhere
} from './annotations.ts'
import { AuthorName, BaseVersion, Brief, Instant, Version } from './schemas.ts'

const Target = z
  .object({
    kind: z.enum(['find', 'line', 'anchor', 'document']),
    quote: z.string(),
    prefix: z.string(),
    suffix: z.string(),
    line: z.int().nullable(),
    from: z.int().nullable(),
    to: z.int().nullable()
  })
  .meta({ id: 'CommentTarget', description: 'The anchored source when the comment was made.' })

export const CommentRecord = z
  .object({
    id: z.string(),
    body: z.string(),
    ...authorFields,
    target: Target,
    anchor: Offsets.nullable().meta({ description: 'Current position of the text.' }),
    line: z.int().nullable().meta({ description: 'Current first line of the text.' }),
    anchored: z.boolean(),
    orphaned: z.boolean().meta({ description: 'Whether the text is gone.' }),
    status: z.enum(['open', 'resolved']),
    resolved: z.boolean(),
    resolvedAt: Instant.nullable(),
    resolvedBy: z.string().nullable(),
    resolvedByKind: AuthorKind.nullable(),
    createdAt: Instant,
    updatedAt: Instant,
    editedAt: Instant.optional(),
    version: Version.meta({ description: 'Version of the document when the comment was made.' }),
    taskId: z.string().optional().meta({ description: 'Id of the review assignment.' }),
    replies: z.array(ReplyRecord)
  })
  .meta({ id: 'Comment' })

const commentId = AnnotationId
const Characters = z
  .array(z.int().min(0))
  .max(3 * limits.targetRunsMax)
  .refine((numbers) => numbers.length % 3 === 0, 'must be client, clock and length of each run')
  .meta({ description: 'Yjs ids of find’s characters in the live text: client, clock and length of each run.' })
const CommentAnswer = z.object({ ok: z.literal(true), comment: CommentRecord })

export const listComments = operation({
  summary: 'Lists the comments, newest first.',
  on: 'document',
  role: 'view',
  rest: { method: 'GET', path: '/api/docs/{id}/comments', query: ['brief', 'status', 'author', 'taskId', 'id', 'before', 'limit'] },
  mcp: 'list_comments',
  cli: 'comments list',
  input: z.object({ brief: Brief, status: z.enum(['open', 'resolved', 'all']).optional(), author: AuthorName.optional(), ...pageFields }),
  output: z.object({ comments: z.array(CommentRecord), ...listFields }),
  errors: [],
  elsewhere: listElsewhere
})

export const readComment = operation({
  summary: 'Reads one comment with its replies.',
  on: 'document',
  role: 'view',
  rest: { method: 'GET', path: '/api/docs/{id}/comments/{commentId}' },
  cli: 'comments show',
  input: z.object({ commentId }),
  output: z.object({ comment: CommentRecord }),
  errors: []
})

const reply = 'Reply to a comment with POST /api/docs/{id}/comments/{commentId}/replies {"body"}.'
const replyElsewhere = { replyto: reply, inreplyto: reply, parentid: reply, parent: reply, threadid: reply, commentid: reply }

export const createComment = operation({
  summary: 'Creates a comment on the document, or on words, a line or a range in it.',
  description:
    'If the text does not contain find, the call returns 422 with the most similar lines. With baseVersion, line and range refer to that version, ' +
    'and the comment follows its text from there. A page may also send the characters of find; they count if they spell it.',
  on: 'document',
  role: 'comment',
  rest: { method: 'POST', path: '/api/docs/{id}/comments', status: 201, query: ['brief'] },
  mcp: 'add_comment',
  cli: 'comments add',
  input: z.object({
    brief: Brief,
    body: Body,
    ...targetFields,
    characters: Characters.optional(),
    unanchored: z.boolean().optional().meta({ description: 'Comment without an anchor if the text does not contain find.' }),
    baseVersion: BaseVersion.optional(),
    author: AuthorName.optional()
  }),
  output: z.object({ id: z.string(), commentId: z.string(), anchored: z.boolean(), comment: CommentRecord }),
  example: { body: 'Hm.', find: 'text' },
  errors: ['target_ambiguous', 'target_not_found', 'unknown_version', 'versions_differ', 'text_too_large', 'quota_exceeded'],
  normalise: renameWithTarget(bodyAliases),
  elsewhere: { ...targetElsewhere, ...replyElsewhere }
})

export const replyToComment = operation({
  summary: 'Replies to a comment.',
  on: 'document',
  role: 'comment',
  rest: { method: 'POST', path: '/api/docs/{id}/comments/{commentId}/replies', status: 201, query: ['brief'] },
  mcp: 'reply',
  cli: 'comments reply',
  input: z.object({ brief: Brief, commentId, body: Body, author: AuthorName.optional() }),
  output: z.object({ id: z.string(), reply: ReplyRecord, comment: CommentRecord }),
  example: { body: 'Oh.' },
  errors: ['text_too_large', 'quota_exceeded'],
  normalise: rename(bodyAliases)
})

const resolutions: Readonly<Record<string, boolean>> = { resolve: true, resolved: true, reopen: false, reopened: false, open: false }

/**
 * Returns the decision under any of its names, such as `{resolved: false}`, `{action: 'reopen'}` or `{reopen: true}`; null if no field contains one.
 */
const resolvedOf = (raw: Record<string, unknown>): unknown => {
  const word = raw['resolved'] ?? raw['action'] ?? raw['status']
  // An unknown value is not changed here and is refused later.
  if (word !== undefined) return typeof word === 'string' ? (resolutions[word] ?? word) : word
  for (const [name, meaning] of Object.entries(resolutions)) {
    const flag = raw[name]
    if (flag !== undefined) return typeof flag === 'boolean' ? flag === meaning : flag
  }
  return Object.keys(raw).some((name) => !['commentId', 'author', 'id', 'brief'].includes(name)) ? null : undefined
}

export const resolveComment = operation({
  summary: 'Resolves or reopens a comment.',
  description: 'An empty body resolves the comment; resolved: false reopens it.',
  on: 'document',
  role: 'comment',
  rest: { method: 'POST', path: '/api/docs/{id}/comments/{commentId}/resolve', query: ['brief'] },
  mcp: 'resolve_comment',
  cli: 'comments resolve',
  input: z.object({ brief: Brief, commentId, resolved: z.boolean().default(true), author: AuthorName.optional() }),
  output: CommentAnswer,
  errors: [],
  normalise(raw) {
    const { action: _action, status: _status, ...fields } = raw
    for (const name of Object.keys(resolutions)) delete fields[name]
    return { ...fields, resolved: resolvedOf(raw) }
  }
})

const resolve = 'Resolve or reopen a comment with POST /api/docs/{id}/comments/{commentId}/resolve {"resolved"}.'

export const editComment = operation({
  summary: 'Edits the caller’s own comment.',
  on: 'document',
  role: 'comment',
  rest: { method: 'PATCH', path: '/api/docs/{id}/comments/{commentId}', query: ['brief'] },
  mcp: 'edit_comment',
  cli: 'comments edit',
  input: z.object({ brief: Brief, commentId, body: Body, author: AuthorName.optional() }),
  output: CommentAnswer,
  example: { body: 'Well.' },
  errors: ['not_author', 'text_too_large', 'quota_exceeded'],
  normalise: rename(bodyAliases),
  elsewhere: { resolved: resolve, isresolved: resolve, resolve, state: resolve, status: resolve, done: resolve }
})

export const deleteComment = operation({
  summary: 'Deletes the caller’s own comment with its replies; owners delete any.',
  on: 'document',
  role: 'comment',
  rest: { method: 'DELETE', path: '/api/docs/{id}/comments/{commentId}' },
  mcp: 'delete_comment',
  cli: 'comments delete',
  input: z.object({ commentId }),
  output: z.object({ ok: z.literal(true), deleted: z.literal(true) }),
  errors: ['not_author']
})
