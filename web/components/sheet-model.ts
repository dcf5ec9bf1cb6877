/** The complete state of a sheet on the page: its values, selection, edited cell, pointer, keys and clipboard. */
import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals'
import { type Area, areaBetween } from '../../shared/components/sheet-selection.ts'
import { parseChart } from '../../shared/fences/chart.ts'
import { followData } from '../../shared/fences/chart-pick.ts'
import type { Fence } from '../../shared/fences/fences.ts'
import type { Change } from '../../shared/fences/formula/rewrite.ts'
import { parseSheet } from '../../shared/fences/sheet.ts'
import { followChange } from '../../shared/fences/sheet-edits.ts'
import type { Table } from '../../shared/fences/table.ts'
import type { Edit } from '../../shared/text/diff.ts'
import { toast } from '../ui/toast.tsx'
import type { ComponentInput } from './input.ts'
import { type Cells, createCells } from './sheet-cells.ts'
import { type Clipboard, createClipboard } from './sheet-clipboard.ts'
import { type Act, type CellEditing, createEditing } from './sheet-editing.ts'
import { type GridActions, nameOf, type Place } from './sheet-grid.tsx'
import { sheetKeys } from './sheet-keys.ts'
import { createPointing } from './sheet-pointing.ts'
import { createSelection, type Selection } from './sheet-selection.ts'
import type { Writer } from './sheets-around.ts'

export interface SheetModel extends Clipboard {
  readonly table: ReadonlySignal<Table>
  readonly cells: Cells
  readonly selection: Selection
  readonly editing: CellEditing
  /** The selected cells, or the cells selected for a formula. */
  readonly area: ReadonlySignal<Area>
  /** The cell that the menu belongs to, or undefined while the menu is closed. */
  readonly menu: Signal<HTMLElement | undefined>
  readonly isDrawing: { current: boolean }
  readonly actions: GridActions
  readonly act: Act
  /** Inserts or deletes rows or columns. It also adjusts charts and the formulas of other sheets. */
  reshape(edits: (now: Table) => readonly Edit[], change: Change): void
  keyDown(event: KeyboardEvent): void
}

function createActions({ around, sheetIndex }: ComponentInput, selection: Selection, editing: CellEditing): GridActions {
  const isPicked = (): boolean => around.picker.peek() !== undefined && sheetIndex.peek() >= 0
  const pickHere = (): void => {
    const picker = around.picker.peek()
    if (picker !== undefined && sheetIndex.peek() >= 0) picker.sheet.value = sheetIndex.peek()
  }
  /** Returns the formula that is being edited and can refer to cells of this sheet. It may belong to another sheet. */
  const writer = (): Writer | undefined => (sheetIndex.peek() < 0 ? undefined : around.writer.peek())
  const point = (place: Place, isRange: boolean): boolean => writer()?.point(sheetIndex.peek(), place, isRange) ?? false
  return {
    field: editing,
    press(place, isRange, isTouch) {
      pickHere()
      const now = writer()
      // On a touch screen dragging scrolls, so the person taps the two corners of the range one after the other.
      const isSecond = isTouch && isPicked() && nameOf(selection.at.peek()) === nameOf(selection.to.peek())
      if (now === undefined) selection.go(place, isRange || isSecond)
      else if (!now.takes()) queueMicrotask(() => selection.go(place))
    },
    point,
    over(place) {
      const now = writer()
      if (now === undefined) selection.go(place, true)
      else if (now.goesOn(sheetIndex.peek())) point(place, true)
    },
    focused(place) {
      pickHere()
      selection.focused(place)
    },
    edit: (place) => {
      if (!isPicked()) editing.edit(place)
    }
  }
}

/** Reads a component as a table. Returns undefined if changes by others made it something else. */
export type TableOf = (fence: Fence) => Table | undefined

export function createSheetModel(input: ComponentInput, tableOf: TableOf): SheetModel {
  let last: Table | undefined
  const table = computed((): Table => {
    last = tableOf(input.fence.value) ?? last
    if (last === undefined) throw new Error('a grid needs a table')
    return last
  })
  const selection = createSelection(table)
  const cells = createCells(input, table, selection.size)
  const pointing = createPointing(input)
  const menu = signal<HTMLElement | undefined>(undefined)
  const isDrawing = { current: false }
  const area = computed(() => {
    const pointed = input.around.pointed.value
    const isHere = pointed !== undefined && pointed.sheet === input.sheetIndex.value
    return isHere ? areaBetween(pointed.one, pointed.other) : areaBetween(selection.at.value, selection.to.value)
  })
  const act: Act = (edits) =>
    input.act((now: Fence, all) => {
      const others = all.filter(({ kind, from }) => kind === 'sheet' && from !== now.from).map(parseSheet)
      const fresh = tableOf(now)
      return fresh === undefined ? [] : edits(fresh, others, all).toSorted((one, other) => one.from - other.from)
    })
  const editing = createEditing({ input, table, selection, pointing, act, isDrawing })
  const mayChange = (): boolean => input.refusal.peek() === undefined
  const clear = (): void => {
    const { edits } = selection.dispatch({ kind: 'clear', area: area.peek(), mayChange: mayChange() })
    if (edits !== undefined) act(edits)
  }
  const tell = (words: string): void => {
    input.said.value = words
    toast(words)
  }
  const clipboard = createClipboard({
    input,
    table,
    area: () => area.peek(),
    shownAt: ({ row, column }) => cells.texts.peek()[row]?.[column] ?? '',
    isEditing: () => editing.editing.peek() !== undefined || (input.around.picker.peek() !== undefined && input.sheetIndex.peek() >= 0),
    selection,
    act,
    clear,
    tell
  })
  return {
    table,
    cells,
    selection,
    editing,
    area,
    menu,
    isDrawing,
    actions: createActions(input, selection, editing),
    act,
    ...clipboard,
    reshape(edits, change) {
      act((now, others, all) => {
        const own = edits(now)
        const { id, kind } = now.fence
        if (own.length === 0 || id === undefined || kind !== 'sheet') return own
        const charts = all.filter((each) => each.kind === 'chart').map(parseChart)
        return [
          ...own,
          ...others.flatMap((other) => followChange(other, id, change)),
          ...charts.flatMap((each) => followData(each, id, change))
        ]
      })
      selection.focus()
    },
    keyDown: sheetKeys({ input, selection, editing, mayChange, clear, openMenu: (anchor) => (menu.value = anchor), tell })
  }
}
