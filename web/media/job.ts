/** A job of a compute node, and its state on this page. */
import type { ReadonlySignal } from '@preact/signals'
import type { JobKind } from '../../shared/media-jobs.ts'
import type { JobAnswer } from './requests.ts'

export type JobState =
  /** A recording that waits for the person's confirmation. */
  | { readonly phase: 'held' }
  | { readonly phase: 'sending' }
  /** `progress` is between 0 and 1, if known. */
  | { readonly phase: 'running'; readonly queued: boolean; readonly progress: number | undefined }
  /** The request failed, and the page will retry it automatically. */
  | { readonly phase: 'waiting'; readonly words: string }
  /** `audio` is a local address of the speech. */
  | { readonly phase: 'done'; readonly result: NonNullable<JobAnswer['result']>; readonly audio: string | undefined }
  /** `detail` is the message of the compute node. */
  | { readonly phase: 'failed'; readonly words: string; readonly detail: string }

export interface Job {
  readonly id: string
  readonly kind: JobKind
  readonly name: string
  /** The file to upload, if there is one. */
  readonly blob: Blob | undefined
  readonly state: ReadonlySignal<JobState>
}
