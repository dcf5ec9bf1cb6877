/** The interface of an engine, which does the media jobs of one kind. */
import type { JobInput, JobKind, JobResult } from '../../shared/media-jobs.ts'

/** A job that is passed to an engine. */
export interface Work {
  readonly input: JobInput
  /** Path of the input file, in a separate folder; '' if there is no input file. */
  readonly file: string
  readonly contentType: string
  /** Path of a folder for temporary files. It is removed after the job. */
  readonly folder: string
  readonly signal: AbortSignal
  progress(part: number): void
}

export interface Done {
  readonly result: JobResult
  /** The output file, if the job produces one. */
  readonly file?: { readonly bytes: Buffer; readonly contentType: string }
}

export interface Engine {
  readonly kind: JobKind
  readonly name: string
  readonly voices?: readonly string[]
  /** Does a job. Throws `JobFailure`. */
  work(work: Work): Promise<Done>
}
