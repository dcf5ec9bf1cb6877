/** The strings for media jobs: their names, and the reasons why a job is not possible. This module has no user interface code. */
import { limits } from '../../shared/limits.ts'
import type { JobKind } from '../../shared/media-jobs.ts'
import { RequestError } from '../client/api.ts'
import { failureWords, mayPass } from '../client/failure.ts'
import { t, term } from '../text/t.ts'
import type { IconName } from '../ui/icons.tsx'

/** The names of the kinds, which are the same as the names of their commands. */
export const titles: Readonly<Record<JobKind, string>> = {
  image: term('Generate a picture'),
  speech: term('Read aloud'),
  transcription: term('Dictate or transcribe'),
  ocr: term('Read text from a picture')
}

export const icons: Readonly<Record<JobKind, IconName>> = { image: 'sparkles', speech: 'volume', transcription: 'mic', ocr: 'scan-text' }

export const ready: Readonly<Record<JobKind, string>> = {
  image: term('The picture is ready.'),
  speech: term('The audio is ready.'),
  transcription: term('The transcript is ready.'),
  ocr: term('The text from the picture is ready.')
}

const noEngine: Readonly<Record<JobKind, string>> = {
  image: term('The connected compute nodes cannot generate pictures.'),
  speech: term('The connected compute nodes cannot read text aloud.'),
  transcription: term('The connected compute nodes cannot transcribe recordings.'),
  ocr: term('The connected compute nodes cannot read pictures.')
}

/** The next step with which a person can remove an obstacle. */
export type Remedy = 'sign in' | 'node' | 'none'

export interface Obstacle {
  readonly words: string
  readonly remedy: Remedy
}

export const noAccount = (): Obstacle => ({
  words: t('You need an account for this. Sign in, then come back here.'),
  remedy: 'sign in'
})
export const noRight = (): Obstacle => ({ words: t('Your link does not allow changing this document.'), remedy: 'none' })
export const noNode = (): Obstacle => ({
  words: t('No compute node is connected for you. Start one with a token from your account, or ask the person who runs this server.'),
  remedy: 'node'
})
export const engineMissing = (kind: JobKind): Obstacle => ({ words: t(noEngine[kind]), remedy: 'node' })

const byCode: Readonly<Record<string, () => string>> = {
  account_required: () => noAccount().words,
  node_offline: () => t('The compute node disconnected, and no other node took over. Try again when a node is connected.'),
  node_lost: () => t('Several compute nodes disconnected during this job. Try again later.'),
  media_queue_full: () =>
    t('You already have {max} jobs running. Wait for one to finish, or cancel one.', { max: limits.mediaOpenJobsMax }),
  timed_out: () => t('This took too long.'),
  bad_input: () => t('The compute node could not process this.'),
  engine_failed: () => t('The compute node could not finish this.'),
  result_refused: () => t('The compute node sent a result that cannot be used.'),
  access_ended: () => t('Your link was revoked or expired before this finished.'),
  asset_quota_exceeded: () => t('This document has no space left for files.'),
  unsupported_media_type: () => t('This kind of file is not supported.'),
  not_found: () => t('The result has expired. Results are kept for {hours} hours.', { hours: limits.mediaKeptHours })
}

/** Returns the message for a job that ended without a result. */
export const failedWords = (kind: JobKind, code: string): string =>
  code === 'engine_unavailable' ? t(noEngine[kind]) : (byCode[code]?.() ?? t('That did not work.'))

/** Returns the message for a refused request. */
export const refusedWords = (kind: JobKind, error: RequestError): string => {
  if (error.code === 'node_offline') return noNode().words
  return error.code === 'engine_unavailable' || byCode[error.code] !== undefined ? failedWords(kind, error.code) : failureWords(error)
}

const final = ['node_offline', 'engine_unavailable', 'media_queue_full']

/** Whether the page retries automatically after an error. It does not if a person must decide. */
export const passes = (error: unknown): error is RequestError =>
  error instanceof RequestError && mayPass(error) && !final.includes(error.code)
