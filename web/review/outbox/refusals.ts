/** Messages for an annotation, a decision or an assignment that the service refused. This module has no user interface code. */
import { t, term } from '../../text/t.ts'
import type { RequestError } from '../../client/api.ts'

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

/** Returns the message for a refused decision on a suggestion. Only an acceptance needs the text that the suggestion changes. */
export const decisionRefusalOf = (code = '', message = t('That did not work.')): string =>
  code === 'target_changed'
    ? t('The text has changed, so this suggestion cannot be accepted. Reject it, or undo the change to the text.')
    : refusalOf({ code, message })
