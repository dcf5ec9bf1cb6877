/** Which cells of a sheet are selected, and where the selection goes. */
import { computed, signal, type ReadonlySignal } from '@preact/signals'
import type { Table } from '../../shared/fences/table.ts'
import { limits } from '../../shared/limits.ts'
import { nameOf, type Place } from './sheet-grid.tsx'

/** Cells between two corners, both included. */
export interface Area {
  readonly top: number
  readonly bottom: number
  readonly first: number
  readonly last: number
}

export const areaBetween = (one: Place, other: Place): Area => ({
  top: Math.min(one.row, other.row),
  bottom: Math.max(one.row, other.row),
  first: Math.min(one.column, other.column),
  last: Math.max(one.column, other.column)
})

/** Something for each cell of an area, row by row. */
export const rowsIn = <T>({ top, bottom, first, last }: Area, of: (place: Place) => T): T[][] =>
  Array.from({ length: bottom - top + 1 }, (_row, down) =>
    Array.from({ length: last - first + 1 }, (_cell, across) => of({ row: top + down, column: first + across }))
  )

export interface Selection {
  /** In rows and columns, with the row that was begun behind the last one. */
  readonly size: ReadonlySignal<{ readonly height: number; readonly width: number }>
  /** The cell with the focus. */
  readonly at: ReadonlySignal<Place>
  /** The corner across from it. */
  readonly to: ReadonlySignal<Place>
  /** Whether the cell is to have the focus once it is drawn, and how often that was asked for. */
  readonly wantsFocus: { current: boolean }
  readonly asked: ReadonlySignal<number>
  focus(): void
  /** Selects a cell, or all up to it, and gives it the focus. */
  go(place: Place, isRange?: boolean): void
  all(): void
  /** Selects a cell that has the focus, or a field in it. */
  put(place: Place): void
  /** A cell got the focus by itself. */
  focused(place: Place): void
  /**
   * From a cell that was written: at the end of a row to the next one, at the end of the sheet to a row that this begins. Down from cells
   * that were gone through to the side, to the column of the first of them.
   */
  goOn(from: Place, step: Place, isWritten: boolean): void
  /** Whether the cursor stayed in its cell because the sheet is full: what is typed next does not write over it. */
  isFullAt(place: Place): boolean
}

export function createSelection(table: ReadonlySignal<Table>): Selection {
  const current = signal<Place>({ row: 0, column: 0 })
  const end = signal<Place>({ row: 0, column: 0 })
  /** The row behind the last that Enter or Tab have begun: part of the text with the first that is written in it. */
  const begunRow = signal(-1)
  let fullAt = ''
  /** Where going to the side has led, and the column in which that began. */
  let run: { readonly at: string; readonly column: number } | undefined
  const wantsFocus = { current: false }
  const asked = signal(0)

  const size = computed(() => {
    const { texts, width } = table.value
    return {
      height: Math.min(Math.max(texts.length, 1) + Number(begunRow.value === texts.length), limits.sheetRowsMax),
      width: Math.min(Math.max(width, 1), limits.sheetColumnsMax)
    }
  })
  const inside = ({ row, column }: Place): Place => ({
    row: Math.min(Math.max(0, row), size.value.height - 1),
    column: Math.min(Math.max(0, column), size.value.width - 1)
  })
  const at = computed(() => inside(current.value))
  const to = computed(() => inside(end.value))

  const focus = (): void => {
    wantsFocus.current = true
    asked.value += 1
  }
  const put = (place: Place): void => {
    current.value = place
    end.value = place
  }
  const leaveFor = ({ row }: Place): void => {
    fullAt = ''
    if (row !== begunRow.peek()) begunRow.value = -1
  }
  const go = (place: Place, isRange = false): void => {
    end.value = inside(place)
    leaveFor(end.value)
    if (!isRange) current.value = end.value
    focus()
  }
  return {
    size,
    at,
    to,
    wantsFocus,
    asked,
    focus,
    go,
    put,
    all() {
      const { height, width } = size.peek()
      current.value = { row: 0, column: 0 }
      go({ row: height - 1, column: width - 1 }, true)
    },
    focused(place) {
      const { row, column } = end.peek()
      if (row === place.row && column === place.column) return
      leaveFor(place)
      put(place)
    },
    goOn(from, step, isWritten) {
      const { width } = size.peek()
      const began = run?.at === nameOf(from) ? run.column : from.column
      const lastRow = Math.max(table.peek().texts.length - 1, isWritten || from.row === 0 ? from.row : 0)
      let [row, column] = [from.row + step.row, step.row > 0 ? began : from.column + step.column]
      if (column >= width) [row, column] = [row + 1, 0]
      else if (column < 0 && row > 0) [row, column] = [row - 1, width - 1]
      run = step.column === 0 ? undefined : { at: nameOf({ row, column }), column: row === from.row ? began : column }
      if (row <= Math.max(lastRow, from.row)) return go({ row, column })
      // A row in which nothing was written begins no other.
      if (from.row > lastRow) return go(from)
      if (row >= limits.sheetRowsMax) {
        go(from)
        fullAt = nameOf(from)
        return undefined
      }
      begunRow.value = row
      put({ row, column })
      return focus()
    },
    isFullAt: (place) => fullAt === nameOf(place)
  }
}
