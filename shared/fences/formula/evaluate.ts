/** Computes the value of a formula when all its cells are known. */
import { limits } from '../../limits.ts'
import { term } from '../../words.ts'
import { findFunction } from './functions.ts'
import { noSuch } from './german-names.ts'
import type { Surroundings } from './function.ts'
import { calculate } from './functions-number.ts'
import type { Expression, Operator, Reference } from './parse.ts'
import { compare, Failure, finite, isMatrix, type Scalar, shortEnough, single, toNumber, toText, type Value } from './values.ts'

export interface Sources extends Surroundings {
  /** Returns the cells of a reference, row by row. Throws `#REF!` for a sheet that does not exist. */
  read(reference: Reference): Value
  /** Returns the cell of a reference to a single cell. Throws the errors of `read`. */
  readOne(reference: Reference): Scalar
}

const comparisons: Partial<Record<Operator, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '<>': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0
}

const binary = (operator: Operator, left: Value, right: Value): Scalar => {
  // A fast path for the most common operands: two numbers.
  if (typeof left === 'number' && typeof right === 'number') {
    if (operator === '+') return finite(left + right)
    if (operator === '-') return finite(left - right)
    if (operator === '*') return finite(left * right)
  }
  const holds = comparisons[operator]
  if (holds !== undefined) return holds(compare(single(left), single(right)))
  if (operator === '&') return shortEnough(toText(left) + toText(right))
  return calculate(operator as '+', single(left), single(right))
}

/** Returns the cost of a value, in computation steps. The cost of a string grows with its length. */
const costOf = (value: Value): number => {
  if (typeof value === 'string') return 1 + (value.length >> 4)
  if (!isMatrix(value)) return 1
  let cost = 0
  for (const row of value) for (const each of row) cost += typeof each === 'string' ? 1 + (each.length >> 4) : 1
  return cost
}

const wrongCount = (name: string, { least, most }: { readonly least: number; readonly most: number }): Failure =>
  least === most
    ? new Failure('#VALUE!', term('{name} takes {least} values.'), { name, least })
    : new Failure('#VALUE!', term('{name} takes {least} to {most} values.'), { name, least, most })

const call = (expression: Expression & { kind: 'call' }, sources: Sources): Value => {
  const found = findFunction(expression.name)
  if (found === undefined)
    throw noSuch(expression.name, term('There is no function {name}.'), term('There is no function {name}. Use {other}.'))
  const given = expression.arguments
  if (given.length < found.least || given.length > found.most) throw wrongCount(expression.name, found)
  if ('ofLater' in found) return found.ofLater(given.map((each) => () => evaluate(each, sources)))
  const values = given.map((each) => evaluate(each, sources))
  sources.step(values.reduce((sum: number, value) => sum + costOf(value), 1))
  return found.of(values, sources)
}

/** Returns the value of an operand. A reference to one cell gives the plain value, not a range. */
const operand = (expression: Expression, sources: Sources): Value =>
  expression.kind === 'reference' && expression.reference.to === undefined
    ? sources.readOne(expression.reference)
    : evaluate(expression, sources)

/** Computes a formula. Throws a `Failure`. */
export const evaluate = (expression: Expression, sources: Sources): Value => {
  switch (expression.kind) {
    case 'value':
      if (expression.value instanceof Failure) throw expression.value
      return expression.value
    case 'reference':
      return sources.read(expression.reference)
    case 'negate':
      return finite(-toNumber(operand(expression.of, sources)))
    case 'percent':
      return toNumber(operand(expression.of, sources)) / 100
    case 'binary':
      return binary(expression.operator, operand(expression.left, sources), operand(expression.right, sources))
    case 'call':
      return call(expression, sources)
  }
}

/** Returns the value to display for a result. If there are several values, it is the first one. */
export const firstOf = (value: Value): Scalar => (isMatrix(value) ? (value[0]?.[0] ?? null) : value)

export const tooMuch = (): Failure =>
  new Failure('#VALUE!', term('The sheets of this document take more than {limit} steps to compute.'), { limit: limits.sheetStepsMax })
