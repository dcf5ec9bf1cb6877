/** The form in which responses and open pages show annotations. */
import { limits } from '../../../shared/limits.ts'
import type { Output } from '../../../shared/operations/index.ts'
import { type CharacterPosition, placesOf } from '../../../shared/text/characters.ts'
import type { Lines, Range } from '../../../shared/text/targets.ts'
import { type Caller, nameOfAuthor } from '../rights/caller.ts'
import type { Author, Comment, Reply, Suggestion } from '../records/keys.ts'
import type { LiveMessage } from '../../../shared/live-protocol.ts'
import type { OpenDocument } from '../text/open-document.ts'
import type { AnnotatedDocument } from './annotated-document.ts'
import type { Written } from './annotation-records.ts'

type ShownComment = Output<'resolveComment'>['comment']
type ShownSuggestion = Output<'decideSuggestion'>['suggestion']
type ShownReply = Output<'replyToComment'>['reply']

const instant = (ms: number): string => new Date(ms).toISOString()
const instantOrNull = (ms: number | null): string | null => (ms === null ? null : instant(ms))

const shownAuthor = (author: Author): Pick<ShownComment, 'author' | 'authorKind' | 'guest'> => ({
  author: nameOfAuthor(author),
  authorKind: author.kind,
  guest: author.kind === 'guest'
})

/** Returns the time of the last edit, if there was one. */
const shownEdit = ({ editedAt }: Pick<Reply, 'editedAt'>): Pick<ShownReply, 'editedAt'> =>
  editedAt === undefined ? {} : { editedAt: instant(editedAt) }

export const showReply = (reply: Reply): ShownReply => ({
  id: reply.id,
  body: reply.body,
  ...shownAuthor(reply.author),
  createdAt: instant(reply.createdAt),
  ...shownEdit(reply)
})

/** The fields that do not depend on the text. Records are immutable and lists are long, so these fields are cached for each record. */
type Lasting = Omit<ShownComment, 'anchor' | 'line' | 'anchored' | 'orphaned'>
const lasting = new WeakMap<Comment, Lasting>()

const lastingOf = (comment: Comment): Lasting => {
  const known = lasting.get(comment)
  if (known !== undefined) return known
  const made: Lasting = {
    id: comment.id,
    body: comment.body,
    ...shownAuthor(comment.author),
    target: { ...comment.target },
    status: comment.resolvedAt === null ? 'open' : 'resolved',
    resolved: comment.resolvedAt !== null,
    resolvedAt: instantOrNull(comment.resolvedAt),
    resolvedBy: comment.resolvedBy && nameOfAuthor(comment.resolvedBy),
    resolvedByKind: comment.resolvedBy && comment.resolvedBy.kind,
    createdAt: instant(comment.createdAt),
    updatedAt: instant(comment.updatedAt),
    ...shownEdit(comment),
    version: comment.version,
    ...(comment.task === null ? {} : { taskId: comment.task }),
    replies: comment.replies.map(showReply)
  }
  lasting.set(comment, made)
  return made
}

export const showComment = ({ annotations }: AnnotatedDocument, comment: Comment): ShownComment => {
  const range = annotations.rangeOf(comment.id)
  return {
    ...lastingOf(comment),
    anchor: range === undefined ? null : { from: range.from, to: range.to },
    line: range === undefined ? null : annotations.lines.at(range.from),
    anchored: range !== undefined,
    orphaned: comment.pin !== null && range === undefined
  }
}

/** Returns the status of a suggestion. A pending suggestion is orphaned while its text is gone; undoing the deletion makes it pending again. */
export const statusOf = ({ annotations }: AnnotatedDocument, { id, status }: Suggestion): ShownSuggestion['status'] =>
  status === 'pending' && annotations.rangeOf(id) === undefined ? 'orphaned' : status

export const showSuggestion = (opened: AnnotatedDocument, suggestion: Suggestion): ShownSuggestion => {
  const { annotations } = opened
  const range = suggestion.status === 'pending' ? annotations.rangeOf(suggestion.id) : undefined
  return { id: suggestion.id, ...suggestionShown(suggestion, statusOf(opened, suggestion), range, annotations.lines) }
}

/** Returns a suggestion in the form that responses use. In a dry run, the suggestion has no id. */
export const suggestionShown = (
  suggestion: Suggestion,
  status: ShownSuggestion['status'],
  range: Range | undefined,
  lines: Lines
): Omit<ShownSuggestion, 'id'> => {
  return {
    operation: suggestion.operation,
    type: suggestion.operation,
    status,
    original: suggestion.original,
    text: suggestion.text,
    note: suggestion.note,
    from: range?.from ?? null,
    to: range?.to ?? null,
    line: range === undefined ? null : lines.at(range.from),
    ...shownAuthor(suggestion.author),
    createdAt: instant(suggestion.createdAt),
    version: suggestion.version,
    ...(suggestion.updatedAt === undefined ? {} : { updatedAt: instant(suggestion.updatedAt) }),
    decidedBy: suggestion.decidedBy && nameOfAuthor(suggestion.decidedBy),
    decidedByKind: suggestion.decidedBy && suggestion.decidedBy.kind,
    decidedAt: instantOrNull(suggestion.decidedAt),
    resultVersion: suggestion.resultVersion,
    ...(suggestion.reason === undefined ? {} : { reason: suggestion.reason }),
    ...(suggestion.change === undefined ? {} : { change: suggestion.change }),
    ...(suggestion.withdrawn === undefined ? {} : { withdrawn: suggestion.withdrawn }),
    ...(suggestion.replies === undefined ? {} : { replies: suggestion.replies.map(showReply) }),
    ...(suggestion.draft?.id === undefined ? {} : { draftId: suggestion.draft.id }),
    ...(suggestion.draft === undefined ? {} : { step: suggestion.draft.step }),
    ...(suggestion.set === null ? {} : { setId: suggestion.set }),
    ...(suggestion.task === null ? {} : { taskId: suggestion.task })
  }
}

/** Returns the message that notifies open pages of a changed annotation. */
const messageOf = (opened: AnnotatedDocument, { kind, id, record }: Written, place: CharacterPosition | undefined): LiveMessage => {
  if (record === undefined) return { type: 'comment.deleted', commentId: id }
  const at = place === undefined ? {} : { place }
  return kind === 'comment'
    ? { type: 'comment', comment: showComment(opened, record as Comment), ...at }
    : { type: 'suggestion', suggestion: showSuggestion(opened, record as Suggestion), ...at }
}

/** Returns the messages about changed annotations, which name the characters of those that have text. Walks the text once. */
const messagesOf = (opened: AnnotatedDocument, written: readonly Written[]): LiveMessage[] => {
  const { annotations, openDoc } = opened
  const ranges = written.map(({ id, record }) => (record === undefined ? undefined : annotations.rangeOf(id)))
  const known = ranges.filter((range) => range !== undefined)
  const places = placesOf(openDoc.text, openDoc.snapshot().content, known).values()
  return written.map((each, index) => messageOf(opened, each, ranges[index] && places.next().value))
}

const isLarge = (written: readonly Written[]): boolean =>
  written.length > limits.annotationsInMessageMax || written.some(({ bytes }) => bytes > limits.annotationMessageBytesMax)

/** Updates the annotations in memory to match the commit, and notifies every open page. */
export const settle = (opened: AnnotatedDocument, written: readonly Written[]): void => {
  const { annotations } = opened
  annotations.annotated += written.length
  for (const each of written) {
    if (each.record === undefined) annotations.forget(each.kind, each.id)
    else annotations.keep(each.kind, each.record, each.bytes)
  }
  announceWritten(opened, written)
}

/** The records that this node has announced. A changed annotation has another record. */
const announced = new WeakSet<Comment | Suggestion>()

/** The ids of the annotations whose deletion this node has announced. */
const announcedDeletions = new WeakMap<OpenDocument, Set<string>>()

/** Whether this node has notified its open pages of this state of an annotation. */
export const isAnnounced = ({ openDoc }: AnnotatedDocument, { id, record }: Written): boolean =>
  record === undefined ? announcedDeletions.get(openDoc)?.has(id) === true : announced.has(record)

const noteAnnounced = ({ openDoc }: AnnotatedDocument, { id, record }: Written): void => {
  if (record !== undefined) {
    announced.add(record)
    return
  }
  const deletions = announcedDeletions.get(openDoc) ?? new Set()
  announcedDeletions.set(openDoc, deletions.add(id))
}

/** Notifies every open page on this node of changed annotations. */
export const announceWritten = (opened: AnnotatedDocument, written: readonly Written[]): void => {
  const { service, doc } = opened
  for (const each of written) noteAnnounced(opened, each)
  const messages: LiveMessage[] = isLarge(written) ? [{ type: 'annotations' }] : messagesOf(opened, written)
  for (const message of messages) service.live.announce(doc, message)
}

/** Shows on open pages the range where a program made its comment or suggestion. */
export const showWriter = ({ service, doc, annotations }: AnnotatedDocument, caller: Caller, id: string | undefined): void => {
  const range = id === undefined ? undefined : annotations.rangeOf(id)
  if (range !== undefined) service.live.showAgent(doc, caller, range)
}
