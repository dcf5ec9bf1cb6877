/** Formats times in the page's language. */
import { ago } from '../../shared/ago.ts'
import { passingTime } from './passing.ts'
import { locale, t } from './t.ts'

/**
 * Returns the time that has passed since an instant, such as "3 hours ago". The instant is in milliseconds since 1970. A component that
 * shows the time draws it again when it has moved on.
 */
export const agoWords = (instant: number): string => ago(instant, passingTime(), { locale, now: t('just now') })

/** Returns a day, such as "21 Nov". It includes the year if it is a different one, and the time of day if it is in the near future. */
export function dayWords(instant: number): string {
  const date = new Date(instant)
  const near = instant > Date.now() && instant - Date.now() < 172_800_000
  const year = date.getFullYear() === new Date().getFullYear() ? {} : { year: 'numeric' as const }
  return date.toLocaleString(locale, { day: 'numeric', month: 'short', ...year, ...(near && { hour: 'numeric', minute: '2-digit' }) })
}
