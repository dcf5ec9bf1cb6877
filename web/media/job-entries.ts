/**
 * A media job as an entry of the outbox (web/device/outbox.ts). It is stored until its result is in the text or discarded. A reload therefore does
 * not lose the job, its place, or a recording that the server does not have yet.
 */
import type { JobKind } from '../../shared/media-jobs.ts'
import type { JobFields } from './requests.ts'
import type { StoredRecord } from '../device/records.ts'

export interface StoredJob extends StoredRecord {
  readonly kind: JobKind
  /** Name of the job in lists: the person's text, or the name of the file. */
  readonly name: string
  readonly input: JobFields
  /** The file to upload, if there is one. */
  readonly blob: Blob | undefined
  /** Idempotency key of the request that starts the job. */
  readonly startKey: string
  /** Id that the server assigned when the job was started. */
  readonly job: string | undefined
  /** Whether the job waits for the person's confirmation. */
  readonly held: boolean
  /** The place of the result, as an encoded `Y.RelativePosition`. */
  readonly position: Uint8Array
}
