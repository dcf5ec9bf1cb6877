/** Suggestions (docs/api.md, Comments and suggestions). */
import { z } from 'zod'
import { limits } from '../limits.ts'
import { operation, rename } from '../operation.ts'
import {
  AuthorKind,
  authorFields,
  Body,
  bodyAliases,
  listFields,
  pageFields,
  RemarkId,
  renameWithTarget,
  ReplyRecord,
  targetFields
} from './remarks.ts'
import { exact, AuthorName, BaseVersion, Brief, Instant, MarkdownInput, Version } from './schemas.ts'

const Operation = z.enum(['insert', 'delete', 'replace'])

const suggestion = {
  operation: Operation,
  type: Operation.meta({ description: 'The same as operation.' }),
  status: z
    .enum(['pending', 'accepted', 'rejected', 'orphaned'])
    .meta({ description: 'orphaned: not decided, and the text that it would change is gone.' }),
  original: z.string().meta({ description: 'The text that it changes; empty where it inserts.' }),
  text: z.string(),
  note: z.string().nullable(),
  from: z.int().nullable().meta({ description: 'Where its text is now; null when it is decided or gone.' }),
  to: z.int().nullable(),
  line: z.int().nullable(),
  ...authorFields,
  createdAt: Instant,
  version: Version.meta({ description: 'Of the document when the suggestion was made.' }),
  updatedAt: Instant.optional().meta({ description: 'When its author last changed it, or somebody replied; absent: never.' }),
  decidedBy: z.string().nullable(),
  decidedByKind: AuthorKind.nullable(),
  decidedAt: Instant.nullable(),
  resultVersion: Version.nullable().meta({ description: 'Of the document, once it was accepted.' }),
  reason: z.string().optional().meta({ description: 'Why it was rejected.' }),
  withdrawn: z.literal(true).optional().meta({ description: 'It is rejected because its author took it back.' }),
  replies: z.array(ReplyRecord).optional().meta({ description: 'Absent: none.' }),
  draftId: z.string().optional().meta({ description: 'Of one that was typed: its draftId up to the first dot.' }),
  step: z.int().optional().meta({ description: 'Of one that was typed: its version.' }),
  setId: z.string().optional().meta({ description: 'Common to those that were proposed together.' }),
  taskId: z.string().optional().meta({ description: 'The review assignment that it was made under.' })
} as const

export const SuggestionRecord = z.object({ id: z.string(), ...suggestion }).meta({ id: 'Suggestion' })

/** The suggestions of a text or of edits that are proposed. */
export const ProposedSuggestions = z
  .array(z.object({ id: z.string().optional(), ...suggestion }).meta({ id: 'ProposedSuggestion' }))
  .optional()

export const listSuggestions = operation({
  summary: 'Lists the suggestions, newest first.',
  on: 'document',
  role: 'view',
  rest: {
    method: 'GET',
    path: '/api/docs/{id}/suggestions',
    query: ['brief', 'status', 'author', 'taskId', 'setId', 'id', 'before', 'limit']
  },
  mcp: 'list_suggestions',
  cli: 'suggestions list',
  input: z.object({
    brief: Brief,
    status: z.enum(['pending', 'accepted', 'rejected', 'orphaned', 'all']).optional(),
    author: AuthorName.optional(),
    setId: RemarkId.optional(),
    ...pageFields
  }),
  output: z.object({ suggestions: z.array(SuggestionRecord), ...listFields }),
  errors: []
})

export const readSuggestion = operation({
  summary: 'Reads one suggestion with its replies.',
  on: 'document',
  role: 'view',
  rest: { method: 'GET', path: '/api/docs/{id}/suggestions/{suggestionId}' },
  cli: 'suggestions show',
  input: z.object({ suggestionId: RemarkId }),
  output: z.object({ suggestion: SuggestionRecord }),
  errors: []
})

export const createSuggestion = operation({
  summary: 'Proposes to insert, delete or replace text. The document changes only when somebody with the edit role accepts.',
  description:
    'Text is named by find, line or anchor. An insertion stands after what is named, or before it (at); beside a line it becomes a line of its ' +
    'own (before, after) or a part of it (start, end); without a target it stands at the start or the end of the document. Deleting a line deletes its end, too.',
  on: 'document',
  role: 'suggest',
  rest: { method: 'POST', path: '/api/docs/{id}/suggestions', status: 201, query: ['brief'] },
  mcp: 'add_suggestion',
  cli: 'suggestions add',
  input: z.object({
    brief: Brief,
    operation: Operation,
    ...targetFields,
    at: z.enum(['start', 'end', 'before', 'after']).optional(),
    text: MarkdownInput.optional(),
    note: MarkdownInput.optional(),
    baseVersion: BaseVersion.optional(),
    author: AuthorName.optional()
  }),
  output: z.object({ id: z.string(), suggestionId: z.string(), suggestion: SuggestionRecord }),
  errors: [
    'target_ambiguous',
    'target_not_found',
    'target_changed',
    'unknown_version',
    'versions_differ',
    'text_too_large',
    'quota_exceeded'
  ],
  normalise: renameWithTarget({ type: 'operation', op: 'operation', kind: 'operation', content: 'text', with: 'text', replacement: 'text' })
})

export const draftSuggestion = operation({
  summary: 'Makes a suggestion that is still being typed, or changes one’s own that nobody has decided.',
  description:
    'All requests with the same draftId are one suggestion. Make it random: others see what stands before its first dot. Text is named as in ' +
    'creating one; if it cannot be found, a suggestion on the same text keeps its place. Each change has a higher step; an earlier step, or ' +
    'the same with other text, is 409 stale_step. Once somebody replied, and for words elsewhere, 409 suggestion_fixed. done says that typing ' +
    'has ended: one event tells of all changes. A decided suggestion answers 409, unless it is decided with this very text.',
  on: 'document',
  role: 'suggest',
  rest: { method: 'PUT', path: '/api/docs/{id}/drafts/{draftId}' },
  input: z.object({
    draftId: RemarkId,
    step: z.int().min(0).max(Number.MAX_SAFE_INTEGER),
    done: z.boolean().default(false),
    operation: Operation,
    ...targetFields,
    at: z.enum(['start', 'end', 'before', 'after']).optional(),
    text: MarkdownInput.optional(),
    note: MarkdownInput.optional(),
    author: AuthorName.optional()
  }),
  output: z.object({ ok: z.literal(true), suggestion: SuggestionRecord }),
  errors: [
    'not_author',
    'already_decided',
    'stale_step',
    'suggestion_fixed',
    'target_ambiguous',
    'target_not_found',
    'target_changed',
    'text_too_large',
    'quota_exceeded'
  ],
  normalise: renameWithTarget({ type: 'operation', op: 'operation', content: 'text' })
})

export const replyToSuggestion = operation({
  summary: 'Replies to a suggestion.',
  on: 'document',
  role: 'comment',
  rest: { method: 'POST', path: '/api/docs/{id}/suggestions/{suggestionId}/replies', status: 201, query: ['brief'] },
  mcp: 'reply',
  cli: 'suggestions reply',
  input: z.object({ brief: Brief, suggestionId: RemarkId, body: Body, author: AuthorName.optional() }),
  output: z.object({ id: z.string(), reply: ReplyRecord, suggestion: SuggestionRecord }),
  errors: ['text_too_large', 'quota_exceeded'],
  normalise: rename(bodyAliases)
})

const Action = z.enum(['accept', 'reject', 'reopen'])

/** The version that whoever decides has read. Tools are listed in few bytes, so it is described with the operation. */
const SeenStep = z.number().optional()

const Reason = MarkdownInput.refine((text) => text.length <= limits.reasonCharsMax, `must have at most ${limits.reasonCharsMax} characters`)
  .optional()
  .meta({ description: 'Why, with reject.' })

const Diff = z.string().meta({ description: 'With dryRun: what would change, as a unified diff.' })

const actions: Readonly<Record<string, string>> = { accepted: 'accept', rejected: 'reject', reopened: 'reopen' }

/** The decision under any of its names; a word that means nothing stays and is refused. */
const actionOf = (raw: Record<string, unknown>): unknown => {
  const word = raw['action'] ?? raw['decision'] ?? raw['status'] ?? raw['accept']
  if (typeof word === 'boolean') return word ? 'accept' : 'reject'
  return typeof word === 'string' ? (actions[word] ?? word) : word
}

/** With the decision as `action`, and none of its other names. */
const withAction = (raw: Record<string, unknown>): Record<string, unknown> => {
  const { decision: _decision, status: _status, accept: _accept, ...fields } = raw
  return { ...fields, action: actionOf(raw) }
}

export const decideSuggestion = operation({
  summary: 'Accepts or rejects a suggestion, or opens a decided one again.',
  description:
    'Accepting changes the text in the same commit, if it is still the one that the suggestion was made on; else 409 target_changed. ' +
    'The same decision again is 200, the opposite 409. Reopening takes back the change of an accepted one, if its text still stands as it ' +
    'was accepted; else 409 target_changed. With step, the one that was read, a suggestion that was changed since is 409 target_changed, too.',
  on: 'document',
  role: 'edit',
  rest: { method: 'POST', path: '/api/docs/{id}/suggestions/{suggestionId}', query: ['brief', 'dryRun'] },
  mcp: 'resolve_suggestion',
  cli: 'suggestions decide',
  input: z.object({
    brief: Brief,
    suggestionId: RemarkId,
    action: Action,
    step: SeenStep,
    reason: Reason,
    dryRun: z.boolean().optional(),
    author: AuthorName.optional()
  }),
  output: z.object({ ok: z.literal(true), suggestion: SuggestionRecord, version: Version, diff: Diff.optional() }),
  errors: ['already_decided', 'target_changed', 'content_too_large', 'quota_exceeded'],
  normalise: withAction
})

export const withdrawSuggestion = operation({
  summary: 'Withdraws one’s own suggestion that nobody has decided: it counts as rejected, by oneself.',
  on: 'document',
  role: 'suggest',
  rest: { method: 'DELETE', path: '/api/docs/{id}/suggestions/{suggestionId}' },
  mcp: 'withdraw_suggestion',
  cli: 'suggestions withdraw',
  input: z.object({ suggestionId: RemarkId }),
  output: z.object({ ok: z.literal(true), suggestion: SuggestionRecord }),
  errors: ['not_author', 'already_decided']
})

const Decisions = z
  .array(exact({ suggestionId: RemarkId, action: Action, step: SeenStep, reason: Reason }))
  .meta({ maxItems: limits.suggestionsAtOnceMax })

const renameDecision = rename({ id: 'suggestionId' })

/** One of several decisions, under any of its names. */
const decisionOf = (raw: unknown): unknown => {
  if (typeof raw !== 'object' || raw === null) return raw
  return withAction(renameDecision(raw as Record<string, unknown>))
}

/** `{action, suggestionIds}` stands for one decision on all of them. */
const withDecisions = (raw: Record<string, unknown>): Record<string, unknown> => {
  const ids = raw['suggestionIds'] ?? raw['ids']
  const action = actionOf(raw)
  const { decisions: given, decision: _decision, ids: _ids, ...others } = raw
  const named = Array.isArray(given) ? given.map(decisionOf) : given
  const decisions = named ?? (Array.isArray(ids) ? ids.map((suggestionId) => ({ suggestionId, action })) : undefined)
  return { ...others, action, ...(decisions === undefined ? {} : { decisions }) }
}

export const decideSuggestions = operation({
  summary: 'Accepts and rejects several suggestions in one commit.',
  description:
    'Either decisions, or one action for all pending ones of a set (setId), or for suggestionIds. Each is decided as it would be alone; of two ' +
    'that change the same text the first is accepted. What could not be decided is told beside the others.',
  on: 'document',
  role: 'edit',
  rest: { method: 'POST', path: '/api/docs/{id}/decisions', query: ['brief', 'dryRun'] },
  mcp: 'resolve_suggestion',
  cli: 'suggestions decide-all',
  input: z
    .object({
      brief: Brief,
      decisions: Decisions.optional(),
      suggestionIds: z
        .array(RemarkId)
        .optional()
        .meta({ maxItems: limits.suggestionsAtOnceMax, description: 'With action: one decision on all of them.' }),
      setId: RemarkId.optional(),
      action: Action.optional(),
      reason: Reason,
      dryRun: z.boolean().optional(),
      author: AuthorName.optional()
    })
    .refine(({ decisions, setId }) => (decisions === undefined) !== (setId === undefined), {
      path: ['decisions'],
      message: 'give either decisions, or setId with action'
    })
    .refine(({ setId, action }) => setId === undefined || action !== undefined, {
      path: ['action'],
      message: 'must be accept, reject or reopen'
    }),
  output: z.object({
    ok: z.boolean().meta({ description: 'All of them were decided as asked.' }),
    version: Version,
    diff: Diff.optional(),
    results: z.array(
      z.object({
        suggestionId: z.string(),
        ok: z.boolean(),
        code: z.string().optional().meta({ description: 'Why it could not be decided.' }),
        message: z.string().optional(),
        suggestion: SuggestionRecord.optional()
      })
    )
  }),
  errors: ['too_many_ids', 'content_too_large', 'quota_exceeded'],
  normalise: withDecisions
})
