/** Sums, counts and rounding (OpenFormula 1.2, part 4, §6.16 to §6.18). */
import { matcherOf } from './criteria.ts'
import type { Function } from './function.ts'
import { compare, Day, Failure, finite, isMatrix, type Matrix, type Scalar, sound, toNumber, type Value } from './values.ts'
import { term } from '../../words.ts'

/** Returns the numbers in the arguments. A string that is a direct argument must be a number. In ranges, everything other than numbers is skipped. */
const numbersOf = (given: readonly Value[]): number[] => {
  const numbers: number[] = []
  for (const value of given) {
    if (!isMatrix(value)) {
      numbers.push(toNumber(value))
      continue
    }
    for (const row of value)
      for (const each of row) {
        if (typeof each === 'number') numbers.push(each)
        else if (each instanceof Day) numbers.push(each.serial)
        else if (each instanceof Failure) throw each
      }
  }
  return numbers
}

const flat = (given: readonly Value[]): Scalar[] => given.flatMap((value): Scalar[] => (isMatrix(value) ? value.flat() : [value]))

const sum = (numbers: readonly number[]): number => finite(numbers.reduce((total, number) => total + number, 0))

const mean = (numbers: readonly number[]): number => {
  if (numbers.length === 0) throw new Failure('#DIV/0!', term('There are no numbers.'))
  return sum(numbers) / numbers.length
}

/** Returns the least or greatest number. The result is a date if all values are dates. */
const extreme = (given: readonly Value[], best: (one: number, other: number) => number): Value => {
  const numbers = numbersOf(given)
  const found = numbers.length === 0 ? 0 : numbers.reduce(best)
  const values = flat(given).filter((value) => value !== null && typeof value !== 'string')
  return values.length > 0 && values.every((value) => value instanceof Day) ? new Day(found) : found
}

const median = (numbers: readonly number[]): number => {
  if (numbers.length === 0) throw new Failure('#NUM!', term('There are no numbers.'))
  const sorted = numbers.toSorted((one, other) => one - other)
  const middle = Math.floor(sorted.length / 2)
  const [upper = 0, lower = 0] = [sorted[middle], sorted[middle - 1]]
  return sorted.length % 2 === 1 ? upper : (lower + upper) / 2
}

const deviation = (numbers: readonly number[]): number => {
  if (numbers.length < 2) throw new Failure('#DIV/0!', term('At least two numbers are needed.'))
  const average = mean(numbers)
  return Math.sqrt(numbers.reduce((total, number) => total + (number - average) ** 2, 0) / (numbers.length - 1))
}

/** Moves the decimal point of a number in its decimal form. Unlike a multiplication, this turns 1.005 into exactly 100.5. */
const shifted = (number: number, places: number): number => {
  const [digits = '', exponent = '0'] = String(number).split('e')
  return Number(`${digits}e${Number(exponent) + places}`)
}

const rounding =
  (round: (positive: number) => number): Function['of'] =>
  ([value = null, digits = 0]) => {
    const number = toNumber(value)
    const places = Math.trunc(toNumber(digits))
    if (Math.abs(places) > 300) throw new Failure('#NUM!')
    const size = shifted(round(shifted(Math.abs(number), places)), -places)
    return finite(number < 0 ? -size : size)
  }

const asMatrix = (value: Value): Matrix => (isMatrix(value) ? value : [[value]])

const sumIf: Function['of'] = ([range = null, criterion = null, summed = range], { step }) => {
  const matches = matcherOf(criterion, step)
  const [rows, sums] = [asMatrix(range), asMatrix(summed)]
  const found = rows.flatMap((row, index) => row.flatMap((value, column) => (matches(value) ? [sums[index]?.[column] ?? null] : [])))
  return sum(numbersOf([[found]]))
}

const power = (base: number, exponent: number): number => {
  if (base === 0 && exponent < 0) throw new Failure('#DIV/0!')
  return finite(base ** exponent)
}

const remainder = (number: number, divisor: number): number => {
  if (divisor === 0) throw new Failure('#DIV/0!')
  const rest = number % divisor
  return rest !== 0 && rest < 0 !== divisor < 0 ? rest + divisor : rest
}

const rank: Function['of'] = ([value = null, range = null, order = 0]) => {
  const number = toNumber(value)
  const numbers = numbersOf([asMatrix(range)])
  if (!numbers.some((each) => compare(each, number) === 0)) throw new Failure('#N/A')
  const ascending = toNumber(order) !== 0
  return 1 + numbers.filter((each) => (ascending ? compare(each, number) < 0 : compare(each, number) > 0)).length
}

const one =
  (of: (number: number) => number): Function['of'] =>
  ([value = null]) =>
    finite(of(toNumber(value)))

export const numberFunctions: Readonly<Record<string, Function>> = {
  SUM: { least: 1, most: 255, of: (given) => sum(numbersOf(given)) },
  AVERAGE: { least: 1, most: 255, of: (given) => mean(numbersOf(given)) },
  MIN: { least: 1, most: 255, of: (given) => extreme(given, (best, each) => Math.min(best, each)) },
  MAX: { least: 1, most: 255, of: (given) => extreme(given, (best, each) => Math.max(best, each)) },
  MEDIAN: { least: 1, most: 255, of: (given) => median(numbersOf(given)) },
  STDEV: { least: 1, most: 255, of: (given) => finite(deviation(numbersOf(given))) },
  COUNT: {
    least: 1,
    most: 255,
    of: (given) => flat(given).filter((value) => typeof value === 'number' || value instanceof Day).length
  },
  COUNTA: { least: 1, most: 255, of: (given) => flat(given).filter((value) => value !== null).length },
  COUNTIF: {
    least: 2,
    most: 2,
    of: ([range = null, criterion = null], { step }) => asMatrix(range).flat().filter(matcherOf(criterion, step)).length
  },
  SUMIF: { least: 2, most: 3, of: sumIf },
  RANK: { least: 2, most: 3, of: rank },
  // These functions round half away from zero, toward zero, and away from zero.
  ROUND: { least: 1, most: 2, of: rounding((number) => Math.floor(number + 0.5)) },
  ROUNDDOWN: { least: 1, most: 2, of: rounding(Math.floor) },
  ROUNDUP: { least: 1, most: 2, of: rounding(Math.ceil) },
  ABS: { least: 1, most: 1, of: one(Math.abs) },
  SQRT: { least: 1, most: 1, of: one(Math.sqrt) },
  MOD: { least: 2, most: 2, of: ([number = null, divisor = null]) => finite(remainder(toNumber(number), toNumber(divisor))) },
  POWER: { least: 2, most: 2, of: ([base = null, exponent = null]) => power(toNumber(base), toNumber(exponent)) }
}

/** Applies an operator that needs numbers. A date and a number give a date, and two dates give a number. */
export const calculate = (operator: '+' | '-' | '*' | '/' | '^', left: Scalar, right: Scalar): Scalar => {
  const [one, other] = [toNumber(sound(left)), toNumber(sound(right))]
  if (operator === '+') return left instanceof Day !== right instanceof Day ? dayAt(one + other) : finite(one + other)
  if (operator === '-') return left instanceof Day && !(right instanceof Day) ? dayAt(one - other) : finite(one - other)
  if (operator === '*') return finite(one * other)
  if (operator === '^') return power(one, other)
  if (other === 0) throw new Failure('#DIV/0!')
  return finite(one / other)
}

/** Returns a day. A day outside the calendar becomes a number. */
const dayAt = (serial: number): Scalar => (serial >= 1 && serial < 2_958_466 ? new Day(serial) : finite(serial))
