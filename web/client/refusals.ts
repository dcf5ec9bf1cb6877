/** The reasons why a document cannot be shown. */

export type RefusalKind =
  | 'private'
  | 'ended'
  | 'forbidden'
  | 'not_found'
  | 'deleted'
  | 'taken_down'
  | 'rate_limited'
  | 'server_error'
  | 'restarting'
  | 'never_opened'
  | 'no_page'

export interface Refusal {
  readonly kind: RefusalKind
  readonly retryAfterSeconds?: number | undefined
  readonly requestId?: string | undefined
  /** Set for a deleted document that can still be restored. */
  readonly trashed?: Trashed | undefined
}

export interface Trashed {
  /** The time until which the document can be restored, in milliseconds since 1970. */
  readonly until: number
  /** The data for restoring the document; undefined if the person does not own it. */
  readonly own: { readonly id: string; readonly key: string; readonly title: string } | undefined
}

/** Returns the kind of refusal for a status and an error code from the server. */
export function refusalOfStatus(status: number, code: string): RefusalKind {
  if (status === 0) return 'never_opened'
  if (status === 401) return code === 'credential_invalid' ? 'ended' : 'private'
  if (status === 403) return 'forbidden'
  if (status === 404) return 'not_found'
  if (status === 410) return 'deleted'
  if (status === 451) return 'taken_down'
  if (status === 429) return 'rate_limited'
  return status === 503 ? 'restarting' : 'server_error'
}
