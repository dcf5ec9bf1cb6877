/**
 * Detects how rows and columns of a table were inserted, deleted and moved between two readings, based on the text of their cells. It is used for
 * drafts that are not part of the text yet. Rows and columns with the same text can only be distinguished by their order.
 */
import { limits } from '../limits.ts'
import { commonRuns } from '../text/common-lines.ts'
import type { Change } from './formula/rewrite.ts'

type Texts = readonly (readonly string[])[]

/** A table at the time it was read. */
export interface Reading {
  readonly texts: Texts
  /** Number of lines in the fence. Moving a row leaves its old line break, so the number grows; sorting rows does not change it. */
  readonly lines: number
}

export interface Followed {
  readonly changes: readonly Change[]
  /** Returns the current index of a row of the earlier reading; undefined if the row was removed. */
  rowOf(row: number): number | undefined
  columnOf(column: number): number | undefined
}

/**
 * The pairs between two lists. `later` contains, for each item of the earlier list, its index in the later list. `moved` contains the items of the
 * earlier list that moved.
 */
interface Pairs {
  readonly later: (number | undefined)[]
  readonly count: number
  readonly moved: readonly number[]
}

/** If a gap between two common items has more possible pairs than this, its items are paired in order. */
const gapMax = 10_000

// Formulas are rewritten when rows and columns change, so their position identifies them better than their text.
const plain = (text = ''): string => (text.startsWith('=') ? '=' : text)

const likeness = (one: readonly string[], other: readonly string[]): number =>
  one.reduce((score, text, index) => score + Number(text !== '' && text === other[index]), 0)

/** Pairs the items between two common items in order, so that as many cells as possible match. */
const pairsWithin = (
  olds: readonly number[],
  youngs: readonly number[],
  like: (old: number, young: number) => number
): [number, number][] => {
  const inOrder = olds.length === youngs.length || olds.length * youngs.length > gapMax
  if (inOrder) return olds.flatMap((old, index): [number, number][] => (youngs[index] === undefined ? [] : [[old, youngs[index]]]))
  /** The highest score from these indices to the ends. */
  const best = Array.from({ length: olds.length + 1 }, () => new Int32Array(youngs.length + 1))
  const at = (one: number, other: number): number => best[one]?.[other] ?? 0
  const paired = (one: number, other: number): number => {
    const score = like(olds[one] ?? 0, youngs[other] ?? 0)
    return score === 0 ? 0 : score + at(one + 1, other + 1)
  }
  for (let one = olds.length - 1; one >= 0; one--)
    for (let other = youngs.length - 1; other >= 0; other--)
      (best[one] as Int32Array)[other] = Math.max(paired(one, other), at(one + 1, other), at(one, other + 1))
  const found: [number, number][] = []
  for (let one = 0, other = 0; at(one, other) > 0;) {
    if (at(one, other) === at(one + 1, other)) one++
    else if (at(one, other) === at(one, other + 1)) other++
    else found.push([olds[one++] ?? 0, youngs[other++] ?? 0])
  }
  return found
}

const keysOf = (items: Texts): string[] => items.map((item) => JSON.stringify(item))

const pairsOf = (before: Texts, now: Texts): Pairs => {
  const [keys, nowKeys] = [keysOf(before), keysOf(now)]
  const runs = commonRuns(keys, nowKeys, keys.length + nowKeys.length) ?? []
  const common = runs.flatMap(({ old, young, length }) => Array.from({ length }, (_item, step) => [old + step, young + step] as const))
  const later: (number | undefined)[] = keys.map(() => undefined)
  const taken = new Set<number>()
  const pair = (old: number, young: number): void => {
    later[old] = young
    taken.add(young)
  }
  for (const [old, young] of common) pair(old, young)
  const free = new Map<string, number[]>()
  nowKeys.forEach((key, index) => {
    if (!taken.has(index)) free.set(key, [...(free.get(key) ?? []), index])
  })
  const moved = keys.flatMap((key, index) => {
    const young = later[index] === undefined ? free.get(key)?.shift() : undefined
    if (young === undefined) return []
    pair(index, young)
    return [index]
  })
  let [oldFrom, youngFrom] = [0, 0]
  for (const [old, young] of [...common, [keys.length, nowKeys.length] as const]) {
    const olds = Array.from({ length: old - oldFrom }, (_item, index) => oldFrom + index).filter((index) => later[index] === undefined)
    const youngs = Array.from({ length: young - youngFrom }, (_item, index) => youngFrom + index).filter((index) => !taken.has(index))
    const like = (one: number, other: number): number => likeness(before[one] ?? [], now[other] ?? [])
    for (const [one, other] of pairsWithin(olds, youngs, like)) pair(one, other)
    ;[oldFrom, youngFrom] = [old + 1, young + 1]
  }
  return { later, count: nowKeys.length, moved }
}

/**
 * Returns the change that describes the moved items. Its indices count only the items that both lists have. Returns nothing if the moved items were
 * not neighbors before and after the move.
 */
const moveOf = (axis: Change['axis'], { later, moved }: Pairs): Change[] => {
  const [old] = moved
  const count = moved.length
  if (old === undefined) return []
  const left = later.flatMap((young, index) => (young === undefined ? [] : [{ index, young }]))
  const from = left.findIndex(({ index }) => index === old)
  const order = left.toSorted((one, other) => one.young - other.young)
  const target = order.findIndex(({ index }) => index === old)
  const isBlock = moved.every((index, at) => left[from + at]?.index === index && order[target + at]?.index === index)
  return target === from || !isBlock ? [] : [{ axis, kind: 'move', from, count, to: target > from ? target + count : target }]
}

/** Returns the changes as a sequence in which each change applies to the result of the previous one. */
const changesOf = (axis: Change['axis'], pairs: Pairs, mayMove: boolean): Change[] => {
  const taken = new Set(pairs.later)
  const gone = pairs.later.flatMap((young, at) => (young === undefined ? [at] : [])).toReversed()
  const come = Array.from({ length: pairs.count }, (_item, at) => at).filter((at) => !taken.has(at))
  return [
    ...gone.map((at): Change => ({ axis, kind: 'delete', at, count: 1 })),
    ...(mayMove ? moveOf(axis, pairs) : []),
    ...come.map((at): Change => ({ axis, kind: 'insert', at, count: 1 }))
  ]
}

const widthOf = (texts: Texts): number => texts.reduce((width, { length }) => Math.max(width, length), 0)

/** Returns each column as the list of its cells, or only its heading unless `isWhole`. */
const columnsOf = (texts: Texts, isWhole: boolean): string[][] =>
  Array.from({ length: Math.min(widthOf(texts), limits.sheetColumnsMax) }, (_column, column) =>
    (isWhole ? texts : texts.slice(0, 1)).map((row) => plain(row[column]))
  )

/** Returns the computed rows and some rows below them, which may move up. */
const firstRows = ({ texts }: Reading): Texts => texts.slice(0, 2 * limits.sheetRowsMax)

export const followed = (before: Reading, now: Reading): Followed => {
  const [old, young] = [firstRows(before), firstRows(now)]
  const isWhole = old.length === young.length
  const columns = pairsOf(columnsOf(old, isWhole), columnsOf(young, isWhole))
  const both = columns.later.flatMap((to, from) => (to === undefined ? [] : [{ from, to }]))
  const rows = pairsOf(
    old.map((row) => both.map(({ from }) => plain(row[from]))),
    young.map((row) => both.map(({ to }) => plain(row[to])))
  )
  return {
    changes: [...changesOf('column', columns, true), ...changesOf('row', rows, now.lines > before.lines)],
    rowOf: (row) => (row < old.length ? rows.later[row] : row),
    columnOf: (column) => (column < columns.later.length ? columns.later[column] : column)
  }
}
