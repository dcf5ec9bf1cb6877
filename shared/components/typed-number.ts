/**
 * Numbers as people type them in a language with a decimal comma. Cells store numbers with a decimal point, in every language, so that all readers
 * and programs compute the same values.
 */
import { numberOfText } from '../fences/formula/values.ts'

/** Matches `7,5`, `,5`, `1.234,5`, `7,5 %`, `€ 7,5` and `7,5 €`. */
const withComma = /^([+-]?(?:\p{Sc}[ \u00A0\u202F]?)?[+-]?)([\d. \u00A0\u202F]*),(\d+)(?:[ \u00A0\u202F]?(%)|([ \u00A0\u202F]?\p{Sc}))?$/u
/** Matches the part before the comma: digits, or groups of three with the same kind of separator. */
const wholePart = /^(?:\d*|\d{1,3}(?:\.\d{3})+|\d{1,3}(?:[ \u00A0\u202F]\d{3})+)$/
/** Matches `1.234` and `1.234.567 €`. Three digits follow each point, so it separates thousands. Such a number does not begin with 0. */
const withPoints = /^[+-]?(?:\p{Sc}[ \u00A0\u202F]?)?[+-]?[1-9]\d{0,2}(?:\.\d{3})+(?:[ \u00A0\u202F]?[%\p{Sc}])?$/u

/**
 * Returns a number that is written with decimal commas, or with points between thousands, as cells store it: `1234.56` for `1.234,56`, and `1200` for
 * `1.200`. Returns undefined for any other text.
 */
export function withDecimalPoint(text: string): string | undefined {
  if (withPoints.test(text)) return text.replaceAll('.', '')
  const [all, sign = '', whole = '', fraction = '', percent = '', currency = ''] = withComma.exec(text) ?? []
  if (all === undefined || !wholePart.test(whole)) return undefined
  return `${sign}${whole.replaceAll(/\D/g, '') || '0'}.${fraction}${percent}${currency}`
}

/** Matches numbers that come back unchanged from `withDecimalPoint` if a comma replaces their point. */
const withPoint = /^[+-]?(?:\p{Sc}[ \u00A0\u202F]?)?[+-]?\d+\.\d+(?:%|[ \u00A0\u202F]?\p{Sc})?$/u

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
export const pastedNumber = (text: string): string =>
  text.includes(',') && numberOfText(text) !== undefined ? text : (withDecimalPoint(text) ?? text)
