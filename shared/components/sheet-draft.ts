/**
 * Keeps a cell's draft in place while others change the sheets. The draft moves with its cell, and its references move with the cells that they name.
 */
import { followed, type Reading } from '../fences/followed.ts'
import {
  type Change,
  type Draft,
  draftAfter,
  draftInRow,
  formulaAfter,
  formulaInRow,
  type CellPosition,
  positionAfter
} from '../fences/formula/rewrite.ts'
import { type Sheet, textsOf } from '../fences/sheet.ts'
import type { Table } from '../fences/table.ts'

/** A cell that is being edited, and the sheets as they were when editing began, or after the last change that the draft followed. */
export interface Begun extends CellPosition {
  /** The source of the cell when editing began. */
  readonly before: string
  readonly own: Reading
  /** The other sheets, by id. */
  readonly others: ReadonlyMap<string, Reading>
}

export const readingOf = ({ texts, fence }: Pick<Table, 'texts' | 'fence'>): Reading => ({ texts, lines: fence.lines.length })

/** Returns the other sheets that a formula can name, by id. */
export const readingsOf = (sheets: readonly Sheet[], own: number): ReadonlyMap<string, Reading> => {
  const found = new Map<string, Reading>()
  sheets.forEach((sheet, index) => {
    const { id } = sheet.fence
    if (id !== undefined && index !== own && !found.has(id)) found.set(id, readingOf({ texts: textsOf(sheet), fence: sheet.fence }))
  })
  return found
}

/** Returns the position that the cell has in a later version of its sheet. */
export const placeOf = (now: Reading, { row, column, own }: Begun): CellPosition => {
  const { rowOf, columnOf } = followed(own, now)
  return { row: rowOf(row) ?? row, column: columnOf(column) ?? column }
}

/** Whether others removed the cell's row or column. A row that is still to be added at the end has no row yet. */
export const isRemoved = (now: Reading, { row, column, own }: Begun): boolean => {
  const { rowOf, columnOf } = followed(own, now)
  return columnOf(column) === undefined || (row < own.texts.length && rowOf(row) === undefined)
}

const isSame = (one: Reading, other: Reading): boolean => JSON.stringify(one.texts) === JSON.stringify(other.texts)

interface Readings {
  readonly own: Reading
  readonly others: ReadonlyMap<string, Reading>
}

/**
 * Adjusts a draft to the current sheets. `id` is the id of its own sheet. A change to a sheet that has since gained or lost its id is not
 * followed.
 */
export function followDraft(
  begun: Begun,
  draft: Draft,
  now: Readings,
  id: string | undefined
): { readonly begun: Begun; readonly draft: Draft } {
  let [text, before]: [Draft, string] = [draft, begun.before]
  const follow = (change: Change, isOf: (sheet: string | undefined) => boolean, place?: CellPosition): void => {
    text = draftAfter(text, change, isOf, place)
    if (before.startsWith('=')) before = formulaAfter(before, change, isOf, place)
  }
  let place: CellPosition = { row: begun.row, column: begun.column }
  for (const change of followed(begun.own, now.own).changes) {
    follow(change, (sheet) => sheet === undefined || sheet === id, place)
    place = positionAfter(change, place) ?? place
  }
  const at = placeOf(now.own, begun)
  // If the rows were sorted, references to the draft's own row follow the row.
  if (at.row !== place.row) {
    text = draftInRow(text, place.row, at.row)
    if (before.startsWith('=')) before = formulaInRow(before, place.row, at.row)
  }
  for (const [name, reading] of now.others) {
    const was = begun.others.get(name)
    if (was === undefined || isSame(was, reading)) continue
    for (const change of followed(was, reading).changes) follow(change, (sheet) => sheet === name)
  }
  return { begun: { ...begun, ...at, before, ...now }, draft: text }
}
