/** The keys of a sheet while no cell is being edited. */
import type { SheetAction } from '../../shared/components/sheet-selection.ts'
import { limits } from '../../shared/limits.ts'
import { tn } from '../text/t.ts'
import type { ComponentInput } from './input.ts'
import type { CellEditing } from './sheet-editing.ts'
import { goToSheet } from './sheets-around.ts'
import type { Selection } from './sheet-selection.ts'

interface KeysInput {
  readonly input: ComponentInput
  readonly selection: Selection
  readonly editing: CellEditing
  readonly mayChange: () => boolean
  readonly clear: () => void
  readonly openMenu: (anchor: HTMLElement) => void
  /** Shows a message and announces it. */
  readonly tell: (words: string) => void
}

function carryOut({ input, selection, editing, clear, openMenu }: KeysInput, action: SheetAction, target: EventTarget | null): void {
  const { around, sheetIndex } = input
  const sheet = sheetIndex.peek()
  if (action.kind === 'edit') editing.edit(action.place, action.text)
  else if (action.kind === 'clear') clear()
  else if (action.kind === 'menu') openMenu(target as HTMLElement)
  else if (action.kind === 'pick') around.picker.peek()?.take({ sheet, one: selection.at.peek(), other: selection.to.peek() })
  else if (action.kind === 'cancel') around.picker.peek()?.cancel()
  else if (action.kind === 'sheet') goToSheet(input, sheet, action.direction)
}

export const sheetKeys =
  (keys: KeysInput) =>
  (event: KeyboardEvent): void => {
    if (event.isComposing || keys.editing.editing.peek() !== undefined || event.target instanceof HTMLButtonElement) return
    const { input, selection, mayChange, tell } = keys
    const isPicked = input.around.picker.peek() !== undefined && input.sheetIndex.peek() >= 0
    const { action, announcement, isTaken = false } = selection.dispatch({ kind: 'key', key: event, mayChange: mayChange(), isPicked })
    if (!isTaken) return
    if (action !== undefined) carryOut(keys, action, event.target)
    if (announcement?.kind === 'full')
      tell(tn(limits.sheetRowsMax, 'This sheet is full. The limit is 1 row.', 'This sheet is full. The limit is {count} rows.'))
    event.preventDefault()
    event.stopPropagation()
  }
