/** Media jobs: the requests to a compute node and its results (docs/api.md, Assets and media jobs). */

export const jobKinds = ['image', 'speech', 'transcription', 'ocr'] as const

export type JobKind = (typeof jobKinds)[number]

/** Pattern for names of voices. A name must not be a path or a command-line option. */
export const voicePattern = /^[A-Za-z0-9][\w.+-]{0,79}$/

export interface JobInput {
  /** Description of the picture, for image jobs. */
  readonly prompt?: string
  /** Size of the picture, in pixels. */
  readonly width?: number
  readonly height?: number
  /** Text to speak, for speech jobs. */
  readonly text?: string
  readonly voice?: string
}

export interface Segment {
  /** Start in seconds from the beginning of the recording. */
  readonly start: number
  readonly end: number
  readonly text: string
}

/** A job's result, without its file. `text` was recognized in a recording or picture, and `duration` is in seconds. */
export interface JobResult {
  readonly text?: string
  readonly duration?: number
  readonly segments?: readonly Segment[]
  /** Name of the engine that did the job. */
  readonly engine?: string
}
