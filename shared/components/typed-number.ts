/**
 * Numbers as people type them in a language with a decimal comma. Cells store numbers with a decimal point, in every language, so that all readers
 * and programs compute the same values.
 */
import { numberOfText } from '../fences/formula/values.ts'

/** Matches `7,5`, `,5`, `1.234,5` and `7,5 %`. */
const withComma = /^([+-]?)([\d. \u00A0\u202F]*),(\d+)[ \u00A0\u202F]?(%?)$/
/** Matches the part before the comma: digits, or groups of three with the same kind of separator. */
const wholePart = /^(?:\d*|\d{1,3}(?:\.\d{3})+|\d{1,3}(?:[ \u00A0\u202F]\d{3})+)$/
/** Matches `1.234.567`. A single point could be a decimal point, but several points must separate thousands. */
const withPoints = /^[+-]?\d{1,3}(?:\.\d{3}){2,}$/

/** Returns a number that is written with a decimal comma as cells store it, such as `1234.56` for `1.234,56`. Returns undefined for any other text. */
export function withDecimalPoint(text: string): string | undefined {
  if (withPoints.test(text)) return text.replaceAll('.', '')
  const [all, sign = '', whole = '', fraction = '', percent = ''] = withComma.exec(text) ?? []
  return all === undefined || !wholePart.test(whole) ? undefined : `${sign}${whole.replaceAll(/\D/g, '') || '0'}.${fraction}${percent}`
}

/** Matches numbers that come back unchanged from `withDecimalPoint`. */
const withPoint = /^[+-]?\d+\.\d+%?$/

/** Returns the text of a cell as a person who uses decimal commas edits it: `2,50` for `2.50`. Returns any other text unchanged. */
export const withDecimalComma = (text: string): string => (withPoint.test(text) ? text.replace('.', ',') : text)

/**
 * Returns typed text as a cell stores it. `before` is the text that the cell contained. A cell that was only opened keeps the text that others wrote.
 * If a person changes `1,234` into `1,235`, the comma still separates thousands.
 */
export const typedNumber = (text: string, before: string): string =>
  text === before || (before.includes(',') && numberOfText(before) !== undefined) ? text : (withDecimalPoint(text) ?? text)

/**
 * Returns pasted text as a cell stores it. Text such as `1,234` stays unchanged, because the other program may have separated thousands with the
 * comma.
 */
export const pastedNumber = (text: string): string => (numberOfText(text) === undefined ? (withDecimalPoint(text) ?? text) : text)
