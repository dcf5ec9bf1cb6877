/** Defines an engine. */
import type { JobInput, JobKind, JobResult } from '../../shared/media-jobs.ts'

/** A job in the hands of an engine. */
export interface Work {
  readonly input: JobInput
  /** The file that it is about, in a folder of its own; '' when there is none. */
  readonly file: string
  readonly contentType: string
  /** A folder for whatever it needs; removed afterwards. */
  readonly folder: string
  readonly signal: AbortSignal
  progress(part: number): void
}

export interface Done {
  readonly result: JobResult
  /** The file that came out. */
  readonly file?: { readonly bytes: Buffer; readonly contentType: string }
}

export interface Engine {
  readonly kind: JobKind
  readonly name: string
  readonly voices?: readonly string[]
  /** Errors: `JobFailure`. */
  work(work: Work): Promise<Done>
}
