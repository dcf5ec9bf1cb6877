/** The menu of a sheet, with actions on the selected rows and columns. */
import type { JSX } from 'preact'
import type { Area, Axis, CellPosition } from '../../shared/components/cell-range.ts'
import { refusalOf, spanOf, stepOf } from '../../shared/components/sheet-shape.ts'
import type { Change } from '../../shared/fences/formula/rewrite.ts'
import type { Scalar } from '../../shared/fences/formula/values.ts'
import type { Table } from '../../shared/fences/table.ts'
import type { Edit } from '../../shared/text/diff.ts'
import { t, tn } from '../text/t.ts'
import { Pop, PopItem } from '../ui/pop.tsx'

interface SheetMenuInput {
  readonly table: Table
  /** The focused cell. */
  readonly at: CellPosition
  /** The selected cells. */
  readonly area: Area
  /** Set if entire rows or columns are selected. The menu then contains only actions on rows or only actions on columns. */
  readonly whole: Axis | undefined
  readonly anchor: HTMLElement
  readonly act: (edits: (now: Table) => readonly Edit[]) => boolean
  readonly shape: (change: Change) => void
  /** Copies the first selected row into the other selected rows. */
  readonly fillDown: () => void
  readonly valueOf: (place: CellPosition) => Scalar
  /** Begins a comment on the focused cell. Undefined if the person cannot comment on it. */
  readonly onComment: (() => void) | undefined
  readonly onClose: () => void
}

/** Returns the actions on the selected rows or columns, in the order of the menu. */
function changesOf(area: Area, axis: Axis): readonly (readonly [words: string, change: Change])[] {
  const { from: at, count } = spanOf(area, axis)
  const insert = (index: number): Change => ({ axis, kind: 'insert', at: index, count: 1 })
  const [back, forth] = [stepOf(area, axis, -1), stepOf(area, axis, 1)]
  const gone: Change = { axis, kind: 'delete', at, count }
  return axis === 'row'
    ? [
        [t('Add row above'), insert(at)],
        [t('Add row below'), insert(at + count)],
        [tn(count, 'Move row up', 'Move {count} rows up'), back],
        [tn(count, 'Move row down', 'Move {count} rows down'), forth],
        [count === 1 ? t('Delete row') : tn(count, 'Delete 1 row', 'Delete {count} rows'), gone]
      ]
    : [
        [t('Add column before'), insert(at)],
        [t('Add column after'), insert(at + count)],
        [tn(count, 'Move column left', 'Move {count} columns left'), back],
        [tn(count, 'Move column right', 'Move {count} columns right'), forth],
        [count === 1 ? t('Delete column') : tn(count, 'Delete 1 column', 'Delete {count} columns'), gone]
      ]
}

export function SheetMenu({
  table,
  at,
  area,
  whole,
  anchor,
  act,
  shape,
  fillDown,
  valueOf,
  onComment,
  onClose
}: SheetMenuInput): JSX.Element {
  const shapes = (axis: Axis): JSX.Element[] =>
    changesOf(area, axis).map(([words, change]) => {
      const refusal = refusalOf(table, change)
      const why =
        refusal === 'heading'
          ? t('The first row contains the column names.')
          : refusal === 'last'
            ? t('A sheet must have at least one column.')
            : undefined
      return (
        <PopItem key={words} why={why} disabled={refusal === 'edge'} onChoose={() => shape(change)}>
          {words}
        </PopItem>
      )
    })
  const sort = (isDescending: boolean): void =>
    void act((now) => now.sortRows(at.column, isDescending, (row, column) => valueOf({ row, column })))
  const label = whole === undefined ? t('Rows and columns') : whole === 'row' ? t('Rows') : t('Columns')
  return (
    <Pop label={label} anchor={anchor} onClose={onClose}>
      {whole !== 'column' && shapes('row')}
      {whole !== 'row' && shapes('column')}
      {whole !== 'row' && (
        <>
          <PopItem onChoose={() => sort(false)}>{t('Sort A to Z')}</PopItem>
          <PopItem onChoose={() => sort(true)}>{t('Sort Z to A')}</PopItem>
        </>
      )}
      {whole === undefined && area.top < area.bottom && <PopItem onChoose={fillDown}>{t('Fill down')}</PopItem>}
      {whole === undefined && table.align !== undefined && (
        <PopItem onChoose={() => act((now) => now.align?.() ?? [])}>{t('Align columns in the Markdown')}</PopItem>
      )}
      {whole === undefined && onComment !== undefined && <PopItem onChoose={onComment}>{t('Comment')}</PopItem>}
    </Pop>
  )
}
