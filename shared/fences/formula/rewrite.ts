/**
 * Rewrites the references of formulas. After rows or columns of a sheet have been inserted, deleted or moved, references still name the same cells.
 * In a copied formula, relative references name the cells at the same offset from the copy.
 */
import { limits } from '../../limits.ts'
import { applyEdits, type Edit } from '../../text/diff.ts'
import { type CellName, nameOfCell, referencesIn, type WrittenReference } from './parse.ts'

/**
 * A change to neighboring rows or columns, counted from 0. For a move, `to` is the index before which they are inserted, counted before the move. It
 * must not be the index of a moved row or column.
 */
export type Change = { readonly axis: 'row' | 'column' } & (
  | { readonly kind: 'insert' | 'delete'; readonly at: number; readonly count: number }
  | { readonly kind: 'move'; readonly from: number; readonly count: number; readonly to: number }
)

type Span = readonly [number, number]

const inserted = ([first, last]: Span, at: number, count: number): Span => [
  first >= at ? first + count : first,
  last >= at ? last + count : last
]

/** Returns a span after a deletion; undefined if nothing is left. */
const deleted = ([first, last]: Span, at: number, count: number): Span | undefined => {
  const begin = first < at ? first : Math.max(at, first - count)
  const end = last < at ? last : last < at + count ? at - 1 : last - count
  return end < begin ? undefined : [begin, end]
}

/** Returns the index of the first moved row or column after a move. */
export const movedTo = ({ from, count, to }: { readonly from: number; readonly count: number; readonly to: number }): number =>
  to > from ? to - count : to

/**
 * Returns a span after a move. The span always contains the cells that did not move. If cells at one of its ends move out of the span, it shrinks. If
 * they move within it, the span does not change. It grows if other rows or columns move between its ends. If all its cells move, the span moves with
 * them.
 */
const moved = (span: Span, change: { readonly from: number; readonly count: number; readonly to: number }): Span => {
  const { from, count } = change
  const [target, until] = [movedTo(change), from + count - 1]
  const [first, last] = span
  if (from <= first && last <= until) return [first - from + target, last - from + target]
  if (first <= from && until <= last && first <= target && target + count - 1 <= last) return span
  const left = deleted(span, from, count) ?? span
  return inserted(left, target, count)
}

const spanAfter = (change: Change, span: Span, grows: boolean): Span | undefined => {
  if (change.kind === 'insert' && grows) return [span[0], span[1] + change.count]
  if (change.kind === 'move') return moved(span, change)
  return change.kind === 'insert' ? inserted(span, change.at, change.count) : deleted(span, change.at, change.count)
}

const referenceAfter = (
  { axis, ...change }: Change,
  { first, last = first }: WrittenReference,
  isRange: boolean,
  grows: boolean
): string => {
  const [one, other] = [first[axis], last[axis]]
  const span = spanAfter({ axis, ...change } as Change, one <= other ? [one, other] : [other, one], grows)
  if (span === undefined) return '#REF!'
  const [low, high] = span
  const at = (cell: CellName, index: number): string => nameOfCell({ ...cell, [axis]: index })
  return isRange ? `${at(first, one <= other ? low : high)}:${at(last, one <= other ? high : low)}` : at(first, low)
}

const editsOf = (formula: string, after: (reference: WrittenReference) => string | undefined, isDraft = false): Edit[] =>
  referencesIn(formula, isDraft).flatMap((reference) => {
    const insert = after(reference)
    const from = insert === '#REF!' ? reference.start : reference.from
    return insert === undefined || insert === formula.slice(from, reference.to) ? [] : [{ from, to: reference.to, insert }]
  })

const replaced = (formula: string, after: (reference: WrittenReference) => string | undefined): string =>
  applyEdits(formula, editsOf(formula, after))

/** The cell that contains a formula. Both indices count from 0. */
export interface CellPosition {
  readonly row: number
  readonly column: number
}

/** Whether a new row is directly between a sum and the range above it. Such a row belongs to the range. The same applies to columns. */
const isBetween = (change: Change, { first, last }: WrittenReference, place: CellPosition): boolean =>
  change.kind === 'insert' &&
  last !== undefined &&
  place[change.axis] === change.at &&
  Math.max(first[change.axis], last[change.axis]) === change.at - 1

/**
 * Returns a formula after a change. `isOf`: whether a reference with this sheet id, or without one, means the changed sheet. `place`: the cell of the
 * formula, if it is in the changed sheet.
 */
export const formulaAfter = (formula: string, change: Change, isOf: (sheet: string | undefined) => boolean, place?: CellPosition): string =>
  replaced(formula, following(change, isOf, place))

const following =
  (change: Change, isOf: (sheet: string | undefined) => boolean, place?: CellPosition) =>
  (reference: WrittenReference): string | undefined => {
    if (!isOf(reference.sheet)) return undefined
    const grows = place !== undefined && isBetween(change, reference, place)
    return referenceAfter(change, reference, reference.last !== undefined, grows)
  }

/** A formula that is being written, with offsets in it such as the offset of the caret. */
export interface Draft {
  readonly text: string
  readonly offsets: readonly number[]
}

/** Returns an offset after edits. If it was after a replaced part, it stays after that part. */
const offsetAfter = (edits: readonly Edit[], offset: number): number =>
  edits.reduce(
    (at, { from, to, insert }) => (offset >= to ? at + insert.length - (to - from) : offset > from ? at + from - offset : at),
    offset
  )

/** Returns a draft with rewritten references. Text that is not a formula is not changed. */
const edited = ({ text, offsets }: Draft, after: (reference: WrittenReference) => string | undefined): Draft => {
  const edits = text.startsWith('=') ? editsOf(text, after, true) : []
  return { text: applyEdits(text, edits), offsets: offsets.map((offset) => offsetAfter(edits, offset)) }
}

/** Like `formulaAfter`, for a formula that is being written. */
export const draftAfter = (draft: Draft, change: Change, isOf: (sheet: string | undefined) => boolean, place?: CellPosition): Draft =>
  edited(draft, following(change, isOf, place))

/** Returns a cell's position after a change; undefined if the cell was removed. */
export const positionAfter = (change: Change, place: CellPosition): CellPosition | undefined => {
  const span = spanAfter(change, [place[change.axis], place[change.axis]], false)
  return span && { ...place, [change.axis]: span[0] }
}

const inRow =
  (from: number, to: number) =>
  ({ sheet, first, last }: WrittenReference): string | undefined => {
    if (sheet !== undefined || first.row !== from || (last !== undefined && last.row !== from)) return undefined
    const at = (cell: CellName): string => nameOfCell({ ...cell, row: to })
    return last === undefined ? at(first) : `${at(first)}:${at(last)}`
  }

/** Returns a formula that moves with its row. References to its old row become references to the new row. All other references stay. */
export const formulaInRow = (formula: string, from: number, to: number): string => replaced(formula, inRow(from, to))

/** Like `formulaInRow`, for a formula that is being written. */
export const draftInRow = (draft: Draft, from: number, to: number): Draft => edited(draft, inRow(from, to))

const shifted =
  (by: CellPosition) =>
  ({ first, last }: WrittenReference): string => {
    const cells = (last === undefined ? [first] : [first, last]).map((cell) => ({
      ...cell,
      row: cell.rowFixed ? cell.row : cell.row + by.row,
      column: cell.columnFixed ? cell.column : cell.column + by.column
    }))
    const isInside = cells.every(
      ({ row, column }) => row >= 0 && column >= 0 && row < limits.sheetRowsMax && column < limits.sheetColumnsMax
    )
    return isInside ? cells.map(nameOfCell).join(':') : '#REF!'
  }

/**
 * Returns a formula as it is after copying it `by.row` rows down and `by.column` columns to the right. Rows and columns with `$` stay. A reference
 * that leaves the sheet becomes `#REF!`.
 */
export const formulaCopied = (formula: string, by: CellPosition): string => replaced(formula, shifted(by))
