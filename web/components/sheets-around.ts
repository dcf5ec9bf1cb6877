/**
 * The sheets of one text together: a formula of one can refer to cells of another, a chart can pick its cells, and a link elsewhere can lead to
 * cells. Each sheet is identified by its index in the text.
 */
import { signal, type ReadonlySignal, type Signal } from '@preact/signals'
import type { DocumentSheets } from '../../shared/fences/document-sheets.ts'
import type { Fence } from '../../shared/fences/fences.ts'
import type { FieldActions, Place } from './sheet-grid.tsx'

export interface CellRange {
  readonly sheet: number
  /** The first and the last cell of the range. */
  readonly one: Place
  readonly other: Place
}

/** Cells that were pointed at, and the position of their reference in the formula. */
export interface Pointed extends CellRange {
  readonly text: string
  readonly from: number
  readonly to: number
}

/** The formula being edited. */
export interface Writer {
  readonly sheet: ReadonlySignal<number>
  /** Returns the name of the cell and its sheet. */
  name(): string
  readonly actions: FieldActions
  /** Whether a reference can be inserted at the cursor. */
  takes(): boolean
  /** Whether cells of this sheet were pointed at last, and the range can still grow. */
  goesOn(sheet: number): boolean
  /** Inserts a reference to a cell into the formula; returns false if none can be inserted there. */
  point(sheet: number, place: Place, isRange: boolean): boolean
}

/** The component for which cells are picked. */
export interface Picker {
  readonly name: string
  /** The sheet in which the person picks. */
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

/** Returns one instance for all components of a shown text, by its fences. */
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

/** The sheets of a text, and how to bring one of them into view. */
interface Sheets {
  readonly around: SheetsAround
  readonly sheets: ReadonlySignal<DocumentSheets>
  show(fence: Fence): boolean
}

const corner: Place = { row: 0, column: 0 }

/** Brings cells into view and selects them; returns false if their sheet is not drawn, for example because its source shows. */
export function goToCells({ around, sheets, show }: Sheets, range: CellRange): boolean {
  const fence = sheets.peek().sheets[range.sheet]?.fence
  if (fence === undefined || !show(fence)) return false
  around.wanted.value = range
  return true
}

/** Brings into view the first cell of the next, or previous, drawn sheet. */
export function goToSheet(input: Sheets, from: number, direction: 1 | -1): void {
  const count = input.sheets.peek().sheets.length
  for (let steps = 1; steps <= count; steps++) {
    const sheet = (from + direction * steps + count * steps) % count
    if (goToCells(input, { sheet, one: corner, other: corner })) return
  }
}
