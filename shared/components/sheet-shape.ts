/** Changes to entire rows and columns in a sheet: their edits, the reasons why they are impossible, and the selection after them. */
import { parseChart } from '../fences/chart.ts'
import { followData } from '../fences/chart-pick.ts'
import type { Fence } from '../fences/fences.ts'
import { type Change, movedTo } from '../fences/formula/rewrite.ts'
import { parseSheet } from '../fences/sheet.ts'
import { followChange } from '../fences/sheet-edits.ts'
import { isMove, type Table } from '../fences/table.ts'
import { limits } from '../limits.ts'
import type { Edit } from '../text/diff.ts'
import type { Area, Axis, CellPosition } from './cell-range.ts'
import { atWhole, type Selection } from './sheet-selection.ts'

/** Returns the index of the first row or column of an area, and the number of its rows or columns. */
export const spanOf = ({ top, bottom, first, last }: Area, axis: Axis): { readonly from: number; readonly count: number } =>
  axis === 'row' ? { from: top, count: bottom - top + 1 } : { from: first, count: last - first + 1 }

/** Returns the change that moves the rows or columns of an area by one place. */
export function stepOf(area: Area, axis: Axis, by: 1 | -1): Change {
  const { from, count } = spanOf(area, axis)
  return { axis, kind: 'move', from, count, to: by === 1 ? from + count + 1 : from - 1 }
}

const ownEdits = (now: Table, change: Change): readonly Edit[] => {
  const isRow = change.axis === 'row'
  switch (change.kind) {
    case 'insert':
      return isRow ? now.insertRow(change.at) : now.insertColumn(change.at)
    case 'delete':
      return isRow ? now.deleteRow(change.at, change.count) : now.deleteColumn(change.at, change.count)
    case 'move':
      return (isRow ? now.moveRow : now.moveColumn)(change.from, change.to, change.count)
  }
}

/**
 * Returns the reason why a change is impossible; undefined if it is possible. `heading`: the first row must stay in its place. `last`: at least one
 * column must remain. `edge`: the target is above the first row or outside the sheet, the sheet is full, or the move changes nothing.
 */
export function refusalOf(table: Table, change: Change): 'heading' | 'last' | 'edge' | undefined {
  const { texts, width, fence } = table
  const isRow = change.axis === 'row'
  const size = isRow ? texts.length : width
  if (change.kind === 'insert') {
    const isFull = size >= (isRow ? limits.sheetRowsMax : limits.sheetColumnsMax)
    return isFull || (isRow && change.at === 0 && size > 0) ? 'edge' : undefined
  }
  if (isRow && (change.kind === 'move' ? change.from : change.at) === 0) return 'heading'
  if (change.kind === 'move') {
    const { from, to, count } = change
    if ((isRow && to === 0) || !isMove(from, to, count, size)) return 'edge'
    // The columns of JSON data move only if the first object has all of them.
    return fence.kind === 'chart' && ownEdits(table, change).length === 0 ? 'edge' : undefined
  }
  return !isRow && change.count >= width ? 'last' : undefined
}

/**
 * Returns the edits for a change. They include edits to charts and to formulas in other sheets, so that these still name the same cells. `all`
 * contains the fences in the text.
 */
export function shapeEdits(now: Table, all: readonly Fence[], change: Change): readonly Edit[] {
  const own = ownEdits(now, change)
  const { id, kind, from } = now.fence
  if (own.length === 0 || id === undefined || kind !== 'sheet') return own
  return [
    ...own,
    ...all.flatMap((each) =>
      each.kind === 'sheet' && each.from !== from
        ? followChange(parseSheet(each), id, change)
        : each.kind === 'chart'
          ? followData(parseChart(each), id, change)
          : []
    )
  ]
}

/**
 * Returns the selection after a change. Selected rows or columns that move stay selected. If entire rows or columns were selected, an inserted one is
 * selected, or the one that follows the deleted ones. Otherwise, the selection keeps its place.
 */
export function selectionAfter(selection: Selection, change: Change): Selection {
  const { axis } = change
  if (change.kind === 'move') {
    const by = movedTo(change) - change.from
    const shifted = (place: CellPosition): CellPosition => ({ ...place, [axis]: place[axis] + by })
    return { ...selection, from: shifted(selection.from), end: shifted(selection.end) }
  }
  return selection.whole === axis ? atWhole(selection, axis, change.at) : selection
}
