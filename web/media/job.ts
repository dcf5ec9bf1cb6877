/** A job of a compute node, as this page follows it. */
import type { ReadonlySignal } from '@preact/signals'
import type { JobKind } from '../../shared/media-jobs.ts'
import type { JobAnswer } from './requests.ts'

export type JobState =
  /** A recording that has not been sent yet. */
  | { readonly phase: 'held' }
  | { readonly phase: 'sending' }
  /** `progress`: 0–1, if known. */
  | { readonly phase: 'running'; readonly queued: boolean; readonly progress: number | undefined }
  /** Retried automatically. */
  | { readonly phase: 'waiting'; readonly words: string }
  /** `audio`: a local address of the sound. */
  | { readonly phase: 'done'; readonly result: NonNullable<JobAnswer['result']>; readonly audio: string | undefined }
  /** `detail`: the message of the node. */
  | { readonly phase: 'failed'; readonly words: string; readonly detail: string }

export interface Job {
  readonly id: string
  readonly kind: JobKind
  readonly name: string
  /** The uploaded file. */
  readonly blob: Blob | undefined
  readonly state: ReadonlySignal<JobState>
}
