/** What is said when a file cannot be added, and what can be done about it. One table; no user interface. */
import { limits } from '../../shared/limits.ts'
import { findMediaType } from '../../shared/media-types.ts'

/** `never`: the same file is refused again; `by hand`: a person may try again; `by itself`: it is tried again without anyone. */
export type Again = 'never' | 'by hand' | 'by itself'

export interface Failure {
  readonly words: string
  readonly again: Again
}

const mebibytes = limits.assetBytesMax / 1024 / 1024

const takes = 'Pictures (PNG, JPEG, GIF, WebP, AVIF), sound and film are taken.'
const wrongType: Failure = { words: `This kind of file is not taken. ${takes}`, again: 'never' }
const tooLarge: Failure = { words: `Larger than ${mebibytes} MiB.`, again: 'never' }
const noRight: Failure = { words: 'Your link does not allow adding files to this document.', again: 'by hand' }
const gone: Failure = { words: 'The document is no longer there.', again: 'never' }
const busy: Failure = { words: 'The server is busy. Tried again by itself.', again: 'by itself' }

/** The server was not reached. */
export const notReached: Failure = { words: 'Waiting for the connection.', again: 'by itself' }
/** The role was lowered, or access has ended. */
export const notAllowed = noRight

const byCode: Readonly<Record<string, Failure>> = {
  unsupported_media_type: { words: `The file is not what its name says, or is damaged. ${takes}`, again: 'never' },
  body_too_large: tooLarge,
  asset_quota_exceeded: { words: 'The files of this document have no room left.', again: 'by hand' },
  not_found: gone,
  document_deleted: gone,
  credential_required: noRight,
  credential_invalid: noRight,
  forbidden: noRight,
  storage_full: { words: 'The disk of the server is full.', again: 'by hand' }
}

const byStatus: Readonly<Record<number, Failure>> = { 0: notReached, 413: tooLarge, 429: busy, 502: busy, 503: busy, 504: busy }

/** The meaning of a refusal: status (0: not reached) and code of its problem document. */
export const failureOf = (status: number, code: string): Failure =>
  byCode[code] ?? byStatus[status] ?? { words: 'The server could not take the file.', again: 'by hand' }

/** Why a file need not be sent at all; undefined for one that may be taken. `type` is the browser's guess. */
export function refusalOf({ type, size }: { readonly type: string; readonly size: number }): Failure | undefined {
  if (findMediaType(type.toLowerCase().split(';', 1)[0]?.trim() ?? '') === undefined) return wrongType
  if (size > limits.assetBytesMax) return tooLarge
  return size === 0 ? { words: 'The file is empty.', again: 'never' } : undefined
}
