/** Media jobs: the requests to a compute node, and its answers (docs/api.md, Assets and media jobs). */

export const jobKinds = ['image', 'speech', 'transcription', 'ocr'] as const

export type JobKind = (typeof jobKinds)[number]

/** Valid names of voices: a name must not be a path or a command-line option. */
export const voicePattern = /^[A-Za-z0-9][\w.+-]{0,79}$/

export interface JobInput {
  /** image */
  readonly prompt?: string
  /** Pixels. */
  readonly width?: number
  readonly height?: number
  /** speech */
  readonly text?: string
  readonly voice?: string
}

export interface Segment {
  /** Seconds from the beginning. */
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The result besides a file: `text` of a transcription or picture; `duration` in seconds. */
export interface JobResult {
  readonly text?: string
  readonly duration?: number
  readonly segments?: readonly Segment[]
  /** The engine that did the job. */
  readonly engine?: string
}
