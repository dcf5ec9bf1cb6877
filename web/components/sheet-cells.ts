/** The values that the cells of a sheet display. */
import { computed, type ReadonlySignal } from '@preact/signals'
import { type CellPosition, textAt } from '../../shared/components/cell-range.ts'
import { withDecimalPoint } from '../../shared/components/typed-number.ts'
import { Day, Failure, type Scalar, valueOfCell } from '../../shared/fences/formula/values.ts'
import type { Table } from '../../shared/fences/table.ts'
import { t } from '../text/t.ts'
import type { ComponentInput } from './input.ts'
import type { Shown } from './sheet-grid.tsx'
import type { SheetSession } from './sheet-session.ts'

/** Returns the reason for the failure in the page's language, or the failure's name if there is no reason. */
const failureWords = ({ error, sentence, values }: Failure): string => (sentence === '' ? error : t(sentence, values))

export interface Cells {
  valueOf(place: CellPosition): Scalar
  readonly grid: ReadonlySignal<readonly (readonly Shown[])[]>
  /** The first cell whose text looks like a number with a decimal comma. */
  readonly hinted: ReadonlySignal<CellPosition | undefined>
  readonly texts: ReadonlySignal<readonly (readonly string[])[]>
  /** The longest displayed text of each column. */
  readonly longest: ReadonlySignal<readonly string[]>
}

export function createCells(
  { sheets, sheetIndex }: Pick<ComponentInput, 'sheets' | 'sheetIndex'>,
  table: ReadonlySignal<Table>,
  size: SheetSession['size']
): Cells {
  const valueOf = ({ row, column }: CellPosition): Scalar =>
    sheetIndex.value < 0 ? valueOfCell(textAt(table.value, { row, column })) : sheets.value.workbook.valueAt(sheetIndex.value, row, column)
  // A sheet without formulas, and a column without numbers, need no hint about text that formulas cannot read as a number.
  const hasFormulas = computed(() => sheetIndex.value >= 0 && table.value.texts.some((row) => row.some((text) => text.startsWith('='))))
  const numbered = computed(
    () =>
      new Set(table.value.texts.flatMap((row) => row.flatMap((text, column) => (typeof valueOfCell(text) === 'number' ? [column] : []))))
  )
  const shownOf = (place: CellPosition): Shown => {
    const [value, text] = [valueOf(place), textAt(table.value, place)]
    const isComputed = text.startsWith('=') && sheetIndex.value >= 0
    return {
      text: isComputed ? sheets.value.workbook.textAt(sheetIndex.value, place.row, place.column) : text,
      side: table.value.sides[place.column],
      isNumber: typeof value === 'number' || value instanceof Day,
      error: value instanceof Failure ? failureWords(value) : undefined,
      asNumber: typeof value === 'string' && (hasFormulas.value || numbered.value.has(place.column)) ? withDecimalPoint(value) : undefined
    }
  }
  // A separate signal, so that moving through the cells does not recompute the values.
  const grid = computed(() =>
    Array.from({ length: size.value.height }, (_row, row) =>
      Array.from({ length: size.value.width }, (_cell, column) => shownOf({ row, column }))
    )
  )
  const hinted = computed(() =>
    grid.value.flatMap((cells, row) => cells.flatMap(({ asNumber }, column) => (asNumber === undefined ? [] : [{ row, column }]))).at(0)
  )
  const texts = computed(() => grid.value.map((cells) => cells.map(({ text }) => text)))
  const longest = computed(() => {
    const found = Array.from({ length: size.value.width }, () => '')
    for (const cells of texts.value)
      cells.forEach((text, column) => {
        if (text.length > (found[column]?.length ?? 0)) found[column] = text
      })
    return found
  })
  return { valueOf, grid, hinted, texts, longest }
}
