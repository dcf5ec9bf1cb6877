/** Messages for an annotation, a decision or an assignment that the service refused. This module has no user interface code. */
import { t, term, tn } from '../../text/t.ts'
import type { RequestError } from '../../client/api.ts'
import { displayName } from '../../presence/people.ts'
import type { Decision } from './entry.ts'
import type { Suggestion } from './records.ts'

const noRight = term('Your link no longer allows this.')
const ended = term('Your access to this document has ended.')
const tooLarge = term('This is too long.')

const byCode: Readonly<Record<string, string>> = {
  already_decided: term('Someone else made the opposite decision.'),
  target_changed: term('The text has changed, so the suggestion cannot be applied.'),
  stale_step: term('There is a newer version of this suggestion.'),
  suggestion_fixed: term('Someone replied to this suggestion, so you can no longer edit it.'),
  target_not_found: term('The original text is gone.'),
  target_ambiguous: term('The original text now appears in several places.'),
  not_author: term('Only the author can change this.'),
  text_too_large: tooLarge,
  content_too_large: term('The document would be too large.'),
  not_found: term('This no longer exists.'),
  document_deleted: term('The owner deleted this document.'),
  taken_down: ended,
  forbidden: noRight,
  credential_required: ended,
  credential_invalid: ended,
  quota_exceeded: term('The storage of the document or its owner is full. Delete anything that is no longer needed, then try again.'),
  storage_full: term('The server’s disk is full.')
}

/** Whether the same request may succeed later without anybody changing it. */
export const passes = ({ status }: RequestError): boolean => status === 0 || status === 429 || (status >= 500 && status !== 507)

/** Whether another description of the place might be found. */
export const missesPlace = ({ code }: RequestError): boolean =>
  code === 'target_not_found' || code === 'target_ambiguous' || code === 'target_changed'

/** Returns the message for a refusal. */
export const refusalOf = ({ code, message }: Pick<RequestError, 'code' | 'message'>): string => {
  const words = byCode[code]
  return words === undefined ? message : t(words)
}

/** Explains why a suggestion cannot be accepted, and what a person with the right to decide can do. */
export const misfitWords = (canDecide: boolean): string =>
  canDecide
    ? t('The text has changed, so this suggestion cannot be accepted. Reject it, or undo the change to the text.')
    : t('The text was changed or deleted, so this suggestion cannot be accepted.')

/** Returns the message for a refused decision on a suggestion. Only an acceptance needs the text that the suggestion changes. */
export const decisionRefusalOf = (code = '', message = t('That did not work.')): string =>
  code === 'target_changed' ? misfitWords(true) : refusalOf({ code, message })

/** A decision that the service refused. `code` is `suggestion_changed` if the suggestion has changed since its card was read. */
interface Refused {
  readonly code: string
  readonly message: string
}

const reasons: Readonly<Record<string, string>> = {
  target_changed: term('the text has changed'),
  suggestion_changed: term('the suggestion has changed'),
  already_decided: term('someone else made the opposite decision')
}

/** Returns the sentence of a notice about the suggestions that were left when several were decided: how many, and the reasons. */
export function leftWords(action: Decision, left: readonly Refused[]): string {
  const reasonOf = (refused: Refused): string => {
    const reason = reasons[refused.code]
    return reason === undefined ? refusalOf(refused).replace(/\.$/, '') : t(reason)
  }
  const why = [...new Set(left.map(reasonOf))].join('; ')
  if (action === 'accept') return tn(left.length, '1 could not be accepted: {why}.', '{count} could not be accepted: {why}.', { why })
  if (action === 'reject') return tn(left.length, '1 could not be rejected: {why}.', '{count} could not be rejected: {why}.', { why })
  return tn(left.length, '1 could not be undone: {why}.', '{count} could not be undone: {why}.', { why })
}

/** Returns the notice for a person whose decision on a suggestion came after the opposite one. */
export function firstWords({ status, withdrawn, decidedBy }: Suggestion): string {
  if (decidedBy === null) return refusalOf({ code: 'already_decided', message: '' })
  const name = displayName(decidedBy)
  if (status === 'accepted') return t('{name} accepted this suggestion first.', { name })
  return withdrawn === true ? t('{name} withdrew this suggestion first.', { name }) : t('{name} rejected this suggestion first.', { name })
}
