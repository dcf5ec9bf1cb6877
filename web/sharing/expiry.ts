/** The expiry of a link: a time from now, or a calendar day. */
import { term } from '../text/t.ts'

const hour = 3_600_000

/** The choices in the order of display, with labels for translation. */
export const expiries = {
  never: term('Never'),
  hour: term('In 1 hour'),
  day: term('In 1 day'),
  week: term('In 7 days'),
  month: term('In 30 days'),
  date: term('Choose a date…')
} as const

export type Expiry = keyof typeof expiries

export interface LinkEnd {
  /** `keep` keeps the present end of an existing link. */
  readonly expiry: Expiry | 'keep'
  /** The value of the date field. It counts only if the expiry is `date`. */
  readonly day: string
}

const lasts: Readonly<Partial<Record<Expiry, number>>> = { hour, day: 24 * hour, week: 7 * 24 * hour, month: 30 * 24 * hour }

/** Returns the day of an instant in the format of a date field, in this device's time zone. */
export const dayOf = (instant: number): string => {
  const date = new Date(instant)
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
}

/**
 * Returns the end of a link that is created now, as ISO 8601, or undefined if it has none. A day ends at midnight in this device's time zone. `day`
 * is the value of a date field: YYYY-MM-DD, or '' for today.
 */
export function endOf(expiry: Expiry | 'keep', day: string, now: number): string | undefined {
  if (expiry === 'never' || expiry === 'keep') return undefined
  const milliseconds = lasts[expiry]
  if (milliseconds !== undefined) return new Date(now + milliseconds).toISOString()
  return new Date(`${day === '' ? dayOf(now) : day}T23:59:59`).toISOString()
}
