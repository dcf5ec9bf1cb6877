/** Copies and pastes cells of a sheet. */
import type { ReadonlySignal } from '@preact/signals'
import { type Area, copied, type CellPosition, textAt } from '../../shared/components/cell-range.ts'
import type { Table } from '../../shared/fences/table.ts'
import type { SheetSession } from './sheet-session.ts'

/**
 * The MIME type of cells in the clipboard. It has their source with formulas and decimal points, which only agmd reads. So a page in another language
 * pastes the same values. Other programs get the text that the person sees.
 */
const cellsType = 'text/x-agmd-cells'
/**
 * The MIME type for the position of the first copied cell, as `row,column`. Cells that were cut have no such entry, because their formulas stay as
 * they are.
 */
const placeType = 'text/x-agmd-cells-from'

function placeIn(text: string): CellPosition | undefined {
  const [, row, column] = /^(\d{1,3}),(\d{1,3})$/.exec(text) ?? []
  return row === undefined ? undefined : { row: Number(row), column: Number(column) }
}

interface ClipboardInput {
  readonly table: ReadonlySignal<Table>
  readonly area: ReadonlySignal<Area>
  /** Returns the displayed text of a cell. */
  readonly shownAt: (place: CellPosition) => string
  readonly session: SheetSession
}

export interface Clipboard {
  /** Copies the selected cells. For a `cut` event, it also clears them. */
  copy(event: ClipboardEvent): void
  paste(event: ClipboardEvent): void
}

export const createClipboard = ({ table, area, shownAt, session }: ClipboardInput): Clipboard => ({
  copy(event) {
    if (!session.mayCopy() || event.clipboardData === null) return
    event.clipboardData.setData('text/plain', copied(area.peek(), shownAt))
    event.clipboardData.setData(
      cellsType,
      copied(area.peek(), (place) => textAt(table.peek(), place))
    )
    const { top, first } = area.peek()
    if (event.type === 'copy') event.clipboardData.setData(placeType, `${top},${first}`)
    else session.dispatch({ kind: 'clear', area: area.peek() })
    event.preventDefault()
    event.stopPropagation()
  },
  paste(event) {
    if (event.clipboardData === null) return
    const cells = event.clipboardData.getData(cellsType)
    const isForeign = cells === ''
    const pasted = isForeign
      ? { text: event.clipboardData.getData('text/plain'), isForeign }
      : { text: cells, copiedFrom: placeIn(event.clipboardData.getData(placeType)) }
    if (session.dispatch({ kind: 'paste', area: area.peek(), ...pasted }).isTaken !== true) return
    event.preventDefault()
    event.stopPropagation()
  }
})
