/**
 * Every error of the service: code → HTTP status, exit code of the client, message and hint.
 * The domain throws `ServiceError`; `http/errors.ts` and the other faces present it.
 */

interface ErrorMeaning {
  /** HTTP status code. */
  readonly status: number
  /** Exit code of the `agmd` client: 1 error, 2 usage, 3 not found, 4 sign-in or permission, 5 conflict, 6 rate limit, 7 network. */
  readonly exit: number
  /** A short sentence for people. */
  readonly message: string
  /** One imperative sentence: the next call to make. */
  readonly hint: string
  /** Whether the same request may succeed later without a change. */
  readonly retryable?: boolean
  /** Of a status from 500: nothing is wrong with the service, so that its log does not call it a failure. */
  readonly expected?: boolean
}

/** The next step of who needs a session, or has one that is no good any more. */
export const signInHint = 'Sign in (agmd login, or POST /api/cli/device/start: device login) and send the session as bearer token.'

const meanings = {
  invalid_request: {
    status: 400,
    exit: 2,
    message: 'The request is not valid.',
    hint: 'Correct the fields named in details and send the request again.'
  },
  malformed_json: { status: 400, exit: 2, message: 'The body is not valid JSON.', hint: 'Send a UTF-8 JSON object.' },
  versions_differ: {
    status: 400,
    exit: 2,
    message: 'If-Match and baseVersion name different versions.',
    hint: 'Send the version you read in one of the two places only.'
  },
  credential_required: {
    status: 401,
    exit: 4,
    message: 'This needs a credential.',
    hint: 'Send a share key as ?key= or X-Share-Key, or a bearer token in Authorization.'
  },
  credential_invalid: {
    status: 401,
    exit: 4,
    message: 'The credential is not valid, has expired or was revoked.',
    hint: 'Ask the owner of the document for a new link.'
  },
  account_required: {
    status: 403,
    exit: 4,
    message: 'This needs an account; a link alone is not enough.',
    hint: signInHint
  },
  form_expired: {
    status: 403,
    exit: 4,
    message: 'This form is no longer valid.',
    hint: 'Open the page again and repeat the step.'
  },
  forbidden: {
    status: 403,
    exit: 4,
    message: 'Your role does not allow this.',
    hint: 'Ask the owner of the document for a link with the role named in requiredRole.'
  },
  task_link_required: {
    status: 403,
    exit: 4,
    message: 'Only the link of the assignment may start and report it.',
    hint: 'Send the key of task.share.url.'
  },
  not_starter: {
    status: 403,
    exit: 4,
    message: 'Another identity started this assignment.',
    hint: 'Report with the account, the agent token, or the link and author name that started it.'
  },
  not_author: {
    status: 403,
    exit: 4,
    message: 'Somebody else wrote this.',
    hint: 'Change your own comments and suggestions only, with the account, the agent token, or the link and author name that wrote them.'
  },
  origin_refused: {
    status: 403,
    exit: 4,
    message: 'Requests from this origin are not accepted.',
    hint: 'Call the service from its own pages, or without an Origin header.'
  },
  not_found: { status: 404, exit: 3, message: 'There is nothing at this address.', hint: 'Check the ids in the path.' },
  unknown_version: {
    status: 404,
    exit: 3,
    message: 'This document never had that version.',
    hint: 'Read the document and use the version in its ETag.'
  },
  method_not_allowed: {
    status: 405,
    exit: 2,
    message: 'This address does not take that method.',
    hint: 'Use one of the methods in the Allow header.'
  },
  not_acceptable: {
    status: 406,
    exit: 2,
    message: 'None of the accepted media types can be answered.',
    hint: 'Accept text/markdown or application/json.'
  },
  already_claimed: {
    status: 409,
    exit: 5,
    message: 'This document belongs to another account already.',
    hint: 'Ask its owner for a link.'
  },
  last_owner_link: {
    status: 409,
    exit: 5,
    message: 'Nobody could open this document as its owner afterwards: it belongs to no account, and this is its last owner link.',
    hint: 'Keep the links made through it (keep=links), make another owner link first, or sign in and claim the document.'
  },
  version_required: {
    status: 428,
    exit: 2,
    message: 'This server replaces a document only with the version that was read.',
    hint: 'Read the document and send its version as If-Match or baseVersion, or change parts of it with POST /api/docs/{id}/edits.'
  },
  version_conflict: {
    status: 409,
    exit: 5,
    message: 'Version conflict: the document changed since that version.',
    hint: 'Read the document again, merge your change into its current text, then send it with the new version.',
    retryable: true
  },
  request_id_conflict: {
    status: 409,
    exit: 5,
    message: 'This requestId made an assignment with other contents.',
    hint: 'Use a new requestId for a new assignment, or send the same title and instructions again.'
  },
  already_started: {
    status: 409,
    exit: 5,
    message: 'Another identity has started this assignment.',
    hint: 'Leave it to who started it, or ask the owner for an assignment of your own.'
  },
  not_started: {
    status: 409,
    exit: 5,
    message: 'This assignment has not been started.',
    hint: 'Start it with POST …/start, read the document, then report.'
  },
  already_reported: {
    status: 409,
    exit: 5,
    message: 'This assignment was reported with another version, summary or ids.',
    hint: 'Nothing is left to do; to repeat the report send exactly what was sent before.'
  },
  task_closed: {
    status: 409,
    exit: 5,
    message: 'This assignment is closed.',
    hint: 'Ask the owner for a new assignment.'
  },
  already_decided: {
    status: 409,
    exit: 5,
    message: 'This suggestion was decided the other way.',
    hint: 'Read its status; to change the text again, make a new suggestion.'
  },
  target_changed: {
    status: 409,
    exit: 5,
    message: 'The text that this is about has changed or is gone.',
    hint: 'Read that part again, and redo the change on its present text.'
  },
  stale_step: {
    status: 409,
    exit: 5,
    message: 'This suggestion has a later version.',
    hint: 'Go on from the step named in step, or send what is typed as a new suggestion, with a new draftId.'
  },
  suggestion_fixed: {
    status: 409,
    exit: 5,
    message: 'This suggestion cannot become another one: somebody replied to it, or its words are elsewhere.',
    hint: 'Send what is typed as a new suggestion, with a new draftId.'
  },
  document_deleted: { status: 410, exit: 3, message: 'This document was deleted.', hint: 'Create a new document with POST /new.' },
  content_too_large: {
    status: 413,
    exit: 2,
    message: 'The document would be larger than allowed.',
    hint: 'Split the document; the answer names the limit.'
  },
  body_too_large: {
    status: 413,
    exit: 2,
    message: 'The request body is larger than allowed.',
    hint: 'Send a smaller body; the answer names the limit.'
  },
  asset_quota_exceeded: {
    status: 413,
    exit: 2,
    message: 'The assets of this document would take more space than they may.',
    hint: 'Make the file smaller, or put it into another document.'
  },
  too_many_changes: {
    status: 422,
    exit: 2,
    message: 'The text differs in more places than may be proposed at once.',
    hint: 'Propose it in parts of at most changesMax separate changes each, or write it with the edit role.'
  },
  too_complex: {
    status: 422,
    exit: 2,
    message: 'The text is too large or too intricate for this to be worked out in time.',
    hint: 'Ask for a part: a section, some lines, or versions that lie closer together.'
  },
  text_too_large: {
    status: 413,
    exit: 2,
    message: 'The text of the comment or suggestion is larger than allowed.',
    hint: 'Send a shorter text, or several; details name the limit.'
  },
  unsupported_media_type: {
    status: 415,
    exit: 2,
    message: 'The body has a media type that this address does not take.',
    hint: 'Send application/json, or text/markdown where a document is written.'
  },
  job_not_done: {
    status: 409,
    exit: 5,
    message: 'This job has no result to give.',
    hint: 'Ask for its status; when it is done, ask again. What failed or was canceled must be started anew.',
    retryable: true
  },
  media_queue_full: {
    status: 429,
    exit: 6,
    message: 'Too many media jobs of this account wait or run.',
    hint: 'Wait until one has ended, or cancel one.',
    retryable: true
  },
  too_many_nodes: {
    status: 409,
    exit: 5,
    message: 'This account has as many node tokens as it may.',
    hint: 'Revoke one that is not used any more.'
  },
  too_many_tokens: {
    status: 409,
    exit: 5,
    message: 'This account has as many tokens and connected programs as it may.',
    hint: 'Revoke one that is not used any more.'
  },
  node_offline: {
    status: 503,
    exit: 7,
    message: 'No compute node is connected that works for this account.',
    hint: 'Start one (agmd node) with a token of your account, or ask the operator; GET /api/relay/status tells when one is there.',
    retryable: true,
    expected: true
  },
  engine_unavailable: {
    status: 503,
    exit: 7,
    message: 'No connected compute node has an engine for this.',
    hint: 'GET /api/relay/status tells what can be done now; install an engine on the node, or start another one.',
    retryable: true,
    expected: true
  },
  range_not_satisfiable: {
    status: 416,
    exit: 2,
    message: 'The range lies outside of the file.',
    hint: 'Ask for bytes below the size, or for all of it without Range.'
  },
  idempotency_key_reused: {
    status: 422,
    exit: 2,
    message: 'This Idempotency-Key was used with other contents.',
    hint: 'Use a new Idempotency-Key for a new request.'
  },
  unknown_reviewed_version: {
    status: 422,
    exit: 2,
    message: 'This document never had the version that the report names.',
    hint: 'Report the version in the ETag or X-Doc-Version with which you read the document.'
  },
  unknown_ids: {
    status: 422,
    exit: 2,
    message: 'The report names comments or suggestions that this document does not have.',
    hint: 'Report the ids that were answered when they were made; commentIds and suggestionIds name the unknown ones.'
  },
  too_many_ids: {
    status: 422,
    exit: 2,
    message: 'The request names more ids than allowed.',
    hint: 'Name at most 100 ids in each list; details name the list.'
  },
  target_not_found: {
    status: 422,
    exit: 2,
    message: 'The document has no such text.',
    hint: 'Read the document (GET …/outline lists its sections) and name text, a line, a section or a range that it has.'
  },
  target_ambiguous: {
    status: 422,
    exit: 2,
    message: 'The document has this text in several places.',
    hint: 'Tell which one with prefix, suffix, occurrence, line, or the anchor of one of the candidates.'
  },
  rate_limited: {
    status: 429,
    exit: 6,
    message: 'Too many requests.',
    hint: 'Wait for the seconds in Retry-After, then try again.',
    retryable: true
  },
  // The answers of RFC 8628 §3.5: written as OAuth bodies by the token endpoint of the device login.
  authorization_pending: {
    status: 400,
    exit: 7,
    message: 'The login has not been approved yet.',
    hint: 'Ask again after the interval.',
    retryable: true
  },
  slow_down: {
    status: 400,
    exit: 6,
    message: 'Asked again too early.',
    hint: 'Wait 5 seconds longer between requests from now on.',
    retryable: true
  },
  expired_token: { status: 400, exit: 4, message: 'The code has expired or was used.', hint: 'Start the login again.' },
  access_denied: { status: 400, exit: 4, message: 'The login was refused.', hint: 'Start the login again if that was a mistake.' },
  sign_in_failed: {
    status: 400,
    exit: 4,
    message: 'The sign-in could not be completed.',
    hint: 'Begin again at /sign-in.'
  },
  internal: {
    status: 500,
    exit: 1,
    message: 'Something went wrong on our side.',
    hint: 'Try again; if it happens again, report the requestId.',
    retryable: true
  },
  storage_corrupt: {
    status: 500,
    exit: 1,
    message: 'The stored document is damaged.',
    hint: 'Ask the operator to restore it from a backup; report the requestId.'
  },
  issuer_unavailable: {
    status: 503,
    exit: 7,
    message: 'The identity provider does not answer.',
    hint: 'Sessions that are open go on; try to sign in again in a minute.',
    retryable: true
  },
  storage_unavailable: {
    status: 503,
    exit: 7,
    message: 'The store cannot be written at the moment.',
    hint: 'Nothing was changed; try again in a few seconds.',
    retryable: true
  },
  busy: {
    status: 503,
    exit: 7,
    message: 'Too much work on texts of this size waits at the moment.',
    hint: 'Nothing was changed; wait retryAfterSeconds, then try again.',
    retryable: true,
    expected: true
  },
  shutting_down: { status: 503, exit: 7, message: 'The server is restarting.', hint: 'Try again in a few seconds.', retryable: true },
  quota_exceeded: {
    status: 507,
    exit: 2,
    expected: true,
    message: 'There is no room left for this: a quota of the service is reached.',
    hint: 'Nothing was changed. The answer names the quota, usedBytes and allowedBytes; make room and try again.'
  },
  storage_full: {
    status: 507,
    exit: 1,
    message: 'The disk of the server is full.',
    hint: 'Nothing was changed; ask the operator to free space, then try again.',
    retryable: true
  }
} as const satisfies Record<string, ErrorMeaning>

export type ErrorCode = keyof typeof meanings

/** What each code means outside. */
export const errorMeanings: Readonly<Record<ErrorCode, ErrorMeaning>> = meanings

export const errorCodes = Object.keys(meanings) as ErrorCode[]

/** An expected failure. `details` go to the caller beside the code: never put a secret or another document's data there. */
export class ServiceError extends Error {
  readonly code: ErrorCode
  readonly details: Readonly<Record<string, unknown>>

  constructor(code: ErrorCode, details: Readonly<Record<string, unknown>> = {}, options?: ErrorOptions) {
    super(typeof details['message'] === 'string' ? details['message'] : errorMeanings[code].message, options)
    this.name = 'ServiceError'
    this.code = code
    this.details = details
  }
}
