/** The tools that are listed after the basic tools. If a verb applies to two states, or to two kinds of objects, a single tool covers both. */
import { z } from 'zod'
import { ServiceError } from '../../shared/errors.ts'
import { type Operation } from '../../shared/operation.ts'
import { type OperationName, operations } from '../../shared/operations/index.ts'
import { derived, type Fields, invalid, type Meant, type Tool, toolOf } from './tool.ts'

/** Returns an operation with its input under the names of the operations table. */
const meant = (name: OperationName, given: Fields): Meant => {
  const { normalise }: Operation = operations[name]
  return { name, fields: normalise?.({ ...given }) ?? given }
}

/** Returns a boolean argument. Throws `invalid_request` if its value is not a boolean. */
const flagOf = (path: string, value: unknown): boolean => {
  if (value !== undefined && typeof value !== 'boolean') throw invalid(path, 'must be a boolean')
  return value === true
}

// ——— Review ———

const { suggestionId, action, step, reason, dryRun, author } = operations.decideSuggestion.input.shape
const { suggestionIds, decisions, setId } = operations.decideSuggestions.input.shape

const severalNames = ['decisions', 'suggestionIds', 'ids', 'setId']

export const decideTool = toolOf('resolve_suggestion', {
  title: 'Decide suggestions',
  group: 'review',
  description:
    'Accepts a suggestion (which changes the text) or rejects it; reopen undoes that. For several in one commit, send suggestionIds or setId ' +
    'with action, or decisions. Send the step that you read. Give a reason when you reject. After target_changed, read again.',
  input: z.object({
    suggestionId: suggestionId.optional(),
    suggestionIds,
    setId,
    decisions,
    action: action.optional(),
    step,
    reason,
    dryRun,
    author
  }),
  operations: ['decideSuggestion', 'decideSuggestions'],
  destroys: true,
  repeats: true,
  mean: (given) => meant(severalNames.some((name) => given[name] !== undefined) ? 'decideSuggestions' : 'decideSuggestion', given)
})

const { commentId, body } = operations.replyToComment.input.shape

const replyTool = toolOf('reply', {
  title: 'Reply',
  group: 'review',
  description: 'Replies to a comment or suggestion. Returns the id of the reply.',
  input: z.object({ commentId: commentId.optional(), suggestionId: suggestionId.optional(), body, author }),
  operations: ['replyToComment', 'replyToSuggestion'],
  mean(given) {
    if ((given['commentId'] === undefined) === (given['suggestionId'] === undefined))
      throw invalid('commentId', 'or suggestionId must be given, and not both')
    return meant(given['commentId'] === undefined ? 'replyToSuggestion' : 'replyToComment', given)
  }
})

const { replyId } = operations.editReply.input.shape
const { brief } = operations.editComment.input.shape

/** Returns the operation for a comment or for a reply, depending on which id is given. Throws `invalid_request`. */
const meantText =
  (ofComment: OperationName, ofReply: OperationName) =>
  (given: Fields): Meant => {
    if ((given['commentId'] === undefined) === (given['replyId'] === undefined))
      throw invalid('commentId', 'or replyId must be given, and not both')
    return meant(given['commentId'] === undefined ? ofReply : ofComment, given)
  }

const editTool = toolOf('edit_comment', {
  title: 'Edit comment',
  group: 'review',
  description: 'Edits a comment or a reply that you wrote.',
  input: z.object({ brief, commentId: commentId.optional(), replyId: replyId.optional(), body, author }),
  operations: ['editComment', 'editReply'],
  repeats: true,
  mean: meantText('editComment', 'editReply')
})

const deleteCommentTool = toolOf('delete_comment', {
  title: 'Delete comment',
  group: 'review',
  description: 'Deletes your comment with its replies, or your reply. Owners can delete any.',
  input: z.object({ commentId: commentId.optional(), replyId: replyId.optional() }),
  operations: ['deleteComment', 'deleteReply'],
  destroys: true,
  repeats: true,
  mean: meantText('deleteComment', 'deleteReply')
})

// ——— Documents ———

const { query, sort } = operations.listDocuments.input.shape

const listTool = toolOf('list_docs', {
  title: 'List my documents',
  group: 'account',
  description:
    'Lists the documents of your account, newest first; query searches titles and text; trash lists deleted documents. Needs an account session.',
  input: z.object({
    brief,
    query,
    sort,
    trash: z.boolean().optional(),
    before: z.union([z.string(), z.number()]).optional().meta({ description: 'nextBefore of the previous page.' }),
    limit: operations.listDocuments.input.shape.limit
  }),
  operations: ['listDocuments', 'listTrash'],
  mean: ({ trash, ...given }) => meant(flagOf('trash', trash) ? 'listTrash' : 'listDocuments', given)
})

const { q, exact, limit: matchesMax } = operations.searchDocument.input.shape

const searchTool = toolOf('search', {
  title: 'Search',
  group: 'read',
  description:
    'Searches doc; without doc, the titles and text of all your documents. Ignores case. Returns the line, section and excerpt of each match.',
  input: z.object({
    doc: z.string().optional(),
    q,
    exact,
    after: operations.searchDocument.input.shape.after,
    before: operations.searchDocuments.input.shape.before,
    limit: matchesMax
  }),
  operations: ['searchDocuments', 'searchDocument'],
  mean: (given, doc) => meant(doc === undefined ? 'searchDocuments' : 'searchDocument', given)
})

const deleteTool = toolOf('delete_doc', {
  title: 'Delete or restore document',
  group: 'share',
  description:
    'Moves a document to the trash: every link stops working for everybody. restore brings the document back. Do this only when asked.',
  input: z.object({ restore: z.boolean().optional() }),
  operations: ['deleteDocument', 'undeleteDocument'],
  destroys: true,
  repeats: true,
  mean({ restore, permanent, ...given }) {
    // Only people may erase a document, because nobody can undo it.
    if (permanent !== undefined) throw invalid('permanent', 'is not a field of this tool, which only moves documents to the trash')
    return { name: flagOf('restore', restore) ? 'undeleteDocument' : 'deleteDocument', fields: given }
  }
})

const uploadTool = toolOf('upload_asset', {
  title: 'Upload file',
  group: 'edit',
  description:
    'Uploads a picture, sound or video. Returns Markdown that shows the file; insert it into the text yourself. For more than 64 KiB, the key must come with the connection.',
  input: z.object({
    data: z.string().meta({ description: 'The file, in base64.' }),
    ...operations.uploadAsset.input.shape
  }),
  operations: ['uploadAsset'],
  large: true,
  mean({ data, ...given }) {
    if (typeof data !== 'string' || data === '') throw invalid('data', 'must be given: the file in base64')
    return { name: 'uploadAsset', fields: given, data }
  }
})

// ——— The list ———

export const moreTools: readonly Tool[] = [
  searchTool,
  replyTool,
  derived('resolveComment', {
    title: 'Resolve or reopen comment',
    group: 'review',
    description: 'Resolves a comment; resolved: false reopens it.',
    repeats: true
  }),
  editTool,
  deleteCommentTool,
  derived('withdrawSuggestion', {
    title: 'Withdraw suggestion',
    group: 'review',
    description: 'Withdraws a pending suggestion that you made.',
    destroys: true,
    repeats: true,
    without: ['undo']
  }),
  derived('listRevisions', {
    title: 'List revisions',
    group: 'read',
    description: 'Lists saved revisions, newest first. To read one, use read_doc with its version.'
  }),
  derived('restoreRevision', {
    title: 'Restore revision',
    group: 'edit',
    description: 'Restores a revision as a new version and keeps the history. Needs the baseVersion that you read.',
    destroys: true,
    refuses: ({ baseVersion, dryRun }) =>
      baseVersion === undefined && dryRun !== true
        ? new ServiceError('version_required', { message: 'This tool restores a revision only if you name the version that you read.' })
        : undefined
  }),
  derived('labelRevision', {
    title: 'Name revision',
    group: 'edit',
    description: 'Names a revision. A null label removes the name.',
    nulls: ['label'],
    repeats: true
  }),
  derived('updateDocument', {
    title: 'Rename document',
    group: 'edit',
    description: 'Sets the title; with null, it follows the text.',
    nulls: ['title'],
    repeats: true
  }),
  uploadTool,
  deleteTool,
  derived('listShares', { title: 'List links', group: 'share', description: 'Lists the links of a document, without their secrets.' }),
  derived('changeShare', {
    title: 'Change link',
    group: 'share',
    description: 'Changes the role, end or name of a link immediately. share is the id of the link.',
    nulls: ['label', 'expiresAt'],
    destroys: true,
    repeats: true
  }),
  derived('revokeShare', {
    title: 'Revoke link',
    group: 'share',
    description: 'Ends a link and all links made through it. share is the id of the link. Do this only when asked.',
    destroys: true,
    repeats: true
  }),
  listTool,
  derived('claimDocument', {
    title: 'Claim document',
    group: 'account',
    description: 'Moves an anonymous document into your account; needs its owner link and an account session.'
  })
]
