/** Messages for a request that was refused or did not arrive. Each message states what happened, and the next step. */
import { RequestError } from './api.ts'
import { t, term } from '../text/t.ts'

const ended = term('Your link was revoked or has expired. Ask the owner of the document for a new one.')
const tooLarge = term('Your change is too large for the server. Split it into smaller parts.')

const noRoom = term('The storage of the document or its owner is full. Delete anything that is no longer needed, then try again.')

const byStatus: Readonly<Record<number, string>> = {
  0: term('The server cannot be reached. Nothing is lost: try again when the connection is back.'),
  401: ended,
  403: term('Your link does not allow this.'),
  404: term('This no longer exists.'),
  410: term('The owner deleted this document.'),
  413: tooLarge,
  503: term('The server is restarting. Try again in a few seconds.'),
  507: term('The server’s disk is full.')
}

/** Whether the request may have succeeded without a response, or may succeed when repeated. */
export const mayPass = (error: unknown): boolean =>
  error instanceof RequestError && (error.status === 0 || error.status === 429 || error.status >= 500)

/** Returns the message for an error. An error that is not a `RequestError` is a bug in the page, and the message says so. */
export function failureWords(error: unknown): string {
  if (!(error instanceof RequestError)) return t('That did not work. Try again.')
  const { status, code, message, hint, retryAfterSeconds, requestId } = error
  if (status === 429) return t('Too many requests. Try again in {seconds} s.', { seconds: retryAfterSeconds ?? 60 })
  if (code === 'quota_exceeded') return t(noRoom)
  const words = byStatus[status]
  if (words !== undefined) return t(words)
  if (status >= 500) return t('Something went wrong on the server. Request {request}.', { request: requestId ?? '–' })
  return `${message} ${hint}`.trim()
}
