/** The target of dragged list items under the pointer. The horizontal position of the pointer chooses the level. */
import type { EditorState } from '@codemirror/state'
import type { EditorView } from '@codemirror/view'
import { mayStand, type Chosen } from './commands.ts'
import { stretchOf } from './dragged.ts'
import type { Drop } from './item-moves.ts'
import { itemsOf, levelsAt, placeAt, type Item, type Level } from './items.ts'
import type { Unit } from './units.ts'

export interface ItemTarget {
  readonly drop: Drop
  /** The index of the target among the siblings of the dragged items. Undefined if the items get another level or another kind of list. */
  readonly to: number | undefined
  /** Position of the line that marks the target: in the document, and in the window. In pixels. */
  readonly top: number
  readonly left: number
}

/** A position of the pointer: in the document, and where the left edge of the dragged items would be in the window. In pixels. */
export interface Pointer {
  readonly y: number
  readonly left: number
}

/** Returns the index of a level among the siblings of the dragged items. */
export function indexOf({ units, run }: Chosen, { previous, next }: Level): number | undefined {
  const sign = units[run.first]?.item?.sign
  const find = (unit: Unit | undefined): number => units.findIndex(({ from, item }) => from === unit?.from && item?.sign === sign)
  const [above, below] = [find(previous?.unit), find(next?.unit)]
  const to = above >= 0 ? above + 1 : below
  return to >= 0 && mayStand(units, run, to) ? to : undefined
}

const areItems = ({ units, run }: Chosen): boolean => units.slice(run.first, run.last + 1).every(({ item }) => item !== undefined)

/** Returns the target of dragged items. Undefined if other blocks are dragged, or if the pointer is not over a list. */
export function itemTarget(
  view: EditorView,
  chosen: Chosen,
  pointer: Pointer,
  edges: { readonly leftOf: (unit: Unit) => number; readonly step: number }
): ItemTarget | undefined {
  if (!areItems(chosen)) return undefined
  const own = stretchOf(chosen)
  const isLower = (from: number, to: number): boolean => pointer.y > (view.lineBlockAt(from).top + view.lineBlockAt(to).bottom) / 2
  const place = placeAt(view.state, itemsOf(view.state), own, view.lineBlockAtHeight(pointer.y).from, isLower)
  const near = place?.above ?? place?.below
  if (place === undefined || near === undefined) return undefined
  const nearLeft = edges.leftOf(near.unit)
  const leftAt = ({ depth }: Level): number => nearLeft + (depth - near.depth) * edges.step
  const distance = (level: Level): number => Math.abs(leftAt(level) - pointer.left)
  const [level] = levelsAt(place).toSorted((one, other) => distance(one) - distance(other))
  if (level === undefined) return undefined
  const block = view.lineBlockAt(place.at)
  const top = place.above === undefined ? block.top : block.bottom
  return { drop: { place, level }, to: indexOf(chosen, level), top, left: leftAt(level) }
}

/**
 * Returns the drop of items between two top-level blocks. If one of them is an item, the dropped items join its list, or else they become a list of
 * their own.
 */
export function outsideDrop(state: EditorState, units: readonly Unit[], to: number): Drop {
  const items = itemsOf(state)
  const find = (unit: Unit | undefined): Item | undefined => items.find((item) => item.unit.from === unit?.from)
  const [above, below] = [units[to - 1], units[to]]
  const [previous, next] = [find(above), find(below)]
  const at = above?.to ?? below?.from ?? 0
  const level: Level = { depth: 0, parent: undefined, previous, next: previous === undefined ? next : undefined }
  return { place: { above: previous, below: next, at: previous === undefined && next !== undefined ? next.unit.from : at }, level }
}
