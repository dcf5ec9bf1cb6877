/**
 * Formats of `TEXT` and of charts:
 *
 *     format  = section [";" section]                   the second one is for negative numbers
 *     section = literal [digits ["." digits] ["%"]] literal     digits: 0 (always shown), # (if needed), "," (thousands)
 *             | (y… | m… | d… | literal)*                dates: yyyy yy mmmm mmm mm m dddd ddd dd d
 *
 * Text in quotation marks, or after a backslash, is literal.
 */
import { withoutEnd } from '../../text/scan.ts'
import { dateOf, Day, Failure, type Scalar, textOf, toNumber } from './values.ts'
import { term } from '../../words.ts'

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

/** Rounds a number to decimal places, half away from zero. It works on the decimal digits of the number. */
const fixed = (number: number, places: number): string => {
  const [digits = '', exponent = '0'] = String(number).split('e')
  const whole = Math.floor(Number(`${digits}e${Number(exponent) + places}`) + 0.5)
  return Number.isSafeInteger(whole) ? Number(`${whole}e${-places}`).toFixed(places) : number.toFixed(places)
}

/** Returns the digits in groups of three, counted from the end. */
const groupsOf = (digits: string): string[] => {
  const first = digits.length % 3
  const groups = first === 0 ? [] : [digits.slice(0, first)]
  for (let at = first; at < digits.length; at += 3) groups.push(digits.slice(at, at + 3))
  return groups
}

const formatDigits = (number: number, pattern: string): string => {
  const [whole = '', fraction = ''] = pattern.replaceAll(',', '').split('.')
  const places = Math.min(fraction.length, 20)
  const least = whole.replaceAll('#', '').length
  const [before = '', after = ''] = fixed(number, places).split('.')
  const required = withoutEnd(fraction, '#').length
  const decimals = after.slice(0, required) + withoutEnd(after.slice(required), '0')
  const padding = before === '0' && least === 0 ? '' : before.padStart(least, '0')
  const grouped = pattern.includes(',') ? groupsOf(padding).join(',') : padding
  return decimals === '' ? grouped : `${grouped}.${decimals}`
}

const digitsAt = /[0#][0#,]*(?:\.[0#]*)?|\.[0#]+/y

/**
 * Returns the digits of a pattern and the text before and after them. Digits in quotes are ignored. Returns undefined if there are no digits, or a
 * quote is not closed.
 */
const partsOf = (section: string): readonly [before: string, digits: string, after: string] | undefined => {
  let found: { readonly from: number; readonly to: number } | undefined
  for (const { 0: piece, index } of section.matchAll(/"[^"]*"|\\.|[^]/gs)) {
    if (piece === '"' || piece === '\\') return undefined
    if (found !== undefined || piece.length > 1) continue
    digitsAt.lastIndex = index
    if (digitsAt.test(section)) found = { from: index, to: digitsAt.lastIndex }
  }
  return found && [section.slice(0, found.from), section.slice(found.from, found.to), section.slice(found.to)]
}

const formatNumber = (number: number, section: string): string => {
  const [before, digits, after] = partsOf(section) ?? ['', '', '']
  if (digits === '') return literal(section)
  const scale = `${before}${after}`.includes('%') ? 100 : 1
  return literal(before) + formatDigits(Math.abs(number) * scale, digits) + literal(after)
}

/** Splits a pattern at semicolons that are not in quotes. */
const sectionsOf = (pattern: string): string[] => {
  const sections: string[] = []
  let quotes = 0
  let end = pattern.length
  for (let at = pattern.length - 1; at >= 0; at--) {
    if (pattern[at] === '"') quotes += 1
    if (pattern[at] !== ';' || quotes % 2 === 1) continue
    sections.push(pattern.slice(at + 1, end))
    end = at
  }
  return [...sections, pattern.slice(0, end)].toReversed()
}

const isDatePattern = (pattern: string): boolean => /[ymd]/i.test(pattern.replaceAll(/"[^"]*"|\\./gs, '')) && !/[0#]/.test(pattern)

/** Formats a value. Throws `#VALUE!` for an invalid date. */
export const format = (value: Scalar, pattern: string): string => {
  if (pattern === '@' || typeof value === 'string' || typeof value === 'boolean') return textOf(value)
  const number = toNumber(value)
  if (/^general$/i.test(pattern)) return textOf(value instanceof Day ? number : value)
  if (isDatePattern(pattern)) {
    if (number < 1 || number >= 2_958_466) throw new Failure('#VALUE!', term('This is not a date.'))
    return formatDate(number, pattern)
  }
  const [first = '', second] = sectionsOf(pattern)
  if (number >= 0) return formatNumber(number, first)
  if (second !== undefined) return formatNumber(number, second)
  const shown = formatNumber(number, first)
  return /[1-9]/.test(shown) ? `-${shown}` : shown
}
