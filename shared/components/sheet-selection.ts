/**
 * A person's session in the grid of a sheet while no cell is being edited: the selected cells, the effect of keys and pointer, and pasting. Undo
 * changes the text, and the selection stays within the resulting sheet.
 */
import { cellsOfTsv, formatTsv, pasteSize } from '../fences/sheet-edits.ts'
import type { Table } from '../fences/table.ts'
import { limits } from '../limits.ts'
import type { Edit } from '../text/diff.ts'
import { isPlainKey, type Key } from './key.ts'

/** The place of a cell in a sheet. */
export interface Place {
  readonly row: number
  readonly column: number
}

const isSame = (one: Place, other: Place | undefined): boolean => one.row === other?.row && one.column === other.column

/** A rectangle of cells between two corners, including both. */
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

/** Returns the result of `of` for each cell of an area, row by row. */
export const rowsIn = <T>({ top, bottom, first, last }: Area, of: (place: Place) => T): T[][] =>
  Array.from({ length: bottom - top + 1 }, (_row, down) =>
    Array.from({ length: last - first + 1 }, (_cell, across) => of({ row: top + down, column: first + across }))
  )

/** Steps of the arrow keys. */
export const steps: Readonly<Record<string, Place>> = {
  ArrowUp: { row: -1, column: 0 },
  ArrowDown: { row: 1, column: 0 },
  ArrowLeft: { row: 0, column: -1 },
  ArrowRight: { row: 0, column: 1 }
}

// ——— the session ———

export interface SheetState {
  /** The cell with the focus. The sheet may have become smaller since the person reached it. `end` is the opposite corner of the selection. */
  readonly from: Place
  readonly end: Place
  /** Index of a new row at the end, which Enter, Tab or an arrow key started. It becomes part of the text when the person writes in it. */
  readonly begunRow: number
  /** Index of a new column at the end, which an arrow key started. It becomes part of the text in the same way. */
  readonly begunColumn: number
  /** The cell in which the cursor stayed because the sheet is full. The next typed text must not overwrite this cell. */
  readonly fullAt: Place | undefined
  /** The cell that sideways moves have reached, and the column in which these moves began. */
  readonly run: { readonly at: Place; readonly column: number } | undefined
}

const origin: Place = { row: 0, column: 0 }
export const beginSheet: SheetState = { from: origin, end: origin, begunRow: -1, begunColumn: -1, fullAt: undefined, run: undefined }

/** Returns the size in rows and columns, including a new row or column at the end. */
export const sizeOf = (
  { begunRow, begunColumn }: SheetState,
  { texts, width }: Table
): { readonly height: number; readonly width: number } => ({
  height: Math.min(Math.max(texts.length, 1) + Number(begunRow === texts.length), limits.sheetRowsMax),
  width: Math.min(Math.max(width, 1) + Number(begunColumn === width), limits.sheetColumnsMax)
})

/** Returns the place, or the nearest place inside the sheet. */
export function inside(state: SheetState, table: Table, { row, column }: Place): Place {
  const { height, width } = sizeOf(state, table)
  return { row: Math.min(Math.max(0, row), height - 1), column: Math.min(Math.max(0, column), width - 1) }
}

export type SheetEvent =
  /** Selects a cell, or a range up to that cell, and gives it the focus. */
  | { readonly kind: 'go'; readonly place: Place; readonly isRange: boolean }
  /** Selects a cell that already has the focus, or that contains a field with the focus. */
  | { readonly kind: 'put'; readonly place: Place }
  /** A cell received the focus without a request by the session. */
  | { readonly kind: 'focused'; readonly place: Place }
  /**
   * Moves on after a cell was written. At the end of a row, it moves to the next row. At the end of the sheet, it starts a new row. After several
   * cells in a row, a move down goes to the column of the first of these cells.
   */
  | { readonly kind: 'go on'; readonly place: Place; readonly step: Place; readonly isWritten: boolean }
  /** A key was pressed. `isPicked`: the person is picking cells for use elsewhere. */
  | { readonly kind: 'key'; readonly key: Key; readonly mayChange: boolean; readonly isPicked: boolean }
  | { readonly kind: 'clear'; readonly area: Area; readonly mayChange: boolean }
  | { readonly kind: 'paste'; readonly area: Area; readonly text: string }

/** The effect of a key outside the selection. `pick` uses the selected cells. `sheet` goes to the next or the previous sheet. */
export type SheetAction =
  | { readonly kind: 'edit'; readonly place: Place; readonly text?: string }
  | { readonly kind: 'clear' | 'menu' | 'pick' | 'cancel' }
  | { readonly kind: 'sheet'; readonly direction: 1 | -1 }

export interface SheetOutcome {
  readonly state: SheetState
  /** Whether the selected cell gets the focus when it has been drawn. */
  readonly focus?: boolean
  /** Returns the edits of the event in the current table. It uses the places at the time of the event. */
  readonly edits?: (now: Table) => readonly Edit[]
  readonly announcement?: { readonly kind: 'full' } | ({ readonly kind: 'pasted' } & ReturnType<typeof pasteSize>)
  readonly action?: SheetAction
  /** Whether the sheet has handled the event. */
  readonly isTaken?: boolean
}

const put = (state: SheetState, place: Place): SheetState => ({ ...state, from: place, end: place })

/** Returns the state when the focus moves to a place. A new row or column without text disappears when the focus leaves it. */
const leaveFor = (state: SheetState, { row, column }: Place): SheetState => ({
  ...state,
  fullAt: undefined,
  begunRow: row === state.begunRow ? row : -1,
  begunColumn: column === state.begunColumn ? column : -1
})

function go(state: SheetState, table: Table, place: Place, isRange = false): SheetOutcome {
  const end = inside(state, table, place)
  return { state: { ...leaveFor(state, end), end, ...(!isRange && { from: end }) }, focus: true, isTaken: true }
}

function goOn(state: SheetState, table: Table, { place, step, isWritten }: Extract<SheetEvent, { kind: 'go on' }>): SheetOutcome {
  const { width } = sizeOf(state, table)
  const began = state.run !== undefined && isSame(place, state.run.at) ? state.run.column : place.column
  const lastRow = Math.max(table.texts.length - 1, isWritten || place.row === 0 ? place.row : 0)
  let [row, column] = [place.row + step.row, step.row > 0 ? began : place.column + step.column]
  if (column >= width) [row, column] = [row + 1, 0]
  else if (column < 0 && row > 0) [row, column] = [row - 1, width - 1]
  const run = step.column === 0 ? undefined : { at: { row, column }, column: row === place.row ? began : column }
  const next: SheetState = { ...state, run }
  if (row <= Math.max(lastRow, place.row)) return go(next, table, { row, column })
  // A new row without text does not start another one.
  if (place.row > lastRow) return go(next, table, place)
  if (row < limits.sheetRowsMax) return { state: { ...put(leaveFor(next, { row, column }), { row, column }), begunRow: row }, focus: true }
  const stayed = go(next, table, place)
  return { ...stayed, state: { ...stayed.state, fullAt: place } }
}

/**
 * An arrow key down in the last row starts a new row, and an arrow key to the right in the last column starts a new column. The next typed text
 * therefore overwrites nothing. A new row or column does not start another one.
 */
function begin(state: SheetState, table: Table, { row, column }: Place): SheetOutcome | undefined {
  const { texts, width } = table
  const from = inside(state, table, state.end)
  const begunRow = row === texts.length && from.row < row && row < limits.sheetRowsMax
  const begunColumn = column === width && from.column < column && column < limits.sheetColumnsMax
  if (texts.length === 0 || !(begunRow || begunColumn) || !table.mayChange(row, column)) return undefined
  const left = leaveFor(state, { row, column })
  const begun = { ...left, ...(begunRow && { begunRow: row }), ...(begunColumn && { begunColumn: column }) }
  return { state: put(begun, { row, column }), focus: true, isTaken: true }
}

/**
 * Handles a key that moves the selection. At the edges of the grid, Esc and Tab leave the grid. `mayBegin`: whether the key may start a row or
 * column.
 */
function move(state: SheetState, table: Table, key: Key, mayBegin = false): SheetOutcome | undefined {
  const { height, width } = sizeOf(state, table)
  const step = steps[key.key]
  const isPlain = isPlainKey(key)
  const end = inside(state, table, state.end)
  if (step !== undefined && isPlain) {
    const next = { row: end.row + step.row, column: end.column + step.column }
    return (mayBegin && !key.shiftKey ? begin(state, table, next) : undefined) ?? go(state, table, next, key.shiftKey)
  }
  if (key.key === 'Home' && !key.altKey) return go(state, table, { row: isPlain ? end.row : 0, column: 0 }, key.shiftKey)
  if (key.key === 'End' && !key.altKey) return go(state, table, { row: isPlain ? end.row : height - 1, column: width - 1 }, key.shiftKey)
  if (key.key !== 'a' || !(key.ctrlKey || key.metaKey)) return undefined
  return go({ ...state, from: origin }, table, { row: height - 1, column: width - 1 }, true)
}

/** Handles a key that acts on the selected cells. */
function change(state: SheetState, table: Table, key: Key, mayChange: boolean): SheetOutcome | undefined {
  const isPlain = isPlainKey(key)
  const at = inside(state, table, state.from)
  const taken = (action: SheetAction): SheetOutcome => ({ state, action, isTaken: true })
  if ((key.key === 'Enter' || key.key === 'F2') && isPlain) return taken({ kind: 'edit', place: at })
  if ((key.key === 'Delete' || key.key === 'Backspace') && isPlain) return taken({ kind: 'clear' })
  if (mayChange && (key.key === 'ContextMenu' || (key.key === 'F10' && key.shiftKey))) return taken({ kind: 'menu' })
  if (!isPlain || key.key.length !== 1 || !mayChange) return undefined
  if (isSame(at, state.fullAt)) return { state, announcement: { kind: 'full' }, isTaken: true }
  return taken({ kind: 'edit', place: at, text: key.key })
}

/** Keys that would change a cell, or open a menu that changes it. */
const changing = /^(?:.|F2|F10|Delete|Backspace|ContextMenu)$/u

/** Handles a key while the person picks cells. Only keys that move have an effect. */
function pick(state: SheetState, table: Table, key: Key): SheetOutcome | undefined {
  const step = steps[key.key]
  const taken = (action?: SheetAction): SheetOutcome => ({ state, isTaken: true, ...(action && { action }) })
  if (key.key === 'Enter') return taken({ kind: 'pick' })
  if (key.key === 'Escape') return taken({ kind: 'cancel' })
  if (key.altKey && step !== undefined && step.row !== 0) return taken({ kind: 'sheet', direction: step.row === 1 ? 1 : -1 })
  return move(state, table, key) ?? (!key.ctrlKey && !key.metaKey && changing.test(key.key) ? taken() : undefined)
}

export function sheetStep(state: SheetState, event: SheetEvent, table: Table): SheetOutcome {
  switch (event.kind) {
    case 'go':
      return go(state, table, event.place, event.isRange)
    case 'put':
      return { state: put(state, event.place) }
    case 'focused':
      return isSame(event.place, state.end) ? { state } : { state: put(leaveFor(state, event.place), event.place) }
    case 'go on':
      return goOn(state, table, event)
    case 'key': {
      const { key, mayChange, isPicked } = event
      return (
        (isPicked ? pick(state, table, key) : undefined) ??
        move(state, table, key, mayChange && !isPicked) ??
        change(state, table, key, mayChange) ?? { state }
      )
    }
    case 'clear': {
      const places = rowsIn(event.area, (place) => ({ ...place, text: '' })).flat()
      return { state, focus: true, ...(event.mayChange && { edits: (now) => now.setCells(places) }) }
    }
    case 'paste': {
      const { text } = event
      const { top, first } = event.area
      if (text === '') return { state, focus: true }
      const announcement = { kind: 'pasted', ...pasteSize(top, first, text) } as const
      return { state, focus: true, announcement, edits: (now) => now.setCells(cellsOfTsv(top, first, text)) }
    }
  }
}

/** Returns the cells of an area in the format for the clipboard. */
export const copied = (area: Area, textAt: (place: Place) => string): string => formatTsv(rowsIn(area, textAt))
