/** Instants in the language of the page. */
import { ago } from '../../shared/ago.ts'
import { locale, t } from './t.ts'

/** The time since an instant, in milliseconds since 1970: "3 hours ago". */
export const agoWords = (instant: number): string => ago(instant, Date.now(), { locale, now: t('just now') })

/** A day: "21 Nov", with the year if it is another one, and with the time of day if it is in the near future. */
export function dayWords(instant: number): string {
  const date = new Date(instant)
  const near = instant > Date.now() && instant - Date.now() < 172_800_000
  const year = date.getFullYear() === new Date().getFullYear() ? {} : { year: 'numeric' as const }
  return date.toLocaleString(locale, { day: 'numeric', month: 'short', ...year, ...(near && { hour: 'numeric', minute: '2-digit' }) })
}
