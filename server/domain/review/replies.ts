/** Edits and deletes replies to comments and suggestions. A reply is part of the record of its thread. */
import { ServiceError } from '../../../shared/errors.ts'
import type { Input, Output } from '../../../shared/operations/index.ts'
import { mentionsOf } from '../../../shared/mentions.ts'
import { actorOf, type Caller, requireAuthor, requireAuthorOrOwner } from '../rights/caller.ts'
import { remember } from '../records/idempotency.ts'
import { type Comment, keys, type Reply, type Suggestion } from '../records/keys.ts'
import type { Transaction } from '../records/transaction.ts'
import type { EventPayload } from '../../../shared/events.ts'
import { sameMention } from '../events/notices.ts'
import { type AnnotatedDocument, alone, withAnnotations } from './annotated-document.ts'
import { type AnnotationKind, putAnnotation, type Written } from './annotation-records.ts'
import { settle, showComment, showSuggestion } from './annotations-shown.ts'
import { tellMentions } from './comment-mentions.ts'
import { checkAnnotation } from '../text/named-range.ts'
import type { Service } from '../service.ts'

type Answer = Output<'editReply'>

/** The comment or suggestion that has a reply. */
interface Thread {
  readonly kind: AnnotationKind
  readonly id: string
}

const unknownReply = (): ServiceError => new ServiceError('not_found', { message: 'This document has no such reply.' })

/** Returns the thread of a reply. Throws `not_found`. */
const threadOf = ({ annotations }: AnnotatedDocument, replyId: string): Thread => {
  for (const kind of ['comment', 'suggestion'] as const)
    for (const { id, replies = [] } of annotations[kind].values()) if (replies.some((each) => each.id === replyId)) return { kind, id }
  throw unknownReply()
}

const payloadOf = ({ kind, id }: Thread, task: string | null, replyId: string): EventPayload<'comment.edited'> => ({
  ...(kind === 'comment' ? { commentId: id } : { suggestionId: id }),
  ...(task === null ? {} : { taskId: task }),
  replyId
})

/** Writes a thread with changed replies. A suggestion without replies has no list of them. */
const putThread = (tx: Transaction, kind: AnnotationKind, record: Comment | Suggestion, replies: readonly Reply[]): Written => {
  if (kind === 'comment') return putAnnotation(tx, kind, { ...(record as Comment), replies, updatedAt: tx.now })
  const { replies: _replies, ...suggestion } = record as Suggestion
  return putAnnotation(tx, kind, { ...suggestion, ...(replies.length > 0 && { replies }), updatedAt: tx.now })
}

const answerOf = (opened: AnnotatedDocument, kind: AnnotationKind, record: Comment | Suggestion): Answer =>
  kind === 'comment'
    ? { ok: true, comment: showComment(opened, record as Comment) }
    : { ok: true, suggestion: showSuggestion(opened, record as Suggestion) }

/**
 * Changes one reply. `change` returns the changed reply, or undefined to delete it. If it returns the same reply, nothing is written. The response
 * contains the thread.
 */
const changeReply = (
  service: Service,
  caller: Caller,
  doc: string,
  replyId: string,
  change: (tx: Transaction, reply: Reply, payload: EventPayload<'comment.edited'>) => Reply | undefined
): Promise<Answer> =>
  withAnnotations(service, doc, async (opened) => {
    const thread = threadOf(opened, replyId)
    const { kind, id } = thread
    return alone(opened, id, async () => {
      const key = keys[kind](doc, id)
      const run = (tx: Transaction): { written: Written[]; answer: Answer } => {
        opened.openDoc.journalInto(tx)
        const found = tx.read<Comment | Suggestion>(key)
        const reply = found?.replies?.find((each) => each.id === replyId)
        if (found === undefined || reply === undefined) throw unknownReply()
        const changed = change(tx, reply, payloadOf(thread, found.task, replyId))
        if (changed === reply) return { written: [], answer: remember(service, tx, caller, doc, answerOf(opened, kind, found)) }
        tx.erase()
        const replies = (found.replies ?? []).flatMap((each) => (each.id === replyId ? (changed ?? []) : each))
        const written = putThread(tx, kind, found, replies)
        opened.annotations.requireRoom(written)
        const record = written.record as Comment | Suggestion
        return { written: [written], answer: remember(service, tx, caller, doc, answerOf(opened, kind, record)) }
      }
      const { written, answer } = await service.ledger.write(doc, caller, run, { reads: [key] })
      settle(opened, written)
      return answer
    })
  })

/** Edits the caller's own reply. Throws `not_found`, `not_author`, `text_too_large` or `quota_exceeded`. */
export const editReply = (service: Service, caller: Caller, doc: string, { replyId, body }: Input<'editReply'>): Promise<Answer> => {
  checkAnnotation('body', body)
  return changeReply(service, caller, doc, replyId, (tx, reply, payload) => {
    requireAuthor(caller, reply)
    if (reply.body === body) return reply
    service.quotas.require(tx.head, body.length - reply.body.length, body.length <= reply.body.length)
    tx.event('comment.edited', actorOf(caller), payload)
    // Replies of earlier versions do not list the names that were notified.
    const heard = reply.mentioned ?? mentionsOf(reply.body).map(sameMention)
    const mentioned = tellMentions(tx, caller, payload, body, heard)
    return { ...reply, body, ...(mentioned.length > 0 && { mentioned }), editedAt: tx.now }
  })
}

/** Deletes a reply for its author or for an owner of the document. Throws `not_found` or `not_author`. */
export const deleteReply = (service: Service, caller: Caller, doc: string, { replyId }: Input<'deleteReply'>): Promise<Answer> =>
  changeReply(service, caller, doc, replyId, (tx, reply, payload) => {
    requireAuthorOrOwner(caller, reply)
    tx.event('comment.deleted', actorOf(caller), payload)
    return undefined
  })
