/** The keys of a sheet while no cell is being written. */
import { limits } from '../../shared/limits.ts'
import { tn } from '../text/t.ts'
import type { ComponentInput } from './input.ts'
import type { CellEditing } from './sheet-editing.ts'
import { steps } from './sheet-grid.tsx'
import { goToSheet } from './sheets-around.ts'
import type { Selection } from './sheet-selection.ts'

interface KeysInput {
  readonly input: ComponentInput
  readonly selection: Selection
  readonly editing: CellEditing
  readonly mayChange: () => boolean
  readonly clear: () => void
  readonly openMenu: (anchor: HTMLElement) => void
  /** Says something that is also shown. */
  readonly tell: (words: string) => void
}

/** Whether the key moved the selection. */
function move(event: KeyboardEvent, selection: Selection): boolean {
  const { height, width } = selection.size.peek()
  const step = steps[event.key]
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey
  const from = selection.to.peek()
  // Out of the grid at its edges one comes with Esc and Tab.
  if (step !== undefined && isPlain) selection.go({ row: from.row + step.row, column: from.column + step.column }, event.shiftKey)
  else if (event.key === 'Home' && !event.altKey) selection.go({ row: isPlain ? from.row : 0, column: 0 }, event.shiftKey)
  else if (event.key === 'End' && !event.altKey) selection.go({ row: isPlain ? from.row : height - 1, column: width - 1 }, event.shiftKey)
  else if (event.key === 'a' && (event.ctrlKey || event.metaKey)) selection.all()
  else return false
  return true
}

/** Whether the key did something with the cells that are selected. */
function change(event: KeyboardEvent, { selection, editing, mayChange, clear, openMenu, tell }: KeysInput): boolean {
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey
  const at = selection.at.peek()
  if ((event.key === 'Enter' || event.key === 'F2') && isPlain) editing.edit(at)
  else if ((event.key === 'Delete' || event.key === 'Backspace') && isPlain) clear()
  else if (mayChange() && (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey))) openMenu(event.target as HTMLElement)
  else if (isPlain && event.key.length === 1 && mayChange()) {
    if (selection.isFullAt(at))
      tell(tn(limits.sheetRowsMax, 'This sheet is full. The limit is 1 row.', 'This sheet is full. The limit is {count} rows.'))
    else editing.edit(at, event.key)
  } else return false
  return true
}

/** Keys that would change a cell, or open a menu that does. */
const changing = /^(?:.|F2|F10|Delete|Backspace|ContextMenu)$/u

/** Whether the key did something for who picks cells; the others but those that move do nothing. */
function pick(event: KeyboardEvent, { input, selection }: KeysInput): boolean {
  const { around, sheetIndex } = input
  const picker = around.picker.peek()
  if (picker === undefined || sheetIndex.peek() < 0) return false
  const step = steps[event.key]
  if (event.key === 'Enter') picker.take({ sheet: sheetIndex.peek(), one: selection.at.peek(), other: selection.to.peek() })
  else if (event.key === 'Escape') picker.cancel()
  else if (event.altKey && step !== undefined && step.row !== 0) goToSheet(input, sheetIndex.peek(), step.row === 1 ? 1 : -1)
  else return move(event, selection) || (!event.ctrlKey && !event.metaKey && changing.test(event.key))
  return true
}

export const sheetKeys =
  (keys: KeysInput) =>
  (event: KeyboardEvent): void => {
    if (event.isComposing || keys.editing.editing.peek() !== undefined || event.target instanceof HTMLButtonElement) return
    if (!pick(event, keys) && !move(event, keys.selection) && !change(event, keys)) return
    event.preventDefault()
    event.stopPropagation()
  }
