/**
 * The longest common subsequence of two lists, with Myers' greedy algorithm (An O(ND) Difference Algorithm, 1986). It compares numbers, which is ten
 * times as fast as comparing strings and creating an object for each step. If there are several subsequences, it returns the one that the package
 * `diff` finds.
 */

/** Equal items that follow each other in both lists. `old` and `young` are the indices of the first one in each list. */
export interface Run {
  old: number
  young: number
  length: number
}

/** Converts each item of two lists to a number from 0. Equal items get equal numbers. */
const numbered = (before: readonly string[], after: readonly string[]): readonly [Int32Array, Int32Array] => {
  const numbers = new Map<string, number>()
  const numbersOf = (list: readonly string[]): Int32Array => {
    const result = new Int32Array(list.length)
    for (let index = 0; index < list.length; index++) {
      const item = list[index] as string
      let number = numbers.get(item)
      if (number === undefined) numbers.set(item, (number = numbers.size))
      result[index] = number
    }
    return result
  }
  return [numbersOf(before), numbersOf(after)]
}

/** The value for a diagonal that no path has reached. */
const none = -2

/** How far a path with a number of edits gets on each diagonal, in items of the old list. There is one row for each number of edits. */
interface Walk {
  readonly rows: readonly Int32Array[]
  /** The diagonal on which the last row reaches the ends of both lists. */
  readonly diagonal: number
}

/**
 * Returns the position after an edit on a diagonal, before it skips equal items. Adding keeps the position in the old list, and removing advances it
 * by one.
 */
const stepOn = (row: Int32Array, edits: number, diagonal: number, oldLength: number, newLength: number): number => {
  const above = edits - 1
  const removed = Math.abs(diagonal - 1) <= above ? (row[(diagonal - 1 + above) >> 1] ?? none) : none
  const added = Math.abs(diagonal + 1) <= above ? (row[(diagonal + 1 + above) >> 1] ?? none) : none
  const canAdd = added !== none && added - diagonal >= 0 && added - diagonal < newLength
  const canRemove = removed !== none && removed + 1 < oldLength
  if (!canAdd && !canRemove) return none
  return !canRemove || (canAdd && removed < added) ? added : removed + 1
}

/** Walks both lists to the end. Returns undefined if that takes more than `editsMax` edits. */
const walked = (before: Int32Array, after: Int32Array, editsMax: number): Walk | undefined => {
  const rows: Int32Array[] = []
  let [lowest, highest] = [-Infinity, Infinity]
  for (let edits = 0; edits <= editsMax; edits++) {
    const last = rows.at(-1)
    const row = new Int32Array(edits + 1).fill(none)
    rows.push(row)
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      if (diagonal < lowest || diagonal > highest) continue
      let old = last === undefined ? -1 : stepOn(last, edits, diagonal, before.length, after.length)
      if (old === none) continue
      // `old` and `young` are the indices of the last items that the path has passed in both lists.
      let young = old - diagonal
      while (old + 1 < before.length && young + 1 < after.length && before[old + 1] === after[young + 1]) {
        old++
        young++
      }
      row[(diagonal + edits) >> 1] = old
      if (old + 1 >= before.length && young + 1 >= after.length) return { rows, diagonal }
      if (old + 1 >= before.length) highest = Math.min(highest, diagonal - 1)
      if (young + 1 >= after.length) lowest = Math.max(lowest, diagonal + 1)
    }
  }
  return undefined
}

/** Returns the indices of the items that the other list has too. */
const sharedIndices = (items: Int32Array, others: Int32Array): Int32Array => {
  const found = new Set(others)
  return items.map((_item, index) => index).filter((index) => found.has(items[index] as number))
}

/**
 * Returns as many equal items as possible of both lists, as runs in ascending order. Returns undefined if the lists differ by more than `editsMax`
 * edits. An item that only one list has costs no edit: it cannot be in both, so it is left out first. The time grows with the square of the number
 * of edits, and with the lengths.
 */
export const commonRuns = (before: readonly string[], after: readonly string[], editsMax: number): readonly Run[] | undefined => {
  const [one, other] = numbered(before, after)
  const [olds, youngs] = [sharedIndices(one, other), sharedIndices(other, one)]
  const walk = walked(
    olds.map((index) => one[index] as number),
    youngs.map((index) => other[index] as number),
    editsMax
  )
  if (walk === undefined) return undefined
  const runs: Run[] = []
  const add = (old: number, young: number): void => {
    const next = runs.at(-1)
    if (next?.old === old + 1 && next.young === young + 1) {
      next.old = old
      next.young = young
      next.length++
    } else runs.push({ old, young, length: 1 })
  }
  let { diagonal } = walk
  let old = olds.length - 1
  for (let edits = walk.rows.length - 1; edits >= 0; edits--) {
    const last = walk.rows[edits - 1]
    const from = last === undefined ? -1 : stepOn(last, edits, diagonal, olds.length, youngs.length)
    for (; old > from; old--) add(olds[old] as number, youngs[old - diagonal] as number)
    if (last === undefined) break
    const above = edits - 1
    const added = Math.abs(diagonal + 1) <= above ? last[(diagonal + 1 + above) >> 1] : none
    const removed = Math.abs(diagonal - 1) <= above ? (last[(diagonal - 1 + above) >> 1] ?? none) : none
    const canRemove = removed !== none && removed + 1 < olds.length
    // This must repeat the choice that `stepOn` made.
    const isAdded = added === from && !(canRemove && removed >= from)
    if (!isAdded) old--
    diagonal += isAdded ? 1 : -1
  }
  return runs.reverse()
}
