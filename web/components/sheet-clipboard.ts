/** Cells of a sheet and the clipboard. */
import type { ReadonlySignal } from '@preact/signals'
import { cellsOfTsv, formatTsv, pasteSize } from '../../shared/fences/sheet-edits.ts'
import type { Table } from '../../shared/fences/table.ts'
import { t } from '../text/t.ts'
import type { ComponentInput } from './input.ts'
import type { Act } from './sheet-editing.ts'
import { type Place, textAt } from './sheet-grid.tsx'
import { type Area, rowsIn } from './sheet-selection.ts'

/** The clipboard of this page has formulas as well. */
const cellsType = 'text/x-agmd-cells'

interface ClipboardInput {
  readonly input: ComponentInput
  readonly table: ReadonlySignal<Table>
  readonly area: () => Area
  /** As it is shown. */
  readonly shownAt: (place: Place) => string
  readonly isEditing: () => boolean
  readonly act: Act
  readonly clear: () => void
  readonly focus: () => void
  readonly tell: (words: string) => void
}

export interface Clipboard {
  /** Cutting, too. */
  copy(event: ClipboardEvent): void
  paste(event: ClipboardEvent): void
}

function sayPasted({ input, tell }: ClipboardInput, size: ReturnType<typeof pasteSize>): void {
  const { rows, rowsFit, columns, columnsFit } = size
  if (rowsFit === rows && columnsFit === columns) input.said.value = t('Pasted')
  else if (input.suggests())
    // Behind the notice of what is suggested.
    queueMicrotask(() =>
      tell(t('Suggested {rowsFit} of {rows} rows and {columnsFit} of {columns} columns. The rest does not fit.', { ...size }))
    )
  else tell(t('Pasted {rowsFit} of {rows} rows and {columnsFit} of {columns} columns. The rest does not fit.', { ...size }))
}

export function createClipboard(clipboard: ClipboardInput): Clipboard {
  const { input, table, area, shownAt, isEditing, act, clear, focus } = clipboard
  return {
    copy(event) {
      if (isEditing() || event.clipboardData === null) return
      event.clipboardData.setData('text/plain', formatTsv(rowsIn(area(), shownAt)))
      event.clipboardData.setData(cellsType, formatTsv(rowsIn(area(), (place) => textAt(table.peek(), place))))
      if (event.type === 'cut') clear()
      event.preventDefault()
      event.stopPropagation()
    },
    paste(event) {
      if (isEditing() || event.clipboardData === null || input.refusal.peek() !== undefined) return
      const text = event.clipboardData.getData(cellsType) || event.clipboardData.getData('text/plain')
      const { top, first } = area()
      if (text !== '' && act((now) => now.setCells(cellsOfTsv(top, first, text)))) sayPasted(clipboard, pasteSize(top, first, text))
      event.preventDefault()
      event.stopPropagation()
      focus()
    }
  }
}
