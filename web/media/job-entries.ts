/**
 * A media job as an entry of the outbox (web/device/outbox.ts), stored until its result is in the text or discarded. So a reload does not lose the
 * job, its place, or a recording that the server does not have yet.
 */
import type { JobKind } from '../../shared/media-jobs.ts'
import type { JobFields } from './requests.ts'
import type { Kept } from '../device/records.ts'

export interface KeptJob extends Kept {
  readonly kind: JobKind
  /** Its name in lists: the person's text, or the name of the file. */
  readonly name: string
  readonly input: JobFields
  /** The attached file. */
  readonly blob: Blob | undefined
  /** Identifies the start to the server when it is sent again. */
  readonly startKey: string
  /** Id assigned by the server, once the job was started. */
  readonly job: string | undefined
  /** Not to be sent before the person confirms it. */
  readonly held: boolean
  /** An encoded `Y.RelativePosition`. */
  readonly position: Uint8Array
}
