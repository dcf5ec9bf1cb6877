/**
 * The functions of sheets by name, with their numbers of arguments (OpenFormula 1.2, part 4, §6). A function receives a range as rows of values. It
 * throws a `Failure` if it cannot compute a result.
 */
import type { Function, LazyFunction } from './function.ts'
import { dateFunctions } from './functions-date.ts'
import { lookupFunctions } from './functions-lookup.ts'
import { numberFunctions } from './functions-number.ts'
import { textFunctions } from './functions-text.ts'
import { Failure, isMatrix, type Scalar, single, toBoolean, type Value } from './values.ts'
import { term } from '../../words.ts'

/** Returns the logical values in the arguments. In ranges, text and empty cells are skipped. */
const logicalsOf = (given: readonly Value[]): boolean[] => {
  const found = given.flatMap((value): boolean[] => {
    if (!isMatrix(value)) return [toBoolean(value)]
    return value.flat().flatMap((each: Scalar) => (each === null || typeof each === 'string' ? [] : [toBoolean(each)]))
  })
  if (found.length === 0) throw new Failure('#VALUE!', term('There is no true or false value.'))
  return found
}

const isFailing = (value: Value): boolean => value instanceof Failure || (isMatrix(value) && value[0]?.[0] instanceof Failure)

const logical: Readonly<Record<string, Function | LazyFunction>> = {
  IF: {
    least: 1,
    most: 3,
    ofLater: ([condition, yes, no]) => {
      if (condition === undefined || toBoolean(condition())) return yes === undefined ? true : yes()
      return no === undefined ? false : no()
    }
  },
  IFERROR: {
    least: 2,
    most: 2,
    ofLater: ([value, otherwise]) => {
      try {
        const found = value?.() ?? null
        if (!isFailing(found)) return found
      } catch (error) {
        if (!(error instanceof Failure)) throw error
      }
      return otherwise?.() ?? null
    }
  },
  AND: { least: 1, most: 255, of: (given) => logicalsOf(given).every(Boolean) },
  OR: { least: 1, most: 255, of: (given) => logicalsOf(given).some(Boolean) },
  NOT: { least: 1, most: 1, of: ([value = null]) => !toBoolean(value) },
  TRUE: { least: 0, most: 0, of: () => true },
  FALSE: { least: 0, most: 0, of: () => false },
  ISBLANK: {
    least: 1,
    most: 1,
    of: ([value = null]) => (isMatrix(value) && value.flat()[0] instanceof Failure ? false : single(value) === null)
  }
}

const all: Readonly<Record<string, Function | LazyFunction>> = {
  ...logical,
  ...numberFunctions,
  ...textFunctions,
  ...dateFunctions,
  ...lookupFunctions
}

const byName = new Map(Object.entries(all))
/** Some functions have a second name. */
for (const [other, name] of [
  ['CONCATENATE', 'CONCAT'],
  ['STDEV.S', 'STDEV'],
  ['RANK.EQ', 'RANK']
] as const) {
  const found = byName.get(name)
  if (found !== undefined) byName.set(other, found)
}

export const functionNames: readonly string[] = [...byName.keys()].sort()

export const findFunction = (name: string): Function | LazyFunction | undefined => byName.get(name)
