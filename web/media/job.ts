/** A job of a compute node, as this page follows it. */
import type { ReadonlySignal } from '@preact/signals'
import type { JobKind } from '../../shared/media-jobs.ts'
import type { JobAnswer } from './requests.ts'

export type JobState =
  /** A recording that nobody has sent yet. */
  | { readonly phase: 'held' }
  | { readonly phase: 'sending' }
  /** `progress`: 0–1, where it is known. */
  | { readonly phase: 'running'; readonly queued: boolean; readonly progress: number | undefined }
  /** Asked for again by itself. */
  | { readonly phase: 'waiting'; readonly words: string }
  /** `audio`: the address of the sound in this page. */
  | { readonly phase: 'done'; readonly result: NonNullable<JobAnswer['result']>; readonly audio: string | undefined }
  /** `detail`: what the node said. */
  | { readonly phase: 'failed'; readonly words: string; readonly detail: string }

export interface Job {
  readonly id: string
  readonly kind: JobKind
  readonly name: string
  /** The file that went with it. */
  readonly blob: Blob | undefined
  readonly state: ReadonlySignal<JobState>
}
