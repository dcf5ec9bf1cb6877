/** The commands that move, duplicate and delete blocks. Each is one undo step and one transaction. */
import { EditorSelection, type EditorState, type TransactionSpec } from '@codemirror/state'
import type { Command, EditorView } from '@codemirror/view'
import { withOwnIds } from '../../../shared/components/own-ids.ts'
import { endStep } from '../binding.ts'
import { gapOf } from './gaps.ts'
import { moveTo, type Move, type Run } from './move.ts'
import { indexAt, siblingsOf, type SiblingsOptions, type Unit } from './units.ts'

export interface Chosen {
  readonly units: readonly Unit[]
  readonly run: Run
}

/** Returns the blocks that the selection touches, and the siblings with which they can swap places. */
export function chosenBlocks(state: EditorState, { from, to } = state.selection.main, options: SiblingsOptions = {}): Chosen | undefined {
  const units = siblingsOf(state, from, to, options)
  const first = indexAt(units, from)
  const behind = indexAt(units, to)
  const last = (units[behind]?.from ?? Infinity) <= to ? behind : behind - 1
  return first > last || units[first] === undefined ? undefined : { units, run: { first, last } }
}

const isOneList = (units: readonly Unit[]): boolean =>
  units[0]?.item !== undefined && units.every(({ item }) => item?.list === units[0]?.item?.list)

/** Whether blocks may be placed between two others. A list item may go anywhere, and any other block only outside lists. */
export function mayStand(units: readonly Unit[], { first, last }: Run, to: number): boolean {
  const [above, below] = [units[to - 1]?.item, units[to]?.item]
  if (above === undefined || above.list !== below?.list) return true
  const own = units.slice(first, last + 1)
  return isOneList(own) && own[0]?.item?.sign === above.sign
}

/** Returns the next possible position of the blocks above or below, or undefined if there is none. */
function nextPlace(units: readonly Unit[], run: Run, step: 1 | -1): number | undefined {
  for (let to = step < 0 ? run.first - 1 : run.last + 2; to >= 0 && to <= units.length; to += step) if (mayStand(units, run, to)) return to
  return undefined
}

export function dispatchStep(view: EditorView, spec: TransactionSpec): true {
  const end = view.state.facet(endStep)
  end(view)
  view.dispatch({ userEvent: 'move.block', ...spec })
  end(view)
  return true
}

/** Returns the selection after a move. It contains the same characters as before. */
function selectionAfter(
  { selection }: EditorState,
  { changes, taken }: Move,
  own: { readonly from: number; readonly to: number }
): EditorSelection {
  const isTaken = taken.from === own.from
  const at = (position: number): number => {
    if (position < own.from || position > own.to) return changes.mapPos(position, 1)
    return Math.min(changes.newLength, isTaken ? taken.at + position - taken.from : changes.mapPos(position, position === own.to ? -1 : 1))
  }
  return EditorSelection.create(
    selection.ranges.map(({ anchor, head }) => EditorSelection.range(at(anchor), at(head))),
    selection.mainIndex
  )
}

/** Moves blocks before another block. Returns false if they are already there. */
export function moveBlocks(view: EditorView, { units, run }: Chosen, to: number, scrollIntoView: boolean): boolean {
  const { state } = view
  const [first, last] = [units[run.first], units[run.last]]
  const move = state.readOnly || first === undefined || last === undefined ? undefined : moveTo(state, units, run, to)
  if (move === undefined || first === undefined || last === undefined) return false
  const selection = selectionAfter(state, move, { from: first.from, to: last.to })
  return dispatchStep(view, { changes: move.changes, selection, scrollIntoView })
}

/** Moves the selected blocks past the next one. Blocks do not leave the text, and items do not leave a list that is inside another block. */
export const moveBlock =
  (step: 1 | -1): Command =>
  (view) => {
    const chosen = view.state.readOnly ? undefined : chosenBlocks(view.state)
    const to = chosen === undefined ? undefined : nextPlace(chosen.units, chosen.run, step)
    return chosen !== undefined && to !== undefined && moveBlocks(view, chosen, to, true)
  }

/** Whether the selected blocks can move up or down. */
export const isMovable =
  (step: 1 | -1) =>
  ({ state }: EditorView): boolean => {
    const chosen = chosenBlocks(state)
    return chosen !== undefined && nextPlace(chosen.units, chosen.run, step) !== undefined
  }

/** Inserts a copy of the selected blocks below them. A copied component gets a new id. */
export const duplicateBlock: Command = (view) => {
  const { state } = view
  const chosen = state.readOnly ? undefined : chosenBlocks(state)
  const [first, last] = chosen === undefined ? [] : [chosen.units[chosen.run.first], chosen.units[chosen.run.last]]
  if (first === undefined || last === undefined) return false
  const isIndented = /[ \t]/.test(state.sliceDoc(first.from, first.from + 1))
  const gap = gapOf({ above: last, below: first, gap: '', isBrought: true, isIndented })
  const copy = withOwnIds(state.sliceDoc(first.from, last.to), state.doc.toString())
  return dispatchStep(view, { changes: { from: last.to, insert: gap + copy }, scrollIntoView: true })
}

/** Deletes the selected blocks and the gap that they would leave. */
export const deleteBlock: Command = (view) => {
  const { state } = view
  const chosen = state.readOnly ? undefined : chosenBlocks(state)
  if (chosen === undefined) return false
  const { units, run } = chosen
  const [above, first, last, below] = [units[run.first - 1], units[run.first], units[run.last], units[run.last + 1]]
  if (first === undefined || last === undefined) return false
  if (below === undefined) {
    const from = above?.to ?? first.from
    return dispatchStep(view, { changes: { from, to: last.to }, selection: { anchor: from }, scrollIntoView: true })
  }
  if (above === undefined) return dispatchStep(view, { changes: { from: first.from, to: below.from }, selection: { anchor: first.from } })
  const isIndented = /[ \t]/.test(state.sliceDoc(below.from, below.from + 1))
  const gap = gapOf({ above, below, gap: state.sliceDoc(above.to, first.from), isBrought: false, isIndented })
  const stays = state.sliceDoc(above.to, first.from) === gap
  const changes = stays ? { from: first.from, to: below.from } : { from: above.to, to: below.from, insert: gap }
  return dispatchStep(view, { changes, selection: { anchor: above.to + gap.length }, scrollIntoView: true })
}
