/** Reads suggestions and adds replies to them (docs/api.md, Comments and suggestions). decisions.ts decides suggestions. */
import { ServiceError } from '../../../shared/errors.ts'
import { limits } from '../../../shared/limits.ts'
import type { Input, Output } from '../../../shared/operations/index.ts'
import { actorOf, authorOf, type Caller, nameOfAuthor } from '../rights/caller.ts'
import { tellMentions } from './comment-mentions.ts'
import { remember } from '../records/idempotency.ts'
import { keys, type Reply, type Suggestion } from '../records/keys.ts'
import type { Transaction } from '../records/transaction.ts'
import { takingPart } from '../events/notices.ts'
import { pageOf, readable } from './annotation-pages.ts'
import { checkAnnotation } from '../text/named-range.ts'
import { alone, withAnnotations } from './annotated-document.ts'
import { putAnnotation, type Written } from './annotation-records.ts'
import { settle, showReply, showSuggestion, statusOf } from './annotations-shown.ts'
import { newId } from '../secrets.ts'
import type { Service } from '../service.ts'

export const listSuggestions = (service: Service, doc: string, input: Input<'listSuggestions'>): Promise<Output<'listSuggestions'>> =>
  readable(service, doc, (opened) => {
    const { status = 'all', author, taskId, setId, id } = input
    const fits = (suggestion: Suggestion): boolean =>
      (id === undefined || id === suggestion.id) &&
      (author === undefined || author === nameOfAuthor(suggestion.author)) &&
      (taskId === undefined || taskId === suggestion.task) &&
      (setId === undefined || setId === suggestion.set) &&
      (status === 'all' || status === statusOf(opened, suggestion))
    const { page, ...counts } = pageOf(opened, [...opened.annotations.suggestion.values()].filter(fits), input)
    return { suggestions: page.map((suggestion) => showSuggestion(opened, suggestion)), ...counts }
  })

/** Returns a suggestion. Throws `not_found`. */
export const readSuggestion = (
  service: Service,
  doc: string,
  { suggestionId }: Input<'readSuggestion'>
): Promise<Output<'readSuggestion'>> =>
  readable(service, doc, (opened) => {
    const found = opened.annotations.suggestion.get(suggestionId)
    if (found === undefined) throw unknownSuggestion()
    return { suggestion: showSuggestion(opened, found) }
  })

// ——— Replies ———
const unknownSuggestion = (): ServiceError => new ServiceError('not_found', { message: 'This document has no such suggestion.' })

/**
 * Adds a reply to a suggestion. Throws `not_found`, `text_too_large` or `quota_exceeded`, and `invalid_request` if the suggestion has too many
 * replies.
 */
export const replyToSuggestion = (
  service: Service,
  caller: Caller,
  doc: string,
  { suggestionId, body }: Input<'replyToSuggestion'>
): Promise<Output<'replyToSuggestion'>> => {
  checkAnnotation('body', body)
  const made = { id: newId(), body, author: authorOf(caller) }
  return withAnnotations(service, doc, (opened) =>
    alone(opened, suggestionId, async () => {
      const key = keys.suggestion(doc, suggestionId)
      const change = (tx: Transaction): { written: Written<'suggestion'>; answer: Output<'replyToSuggestion'> } => {
        opened.openDoc.journalInto(tx)
        const found = tx.read<Suggestion>(key)
        if (found === undefined) throw unknownSuggestion()
        if ((found.replies?.length ?? 0) >= limits.repliesMax)
          throw new ServiceError('invalid_request', {
            message: `A suggestion may have at most ${limits.repliesMax} replies. Add a comment instead.`
          })
        service.quotas.require(tx.head, Buffer.byteLength(body))
        const payload = { suggestionId, ...(found.task === null ? {} : { taskId: found.task }), replyId: made.id }
        const event = tx.event('suggestion.replied', actorOf(caller), payload)
        const mentioned = tellMentions(tx, caller, payload, body)
        tx.notify(event, { by: authorOf(caller), people: takingPart(found), except: mentioned })
        const reply: Reply = { ...made, createdAt: tx.now, ...(mentioned.length > 0 && { mentioned }) }
        const written = putAnnotation(tx, 'suggestion', { ...found, replies: [...(found.replies ?? []), reply], updatedAt: tx.now })
        opened.annotations.requireRoom(written)
        const shown = { id: made.id, reply: showReply(reply), suggestion: showSuggestion(opened, written.record as Suggestion) }
        return { written, answer: remember(service, tx, caller, doc, shown) }
      }
      const { written, answer } = await service.ledger.write(doc, caller, change, { reads: [key] })
      settle(opened, [written])
      return answer
    })
  )
}
