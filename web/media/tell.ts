/** Formats times and the names of voices for people. */
import type { Segment } from '../../shared/media-jobs.ts'
import { locale } from '../text/t.ts'

const two = (count: number): string => String(count).padStart(2, '0')

/** Formats a time, for example as 0:07, 12:30 or 1:02:05. */
export const clock = (seconds: number): string => {
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, Math.floor(seconds) % 60]
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`
}

/** Returns the transcript with each part in its own paragraph, after its start time. */
export const withTimes = (segments: readonly Segment[]): string =>
  segments.map(({ start, text }) => `${clock(start)} ${text.trim()}`).join('\n\n')

/**
 * Returns the name of a voice. A voice that is named by a language code gets the name of the language. A name of three letters counts as a person's
 * name, even if it is also a language code.
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
