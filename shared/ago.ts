/** How long ago something was, in words. */
const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60]
]
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

/** An instant as seen from another, both in milliseconds since 1970: "just now", "3 hours ago", "in 2 days". */
export const ago = (instant: number, now: number): string => {
  const seconds = (instant - now) / 1000
  const unit = units.find(([, size]) => Math.abs(seconds) >= size)
  return unit === undefined ? 'just now' : relative.format(Math.round(seconds / unit[1]), unit[0])
}
