/** The cell of a sheet that is being written: where it is, what is in its field, and what becomes of it. */
import { signal, type ReadonlySignal, type Signal } from '@preact/signals'
import { type Sheet } from '../../shared/fences/sheet.ts'
import { setCell } from '../../shared/fences/sheet-edits.ts'
import type { Edit } from '../../shared/text/diff.ts'
import { t } from '../text/t.ts'
import { toast } from '../ui/toast.tsx'
import type { ComponentInput } from './input.ts'
import { type Editing, headingsOf, isRemoved, lineAt, nameOf, type Place, placeOf, textAt, type Typed } from './sheet-grid.tsx'
import type { Selection } from './sheet-selection.ts'

export type Act = (edits: (now: Sheet, others: readonly Sheet[]) => readonly Edit[]) => boolean

/** What was written in a cell that somebody else changed meanwhile. */
export interface Conflict extends Place {
  readonly mine: string
  readonly theirs: string
}

export interface CellEditing {
  readonly editing: ReadonlySignal<Editing | undefined>
  readonly conflict: Signal<Conflict | undefined>
  /** What was written in a cell whose column others removed. */
  readonly gone: Signal<string | undefined>
  /** `text`: in the place of what the cell says. */
  edit(place: Place, text?: string): void
  /** Opens the first cell, so that typing replaces what it says. */
  begin(): void
  /** Stores what is in the field and goes on by a step. */
  commit(text: string, step: Place): void
  keepMine(): void
  /** Ends the editing, without storing, when others removed the column. */
  followRemoval(): void
  typed(): Typed
  typing(field: HTMLInputElement): void
  /** The field lost the focus. */
  left(field: HTMLInputElement): void
  cancel(): void
}

interface EditingInput {
  readonly input: ComponentInput
  readonly sheet: ReadonlySignal<Sheet>
  readonly selection: Selection
  readonly act: Act
  /** While the grid is drawn a field loses the focus because its row moves: nobody left it. */
  readonly isDrawing: { readonly current: boolean }
  /** What else ends with the editing of a cell. */
  readonly onStop: () => void
}

export function createEditing({ input, sheet, selection, act, isDrawing, onStop }: EditingInput): CellEditing {
  const editing = signal<Editing | undefined>(undefined)
  const conflict = signal<Conflict | undefined>(undefined)
  const gone = signal<string | undefined>(undefined)
  let typed: Typed = { text: '', from: 0, to: 0 }

  const stop = (): void => {
    editing.value = undefined
    onStop()
    input.hold(undefined)
  }
  const keep = ({ value, selectionStart, selectionEnd }: HTMLInputElement): void => {
    typed = { text: value, from: selectionStart ?? value.length, to: selectionEnd ?? value.length }
  }
  const edit = (place: Place, text?: string): void => {
    // Who presses twice in a field, or points twice, has one open.
    if (input.refusal.peek() !== undefined || editing.peek() !== undefined) return
    const holder = input.held.peek().get(nameOf(place))
    if (holder !== undefined) return toast(t('{name} is editing this', { name: holder.name }))
    const before = textAt(sheet.peek(), place)
    const written = text ?? before
    selection.put(place)
    typed = { text: written, from: written.length, to: written.length }
    editing.value = { ...place, before, line: lineAt(sheet.peek(), place.row), headings: headingsOf(sheet.peek()) }
    input.hold(nameOf(place))
  }
  const commit = (text: string, step: Place): void => {
    const begun = editing.peek()
    if (begun === undefined) return
    stop()
    const place = placeOf(sheet.peek(), begun)
    const theirs = textAt(sheet.peek(), place)
    if (text.trim() !== begun.before) {
      if (theirs !== begun.before && theirs !== text.trim()) conflict.value = { ...place, mine: text.trim(), theirs }
      else
        act((now) => {
          const { row, column } = placeOf(now, begun)
          return setCell(now, row, column, text)
        })
    }
    if (step.row !== 0 || step.column !== 0) selection.goOn(place, step, text.trim() !== '')
  }
  return {
    editing,
    conflict,
    gone,
    edit,
    begin() {
      edit({ row: 0, column: 0 })
      typed = { ...typed, from: 0 }
    },
    commit,
    keepMine() {
      const asked = conflict.peek()
      if (asked !== undefined) act((now) => setCell(now, asked.row, asked.column, asked.mine))
      conflict.value = undefined
    },
    followRemoval() {
      const [now, begun] = [sheet.value, editing.peek()]
      if (begun === undefined || !isRemoved(now, begun)) return
      stop()
      if (typed.text.trim() === begun.before) selection.focus()
      else gone.value = typed.text
    },
    typed: () => typed,
    typing(field) {
      keep(field)
      const begun = editing.peek()
      if (begun !== undefined) input.hold(nameOf(placeOf(sheet.peek(), begun)))
    },
    left(field) {
      keep(field)
      if (!isDrawing.current) commit(field.value, { row: 0, column: 0 })
    },
    cancel() {
      stop()
      selection.focus()
    }
  }
}
