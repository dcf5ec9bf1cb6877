/** When a link ends: a time from now, or a day of the calendar. */
import { term } from '../text/t.ts'

const hour = 3_600_000

/** In the order in which they are offered; the words are terms. */
export const expiries = {
  never: term('Never'),
  hour: term('In 1 hour'),
  day: term('In 1 day'),
  week: term('In 7 days'),
  month: term('In 30 days'),
  date: term('Choose a date…')
} as const

export type Expiry = keyof typeof expiries

const lasts: Readonly<Partial<Record<Expiry, number>>> = { hour, day: 24 * hour, week: 7 * 24 * hour, month: 30 * 24 * hour }

/** A day as a date field has it, where this device is. */
export const dayOf = (instant: number): string => {
  const date = new Date(instant)
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
}

/**
 * The end of a link that is made now, as ISO 8601; undefined: it has none. A day is over at its end, where this device is.
 * `day` is what a date field has: YYYY-MM-DD, or nothing yet, which is today.
 */
export function endOf(expiry: Expiry, day: string, now: number): string | undefined {
  if (expiry === 'never') return undefined
  const milliseconds = lasts[expiry]
  if (milliseconds !== undefined) return new Date(now + milliseconds).toISOString()
  return new Date(`${day === '' ? dayOf(now) : day}T23:59:59`).toISOString()
}
