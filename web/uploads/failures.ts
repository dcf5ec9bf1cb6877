/** Messages for a file that cannot be added. Each message states the reason and the next step. This module has no user interface code. */
import { limits } from '../../shared/limits.ts'
import { findMediaType } from '../../shared/media-types.ts'
import { t, term } from '../text/t.ts'

/**
 * Whether a file can be sent again. `never`: it would be refused again; `by hand`: the person may try again; `by itself`: the page retries
 * automatically.
 */
export type Again = 'never' | 'by hand' | 'by itself'

export interface Failure {
  readonly words: string
  readonly again: Again
}

/** The meaning of a failure: its message, for translation, and whether the file can be sent again. */
interface Meaning {
  readonly says: string
  readonly again: Again
}

const noRight: Meaning = { says: term('Your link does not allow adding files to this document.'), again: 'by hand' }
const tooLarge: Meaning = { says: term('The file is larger than {mebibytes} MiB.'), again: 'never' }
const gone: Meaning = { says: term('The document no longer exists.'), again: 'never' }
const busy: Meaning = { says: term('The server is busy. The upload is retried automatically.'), again: 'by itself' }
const notReached: Meaning = { says: term('Waiting for the connection.'), again: 'by itself' }
const wrongType: Meaning = {
  says: term('This kind of file is not supported. You can add pictures (PNG, JPEG, GIF, WebP, AVIF), sound and video.'),
  again: 'never'
}

const byCode: Readonly<Record<string, Meaning>> = {
  unsupported_media_type: {
    says: term('The file does not match its name, or it is damaged. You can add pictures (PNG, JPEG, GIF, WebP, AVIF), sound and video.'),
    again: 'never'
  },
  body_too_large: tooLarge,
  asset_quota_exceeded: { says: term('This document has no space left for files.'), again: 'by hand' },
  not_found: gone,
  document_deleted: gone,
  taken_down: gone,
  credential_required: noRight,
  credential_invalid: noRight,
  forbidden: noRight,
  storage_full: { says: term('The server’s disk is full.'), again: 'by hand' }
}

const byStatus: Readonly<Record<number, Meaning>> = { 0: notReached, 413: tooLarge, 429: busy, 502: busy, 503: busy, 504: busy }

const spoken = ({ says, again }: Meaning): Failure => ({ words: t(says, { mebibytes: limits.assetBytesMax / 1024 / 1024 }), again })

/** The failure if a person's role was lowered or their access has ended. */
export const notAllowed = (): Failure => spoken(noRight)

/** Returns the failure for a refused upload. `status` is 0 if the server could not be reached. `code` comes from the problem document. */
export const failureOf = (status: number, code: string): Failure =>
  spoken(byCode[code] ?? byStatus[status] ?? { says: term('The server could not accept the file.'), again: 'by hand' })

/** Explains why a file cannot be accepted, before it is sent. Undefined if the service may accept it. `type` is the browser's guess. */
export function refusalOf({ type, size }: { readonly type: string; readonly size: number }): Failure | undefined {
  if (findMediaType(type.toLowerCase().split(';', 1)[0]?.trim() ?? '') === undefined) return spoken(wrongType)
  if (size > limits.assetBytesMax) return spoken(tooLarge)
  return size === 0 ? spoken({ says: term('The file is empty.'), again: 'never' }) : undefined
}
