/** Handles events on a sheet's selected cells: keys, clicks, the clipboard, and changes to rows and columns. */
import type { Change } from '../fences/formula/rewrite.ts'
import type { Table } from '../fences/table.ts'
import type { Edit } from '../text/diff.ts'
import { type Area, type Axis, isSame, rowsIn, textAt } from './cell-range.ts'
import { filling, pasting } from './sheet-copies.ts'
import { editCell } from './sheet-field.ts'
import type { GridCommand } from './sheet-keys.ts'
import { areaOf, go, inside, move, type Selection } from './sheet-selection.ts'
import { refusalOf, selectionAfter, shapeEdits, spanOf, stepOf } from './sheet-shape.ts'
import { type SheetState, type SheetWorld, type SheetEvent, type SheetOutcome, clipsCells } from './sheet-state.ts'

export const selected = (state: SheetState, selection: Selection): SheetOutcome => ({
  state: { ...state, selection },
  focus: true,
  isTaken: true
})

/** Returns a selection as an outcome. Entire rows and columns are announced, because the focus stays on one cell. */
export function selectedWhole(state: SheetState, { table }: SheetWorld, selection: Selection): SheetOutcome {
  const { whole } = selection
  const outcome = selected(state, selection)
  if (whole === undefined) return outcome
  if (whole === 'all') return { ...outcome, announcement: { kind: 'all' } }
  return { ...outcome, announcement: { kind: 'whole', axis: whole, ...spanOf(areaOf(selection, table), whole) } }
}

/** Inserts, deletes or moves rows or columns. */
export function changeShape(state: SheetState, { table, mayChange, isSuggesting }: SheetWorld, change: Change): SheetOutcome {
  if (!mayChange || state.begun !== undefined) return { state }
  if (refusalOf(table, change) !== undefined) return { state, isTaken: true }
  return {
    state: isSuggesting ? state : { ...state, selection: selectionAfter(state.selection, change) },
    focus: true,
    isTaken: true,
    announcement: { kind: 'shaped', change },
    edits: (now, all) => shapeEdits(now, all, change)
  }
}

/** Empties cells that contain something. Empty cells need not exist in the source. */
const cleared =
  (area: Area) =>
  (now: Table): readonly Edit[] =>
    now.setCells(
      rowsIn(area, (place) => ({ ...place, text: '' }))
        .flat()
        .filter((place) => textAt(now, place) !== '')
    )

export const clearCells = (state: SheetState, { mayChange }: SheetWorld, area: Area): SheetOutcome => ({
  state,
  focus: true,
  isTaken: true,
  ...(mayChange && { edits: cleared(area) })
})

export function pasteCells(
  state: SheetState,
  world: SheetWorld,
  { area, ...pasted }: Extract<SheetEvent, { kind: 'paste' }>
): SheetOutcome {
  if (!clipsCells(state, world) || !world.mayChange) return { state }
  if (pasted.text === '') return { state, focus: true, isTaken: true }
  const { size, cells } = pasting(area, pasted, world)
  return { state, focus: true, isTaken: true, announcement: { kind: 'pasted', ...size }, edits: (now) => now.setCells(cells) }
}

/** Fills the selection from its first row or column. If there is nothing to fill, the page handles the key. */
function fill(state: SheetState, { table, index }: SheetWorld, axis: Axis): SheetOutcome {
  const area = areaOf(state.selection, table)
  if (filling(table, area, axis, index >= 0) === undefined) return { state }
  const edits = (now: Table): readonly Edit[] => now.setCells(filling(now, area, axis, index >= 0) ?? [])
  return { state, focus: true, isTaken: true, announcement: { kind: 'filled' }, edits }
}

/** On a touch screen dragging scrolls, so a person who picks cells taps the two corners of the range one after the other. */
export function pressCell(
  state: SheetState,
  world: SheetWorld,
  { place, isRange, isTouch }: Extract<SheetEvent, { kind: 'press' }>
): SheetOutcome {
  const { selection } = state
  const [at, to] = [selection.from, selection.end].map((each) => inside(selection, world.table, each))
  const isSecond = isTouch && world.isPicking && selection.whole === undefined && at !== undefined && isSame(at, to)
  return selected(state, go(selection, world.table, place, isRange || isSecond))
}

export function carryOutInGrid(state: SheetState, world: SheetWorld, command: GridCommand): SheetOutcome {
  const { selection } = state
  const { table, mayChange, isPicking } = world
  const at = inside(selection, table, selection.from)
  switch (command.kind) {
    case 'edit':
      if (command.text !== undefined && isSame(at, selection.fullAt)) return { state, announcement: { kind: 'full' }, isTaken: true }
      return { ...editCell(state, world, at, command.text), isTaken: true }
    case 'clear':
      return clearCells(state, world, areaOf(selection, table))
    case 'fill':
      return fill(state, world, command.axis)
    case 'carry':
      // The page handles the key unless entire rows or columns of this axis are selected.
      return selection.whole === command.axis
        ? changeShape(state, world, stepOf(areaOf(selection, table), command.axis, command.by))
        : { state }
    case 'menu':
    case 'pick':
    case 'cancel':
    case 'sheet':
      return { state, action: command, isTaken: true }
    case 'none':
      return { state, isTaken: true }
    default:
      return selectedWhole(state, world, move(selection, table, command, mayChange && !isPicking))
  }
}
