/** Formats how long ago something was, in words. */
const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60]
]

interface Wording {
  /** Language as a BCP 47 tag. */
  readonly locale: string
  /** The text for less than a minute. */
  readonly now: string
  /** `short` gives "3 hr. ago", for narrow places. */
  readonly style?: Intl.RelativeTimeFormatStyle
}

const english: Wording = { locale: 'en', now: 'just now' }

/** Formats a time relative to `now`, such as "just now", "3 hours ago" or "in 2 days". Both times are in milliseconds since 1970. */
export const ago = (instant: number, now: number, wording = english): string => {
  const seconds = (instant - now) / 1000
  const unit = units.find(([, size]) => Math.abs(seconds) >= size)
  if (unit === undefined) return wording.now
  return new Intl.RelativeTimeFormat(wording.locale, { numeric: 'auto', style: wording.style ?? 'long' }).format(
    Math.round(seconds / unit[1]),
    unit[0]
  )
}
