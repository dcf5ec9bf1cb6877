/**
 * A media job as an entry of the outbox (web/device/outbox.ts): kept until its result stands in the text or is not wanted, so that a reload
 * loses neither what is under way, nor its place, nor a recording that the server does not have yet.
 */
import type { JobKind } from '../../shared/media-jobs.ts'
import type { JobFields } from './requests.ts'
import type { Kept } from '../device/records.ts'

export interface KeptJob extends Kept {
  readonly kind: JobKind
  /** Its name in lists: the words of the person, or the name of the file. */
  readonly name: string
  readonly input: JobFields
  /** The file that goes with it. */
  readonly blob: Blob | undefined
  /** The server knows the start by it when it is sent again. */
  readonly startKey: string
  /** Id at the server, once it was started. */
  readonly job: string | undefined
  /** Not to be sent before the person says so. */
  readonly held: boolean
  /** An encoded `Y.RelativePosition`. */
  readonly position: Uint8Array
}
