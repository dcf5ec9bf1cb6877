/**
 * Formats of `TEXT` and of charts:
 *
 *     format  = section [";" section]                   the second one is for negative numbers
 *     section = literal [digits ["." digits] ["%"]] literal     digits: 0 (always shown), # (if needed), "," (thousands)
 *             | (y… | m… | d… | literal)*                dates: yyyy yy mmmm mmm mm m dddd ddd dd d
 *
 * Text in quotation marks, and behind a backslash, is taken as it is.
 */
import { dateOf, Day, Failure, type Scalar, textOf, toNumber } from './values.ts'

const months = 'January February March April May June July August September October November December'.split(' ')
const days = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

const padded = (number: number): string => String(number).padStart(2, '0')

const dateField = (date: Date, field: string): string => {
  const month = months[date.getUTCMonth()] ?? ''
  const day = days[date.getUTCDay()] ?? ''
  const size = field.length
  if (field.startsWith('y')) return size > 2 ? String(date.getUTCFullYear()) : padded(date.getUTCFullYear() % 100)
  if (field.startsWith('m'))
    return size > 3 ? month : size === 3 ? month.slice(0, 3) : size === 2 ? padded(date.getUTCMonth() + 1) : String(date.getUTCMonth() + 1)
  return size > 3 ? day : size === 3 ? day.slice(0, 3) : size === 2 ? padded(date.getUTCDate()) : String(date.getUTCDate())
}

const piece = /"([^"]*)"|\\(.)|(y+|m+|d+)|(.)/gis

const formatDate = (serial: number, pattern: string): string =>
  pattern.replaceAll(piece, (_all, quoted?: string, escaped?: string, field?: string, plain?: string) =>
    field === undefined ? (quoted ?? escaped ?? plain ?? '') : dateField(dateOf(serial), field.toLowerCase())
  )

const literal = (text: string): string =>
  text.replaceAll(/"([^"]*)"|\\(.)/gs, (_all, quoted?: string, escaped?: string) => quoted ?? escaped ?? '')

/** Digits after the point: half away from zero, by what the number reads. */
const fixed = (number: number, places: number): string => {
  const [digits = '', exponent = '0'] = String(number).split('e')
  const whole = Math.floor(Number(`${digits}e${Number(exponent) + places}`) + 0.5)
  return Number.isSafeInteger(whole) ? Number(`${whole}e${-places}`).toFixed(places) : number.toFixed(places)
}

const formatDigits = (number: number, pattern: string): string => {
  const [whole = '', fraction = ''] = pattern.replaceAll(',', '').split('.')
  const places = Math.min(fraction.length, 20)
  const least = whole.replaceAll('#', '').length
  const [before = '', after = ''] = fixed(number, places).split('.')
  const required = fraction.replace(/#+$/, '').length
  const decimals = after.slice(0, required) + after.slice(required).replace(/0+$/, '')
  const padding = before === '0' && least === 0 ? '' : before.padStart(least, '0')
  const grouped = pattern.includes(',') ? padding.replaceAll(/\B(?=(?:\d{3})+$)/g, ',') : padding
  return decimals === '' ? grouped : `${grouped}.${decimals}`
}

/** Where a pattern's digits stand, quoted text aside. */
const numberPattern = /^((?:"[^"]*"|\\.|[^0#"\\])*?)([0#][0#,]*(?:\.[0#]*)?|\.[0#]+)((?:"[^"]*"|\\.|[^"\\])*)$/s

const formatNumber = (number: number, section: string): string => {
  const [, before = '', digits = '', after = ''] = numberPattern.exec(section) ?? []
  if (digits === '') return literal(section)
  const scale = `${before}${after}`.includes('%') ? 100 : 1
  return literal(before) + formatDigits(Math.abs(number) * scale, digits) + literal(after)
}

const isDatePattern = (pattern: string): boolean => /[ymd]/i.test(pattern.replaceAll(/"[^"]*"|\\./gs, '')) && !/[0#]/.test(pattern)

/** A value as a format shows it. Errors: `#VALUE!` for a date that is none. */
export const format = (value: Scalar, pattern: string): string => {
  if (pattern === '@' || typeof value === 'string' || typeof value === 'boolean') return textOf(value)
  const number = toNumber(value)
  if (/^general$/i.test(pattern)) return textOf(value instanceof Day ? number : value)
  if (isDatePattern(pattern)) {
    if (number < 1 || number >= 2_958_466) throw new Failure('#VALUE!', 'That is no date.')
    return formatDate(number, pattern)
  }
  const [first = '', second] = pattern.split(/;(?=(?:[^"]*"[^"]*")*[^"]*$)/)
  if (number >= 0) return formatNumber(number, first)
  if (second !== undefined) return formatNumber(number, second)
  const shown = formatNumber(number, first)
  return /[1-9]/.test(shown) ? `-${shown}` : shown
}
