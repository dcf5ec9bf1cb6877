/** The client's own errors, in addition to the service's errors (shared/errors.ts), and how both are reported. */
import { type ErrorCode, errorMeanings, ServiceError, signInHint } from '../shared/errors.ts'
import { exitCodes } from '../shared/exit-codes.ts'

const exits = {
  usage: exitCodes.usage,
  foreign_origin: exitCodes.usage,
  not_encrypted: exitCodes.usage,
  not_pulled: exitCodes.usage,
  file_not_found: exitCodes.notFound,
  not_signed_in: exitCodes.signIn,
  session_ended: exitCodes.signIn,
  file_changed: exitCodes.conflict,
  merge_needed: exitCodes.conflict,
  merge_conflict: exitCodes.conflict,
  markers_left: exitCodes.conflict,
  service_unreachable: exitCodes.network,
  timeout: exitCodes.network,
  not_an_agmd_service: exitCodes.error,
  checksum_mismatch: exitCodes.error,
  config_unusable: exitCodes.error,
  file_error: exitCodes.error,
  job_failed: exitCodes.error,
  canceled: exitCodes.error
} as const satisfies Record<string, number>

export type FailureCode = keyof typeof exits

/** An expected failure of the client. `hint` states the next step. */
export class Failure extends Error {
  readonly code: FailureCode
  readonly hint: string
  readonly details: Readonly<Record<string, unknown>>

  constructor(code: FailureCode, message: string, hint: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message)
    this.name = 'Failure'
    this.code = code
    this.hint = hint
    this.details = details
  }
}

/** A failure as the client reports it: the `error` in JSON, and the exit code. */
export interface FailureReport {
  readonly code: string
  readonly message: string
  readonly hint: string
  readonly requestId?: string
  readonly exit: number
  /** Other fields of the service's response. */
  readonly details: Readonly<Record<string, unknown>>
}

/** Advice for users of the client. It replaces hints that are about HTTP. */
const hints: Partial<Record<ErrorCode, string>> = {
  invalid_request: 'Correct the fields above and run the command again.',
  credential_required: 'Add the share URL of the document, or sign in: agmd login.',
  credential_invalid: 'The link has ended or is incomplete: copy it again, or ask the owner for a new one.',
  forbidden: 'Ask the owner for a link with the required role.',
  account_required: 'Sign in: agmd login.',
  version_required: 'Use --base-version to name the version that you read. agmd docs info shows the current version.',
  version_conflict: 'Compare with agmd docs diff, or merge with agmd docs push --merge.',
  not_found: 'Check the link or id.',
  taken_down: 'Ask the person who runs the server.',
  document_deleted: 'The owner can restore the document for 30 days: agmd docs undelete.',
  task_link_required: 'Use the link of the assignment (task.share.url) as DOC.',
  unknown_version: 'agmd revisions list shows earlier versions; agmd docs info shows the current one.',
  unknown_reviewed_version: 'Pass the version that agmd docs info or docs pull printed when you read the document.',
  target_not_found: 'Read the text with agmd docs cat, then name a passage, lines or a section that the text contains.',
  target_ambiguous: 'Choose a place with --occurrence, --prefix, --suffix or --line.',
  target_changed: 'Read that part again (agmd docs cat), and redo your change on the current text.',
  rate_limited: 'Wait, then run the command again.',
  node_offline: 'Start a node (agmd node), or ask the operator. agmd media status shows connected nodes.',
  engine_unavailable: 'agmd media status lists the engines. Install an engine on the node, or start another node.',
  not_started: 'Start the assignment first: agmd tasks start.',
  idempotency_key_reused: 'Run the command again.'
}

/** Returns the exit code for a response whose error is unknown. */
const exitOfStatus = (status: number): number => {
  if (status === 401 || status === 403) return exitCodes.signIn
  if (status === 404 || status === 410) return exitCodes.notFound
  if (status === 409) return exitCodes.conflict
  if (status === 429) return exitCodes.rateLimited
  if (status === 502 || status === 503 || status === 504) return exitCodes.network
  return status >= 400 && status < 500 ? exitCodes.usage : exitCodes.error
}

// These fields are reported elsewhere, or are of no use outside HTTP.
const spoken = new Set(['type', 'title', 'detail', 'message', 'error', 'instance', 'code', 'hint', 'requestId', 'retryable'])

const reportOfService = (error: ServiceError): FailureReport => {
  const { requestId, hint, status, code } = error.details
  const known = code === error.code
  // The service's hint about an invalid field can be more specific than the general hint.
  const special = error.code === 'invalid_request' && typeof hint === 'string' && hint !== errorMeanings.invalid_request.hint
  // If the service advises signing in, the person needs an account, and the hint about links would be wrong.
  const own = special ? undefined : hint === signInHint ? hints.account_required : hints[error.code]
  return {
    code: typeof code === 'string' ? code : error.code,
    message:
      known || typeof status !== 'number' ? error.message : `The service answered ${status}, but it does not seem to be an agmd service.`,
    hint: own ?? (typeof hint === 'string' ? hint : errorMeanings[error.code].hint),
    ...(typeof requestId === 'string' ? { requestId } : {}),
    exit: known || typeof status !== 'number' ? errorMeanings[error.code].exit : exitOfStatus(status),
    details: Object.fromEntries(Object.entries(error.details).filter(([name]) => !spoken.has(name)))
  }
}

const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string'

/** Describes any error for the output. An unknown error is a bug in this program. */
export const reportOf = (error: unknown): FailureReport => {
  if (error instanceof ServiceError) return reportOfService(error)
  if (error instanceof Failure) {
    const { code, message, hint, details } = error
    return { code, message, hint, exit: exits[code], details }
  }
  if (isSystemError(error))
    return { code: 'file_error', message: error.message, hint: 'Check the path and its permissions.', exit: exits.file_error, details: {} }
  const message = error instanceof Error ? error.message : String(error)
  return { code: 'internal', message, hint: 'This is a bug in agmd. Try agmd upgrade.', exit: exitCodes.error, details: {} }
}
