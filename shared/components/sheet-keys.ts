/** Decides the meaning of every key in a sheet: while a person selects cells, picks cells for use elsewhere, or edits a cell. */
import { isPlainKey, type Key } from './key.ts'
import type { Axis, CellPosition } from './cell-range.ts'

/** Steps of the arrow keys. */
const steps: Readonly<Record<string, CellPosition>> = {
  ArrowUp: { row: -1, column: 0 },
  ArrowDown: { row: 1, column: 0 },
  ArrowLeft: { row: 0, column: -1 },
  ArrowRight: { row: 0, column: 1 }
}

/** A step by one cell. `isRange`: the selection is extended. */
interface Step {
  readonly kind: 'step'
  readonly step: CellPosition
  readonly isRange: boolean
}

/** Moves to the next or the previous sheet. */
interface OtherSheet {
  readonly kind: 'sheet'
  readonly direction: 1 | -1
}

export type Moving =
  | Step
  /** Moves to the last filled cell before an empty one, or over empty cells to the next filled one. */
  | { readonly kind: 'jump'; readonly step: CellPosition; readonly isRange: boolean }
  /** Moves to the first or the last cell of the row, or of the sheet if `isWhole`. */
  | { readonly kind: 'home' | 'end'; readonly isWhole: boolean; readonly isRange: boolean }
  | { readonly kind: 'all' }
  /** Extends the selection to entire rows or columns. */
  | { readonly kind: 'whole'; readonly axis: Axis }

/** The meaning of a key while no cell is being edited. `edit` opens the cell; `text` replaces its content. `none`: the key has no effect. */
export type GridCommand =
  | Moving
  | OtherSheet
  | { readonly kind: 'edit'; readonly text?: string }
  | { readonly kind: 'menu' | 'pick' | 'cancel' }
  | { readonly kind: 'clear' }
  /** Copies the first selected row down, or the first selected column to the right. */
  | { readonly kind: 'fill'; readonly axis: Axis }
  /** Moves the selected rows or columns by one place. */
  | { readonly kind: 'carry'; readonly axis: Axis; readonly by: 1 | -1 }
  | { readonly kind: 'none' }

/** The meaning of a key in a cell's field. `turn` switches the left and right arrows between selecting cells and moving within the text. */
export type FieldCommand =
  | Step
  | OtherSheet
  | { readonly kind: 'commit'; readonly step: CellPosition }
  | { readonly kind: 'cancel' | 'turn' }

/** Returns the meaning of a key that moves the selection. At the edges of the grid, Esc and Tab leave the grid. */
function movingKey(key: Key): Moving | undefined {
  const { shiftKey: isRange } = key
  const step = steps[key.key]
  const isPlain = isPlainKey(key)
  if (step !== undefined && isPlain) return { kind: 'step', step, isRange }
  if (step !== undefined && !key.altKey && key.ctrlKey !== key.metaKey) return { kind: 'jump', step, isRange }
  if (key.key === 'Home' && !key.altKey) return { kind: 'home', isWhole: !isPlain, isRange }
  if (key.key === 'End' && !key.altKey) return { kind: 'end', isWhole: !isPlain, isRange }
  if (key.key === ' ' && !key.altKey && !key.metaKey && key.ctrlKey !== isRange) return { kind: 'whole', axis: isRange ? 'row' : 'column' }
  return key.key === 'a' && (key.ctrlKey || key.metaKey) ? { kind: 'all' } : undefined
}

/** Returns the command for Alt with an arrow key, which moves the selected rows or columns. */
function carryingKey({ key, altKey, ctrlKey, metaKey }: Key): GridCommand | undefined {
  const step = altKey && !ctrlKey && !metaKey ? steps[key] : undefined
  if (step === undefined) return undefined
  return { kind: 'carry', axis: step.row === 0 ? 'column' : 'row', by: step.row + step.column > 0 ? 1 : -1 }
}

/** Returns the command for Ctrl+D, which fills down, and Ctrl+R, which fills to the right. */
function fillingKey({ key, shiftKey, altKey, ctrlKey, metaKey }: Key): GridCommand | undefined {
  if (shiftKey || altKey || ctrlKey === metaKey) return undefined
  return key === 'd' ? { kind: 'fill', axis: 'row' } : key === 'r' ? { kind: 'fill', axis: 'column' } : undefined
}

/** Returns the meaning of a key while cells are selected. */
export function selectingKey(key: Key, mayChange: boolean): GridCommand | undefined {
  const moving = movingKey(key)
  if (moving !== undefined) return moving
  const isPlain = isPlainKey(key)
  if ((key.key === 'Enter' || key.key === 'F2') && isPlain) return { kind: 'edit' }
  if ((key.key === 'Delete' || key.key === 'Backspace') && isPlain) return { kind: 'clear' }
  const changing = mayChange ? (carryingKey(key) ?? fillingKey(key)) : undefined
  if (changing !== undefined) return changing
  if (mayChange && (key.key === 'ContextMenu' || (key.key === 'F10' && key.shiftKey))) return { kind: 'menu' }
  return isPlain && key.key.length === 1 && mayChange ? { kind: 'edit', text: key.key } : undefined
}

/** Returns the step to another sheet for Alt with an arrow key. */
const otherSheet = ({ key, altKey }: Key): OtherSheet | undefined =>
  altKey && (key === 'ArrowUp' || key === 'ArrowDown') ? { kind: 'sheet', direction: key === 'ArrowDown' ? 1 : -1 } : undefined

/** Keys that would change a cell, or open a menu that changes it. */
const changingKeys = /^(?:.|F2|F10|Delete|Backspace|ContextMenu)$/u

/** Returns the meaning of a key while the person picks cells. Only keys that move have an effect. */
export function pickingKey(key: Key): GridCommand | undefined {
  if (key.key === 'Enter') return { kind: 'pick' }
  if (key.key === 'Escape') return { kind: 'cancel' }
  return otherSheet(key) ?? movingKey(key) ?? (!key.ctrlKey && !key.metaKey && changingKeys.test(key.key) ? { kind: 'none' } : undefined)
}

/** Returns the meaning of a key in a cell's field. Enter and Tab save the cell and move on. */
export function fieldKey(key: Key): FieldCommand | undefined {
  const { shiftKey } = key
  const step = steps[key.key]
  if (key.key === 'Enter') return { kind: 'commit', step: { row: shiftKey ? -1 : 1, column: 0 } }
  if (key.key === 'Tab') return { kind: 'commit', step: { row: 0, column: shiftKey ? -1 : 1 } }
  if (key.key === 'Escape') return { kind: 'cancel' }
  if (key.key === 'F2') return { kind: 'turn' }
  return otherSheet(key) ?? (step !== undefined && isPlainKey(key) ? { kind: 'step', step, isRange: shiftKey } : undefined)
}
