/**
 * Every error of the service, with its HTTP status, exit code, message and hint. The domain throws `ServiceError`. `http/errors.ts` and the other
 * interfaces convert it to their own format.
 */

interface ErrorMeaning {
  /** HTTP status code. */
  readonly status: number
  /** Exit code of the `agmd` client: 1 error, 2 usage, 3 not found, 4 sign-in or permission, 5 conflict, 6 rate limit, 7 network. */
  readonly exit: number
  /** A short sentence for people. */
  readonly message: string
  /** One imperative sentence that names the next call to make. */
  readonly hint: string
  /** Whether the same request may succeed later. */
  readonly retryable?: boolean
  /** Whether the error is normal operation although its status is 5xx. The log does not report it as a failure. */
  readonly expected?: boolean
}

/** The next step for a caller without a valid session. */
export const signInHint = 'Sign in with agmd login or a device login (POST /api/cli/device/start), and send the session as a bearer token.'

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
    hint: 'Send the version that you read as either If-Match or baseVersion.'
  },
  credential_required: {
    status: 401,
    exit: 4,
    message: 'This request needs a credential.',
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
    message: 'This request needs an account; a link alone is not enough.',
    hint: signInHint
  },
  account_disabled: {
    status: 403,
    exit: 4,
    message: 'This account is disabled.',
    hint: 'Ask the person who runs this server.'
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
    hint: 'To propose an edit with the suggest role, send it again with mode=suggest. Otherwise, ask the owner of the document for a link with the role named in requiredRole.'
  },
  task_link_required: {
    status: 403,
    exit: 4,
    message: 'Start and report this assignment with its own link.',
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
    message: 'Another author wrote this comment, reply or suggestion.',
    hint: 'Change only your own comments, replies and suggestions; an owner may also delete the comments and replies of others. Send the account session, the agent token, or the link and author name that you wrote them with.'
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
    message: 'This document never had that version, or no longer keeps it.',
    hint: 'Read the document and use the version in its ETag.'
  },
  method_not_allowed: {
    status: 405,
    exit: 2,
    message: 'This address does not support that method.',
    hint: 'Use one of the methods in the Allow header.'
  },
  not_acceptable: {
    status: 406,
    exit: 2,
    message: 'The server cannot answer in any media type that you accept.',
    hint: 'Accept text/markdown or application/json.'
  },
  already_claimed: {
    status: 409,
    exit: 5,
    message: 'This document already belongs to another account.',
    hint: 'Ask the owner of the document for a link.'
  },
  last_owner_link: {
    status: 409,
    exit: 5,
    message:
      'This is the last owner link, and the document belongs to no account. Without it, nobody could open the document as its owner.',
    hint: 'Keep the links made through it (keep=links), create another owner link first, or sign in and claim the document.'
  },
  version_required: {
    status: 428,
    exit: 2,
    message: 'This server replaces a document only if you name the version that you read.',
    hint: 'Read the document and send its version as If-Match or baseVersion, or edit parts of it with POST /api/docs/{id}/edits.'
  },
  version_conflict: {
    status: 409,
    exit: 5,
    message: 'Version conflict: the document changed since that version.',
    hint: 'Read the document again, merge your change into the current text, and send it with the new version.',
    retryable: true
  },
  request_id_conflict: {
    status: 409,
    exit: 5,
    message: 'This requestId was used for an assignment with different contents.',
    hint: 'Use a new requestId for a new assignment, or send the same title and instructions again.'
  },
  already_started: {
    status: 409,
    exit: 5,
    message: 'Another identity has started this assignment.',
    hint: 'Leave the assignment to the identity that started it, or ask the owner for an assignment of your own.'
  },
  not_started: {
    status: 409,
    exit: 5,
    message: 'This assignment has not been started.',
    hint: 'Start the assignment with POST …/start, read the document, and then report.'
  },
  already_reported: {
    status: 409,
    exit: 5,
    message: 'This assignment already has a report with a different version, summary or list of ids.',
    hint: 'Stop here. To repeat a report, send exactly the same fields.'
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
    message: 'This suggestion has already been decided.',
    hint: 'Read the status of the suggestion. To change the text again, make a new suggestion.'
  },
  target_changed: {
    status: 409,
    exit: 5,
    message: 'The text that this request refers to has changed or is gone.',
    hint: 'Read that part again, and redo your change on the current text.'
  },
  stale_step: {
    status: 409,
    exit: 5,
    message: 'There is a newer version of this suggestion.',
    hint: 'Continue from the step in the response, or send the text as a new suggestion with a new draftId.'
  },
  suggestion_fixed: {
    status: 409,
    exit: 5,
    message: 'This suggestion can no longer be edited: somebody replied to it, or its text has moved.',
    hint: 'Send the text as a new suggestion with a new draftId.'
  },
  taken_down: {
    status: 451,
    exit: 3,
    message: 'The person who runs this server has taken this document down.',
    hint: 'Ask the person who runs this server. Only they can restore the document.'
  },
  document_deleted: { status: 410, exit: 3, message: 'This document was deleted.', hint: 'Create a new document with POST /new.' },
  content_too_large: {
    status: 413,
    exit: 2,
    message: 'The document would be too large.',
    hint: 'Split the document. The response states the limit.'
  },
  body_too_large: {
    status: 413,
    exit: 2,
    message: 'The request body is too large.',
    hint: 'Send a smaller body. The response states the limit.'
  },
  asset_quota_exceeded: {
    status: 413,
    exit: 2,
    message: 'The assets of this document would take more space than allowed.',
    hint: 'Make the file smaller, or add it to another document.'
  },
  too_many_changes: {
    status: 422,
    exit: 2,
    message: 'The text has more changes than one request can suggest.',
    hint: 'Suggest the text in parts of at most changesMax changes each, or write the text with the edit role.'
  },
  too_complex: {
    status: 422,
    exit: 2,
    message: 'The text is too large or too complex to compare in time.',
    hint: 'Ask for a part: a section, some lines, or versions that are closer together.'
  },
  text_too_large: {
    status: 413,
    exit: 2,
    message: 'The comment or suggestion is too long.',
    hint: 'Shorten it, or split it. The details name the limit.'
  },
  unsupported_media_type: {
    status: 415,
    exit: 2,
    message: 'This address does not accept the media type of the body.',
    hint: 'Send application/json, or text/markdown to write a document.'
  },
  job_not_done: {
    status: 409,
    exit: 5,
    message: 'This job has no result.',
    hint: 'Read the status of the job, and repeat this request when the job is done. If the job failed or was canceled, start a new one.',
    retryable: true
  },
  media_queue_full: {
    status: 429,
    exit: 6,
    message: 'This account has too many media jobs waiting or running.',
    hint: 'Wait until a job ends, or cancel one.',
    retryable: true
  },
  too_many_nodes: {
    status: 409,
    exit: 5,
    message: 'This account has reached its limit of node tokens.',
    hint: 'Revoke a token that you no longer use.'
  },
  too_many_tokens: {
    status: 409,
    exit: 5,
    message: 'This account has reached its limit of tokens and connected programs.',
    hint: 'Revoke a token or program that you no longer use.'
  },
  node_offline: {
    status: 503,
    exit: 7,
    message: 'No compute node that works for this account is connected.',
    hint: 'Start a node (agmd node) with a token from your account, or ask the operator. GET /api/relay/status shows connected nodes.',
    retryable: true,
    expected: true
  },
  engine_unavailable: {
    status: 503,
    exit: 7,
    message: 'No connected compute node has an engine for this job.',
    hint: 'GET /api/relay/status lists the engines. Install an engine on the node, or start another node.',
    retryable: true,
    expected: true
  },
  range_not_satisfiable: {
    status: 416,
    exit: 2,
    message: 'The range is outside the file.',
    hint: 'Request bytes within the size of the file, or the entire file without Range.'
  },
  idempotency_key_reused: {
    status: 422,
    exit: 2,
    message: 'This Idempotency-Key was used for another request.',
    hint: 'Use a new Idempotency-Key for a new request.'
  },
  unknown_reviewed_version: {
    status: 422,
    exit: 2,
    message: 'This document never had the version that the report names.',
    hint: 'Report the version from the ETag or X-Doc-Version header of the document that you read.'
  },
  unknown_ids: {
    status: 422,
    exit: 2,
    message: 'The report names comments or suggestions that this document does not have.',
    hint: 'Send the ids that the service returned when the comments and suggestions were created. In this error, commentIds and suggestionIds list the unknown ids.'
  },
  too_many_ids: {
    status: 422,
    exit: 2,
    message: 'The request names more ids than allowed.',
    hint: 'Name at most 100 ids in each list. The details name the list.'
  },
  target_not_found: {
    status: 422,
    exit: 2,
    message: 'The document does not contain this text.',
    hint: 'Read the document (GET …/outline lists its sections) and name text, a line, a section or a range that it contains.'
  },
  target_ambiguous: {
    status: 422,
    exit: 2,
    message: 'The document contains this text in several places.',
    hint: 'Choose a place with prefix, suffix, occurrence, line, or the anchor of a candidate.'
  },
  rate_limited: {
    status: 429,
    exit: 6,
    message: 'Too many requests.',
    hint: 'Wait for the number of seconds in Retry-After, then try again.',
    retryable: true
  },
  // The errors of RFC 8628 §3.5. The token endpoint of the device login sends them as OAuth bodies.
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
    message: 'You polled again too soon.',
    hint: 'Wait 5 seconds longer between requests from now on.',
    retryable: true
  },
  expired_token: { status: 400, exit: 4, message: 'The code has expired or has already been used.', hint: 'Start the login again.' },
  access_denied: { status: 400, exit: 4, message: 'The login was denied.', hint: 'Start the login again if that was a mistake.' },
  sign_in_failed: {
    status: 400,
    exit: 4,
    message: 'The sign-in could not be completed.',
    hint: 'Start again at /sign-in.'
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
    hint: 'Ask the operator to restore the document from a backup, and include the requestId.'
  },
  issuer_unavailable: {
    status: 503,
    exit: 7,
    message: 'The identity provider is not responding.',
    hint: 'Existing sessions still work. Try to sign in again in a minute.',
    retryable: true
  },
  storage_unavailable: {
    status: 503,
    exit: 7,
    message: 'The server cannot write to its store at the moment.',
    hint: 'Nothing was changed. Try again in a few seconds.',
    retryable: true
  },
  busy: {
    status: 503,
    exit: 7,
    message: 'The server is busy with other large documents.',
    hint: 'Nothing was changed. Wait for retryAfterSeconds, then try again.',
    retryable: true,
    expected: true
  },
  shutting_down: { status: 503, exit: 7, message: 'The server is restarting.', hint: 'Try again in a few seconds.', retryable: true },
  quota_exceeded: {
    status: 507,
    exit: 2,
    expected: true,
    message: 'This request would exceed a quota of the service.',
    hint: 'Nothing was changed. The response names the quota, usedBytes and allowedBytes. Free some space and try again.'
  },
  storage_full: {
    status: 507,
    exit: 1,
    message: 'The server’s disk is full.',
    hint: 'Nothing was changed. Ask the operator to free space, then try again.',
    retryable: true
  }
} as const satisfies Record<string, ErrorMeaning>

export type ErrorCode = keyof typeof meanings

/** The meaning of each error code for callers. */
export const errorMeanings: Readonly<Record<ErrorCode, ErrorMeaning>> = meanings

export const errorCodes = Object.keys(meanings) as ErrorCode[]

/** An expected failure. The caller receives `details` with the code, so `details` must never contain a secret or data of another document. */
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
