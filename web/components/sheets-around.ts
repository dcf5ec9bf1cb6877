/**
 * State that the sheets of a document share. A formula can refer to cells of another sheet, a chart can use cells of a sheet, and a link can lead to
 * cells. Each sheet is identified by its index in the text.
 */
import { signal, type ReadonlySignal, type Signal } from '@preact/signals'
import type { CellRange, CellPosition } from '../../shared/components/cell-range.ts'
import type { Pointed } from '../../shared/components/sheet-pointing.ts'
import type { DocumentSheets } from '../../shared/fences/document-sheets.ts'
import type { Fence } from '../../shared/fences/fences.ts'
import type { FieldActions } from './sheet-grid.tsx'

/** The formula that is being edited. */
export interface Writer {
  readonly sheet: ReadonlySignal<number>
  /** Returns the name of the cell with the formula, including its sheet. */
  name(): string
  readonly actions: FieldActions
  /** Whether a reference can be inserted at the caret. */
  takes(): boolean
  /** Whether the last reference is to cells of this sheet, and the range of that reference can still grow. */
  goesOn(sheet: number): boolean
  /** Leaves the field, which saves the formula. */
  leave(): void
  /** Inserts a reference to a cell into the formula. Returns false if none can be inserted at the caret. */
  point(sheet: number, place: CellPosition, isRange: boolean): boolean
}

/** The component that cells are being selected for. */
export interface Picker {
  readonly name: string
  /** Index of the sheet in which the person is selecting cells. */
  readonly sheet: Signal<number>
  take(range: CellRange): void
  cancel(): void
}

export interface SheetsAround {
  readonly writer: Signal<Writer | undefined>
  readonly pointed: Signal<Pointed | undefined>
  readonly picker: Signal<Picker | undefined>
  /** Cells to select as soon as their sheet is drawn. */
  readonly wanted: Signal<CellRange | undefined>
}

const known = new WeakMap<ReadonlySignal<readonly Fence[]>, SheetsAround>()

/** Returns the shared state for the fences of a displayed document. All its components receive the same object. */
export function sheetsAround(fences: ReadonlySignal<readonly Fence[]>): SheetsAround {
  const found = known.get(fences) ?? {
    writer: signal(undefined),
    pointed: signal(undefined),
    picker: signal(undefined),
    wanted: signal(undefined)
  }
  known.set(fences, found)
  return found
}

/** The sheets of a document, and a function that brings one of them into view. */
interface Sheets {
  readonly around: SheetsAround
  readonly sheets: ReadonlySignal<DocumentSheets>
  show(fence: Fence): boolean
}

const corner: CellPosition = { row: 0, column: 0 }

/** Brings cells into view and selects them. Returns false if their sheet is not drawn, for example because its source is visible. */
export function goToCells({ around, sheets, show }: Sheets, range: CellRange): boolean {
  const fence = sheets.peek().sheets[range.sheet]?.fence
  if (fence === undefined || !show(fence)) return false
  around.wanted.value = range
  return true
}

/** Brings the next or the previous drawn sheet into view, and selects its first cell or all its cells. */
export function goToSheet(input: Sheets, from: number, direction: 1 | -1, all = false): void {
  const { sheets } = input.sheets.peek()
  const count = sheets.length
  for (let steps = 1; steps <= count; steps++) {
    const sheet = (from + direction * steps + count * steps) % count
    const { rows = [], width = 1 } = sheets[sheet] ?? {}
    const end = all ? { row: Math.max(0, rows.length - 1), column: Math.max(0, width - 1) } : corner
    if (goToCells(input, { sheet, one: corner, other: end })) return
  }
}
