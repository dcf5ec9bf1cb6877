/** Times and voices as people read them. */
import type { Segment } from '../../shared/media-jobs.ts'
import { locale } from '../text/t.ts'

const two = (count: number): string => String(count).padStart(2, '0')

/** 0:07, 12:30, 1:02:05. */
export const clock = (seconds: number): string => {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, Math.floor(seconds) % 60]
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`
}

/** The transcript, each part in a paragraph of its own behind the time at which it begins. */
export const withTimes = (segments: readonly Segment[]): string =>
  segments.map(({ start, text }) => `${clock(start)} ${text.trim()}`).join('\n\n')

/**
 * Voices that are named as languages are told in words. Names of three letters are those of persons, though some language may be called so.
 */
export const voiceName = (voice: string): string => {
  if (!/^[a-z]{2}(-|$)/i.test(voice)) return voice
  try {
    const language = new Intl.DisplayNames(locale, { type: 'language', fallback: 'none' }).of(voice)
    return language === undefined ? voice : `${language} (${voice})`
  } catch {
    return voice
  }
}
