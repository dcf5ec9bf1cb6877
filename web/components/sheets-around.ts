/**
 * The sheets of one text, together: cells of one are pointed at for the formula of another, or picked for a chart, and one is gone to from
 * elsewhere. A sheet is told by its place among those of the text.
 */
import { signal, type ReadonlySignal, type Signal } from '@preact/signals'
import type { DocumentSheets } from '../../shared/fences/document-sheets.ts'
import type { Fence } from '../../shared/fences/fences.ts'
import type { FieldDeeds, Place } from './sheet-grid.tsx'

export interface CellRange {
  readonly sheet: number
  /** Where it began, and where it ends. */
  readonly one: Place
  readonly other: Place
}

/** Cells that were pointed at, and where they stand in the formula. */
export interface Pointed extends CellRange {
  readonly text: string
  readonly from: number
  readonly to: number
}

/** The formula that is being written. */
export interface Writer {
  readonly sheet: ReadonlySignal<number>
  /** Which cell of which sheet it is. */
  name(): string
  readonly deeds: FieldDeeds
  /** Whether a cell can come where the cursor is. */
  takes(): boolean
  /** Whether cells of this sheet were pointed at last, and more of them may come. */
  goesOn(sheet: number): boolean
  /** Puts a cell into the formula; false: none can come there. */
  point(sheet: number, place: Place, isRange: boolean): boolean
}

/** The component that wants cells to be picked. */
export interface Picker {
  readonly name: string
  /** The sheet that somebody picks in. */
  readonly sheet: Signal<number>
  take(range: CellRange): void
  cancel(): void
}

export interface SheetsAround {
  readonly writer: Signal<Writer | undefined>
  readonly pointed: Signal<Pointed | undefined>
  readonly picker: Signal<Picker | undefined>
  /** Cells that are to be selected, as soon as their sheet is drawn. */
  readonly wanted: Signal<CellRange | undefined>
}

const known = new WeakMap<ReadonlySignal<readonly Fence[]>, SheetsAround>()

/** One for all components of a text that is shown, by its fences. */
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

/** The sheets of a text, and how one of them comes into view. */
interface Sheets {
  readonly around: SheetsAround
  readonly sheets: ReadonlySignal<DocumentSheets>
  show(fence: Fence): boolean
}

const corner: Place = { row: 0, column: 0 }

/** Brings cells into view and selects them; false: their sheet is not drawn, because its source shows, say. */
export function goToCells({ around, sheets, show }: Sheets, range: CellRange): boolean {
  const fence = sheets.peek().sheets[range.sheet]?.fence
  if (fence === undefined || !show(fence)) return false
  around.wanted.value = range
  return true
}

/** The same for the first cell of the next sheet that is drawn, or of the one before. */
export function goToSheet(input: Sheets, from: number, direction: 1 | -1): void {
  const count = input.sheets.peek().sheets.length
  for (let steps = 1; steps <= count; steps++) {
    const sheet = (from + direction * steps + count * steps) % count
    if (goToCells(input, { sheet, one: corner, other: corner })) return
  }
}
