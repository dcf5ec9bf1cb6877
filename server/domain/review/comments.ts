/** Comments on the document or on part of its text, and their replies (docs/api.md, Comments and suggestions). */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import type { Input, Output } from '../../../shared/operations/index.ts'
import { contextOf, lineAt, type Range } from '../../../shared/text/targets.ts'
import { actorOf, authorOf, type Caller, nameOfAuthor, requireAuthor, requireAuthorOrOwner, taskOf } from '../rights/caller.ts'
import { tellMentions } from './comment-mentions.ts'
import { remember } from '../records/idempotency.ts'
import { type Comment, type CommentTarget, keys, type Reply } from '../records/keys.ts'
import type { EventPayload } from '../../../shared/events.ts'
import type { Transaction } from '../records/transaction.ts'
import { takingPart } from '../events/notices.ts'
import { pageOf, readable } from './annotation-pages.ts'
import { type AnnotatedDocument, withAnnotations } from './annotated-document.ts'
import { deleteAnnotation, putAnnotation, type Written } from './annotation-records.ts'
import { settle, showComment, showReply, showWriter } from './annotations-shown.ts'
import { newId } from '../secrets.ts'
import type { Service } from '../service.ts'
import { checkAnnotation, kindOf, type Target } from '../text/named-range.ts'
import { type AnchoredRange, anchorRange, type BaseText, baseTextOf, rangeOfCharacters, withRange } from '../text/targets.ts'

export const listComments = (service: Service, doc: string, input: Input<'listComments'>): Promise<Output<'listComments'>> =>
  readable(service, doc, (opened) => {
    const { status = 'all', author, taskId, id } = input
    const fits = ({ id: own, resolvedAt, author: by, task }: Comment): boolean =>
      (id === undefined || id === own) &&
      (status === 'all' || (status === 'resolved') === (resolvedAt !== null)) &&
      (author === undefined || author === nameOfAuthor(by)) &&
      (taskId === undefined || taskId === task)
    const { page, ...counts } = pageOf(opened, [...opened.annotations.comment.values()].filter(fits), input)
    return { comments: page.map((comment) => showComment(opened, comment)), ...counts }
  })

const unknownComment = (): ServiceError => new ServiceError('not_found', { message: 'This document has no such comment.' })

/** Returns a comment. Throws `not_found`. */
export const readComment = (service: Service, doc: string, { commentId }: Input<'readComment'>): Promise<Output<'readComment'>> =>
  readable(service, doc, (opened) => {
    const found = opened.annotations.comment.get(commentId)
    if (found === undefined) throw unknownComment()
    return { comment: showComment(opened, found) }
  })

// ——— Creating comments ———

const payloadOf = ({ id, task }: Pick<Comment, 'id' | 'task'>): EventPayload<'comment.resolved'> => ({
  commentId: id,
  ...(task === null ? {} : { taskId: task })
})

/** Returns the record for a comment's target. `content` is the text that the caller had read. */
const targetOf = (content: string, target: Target, range: Range | undefined): CommentTarget => {
  const kind = kindOf(target)
  if (range !== undefined)
    return {
      kind,
      quote: content.slice(range.from, range.to),
      ...contextOf(content, range),
      line: lineAt(content, range.from),
      ...range
    }
  return { kind, quote: target.find ?? '', prefix: target.prefix ?? '', suffix: target.suffix ?? '', line: null, from: null, to: null }
}

/**
 * Ties a comment to a range of the text that its author read, and writes the comment. There is no `await` before the comment is tied, so the text
 * cannot change meanwhile.
 */
const write = async (
  opened: AnnotatedDocument,
  caller: Caller,
  input: Input<'createComment'>,
  { ground, content, range }: { readonly ground: BaseText; readonly content: string; readonly range: Range | undefined }
): Promise<Output<'createComment'>> => {
  const { service, doc, openDoc, annotations } = opened
  const anchored: AnchoredRange | undefined = range && anchorRange(openDoc, ground, range)
  const id = newId()
  const made = {
    id,
    body: input.body,
    target: targetOf(content, input, range),
    author: authorOf(caller),
    version: openDoc.snapshot().version,
    task: taskOf(caller),
    resolvedAt: null,
    resolvedBy: null,
    replies: []
  }
  annotations.tie('comment', id, anchored?.anchor ?? null, anchored?.range)
  const change = (tx: Transaction): { written: Written; answer: Output<'createComment'> } => {
    service.quotas.require(tx.head, Buffer.byteLength(input.body))
    openDoc.journalInto(tx)
    const payload = { commentId: id, line: made.target.line, ...(made.task === null ? {} : { taskId: made.task }) }
    const { seq: number } = tx.event('comment.created', actorOf(caller), payload, made.version)
    const mentioned = tellMentions(tx, caller, payloadOf(made), made.body)
    const comment: Comment = {
      ...made,
      ...(mentioned.length === 0 ? {} : { mentioned }),
      number,
      pin: anchored?.anchor ?? null,
      createdAt: tx.now,
      updatedAt: tx.now
    }
    const shown = showComment(opened, comment)
    const answer = { id, commentId: id, anchored: shown.anchored, comment: shown }
    return { written: putAnnotation(tx, 'comment', comment), answer: remember(service, tx, caller, doc, answer) }
  }
  const { written, answer } = await service.ledger.write(doc, caller, change).catch((error: unknown) => {
    annotations.forget('comment', id)
    throw error
  })
  settle(opened, [written])
  showWriter(opened, caller, id)
  return answer
}

export const createComment = (
  service: Service,
  caller: Caller,
  doc: string,
  input: Input<'createComment'>
): Promise<Output<'createComment'>> => {
  checkAnnotation('body', input.body)
  return withAnnotations(service, doc, async (opened) => {
    const { openDoc } = opened
    const ground = await baseTextOf(service, openDoc, input.baseVersion)
    const look = async (text: string): Promise<Range | undefined> =>
      rangeOfCharacters(openDoc, ground, input) ?? (await service.texts.do(doc, 'target', text, input))
    return withRange(openDoc, ground, look, (content, range) => write(opened, caller, input, { ground, content, range }))
  })
}

// ——— Changing comments ———

/** Changes one comment and builds the response. If `change` returns the same record, nothing is written. */
const changeComment = <T>(
  service: Service,
  caller: Caller,
  doc: string,
  id: string,
  change: (tx: Transaction, comment: Comment) => Comment | undefined,
  answerOf: (opened: AnnotatedDocument, comment: Comment) => T
): Promise<T> =>
  withAnnotations(service, doc, async (opened) => {
    const key = keys.comment(doc, id)
    const run = (tx: Transaction): { written: Written[]; answer: T } => {
      opened.openDoc.journalInto(tx)
      const found = tx.read<Comment>(key)
      if (found === undefined) throw unknownComment()
      const changed = change(tx, found)
      const written = changed === undefined ? deleteAnnotation(tx, 'comment', id) : putAnnotation(tx, 'comment', changed)
      return {
        written: changed === found ? [] : [written],
        answer: remember(service, tx, caller, doc, answerOf(opened, changed ?? found))
      }
    }
    const { written, answer } = await service.ledger.write(doc, caller, run, { reads: [key] })
    settle(opened, written)
    return answer
  })

export const replyToComment = (
  service: Service,
  caller: Caller,
  doc: string,
  { commentId, body }: Input<'replyToComment'>
): Promise<Output<'replyToComment'>> => {
  checkAnnotation('body', body)
  const made = { id: newId(), body, author: authorOf(caller) }
  const change = (tx: Transaction, comment: Comment): Comment => {
    if (comment.replies.length >= limits.repliesMax)
      throw new ServiceError('invalid_request', { message: `A comment may have ${limits.repliesMax} replies. Start a new comment.` })
    service.quotas.require(tx.head, Buffer.byteLength(body))
    const payload = { ...payloadOf(comment), replyId: made.id }
    const event = tx.event('comment.replied', actorOf(caller), payload)
    const mentioned = tellMentions(tx, caller, payload, body)
    tx.notify(event, { by: authorOf(caller), people: takingPart(comment), except: mentioned })
    const reply = { ...made, createdAt: tx.now, ...(mentioned.length > 0 && { mentioned }) }
    return { ...comment, replies: [...comment.replies, reply], updatedAt: tx.now }
  }
  return changeComment(service, caller, doc, commentId, change, (opened, comment) => ({
    id: made.id,
    reply: showReply(comment.replies.at(-1) as Reply),
    comment: showComment(opened, comment)
  }))
}

type CommentAnswer = Output<'resolveComment'>

const commentAnswer = (opened: AnnotatedDocument, comment: Comment): CommentAnswer => ({ ok: true, comment: showComment(opened, comment) })

export const resolveComment = (
  service: Service,
  caller: Caller,
  doc: string,
  { commentId, resolved }: Input<'resolveComment'>
): Promise<CommentAnswer> => {
  const change = (tx: Transaction, comment: Comment): Comment => {
    if (resolved === (comment.resolvedAt !== null)) return comment
    tx.event(resolved ? 'comment.resolved' : 'comment.reopened', actorOf(caller), payloadOf(comment))
    const by = resolved ? { resolvedAt: tx.now, resolvedBy: authorOf(caller) } : { resolvedAt: null, resolvedBy: null }
    return { ...comment, ...by, updatedAt: tx.now }
  }
  return changeComment(service, caller, doc, commentId, change, commentAnswer)
}

export const editComment = (
  service: Service,
  caller: Caller,
  doc: string,
  { commentId, body }: Input<'editComment'>
): Promise<CommentAnswer> => {
  checkAnnotation('body', body)
  const change = (tx: Transaction, comment: Comment): Comment => {
    requireAuthor(caller, comment)
    if (comment.body === body) return comment
    service.quotas.require(tx.head, body.length - comment.body.length, body.length <= comment.body.length)
    tx.erase()
    tx.event('comment.edited', actorOf(caller), payloadOf(comment))
    const mentioned = tellMentions(tx, caller, payloadOf(comment), body, comment.mentioned)
    return { ...comment, body, ...(mentioned.length === 0 ? {} : { mentioned }), editedAt: tx.now, updatedAt: tx.now }
  }
  return changeComment(service, caller, doc, commentId, change, commentAnswer)
}

export const deleteComment = (
  service: Service,
  caller: Caller,
  doc: string,
  { commentId }: Input<'deleteComment'>
): Promise<Output<'deleteComment'>> => {
  const change = (tx: Transaction, comment: Comment): undefined => {
    requireAuthorOrOwner(caller, comment)
    tx.erase()
    tx.event('comment.deleted', actorOf(caller), payloadOf(comment))
  }
  return changeComment(service, caller, doc, commentId, change, () => ({ ok: true, deleted: true }))
}
