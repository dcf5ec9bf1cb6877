/** Operations on suggestions (docs/api.md, Comments and suggestions). */
import { z } from 'zod'
import { limits } from '../limits.ts'
import type { OtherNames } from '../nearest.ts'
import { operation, rename } from '../operation.ts'
import {
  AuthorKind,
  authorFields,
  Body,
  bodyAliases,
  listFields,
  pageFields,
  AnnotationId,
  renameWithTarget,
  ReplyRecord,
  targetElsewhere,
  targetFields,
  targetNamed
} from './annotations.ts'
import { exact, AuthorName, BaseVersion, Brief, Instant, MarkdownInput, Version } from './schemas.ts'

const Operation = z.enum(['insert', 'delete', 'replace'])

const suggestion = {
  operation: Operation,
  type: Operation.meta({ description: 'Same as operation.' }),
  status: z.enum(['pending', 'accepted', 'rejected', 'orphaned']).meta({ description: 'orphaned: pending, but its text is gone.' }),
  original: z.string().meta({ description: 'Text to change; empty for an insertion.' }),
  text: z.string(),
  note: z.string().nullable(),
  from: z.int().nullable().meta({ description: 'Position; null if decided or orphaned.' }),
  to: z.int().nullable(),
  line: z.int().nullable(),
  ...authorFields,
  createdAt: Instant,
  version: Version.meta({ description: 'Version when made.' }),
  updatedAt: Instant.optional().meta({ description: 'Last change by its author, or reply.' }),
  decidedBy: z.string().nullable(),
  decidedByKind: AuthorKind.nullable(),
  decidedAt: Instant.nullable(),
  resultVersion: Version.nullable().meta({ description: 'Version after acceptance.' }),
  reason: z.string().optional().meta({ description: 'Reason for the rejection.' }),
  withdrawn: z.literal(true).optional().meta({ description: 'Its author withdrew it.' }),
  replies: z.array(ReplyRecord).optional().meta({ description: 'Absent without replies.' }),
  draftId: z.string().optional().meta({ description: 'If typed: draftId up to its first dot.' }),
  step: z.int().optional().meta({ description: 'If typed: its version.' }),
  setId: z.string().optional().meta({ description: 'Id of its set.' }),
  taskId: z.string().optional().meta({ description: 'Id of the review assignment.' })
} as const

/** The change of a decided suggestion to a board, chat, chart or sheet (`DescribedChange`). */
const change = z.looseObject({ kind: z.string() }).meta({ description: 'Once decided: its change to a component.' })

export const SuggestionRecord = z.object({ id: z.string(), ...suggestion, change: change.optional() }).meta({ id: 'Suggestion' })

/** The suggestions that were created from proposed text or from proposed edits. */
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
    setId: AnnotationId.optional(),
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
  input: z.object({ suggestionId: AnnotationId }),
  output: z.object({ suggestion: SuggestionRecord }),
  errors: []
})

export const createSuggestion = operation({
  summary: 'Suggests inserting, deleting or replacing text. The text changes only when an editor accepts it.',
  description:
    'Name the text by find, line or anchor. Text is inserted after the target, or before it with at: before. At a line, it becomes a new ' +
    'line (before, after) or a part of that line (start, end). Without a target, it goes to the start or end. Deleting a line also deletes its line ending.',
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
  example: { operation: 'insert', text: 'x' },
  errors: [
    'target_ambiguous',
    'target_not_found',
    'target_changed',
    'unknown_version',
    'versions_differ',
    'text_too_large',
    'quota_exceeded'
  ],
  normalise: renameWithTarget({
    type: 'operation',
    op: 'operation',
    kind: 'operation',
    content: 'text',
    with: 'text',
    replacement: 'text'
  }),
  elsewhere: { ...targetElsewhere, from: targetNamed, to: targetNamed }
})

export const draftSuggestion = operation({
  summary: 'Creates a suggestion while its author types it, or changes the author’s pending suggestion.',
  description:
    'All requests with one draftId belong to one suggestion. Choose the id at random: others see the part before its first dot. Name the text as when ' +
    'you create a suggestion; if it is not found, a suggestion on the same text keeps its anchor. Each change has a higher step. A lower step, or ' +
    'the same step with other text, returns 409 stale_step. After a reply, or if the text has moved, the call returns 409 suggestion_fixed. done ends the ' +
    'typing; one event covers all changes. A decided suggestion returns 409, unless it was decided with the same text.',
  on: 'document',
  role: 'suggest',
  rest: { method: 'PUT', path: '/api/docs/{id}/drafts/{draftId}' },
  input: z.object({
    draftId: AnnotationId,
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
  example: { step: 1, operation: 'insert', text: 'x' },
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
  input: z.object({ brief: Brief, suggestionId: AnnotationId, body: Body, author: AuthorName.optional() }),
  output: z.object({ id: z.string(), reply: ReplyRecord, suggestion: SuggestionRecord }),
  example: { body: 'Oh.' },
  errors: ['text_too_large', 'quota_exceeded'],
  normalise: rename(bodyAliases)
})

const Action = z.enum(['accept', 'reject', 'reopen'])

/** The version that the deciding caller has read. The operation describes this field, not the schema, to keep the tool list short. */
const SeenStep = z.number().optional()

const Reason = MarkdownInput.refine((text) => text.length <= limits.reasonUnitsMax, `must have at most ${limits.reasonUnitsMax} characters`)
  .optional()
  .meta({ description: 'Reason for a rejection.' })

const Diff = z.string().meta({ description: 'With dryRun: the changes, as a unified diff.' })

const actions: Readonly<Record<string, string>> = { accepted: 'accept', rejected: 'reject', reopened: 'reopen' }

/** Returns the decision under any of its names. An unknown value is not changed here and is refused later. */
const actionOf = (raw: Record<string, unknown>): unknown => {
  const word = raw['action'] ?? raw['decision'] ?? raw['status'] ?? raw['accept']
  if (typeof word === 'boolean') return word ? 'accept' : 'reject'
  return typeof word === 'string' ? (actions[word] ?? word) : word
}

/** Moves the decision to the field `action` and removes its other names. */
const withAction = (raw: Record<string, unknown>): Record<string, unknown> => {
  const { decision: _decision, status: _status, accept: _accept, ...fields } = raw
  return { ...fields, action: actionOf(raw) }
}

export const decideSuggestion = operation({
  summary: 'Accepts, rejects or reopens a suggestion.',
  description:
    'Accepting changes the text in the same commit; a suggestion that only moves lines moves them as they are now. Reopening an accepted ' +
    'one undoes that, if the text has not changed since. With step, it must be as you read it. Otherwise it returns 409 ' +
    'target_changed, with the current lines. The same decision again returns 200, the opposite 409.',
  on: 'document',
  role: 'edit',
  rest: { method: 'POST', path: '/api/docs/{id}/suggestions/{suggestionId}', query: ['brief', 'dryRun'] },
  mcp: 'resolve_suggestion',
  cli: 'suggestions decide',
  input: z.object({
    brief: Brief,
    suggestionId: AnnotationId,
    action: Action,
    step: SeenStep,
    reason: Reason,
    dryRun: z.boolean().optional(),
    author: AuthorName.optional()
  }),
  output: z.object({ ok: z.literal(true), suggestion: SuggestionRecord, version: Version, diff: Diff.optional() }),
  example: { action: 'reject' },
  errors: ['already_decided', 'target_changed', 'content_too_large', 'quota_exceeded'],
  normalise: withAction
})

export const withdrawSuggestion = operation({
  summary: 'Withdraws the caller’s pending suggestion; undo reopens it.',
  on: 'document',
  role: 'suggest',
  rest: { method: 'DELETE', path: '/api/docs/{id}/suggestions/{suggestionId}', query: ['undo'] },
  mcp: 'withdraw_suggestion',
  cli: 'suggestions withdraw',
  examples: ['agmd suggestions withdraw "$URL" "$SUGGESTION"'],
  input: z.object({ suggestionId: AnnotationId, undo: z.boolean().optional().describe('Reopens it.') }),
  output: z.object({ ok: z.literal(true), suggestion: SuggestionRecord }),
  errors: ['not_author', 'already_decided']
})

const otherDecisionNames: OtherNames = (name) => {
  if (['suggestion', 'changeid', 'commentid'].includes(name)) return ['suggestionId']
  if (['state', 'verdict', 'resolution', 'op', 'operation', 'event'].includes(name)) return ['action']
  return ['note', 'comment', 'body', 'message', 'why'].includes(name) ? ['reason'] : []
}

const Decisions = z
  .array(exact({ suggestionId: AnnotationId, action: Action, step: SeenStep, reason: Reason }, otherDecisionNames))
  .meta({ maxItems: limits.suggestionsAtOnceMax })

const renameDecision = rename({ id: 'suggestionId' })

/** Normalizes one of several decisions, which may have any of its names. */
const decisionOf = (raw: unknown): unknown => {
  if (typeof raw !== 'object' || raw === null) return raw
  return withAction(renameDecision(raw as Record<string, unknown>))
}

/** Expands `{action, suggestionIds}`, which means the same decision on all of these suggestions. */
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
    'Send decisions, or one action for all pending suggestions of a set (setId) or of suggestionIds. Each is decided on its own; if two ' +
    'change the same characters, the first is accepted. The response lists those that could not be decided.',
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
        .array(AnnotationId)
        .optional()
        .meta({ maxItems: limits.suggestionsAtOnceMax, description: 'With action: the same decision for all.' }),
      setId: AnnotationId.optional(),
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
    ok: z.boolean().meta({ description: 'Whether all decisions succeeded.' }),
    version: Version,
    diff: Diff.optional(),
    results: z.array(
      z.object({
        suggestionId: z.string(),
        ok: z.boolean(),
        code: z.string().optional().meta({ description: 'Error code, if the decision failed.' }),
        message: z.string().optional(),
        nearest: z.array(z.object({ line: z.int(), text: z.string() })).optional(),
        suggestion: SuggestionRecord.optional()
      })
    )
  }),
  example: { decisions: [] },
  errors: ['too_many_ids', 'content_too_large', 'quota_exceeded'],
  normalise: withDecisions
})
