/** The blocks that the handle of a block moves. */
import type { EditorState } from '@codemirror/state'
import { chosenBlocks, type Chosen } from './commands.ts'
import { indexAt, siblingsOf, type Unit } from './units.ts'

/** A range of the text, in UTF-16 units. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

/** Returns the range of the chosen blocks. */
export function stretchOf({ units, run }: Chosen): Stretch {
  const [first, last] = [units[run.first], units[run.last]]
  return { from: first?.from ?? 0, to: last?.to ?? 0 }
}

/** Returns the blocks of a range together with their siblings. Undefined if no block begins at the start of the range. */
export function blocksAt(state: EditorState, { from, to }: Stretch): Chosen | undefined {
  const units = siblingsOf(state, from, to, { isDrag: true })
  const first = indexAt(units, from)
  const last = Math.max(first, indexAt(units, to))
  return units[first]?.from === from && units[last] !== undefined ? { units, run: { first, last } } : undefined
}

/** Returns the blocks that the handle of a block moves: all selected blocks if the block is one of them, or else the block. */
export function draggedBlocks(state: EditorState, { from, to }: Unit): Chosen | undefined {
  const selected = state.selection.main.empty ? undefined : chosenBlocks(state, state.selection.main, { isDrag: true })
  const around = selected === undefined ? undefined : stretchOf(selected)
  return around !== undefined && around.from <= from && around.to >= to ? selected : blocksAt(state, { from, to: from })
}
