/** Suggestions that pages send while a person types them. Each version replaces the previous one and keeps its position. */
import { hash } from 'node:crypto'
import { ServiceError } from '../../../shared/errors.ts'
import type { Input, Output } from '../../../shared/operations/index.ts'
import { actorOf, authorOf, type Caller, sameAuthor } from '../rights/caller.ts'
import { remember } from '../records/idempotency.ts'
import { type Author, keys, type Suggestion } from '../records/keys.ts'
import type { Transaction } from '../records/transaction.ts'
import { alone, type AnnotatedDocument, withAnnotations } from './annotated-document.ts'
import { putAnnotation, type Written } from './annotation-records.ts'
import { settle, showSuggestion } from './annotations-shown.ts'
import type { Service } from '../service.ts'
import { type Proposal, type ShownSuggestion, propose, checkProposal, proposalOf } from './proposals.ts'

/** Returns the id of a draft. All requests from one author with the same draftId get the same id. */
const draftedId = (doc: string, { kind, id }: Author, draftId: string): string =>
  hash('sha256', JSON.stringify(['draft', doc, kind, id, draftId]), 'base64url').slice(0, draftedIdChars)
/** The length of a draft's id. Other suggestions have ids of the same length. */
const draftedIdChars = 16

/** Returns the part of a draftId that other people may see; undefined if there is none. */
const shownName = (draftId: string): string | undefined => (draftId.includes('.') ? draftId.slice(0, draftId.indexOf('.')) : undefined)

/** A request about a suggestion that is still being typed. */
interface Typed {
  readonly opened: AnnotatedDocument
  readonly caller: Caller
  readonly input: Input<'draftSuggestion'>
}

type Drafted = Output<'draftSuggestion'>

/** Returns a proposal at the suggestion's known position if the text to be replaced is gone. This lets the author continue typing the new text. */
const keepsPlace = (error: unknown, { operation, find, text = '', note }: Typed['input'], known: Suggestion): Proposal | undefined => {
  const isGone = error instanceof ServiceError && (error.code === 'target_not_found' || error.code === 'target_ambiguous')
  const isSame = operation === known.operation && (operation === 'insert' || find === known.original)
  if (!isGone || !isSame || known.pin === null) return undefined
  return { operation, original: known.original, text, note: note ?? null, anchored: { anchor: known.pin, range: undefined } }
}

/** Changes a pending suggestion. There is no `await` before the suggestion is anchored in the text. */
const redraft = async ({ opened, caller, input }: Typed, known: Suggestion, proposal: Proposal, isMoved: boolean): Promise<Drafted> => {
  const { service, doc, openDoc, annotations } = opened
  const { operation, original, text, note, anchored: to } = proposal
  const key = keys.suggestion(doc, known.id)
  const isSame = operation === known.operation && original === known.original && text === known.text && note === known.note
  const told = isSame && (known.draft?.told ?? true)
  const stood = annotations.rangeOf(known.id)
  const saysSame = isSame && (!isMoved || (stood !== undefined && stood.from === to.range?.from && stood.to === to.range.to))
  const since = known.draft?.since ?? known.draft?.step ?? 0
  const back = isMoved ? annotations.retie('suggestion', known.id, to.anchor, to.range) : undefined
  const change = (tx: Transaction): { written: Written<'suggestion'>; answer: Drafted } => {
    const found = tx.read<Suggestion>(key)
    if (found === undefined) throw new ServiceError('not_found')
    service.quotas.require(tx.head, text.length - found.text.length, text.length <= found.text.length)
    openDoc.journalInto(tx)
    if (input.done && !told) {
      // Text that was typed and then deleted must not stay in the store's files.
      tx.erase()
      const payload = { suggestionId: known.id, operation, ...(known.task === null ? {} : { taskId: known.task }) }
      tx.event('suggestion.edited', actorOf(caller), payload)
    }
    const drafted = { ...found.draft, step: input.step, since: saysSame ? since : input.step, told: input.done || told }
    const anchor = isMoved ? to.anchor : found.pin
    const written = putAnnotation(tx, 'suggestion', {
      ...found,
      operation,
      original,
      text,
      note,
      pin: anchor,
      draft: drafted,
      updatedAt: tx.now
    })
    annotations.requireRoom(written)
    const answer = { ok: true as const, suggestion: showSuggestion(opened, written.record as Suggestion) }
    return { written, answer: remember(service, tx, caller, doc, answer) }
  }
  try {
    const { written, answer } = await service.ledger.write(doc, caller, change, { reads: [key] })
    settle(opened, [written])
    return answer
  } catch (error) {
    back?.()
    throw error
  }
}

/** Whether a request repeats the current proposal. */
const repeats = ({ input: { operation, find, text = '', note } }: Typed, known: Suggestion): boolean =>
  operation === known.operation &&
  (operation === 'delete' || text === known.text) &&
  (note ?? null) === known.note &&
  (operation === 'insert' || find === undefined || find === known.original)

/** Throws `suggestion_fixed` if typing alone cannot explain the suggestion's new position. */
const requireSamePlace = (
  { openDoc, annotations }: AnnotatedDocument,
  known: Suggestion,
  { operation, original, anchored: { range } }: Proposal
): void => {
  const stood = annotations.rangeOf(known.id)
  if (stood === undefined || range === undefined) {
    if (operation !== 'insert' && original === known.original) return
    throw new ServiceError('suggestion_fixed')
  }
  const [from, to] = range.from > stood.to ? [stood.to, range.from] : [range.to, Math.max(range.to, stood.from)]
  if (openDoc.snapshot().content.slice(from, to).trim() !== '') throw new ServiceError('suggestion_fixed')
}

/**
 * Creates or changes a suggestion that is still being typed. Throws `not_author`, `already_decided`, `stale_step`, `suggestion_fixed`, and the
 * errors of `checkProposal` and `propose`.
 */
export const draftSuggestion = (service: Service, caller: Caller, doc: string, input: Input<'draftSuggestion'>): Promise<Drafted> => {
  checkProposal(input)
  const { draftId, step } = input
  const author = authorOf(caller)
  const id = draftedId(doc, author, draftId)
  const name = shownName(draftId)
  return withAnnotations(service, doc, (opened) =>
    alone(opened, id, () => {
      const known = opened.annotations.suggestion.get(id)
      const make = (proposal: Proposal): Promise<Drafted> =>
        propose(
          opened,
          caller,
          [{ ...proposal, typed: { id, draft: { ...(name !== undefined && { id: name }), step, told: true } } }],
          null,
          ([suggestion]) => ({
            ok: true,
            suggestion: suggestion as ShownSuggestion
          })
        )
      // Two drafts of a document cannot have the same visible name.
      const isTaken = (): boolean =>
        name !== undefined && [...opened.annotations.suggestion.values()].some(({ draft }) => draft?.id === name)
      if (known === undefined && isTaken()) throw new ServiceError('not_author')
      if (known === undefined) return proposalOf(opened, input, make)
      if (!sameAuthor(author, known.author)) throw new ServiceError('not_author')
      const asItIs = async (): Promise<Drafted> => ({ ok: true, suggestion: showSuggestion(opened, known) })
      if (known.status !== 'pending') {
        if (known.text === (input.text ?? '')) return asItIs()
        throw new ServiceError('already_decided', { suggestionStatus: known.status })
      }
      const typed = { opened, caller, input }
      const has = known.draft?.step ?? 0
      const isSame = repeats(typed, known)
      if (step < has || (step === has && !isSame)) throw new ServiceError('stale_step', { step: has })
      if (step === has && (!input.done || known.draft?.told === true)) return asItIs()
      const isAnswered = known.replies !== undefined
      if (isAnswered && !isSame) throw new ServiceError('suggestion_fixed')
      // The suggestion's position does not change.
      if ((step === has || isAnswered) && known.pin !== null) {
        const { operation, original, text, note, pin: anchor } = known
        return redraft(typed, known, { operation, original, text, note, anchored: { anchor, range: undefined } }, false)
      }
      const change = (proposal: Proposal): Promise<Drafted> => {
        requireSamePlace(opened, known, proposal)
        return redraft(typed, known, proposal, true)
      }
      return proposalOf(opened, input, change).catch((error: unknown) => {
        const stays = keepsPlace(error, input, known)
        if (stays === undefined) throw error
        return redraft(typed, known, stays, false)
      })
    })
  )
}
