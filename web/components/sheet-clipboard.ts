/** Copies and pastes cells of a sheet. */
import type { ReadonlySignal } from '@preact/signals'
import { type Area, copied, type SheetOutcome } from '../../shared/components/sheet-selection.ts'
import type { Table } from '../../shared/fences/table.ts'
import { t } from '../text/t.ts'
import type { ComponentInput } from './input.ts'
import type { Act } from './sheet-editing.ts'
import { type Place, textAt } from './sheet-grid.tsx'
import type { Selection } from './sheet-selection.ts'

/** The MIME type of cells in the clipboard. It includes formulas, which only agmd reads. */
const cellsType = 'text/x-agmd-cells'

interface ClipboardInput {
  readonly input: ComponentInput
  readonly table: ReadonlySignal<Table>
  readonly area: () => Area
  /** Returns the displayed text of a cell. */
  readonly shownAt: (place: Place) => string
  readonly isEditing: () => boolean
  readonly selection: Selection
  readonly act: Act
  readonly clear: () => void
  readonly tell: (words: string) => void
}

export interface Clipboard {
  /** Copies the selected cells. For a `cut` event, it also clears them. */
  copy(event: ClipboardEvent): void
  paste(event: ClipboardEvent): void
}

function sayPasted({ input, tell }: ClipboardInput, size: SheetOutcome['announcement']): void {
  if (size?.kind !== 'pasted') return
  const { rows, rowsFit, columns, columnsFit } = size
  if (rowsFit === rows && columnsFit === columns) input.said.value = t('Pasted')
  else if (input.suggests())
    // This message must follow the notice about the suggestion.
    queueMicrotask(() =>
      tell(t('Suggested {rowsFit} of {rows} rows and {columnsFit} of {columns} columns. The rest does not fit.', { ...size }))
    )
  else tell(t('Pasted {rowsFit} of {rows} rows and {columnsFit} of {columns} columns. The rest does not fit.', { ...size }))
}

export function createClipboard(clipboard: ClipboardInput): Clipboard {
  const { input, table, area, shownAt, isEditing, selection, act, clear } = clipboard
  return {
    copy(event) {
      if (isEditing() || event.clipboardData === null) return
      event.clipboardData.setData('text/plain', copied(area(), shownAt))
      event.clipboardData.setData(
        cellsType,
        copied(area(), (place) => textAt(table.peek(), place))
      )
      if (event.type === 'cut') clear()
      event.preventDefault()
      event.stopPropagation()
    },
    paste(event) {
      if (isEditing() || event.clipboardData === null || input.refusal.peek() !== undefined) return
      const text = event.clipboardData.getData(cellsType) || event.clipboardData.getData('text/plain')
      const { edits, announcement } = selection.dispatch({ kind: 'paste', area: area(), text })
      if (edits !== undefined && act(edits)) sayPasted(clipboard, announcement)
      event.preventDefault()
      event.stopPropagation()
    }
  }
}
