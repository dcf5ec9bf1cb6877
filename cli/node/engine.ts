/** Defines an engine. */
import type { JobInput, JobKind, JobResult } from '../../shared/media-jobs.ts'

/** A job that an engine works on. */
export interface Work {
  readonly input: JobInput
  /** The input file, in a separate folder; '' if there is none. */
  readonly file: string
  readonly contentType: string
  /** A folder for temporary files; removed afterwards. */
  readonly folder: string
  readonly signal: AbortSignal
  progress(part: number): void
}

export interface Done {
  readonly result: JobResult
  /** The output file. */
  readonly file?: { readonly bytes: Buffer; readonly contentType: string }
}

export interface Engine {
  readonly kind: JobKind
  readonly name: string
  readonly voices?: readonly string[]
  /** Throws `JobFailure`. */
  work(work: Work): Promise<Done>
}
