/**
 * Lookup functions (OpenFormula 1.2, part 4, §6.14), and functions that rearrange rows. `XLOOKUP`, `UNIQUE` and `SORT` work as Excel documents them.
 */
import { matcherOf, type Step, wildcard } from './criteria.ts'
import type { Function } from './function.ts'
import { compare, Failure, isMatrix, type Matrix, type Scalar, single, toBoolean, toNumber, type Value } from './values.ts'
import { term } from '../../words.ts'

const asMatrix = (value: Value): Matrix => (isMatrix(value) ? value : [[value]])

/** Returns a row or column as a list. Throws `#N/A` for any other range. */
const listOf = (value: Value): readonly Scalar[] => {
  const rows = asMatrix(value)
  if (rows.length === 1) return rows[0] ?? []
  if (rows[0]?.length === 1) return rows.map((row) => row[0] ?? null)
  throw new Failure('#N/A', term('This must be one row or one column.'))
}

const whole = (value: Value): number => Math.trunc(toNumber(value))

const comparable = (one: Scalar, other: Scalar): boolean =>
  one !== null && !(one instanceof Failure) && (typeof one === typeof other || (typeof one !== 'string' && typeof other !== 'string'))

const exactly = (wanted: Scalar, list: readonly Scalar[], step: Step): number => {
  const matches =
    typeof wanted === 'string' && /[*?]/.test(wanted)
      ? matcherOf(wanted, step)
      : (value: Scalar) => comparable(value, wanted) && compare(value, wanted) === 0
  return list.findIndex(matches)
}

/** Returns the index of the last value in a sorted list that does not come after the wanted value. */
const upTo = (wanted: Scalar, list: readonly Scalar[], descending = false): number => {
  let found = -1
  for (const [index, value] of list.entries()) {
    if (!comparable(value, wanted)) continue
    const order = compare(value, wanted)
    if (descending ? order < 0 : order > 0) break
    found = index
  }
  return found
}

const present = (index: number): number => {
  if (index < 0) throw new Failure('#N/A', term('The value was not found.'))
  return index
}

const vlookup: Function['of'] = ([wanted = null, table = null, column = null, sorted = true], { step }) => {
  const rows = asMatrix(table)
  const at = whole(column) - 1
  if (at < 0) throw new Failure('#VALUE!')
  if (at >= (rows[0]?.length ?? 0)) throw new Failure('#REF!', term('The table has no such column.'))
  const keys = rows.map((row) => row[0] ?? null)
  const key = single(wanted)
  return rows[present(toBoolean(sorted) ? upTo(key, keys) : exactly(key, keys, step))]?.[at] ?? null
}

/** Returns the index of the nearest value below (-1) or above (1) the wanted value, in an unsorted list. */
const nearest = (wanted: Scalar, list: readonly Scalar[], side: number): number => {
  let best = -1
  list.forEach((value, index) => {
    if (!comparable(value, wanted)) return
    const order = compare(value, wanted)
    if (order !== 0 && order < 0 !== side < 0) return
    if (best === -1 || (side < 0 ? compare(value, list[best] ?? null) > 0 : compare(value, list[best] ?? null) < 0)) best = index
  })
  return best
}

const equalIn = (wanted: Scalar, list: readonly Scalar[]): number =>
  list.findIndex((value) => comparable(value, wanted) && compare(value, wanted) === 0)

const xlookup: Function['of'] = ([wanted = null, keys = null, results = null, missing, mode = 0], { step }) => {
  const key = single(wanted)
  const list = listOf(keys)
  const how = whole(mode)
  const wild = how === 2 && typeof key === 'string' ? wildcard(key, step) : undefined
  const exact = wild === undefined ? equalIn(key, list) : list.findIndex((value) => typeof value === 'string' && wild(value))
  const index = exact === -1 && (how === -1 || how === 1) ? nearest(key, list, how) : exact
  if (index === -1 && missing !== undefined && missing !== null) return missing
  const rows = asMatrix(results)
  const isRow = rows.length === 1 && list.length > 1
  if ((isRow ? rows[0]?.length : rows.length) !== list.length) throw new Failure('#VALUE!', term('Both ranges must have the same length.'))
  return isRow ? (rows[0]?.[present(index)] ?? null) : [rows[present(index)] ?? []]
}

const match: Function['of'] = ([wanted = null, range = null, kind = 1], { step }) => {
  const list = listOf(range)
  const key = single(wanted)
  const how = toNumber(kind)
  return 1 + present(how === 0 ? exactly(key, list, step) : upTo(key, list, how < 0))
}

const index: Function['of'] = ([range = null, row = 0, column]) => {
  const rows = asMatrix(range)
  const isRow = rows.length === 1 && column === undefined
  const [down, across] = isRow ? [1, whole(row)] : [whole(row), whole(column ?? ((rows[0]?.length ?? 0) === 1 ? 1 : 0))]
  if (down < 0 || across < 0) throw new Failure('#VALUE!')
  if (down > rows.length || across > (rows[0]?.length ?? 0)) throw new Failure('#REF!', term('The range is too small.'))
  const chosen = down === 0 ? rows : [rows[down - 1] ?? []]
  return across === 0 ? chosen : chosen.map((each) => [each[across - 1] ?? null])
}

const sameRow = (one: readonly Scalar[], other: readonly Scalar[]): boolean =>
  one.every((value, at) => (value === null) === (other[at] === null) && compare(value, other[at] ?? null) === 0)

const unique: Function['of'] = ([range = null]) => {
  const found: (readonly Scalar[])[] = []
  for (const row of asMatrix(range)) if (!found.some((each) => sameRow(each, row))) found.push(row)
  return found
}

/** Sorts rows. Empty cells come last in both directions. */
const sort: Function['of'] = ([range = null, by = 1, order = 1]) => {
  const at = whole(by) - 1
  const rows = asMatrix(range)
  if (at < 0 || at >= (rows[0]?.length ?? 0)) throw new Failure('#VALUE!', term('There is no such column.'))
  const sign = toNumber(order) < 0 ? -1 : 1
  return rows.toSorted((one, other) => {
    const [left, right] = [one[at] ?? null, other[at] ?? null]
    if (left === null || right === null) return Number(left === null) - Number(right === null)
    return sign * compare(left, right)
  })
}

export const lookupFunctions: Readonly<Record<string, Function>> = {
  VLOOKUP: { least: 3, most: 4, of: vlookup },
  XLOOKUP: { least: 3, most: 5, of: xlookup },
  MATCH: { least: 2, most: 3, of: match },
  INDEX: { least: 1, most: 3, of: index },
  UNIQUE: { least: 1, most: 1, of: unique },
  SORT: { least: 1, most: 3, of: sort }
}
