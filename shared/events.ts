/**
 * The kinds of event in the feed (docs/api.md, Events and inbox), each with its payload. A payload does not contain the text of a comment or
 * suggestion. The service looks up this text when the event is read (`EventWords`).
 */
import type { JobKind } from './media-jobs.ts'
import type { MediaKind } from './media-types.ts'
import type { Role } from './roles.ts'
import type { TaskState } from './task-states.ts'

/** A change to entire lines. The lines in `removed` began at line `line` of the old text, counted from 1. The lines in `added` replaced them. */
export interface Hunk {
  readonly line: number
  readonly removed: readonly string[]
  readonly added: readonly string[]
}

type Nothing = Readonly<Record<never, never>>

interface Content {
  readonly fromVersion: string
  readonly toVersion: string
  readonly hunks: readonly Hunk[]
  /** Names of the people and programs that made the change. `system` is the server. The list is empty if the server tidied fences. */
  readonly actors: readonly string[]
  /** The revision that shows the text after the change; absent if the change created no revision. */
  readonly revisionId?: number
  /** Set if the request named no version. `replacedRevision` shows the text before the change. */
  readonly unguarded?: true
  readonly replacedRevision?: number
  /** Set if the request replaced sections and not the entire text. */
  readonly partial?: true
  /** The suggestions that the change accepted. */
  readonly suggestionIds?: readonly string[]
  /** The suggestions that the change reopened. */
  readonly reopenedIds?: readonly string[]
  /** The revision that was restored. */
  readonly revision?: number
}

/** The fields of all comment events. `taskId` is the review assignment under which the comment was made. */
interface OfComment {
  readonly commentId: string
  readonly taskId?: string
}

/** An edited or deleted comment. With `replyId`: a reply to the comment, or to the suggestion `suggestionId`. */
interface OfText extends Partial<OfComment> {
  readonly suggestionId?: string
  readonly replyId?: string
}

interface OfSuggestion {
  readonly suggestionId: string
  readonly taskId?: string
}

interface Proposed extends OfSuggestion {
  readonly operation: 'insert' | 'delete' | 'replace'
  /** Id of a set of suggestions that were made together. */
  readonly setId?: string
}

interface Decided extends Proposed {
  /** Name of the person or program that made the suggestion. */
  readonly author: string | null
  /** Set if the suggestion's author withdrew it. */
  readonly withdrawn?: true
  /** The reason for the rejection, as the person wrote it. */
  readonly reason?: string
}

interface Mentioned {
  readonly names: readonly string[]
  readonly commentId?: string
  readonly suggestionId?: string
  readonly replyId?: string
  readonly taskId?: string
}

interface Link {
  readonly shareId: string
  readonly role: Role
  readonly label: string | null
}

interface Job {
  readonly jobId: string
  readonly kind: JobKind
  /** Error code of the failure. */
  readonly error?: string
  readonly assetId?: string
}

interface OfTask {
  readonly taskId: string
  readonly title: string
}

const carries = <Payload>(): Payload | undefined => undefined

/** Each kind of event with the type of its payload. */
const payloads = {
  'doc.created': carries<{ readonly title: string }>(),
  'doc.claimed': carries<{
    readonly owner: { readonly kind: 'anonymous' | 'account' | 'agent'; readonly id?: string; readonly name?: string }
  }>(),
  'doc.renamed': carries<{ readonly title: string; readonly givenTitle: string | null }>(),
  'doc.published': carries<Nothing>(),
  'doc.unpublished': carries<Nothing>(),
  'doc.deleted': carries<{ readonly restorableUntil: string | null }>(),
  'doc.restored': carries<{ readonly deletedAt: string | null }>(),
  /** An operator removed text from the whole history. */
  'doc.redacted': carries<Nothing>(),
  'content.changed': carries<Content>(),
  'content.replaced': carries<Content>(),
  'content.restored': carries<Content>(),
  'chat.mentioned': carries<{
    readonly names: readonly string[]
    readonly author: string
    readonly sentAt: string
    readonly text: string
    readonly line: number
  }>(),
  'comment.created': carries<OfComment & { readonly line: number | null }>(),
  'comment.mentioned': carries<Mentioned>(),
  'comment.replied': carries<OfComment & { readonly replyId: string }>(),
  'comment.edited': carries<OfText>(),
  'comment.resolved': carries<OfComment>(),
  'comment.reopened': carries<OfComment>(),
  'comment.deleted': carries<OfText>(),
  'suggestion.created': carries<Proposed>(),
  'suggestion.edited': carries<Proposed>(),
  'suggestion.replied': carries<OfSuggestion & { readonly replyId: string }>(),
  'suggestion.accepted': carries<Decided>(),
  'suggestion.rejected': carries<Decided>(),
  'suggestion.reopened': carries<Decided>(),
  'share.created': carries<Link & { readonly madeThrough?: string }>(),
  'share.changed': carries<Link & { readonly changedWith?: string }>(),
  'share.revoked': carries<Link & { readonly endedWith?: string }>(),
  'asset.created': carries<{
    readonly id: string
    readonly url: string
    readonly markdown: string
    readonly name: string
    readonly kind: MediaKind
    readonly size: number
    readonly contentType: string
  }>(),
  'media.done': carries<Job>(),
  'media.failed': carries<Job>(),
  'task.created': carries<OfTask & { readonly shareId: string }>(),
  'task.started': carries<OfTask>(),
  'task.reported': carries<
    OfTask & {
      readonly reviewedVersion: string
      readonly stale: boolean
      readonly commentIds: readonly string[]
      readonly suggestionIds: readonly string[]
    }
  >(),
  'task.closed': carries<OfTask & { readonly from: TaskState }>()
} as const

type Payloads = typeof payloads

export type EventKind = keyof Payloads

export const eventKinds = Object.keys(payloads) as EventKind[]

export type EventPayload<Kind extends EventKind = EventKind> = NonNullable<Payloads[Kind]>

/** The current text that belongs to an event. A field is absent if the event has no such text. */
export interface EventWords {
  /** Text of the comment, reply or note. */
  readonly body?: string
  /** The annotated text. */
  readonly quote?: string
  /** The replacement text of a suggestion. */
  readonly replacement?: string
  /** Names of the fields that were truncated. */
  readonly cut?: readonly ('body' | 'quote' | 'replacement')[]
}

/** A payload as a reader receives it: without the fields that the reader must not see, and with the current text. */
export type ShownPayload<Kind extends EventKind = EventKind> = Partial<EventPayload<Kind>> & EventWords

type FieldOf<Payload> = Payload extends unknown ? keyof Payload : never
type ValueOf<Payload, Field> = Payload extends unknown ? (Field extends keyof Payload ? Payload[Field] : never) : never

/** The fields of all kinds of event, for code that reads a field regardless of the kind. */
export type EventFields = EventWords & { readonly [Field in FieldOf<EventPayload>]?: ValueOf<EventPayload, Field> | undefined }
