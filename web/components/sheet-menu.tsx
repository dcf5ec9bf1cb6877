/** The menu of a sheet: rows and columns. */
import type { JSX } from 'preact'
import type { Change } from '../../shared/fences/formula/rewrite.ts'
import type { Scalar } from '../../shared/fences/formula/values.ts'
import type { Sheet } from '../../shared/fences/sheet.ts'
import { alignColumns, deleteColumn, deleteRow, insertColumn, insertRow, sortRows } from '../../shared/fences/sheet-edits.ts'
import type { Edit } from '../../shared/text/diff.ts'
import { t } from '../text/t.ts'
import { Pop, PopItem } from './pop.tsx'
import type { Place } from './sheet-grid.tsx'

interface SheetMenuInput {
  /** The cell with the focus. */
  readonly at: Place
  /** Of the sheet, in columns. */
  readonly width: number
  readonly anchor: HTMLElement
  readonly act: (edits: (now: Sheet) => readonly Edit[]) => boolean
  /** The same for rows and columns that come or go: formulas of other sheets follow. */
  readonly reshape: (edits: (now: Sheet) => readonly Edit[], change: Change) => void
  readonly valueOf: (place: Place) => Scalar
  readonly onClose: () => void
}

export const SheetMenu = ({ at, width, anchor, act, reshape, valueOf, onClose }: SheetMenuInput): JSX.Element => (
  <Pop label={t('Rows and columns')} anchor={anchor} onClose={onClose}>
    <PopItem
      disabled={at.row === 0}
      onChoose={() => reshape((now) => insertRow(now, at.row), { axis: 'row', kind: 'insert', at: at.row, count: 1 })}
    >
      {t('Add row above')}
    </PopItem>
    <PopItem onChoose={() => reshape((now) => insertRow(now, at.row + 1), { axis: 'row', kind: 'insert', at: at.row + 1, count: 1 })}>
      {t('Add row below')}
    </PopItem>
    <PopItem
      disabled={at.row === 0}
      onChoose={() => reshape((now) => deleteRow(now, at.row), { axis: 'row', kind: 'delete', at: at.row, count: 1 })}
    >
      {t('Delete row')}
    </PopItem>
    <PopItem onChoose={() => reshape((now) => insertColumn(now, at.column), { axis: 'column', kind: 'insert', at: at.column, count: 1 })}>
      {t('Add column before')}
    </PopItem>
    <PopItem
      onChoose={() => reshape((now) => insertColumn(now, at.column + 1), { axis: 'column', kind: 'insert', at: at.column + 1, count: 1 })}
    >
      {t('Add column after')}
    </PopItem>
    <PopItem
      disabled={width === 1}
      onChoose={() => reshape((now) => deleteColumn(now, at.column), { axis: 'column', kind: 'delete', at: at.column, count: 1 })}
    >
      {t('Delete column')}
    </PopItem>
    <PopItem onChoose={() => act((now) => sortRows(now, at.column, false, (row, column) => valueOf({ row, column })))}>
      {t('Sort A to Z')}
    </PopItem>
    <PopItem onChoose={() => act((now) => sortRows(now, at.column, true, (row, column) => valueOf({ row, column })))}>
      {t('Sort Z to A')}
    </PopItem>
    <PopItem onChoose={() => act(alignColumns)}>{t('Align columns in the source')}</PopItem>
  </Pop>
)
