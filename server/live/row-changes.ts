/** Describes how rows of a sheet changed between two lists of the same rows, as a sequence of insertions, deletions and moves. */
import { type Change, movedTo } from '../../shared/fences/formula/rewrite.ts'

/** Returns the members of a longest ascending part of a list. */
const ascending = (values: readonly number[]): Set<number> => {
  const best: { readonly length: number; readonly before: number }[] = []
  for (const [at, value] of values.entries()) {
    let [length, before] = [0, -1]
    for (let other = 0; other < at; other++) {
      const found = best[other]?.length ?? 0
      if ((values[other] ?? 0) < value && found > length) [length, before] = [found, other]
    }
    best.push({ length: length + 1, before })
  }
  const longest = best.reduce((most, { length }) => Math.max(most, length), 0)
  const kept = new Set<number>()
  for (let at = best.findIndex(({ length }) => length === longest); at !== -1; at = best[at]?.before ?? -1) kept.add(values[at] ?? 0)
  return kept
}

/** Returns the moves that put a list into ascending order. Rows that stay next to each other move together. */
const movesOf = (values: readonly number[]): Change[] => {
  const order = [...values]
  const ranks = new Map(values.toSorted((one, other) => one - other).map((value, rank) => [value, rank]))
  const rankAt = (at: number): number => ranks.get(order[at] ?? -1) ?? -1
  const staying = ascending(values)
  const moves: Change[] = []
  for (let from = order.findIndex((value) => !staying.has(value)); from !== -1; from = order.findIndex((value) => !staying.has(value))) {
    let count = 1
    while (rankAt(from + count) === rankAt(from) + count && !staying.has(order[from + count] ?? -1)) count++
    const block = order.slice(from, from + count)
    const next = order.findIndex((value) => staying.has(value) && value > (block[0] ?? 0))
    const to = next === -1 ? order.length : next
    for (const value of block) staying.add(value)
    if (to === from + count) continue
    moves.push({ axis: 'row', kind: 'move', from, count, to })
    order.splice(from, count)
    order.splice(movedTo({ from, count, to }), 0, ...block)
  }
  return moves
}

/**
 * Returns the changes that turn one list of rows into another one with `count` rows. `later` contains, for each row of the first list, its index in the
 * second list, or undefined if it is gone. Each change applies to the result of the previous one.
 */
export const rowChanges = (later: readonly (number | undefined)[], count: number): Change[] => {
  const left = later.filter((at) => at !== undefined)
  const known = new Set(left)
  const gone = later.flatMap((now, at) => (now === undefined ? [at] : [])).toReversed()
  const come = Array.from({ length: count }, (_row, at) => at).filter((at) => !known.has(at))
  return [
    ...gone.map((at): Change => ({ axis: 'row', kind: 'delete', at, count: 1 })),
    ...movesOf(left),
    ...come.map((at): Change => ({ axis: 'row', kind: 'insert', at, count: 1 }))
  ]
}
