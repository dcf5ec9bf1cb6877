/** The menu of a sheet, with actions on rows and columns. */
import type { JSX } from 'preact'
import type { Place } from '../../shared/components/cell-range.ts'
import type { Change } from '../../shared/fences/formula/rewrite.ts'
import type { Scalar } from '../../shared/fences/formula/values.ts'
import type { Table } from '../../shared/fences/table.ts'
import type { Edit } from '../../shared/text/diff.ts'
import { t } from '../text/t.ts'
import { Pop, PopItem } from '../ui/pop.tsx'

interface SheetMenuInput {
  /** The focused cell. */
  readonly at: Place
  /** Number of columns of the sheet. */
  readonly width: number
  /** Whether the columns in the source of the sheet can be aligned. */
  readonly aligns: boolean
  readonly anchor: HTMLElement
  readonly act: (edits: (now: Table) => readonly Edit[]) => boolean
  /** Like `act`, for inserting and deleting rows and columns. It also adjusts the formulas of other sheets. */
  readonly reshape: (edits: (now: Table) => readonly Edit[], change: Change) => void
  readonly valueOf: (place: Place) => Scalar
  readonly onClose: () => void
}

export const SheetMenu = ({ at, width, aligns, anchor, act, reshape, valueOf, onClose }: SheetMenuInput): JSX.Element => (
  <Pop label={t('Rows and columns')} anchor={anchor} onClose={onClose}>
    <PopItem
      disabled={at.row === 0}
      onChoose={() => reshape((now) => now.insertRow(at.row), { axis: 'row', kind: 'insert', at: at.row, count: 1 })}
    >
      {t('Add row above')}
    </PopItem>
    <PopItem onChoose={() => reshape((now) => now.insertRow(at.row + 1), { axis: 'row', kind: 'insert', at: at.row + 1, count: 1 })}>
      {t('Add row below')}
    </PopItem>
    <PopItem
      why={at.row === 0 ? t('The first row contains the column names.') : undefined}
      onChoose={() => reshape((now) => now.deleteRow(at.row), { axis: 'row', kind: 'delete', at: at.row, count: 1 })}
    >
      {t('Delete row')}
    </PopItem>
    <PopItem onChoose={() => reshape((now) => now.insertColumn(at.column), { axis: 'column', kind: 'insert', at: at.column, count: 1 })}>
      {t('Add column before')}
    </PopItem>
    <PopItem
      onChoose={() => reshape((now) => now.insertColumn(at.column + 1), { axis: 'column', kind: 'insert', at: at.column + 1, count: 1 })}
    >
      {t('Add column after')}
    </PopItem>
    <PopItem
      why={width === 1 ? t('A sheet must have at least one column.') : undefined}
      onChoose={() => reshape((now) => now.deleteColumn(at.column), { axis: 'column', kind: 'delete', at: at.column, count: 1 })}
    >
      {t('Delete column')}
    </PopItem>
    <PopItem onChoose={() => act((now) => now.sortRows(at.column, false, (row, column) => valueOf({ row, column })))}>
      {t('Sort A to Z')}
    </PopItem>
    <PopItem onChoose={() => act((now) => now.sortRows(at.column, true, (row, column) => valueOf({ row, column })))}>
      {t('Sort Z to A')}
    </PopItem>
    {aligns && <PopItem onChoose={() => act((now) => now.align?.() ?? [])}>{t('Align columns in the source')}</PopItem>}
  </Pop>
)
