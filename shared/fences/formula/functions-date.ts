/** Date functions (OpenFormula 1.2, part 4, §6.10). They use the Gregorian calendar from 1900 to 9999, without times of day. */
import type { Function } from './function.ts'
import { dateOf, Day, dayOfInstant, Failure, serialOf, toNumber, type Value } from './values.ts'
import { term } from '../../words.ts'

/** Returns the date for a serial number. Throws `#NUM!` if the number is not a date. */
const dateAt = (value: Value): Date => {
  const serial = toNumber(value)
  if (serial < 0 || serial >= 2_958_466) throw new Failure('#NUM!', term('This is not a date.'))
  return dateOf(serial)
}

const part =
  (of: (date: Date) => number): Function['of'] =>
  ([value = null]) =>
    of(dateAt(value))

export const dateFunctions: Readonly<Record<string, Function>> = {
  DATE: {
    least: 3,
    most: 3,
    of: ([year = null, month = null, day = null]) => new Day(serialOf(toNumber(year), toNumber(month), toNumber(day)))
  },
  TODAY: { least: 0, most: 0, of: (_given, { now }) => dayOfInstant(now) },
  YEAR: { least: 1, most: 1, of: part((date) => date.getUTCFullYear()) },
  MONTH: { least: 1, most: 1, of: part((date) => date.getUTCMonth() + 1) },
  DAY: { least: 1, most: 1, of: part((date) => date.getUTCDate()) },
  DAYS: { least: 2, most: 2, of: ([end = null, start = null]) => Math.floor(toNumber(end)) - Math.floor(toNumber(start)) }
}
