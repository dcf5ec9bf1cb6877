/**
 * Values of cells and formulas, and conversions between them (OpenFormula 1.2, part 4, §4 Types and §6.3 Conversions).
 *
 * A failure is thrown inside a formula. In a cell or a range it is a value.
 */
import { limits } from '../../limits.ts'
import { term, type Values } from '../../words.ts'

export const errorNames = ['#REF!', '#DIV/0!', '#NAME?', '#VALUE!', '#CYCLE!', '#N/A', '#NUM!'] as const
export type ErrorName = (typeof errorNames)[number]

const usualReasons: Readonly<Partial<Record<ErrorName, string>>> = {
  '#DIV/0!': term('The formula divides by zero.'),
  '#NUM!': term('The number is too large or too small.'),
  '#N/A': term('The value was not found.'),
  '#VALUE!': term('This value has the wrong type.')
}

/** A failed value, which is thrown inside formulas. It is not an `Error`: an `Error` would capture the stack for every cell that fails. */
export class Failure {
  readonly error: ErrorName
  /** The reason as a sentence for translation. It is empty if the error needs no reason. */
  readonly sentence: string
  readonly values: Values
  constructor(error: ErrorName, sentence = usualReasons[error] ?? '', values: Values = {}) {
    this.error = error
    this.sentence = sentence
    this.values = values
  }
  /** The reason in English, for programs and published pages. */
  get reason(): string {
    return this.sentence.replace(/\{(\w+)\}/g, (_all, name: string) => String(this.values[name]))
  }
}

/** A date, as the number of days since 1899-12-30. */
export class Day {
  readonly serial: number
  constructor(serial: number) {
    this.serial = serial
  }
}

/** A single value. An empty cell is null. */
export type Scalar = number | string | boolean | null | Day | Failure
/** Rows of a range, or of the result of a function. */
export type Matrix = readonly (readonly Scalar[])[]
export type Value = Scalar | Matrix

export const isMatrix = (value: Value): value is Matrix => Array.isArray(value)

const dayMs = 86_400_000
const epoch = Date.UTC(1899, 11, 30)
/** The day 9999-12-31. */
const serialMax = 2_958_465

/**
 * Returns a date as the number of days since 1899-12-30. Months and days outside their range carry over. Throws `#NUM!` before 1900 and after 9999.
 */
export const serialOf = (year: number, month: number, day: number): number => {
  const date = new Date(0)
  date.setUTCFullYear(Math.trunc(year), Math.trunc(month) - 1, Math.trunc(day))
  const serial = Math.round((date.getTime() - epoch) / dayMs)
  if (!(serial >= 1 && serial <= serialMax)) throw new Failure('#NUM!', term('That date is before 1900 or after 9999.'))
  return serial
}

/** Returns the day of an instant, in UTC. */
export const dayOfInstant = (milliseconds: number): Day => new Day(Math.floor((milliseconds - epoch) / dayMs))

export const dateOf = (serial: number): Date => new Date(epoch + Math.floor(serial) * dayMs)

const isoDay = /^(\d{4})-(\d\d)-(\d\d)$/

const dayOfText = (text: string): Day | undefined => {
  const [, year, month, day] = isoDay.exec(text) ?? []
  if (year === undefined) return undefined
  const date = new Date(`${text}T00:00:00Z`)
  const serial = Math.round((date.getTime() - epoch) / dayMs)
  return Number.isNaN(serial) || date.getUTCDate() !== Number(day) || date.getUTCMonth() + 1 !== Number(month) || serial < 1
    ? undefined
    : new Day(serial)
}

const plainNumber = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+|\d{1,3}(?:,\d{3})+(?:\.\d*)?)(?:[eE][+-]?\d{1,3})?([ \u00A0\u202F]?%)?$/
/** Matches the currency sign before a number, with the sign of the number, or the currency sign after it. */
const currency = /^([+-]?)\p{Sc}[ \u00A0\u202F]?|[ \u00A0\u202F]?\p{Sc}$/u

/**
 * Parses a number, which may have thousands separators (commas), an exponent, and a percent sign or a currency sign. Returns undefined if the text is
 * not a number.
 */
export const numberOfText = (text: string): number | undefined => {
  const [all, percent] = plainNumber.exec(text) ?? plainNumber.exec(text.replace(currency, '$1')) ?? []
  if (all === undefined) return undefined
  const number = Number.parseFloat(all.replaceAll(',', ''))
  return Number.isFinite(number) ? (percent === undefined ? number : number / 100) : undefined
}

const simpleNumber = /^-?\d{1,15}(?:\.\d{1,15})?$/

/** Returns the value of a cell without a formula. */
export const valueOfCell = (text: string): Scalar => {
  if (text === '') return null
  if (text.length > limits.sheetTextUnitsMax) return new Failure('#VALUE!', term('The text is too long.'))
  const first = text.charCodeAt(0)
  // Most cells are plain numbers or words, which need none of the patterns below.
  if (simpleNumber.test(text)) return Number(text)
  if (first > 64 && !/^(?:(?:true|false)$|\p{Sc})/iu.test(text)) return text
  const error = errorNames.find((name) => name === text)
  if (error !== undefined) return new Failure(error)
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true'
  return numberOfText(text) ?? dayOfText(text) ?? text
}

/** Returns the value, or throws it if it is a failure. */
export const sound = (value: Scalar): Exclude<Scalar, Failure> => {
  if (value instanceof Failure) throw value
  return value
}

/** Returns the single value of an argument. A range of one cell gives that cell. Throws `#VALUE!` for a larger range. */
export const single = (value: Value): Exclude<Scalar, Failure> => {
  if (!isMatrix(value)) return sound(value)
  if (value.length !== 1 || value[0]?.length !== 1) throw new Failure('#VALUE!', term('Use a single cell instead of a range.'))
  return sound(value[0][0] ?? null)
}

/** Returns the number if it is finite. Throws `#NUM!` otherwise. */
export const finite = (number: number): number => {
  if (!Number.isFinite(number)) throw new Failure('#NUM!')
  return number === 0 ? 0 : number
}

/** Converts a value to a number. Throws `#VALUE!` for text that is not a number. */
export const toNumber = (value: Value): number => {
  const one = single(value)
  if (typeof one === 'number') return one
  if (one instanceof Day) return one.serial
  if (typeof one === 'boolean') return one ? 1 : 0
  if (one === null) return 0
  const text = one.trim()
  const number = numberOfText(text) ?? dayOfText(text)?.serial
  if (number === undefined) throw new Failure('#VALUE!', term('"{text}" is not a number.'), { text: text.slice(0, 40) })
  return number
}

export const toBoolean = (value: Value): boolean => {
  const one = single(value)
  if (typeof one === 'string') {
    if (/^(?:true|false)$/i.test(one)) return one.toLowerCase() === 'true'
    throw new Failure('#VALUE!', term('Text is neither true nor false.'))
  }
  return toNumber(one) !== 0
}

const dayText = (serial: number): string => dateOf(serial).toISOString().slice(0, 10)

/** Returns the displayed form of a number, with at most 15 significant digits, which is the precision of every number. */
const numberText = (number: number): string => String(Number(number.toPrecision(15))).replace('e', 'E')

/** Returns the displayed form of a value. */
export const textOf = (value: Scalar): string => {
  if (value === null) return ''
  if (typeof value === 'string') return value
  if (typeof value === 'number') return numberText(value)
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE'
  return value instanceof Day ? dayText(value.serial) : value.error
}

export const toText = (value: Value): string => textOf(single(value))

/** Returns a string. Throws `#VALUE!` if it is too long. */
export const shortEnough = (text: string): string => {
  if (text.length > limits.sheetTextUnitsMax) throw new Failure('#VALUE!', term('The text is too long.'))
  return text
}

const rankOf = (value: Scalar): number => {
  if (value === null || typeof value === 'number' || value instanceof Day) return 0
  return typeof value === 'string' ? 1 : typeof value === 'boolean' ? 2 : 3
}

const folded = (text: string): string => text.toLowerCase().normalize('NFD')

const numberOf = (value: Scalar): number =>
  typeof value === 'number' ? value : value instanceof Day ? value.serial : value === true ? 1 : 0

/**
 * Compares two values. The order is numbers and dates, text (ignoring case), FALSE and TRUE, failures. An empty cell equals 0, '' and FALSE. Numbers
 * are equal if they agree to 15 digits.
 */
export const compare = (one: Scalar, other: Scalar): number => {
  if (one === null && typeof other === 'string') return other === '' ? 0 : -1
  if (other === null && typeof one === 'string') return one === '' ? 0 : 1
  if (one === null && typeof other === 'boolean') return other ? -1 : 0
  if (other === null && typeof one === 'boolean') return one ? 1 : 0
  const [first, second] = [rankOf(one), rankOf(other)]
  if (first !== second) return first - second
  if (typeof one === 'string' && typeof other === 'string') {
    const [left, right] = [folded(one), folded(other)]
    return left < right ? -1 : left > right ? 1 : 0
  }
  const [left, right] = [numberOf(one), numberOf(other)]
  // Most numbers are far apart, so their digits need not be compared.
  if (Math.abs(left - right) > 1e-9 * (Math.abs(left) + Math.abs(right))) return left < right ? -1 : 1
  if (left === right || Number(left.toPrecision(15)) === Number(right.toPrecision(15))) return 0
  return left < right ? -1 : 1
}
