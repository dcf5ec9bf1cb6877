/** Renumbers ordered lists after a move. Items that were numbered in sequence are numbered in their new order. Other numbers stay. */
import type { EditorState } from '@codemirror/state'
import type { Unit } from './units.ts'

export interface Edit {
  readonly from: number
  readonly to: number
  readonly insert: string
}

/** Maximum number of items in a list that is renumbered. */
const itemsMax = 500

/** Groups consecutive items that belong to the same list. */
function runsOf(order: readonly Unit[]): Unit[][] {
  const runs: Unit[][] = []
  order.forEach((unit, index) => {
    if (unit.item?.number === undefined) return
    const before = order[index - 1]
    if (before?.item?.number !== undefined && before.item.sign === unit.item.sign) runs.at(-1)?.push(unit)
    else runs.push([unit])
  })
  return runs
}

/** Returns the first number of a list and the step between its numbers, 0 or 1. Undefined if the steps are not all 0 or all 1. */
export function countOf(units: readonly Unit[]): { readonly first: number; readonly step: 0 | 1 } | undefined {
  const values = units.toSorted((one, other) => one.from - other.from).map(({ item }) => item?.number?.value ?? 0)
  const [first = 1] = values
  if (values.every((value, index) => value === first + index)) return { first, step: 1 }
  return values.every((value) => value === first) ? { first, step: 0 } : undefined
}

/**
 * Changes the number of an item. If the number gets longer, the item's text is indented further, because it would otherwise no longer belong to the
 * item.
 */
export function numberEdits({ doc }: EditorState, { from, to, item }: Unit, value: number): Edit[] {
  const number = item?.number
  if (number === undefined || number.value === value) return []
  const insert = String(value)
  const edits: Edit[] = [{ from: number.from, to: number.to, insert }]
  const pad = ' '.repeat(Math.max(0, insert.length - (number.to - number.from)))
  for (let at = doc.lineAt(from).to + 1; pad !== '' && at <= to;) {
    const line = doc.lineAt(at)
    if (/^[ \t]/.test(line.text)) edits.push({ from: line.from, to: line.from, insert: pad })
    at = line.to + 1
  }
  return edits
}

/** Returns the edits that renumber blocks in a new order, in ascending positions. `brought` contains the blocks that were moved. */
export function numbered(state: EditorState, order: readonly Unit[], brought: ReadonlySet<Unit>): Edit[] {
  const touched = new Set([...brought].map(({ item }) => item?.list))
  const edits: Edit[] = []
  /** For each list, the number of items that have been renumbered so far. */
  const counted = new Map<number, number>()
  for (const run of runsOf(order)) {
    const own = run.find((unit) => !brought.has(unit)) ?? run[0]
    const list = own?.item?.list
    if (list === undefined || run.length > itemsMax || !run.some((unit) => brought.has(unit) || touched.has(unit.item?.list))) continue
    const isAlone = run.every((unit) => brought.has(unit))
    const count = countOf(order.filter(({ item }) => item?.list === list))
    if (count === undefined) continue
    const before = isAlone ? 0 : (counted.get(list) ?? 0)
    if (!isAlone) counted.set(list, before + run.length)
    const first = isAlone ? 1 : count.first + before * count.step
    run.forEach((unit, index) => edits.push(...numberEdits(state, unit, first + index * count.step)))
  }
  return edits.toSorted((one, other) => one.from - other.from)
}
