/** The complete state of a sheet on the page: its values, its session, its pointer and its clipboard. */
import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals'
import { type Area, areaBetween, type CellPosition } from '../../shared/components/cell-range.ts'
import type { Fence } from '../../shared/fences/fences.ts'
import type { Table } from '../../shared/fences/table.ts'
import type { ComponentInput } from './input.ts'
import { type Cells, createCells } from './sheet-cells.ts'
import { type Clipboard, createClipboard } from './sheet-clipboard.ts'
import { type GridActions, shownText } from './sheet-grid.tsx'
import { createHeads } from './sheet-head-actions.ts'
import { proposedCells, type TableOf } from './sheet-proposed.ts'
import { type Act, createSession, type SheetSession } from './sheet-session.ts'
import type { Writer } from './sheets-around.ts'

export interface SheetModel extends Clipboard {
  readonly table: ReadonlySignal<Table>
  readonly cells: Cells
  /** The texts that open suggestions propose, by the names of their cells. */
  readonly proposed: ReadonlySignal<ReadonlyMap<string, string>>
  readonly session: SheetSession
  /** The selected cells, or the cells selected for a formula. */
  readonly area: ReadonlySignal<Area>
  /** The cell that the menu belongs to, or undefined while the menu is closed. */
  readonly menu: Signal<HTMLElement | undefined>
  readonly isDrawing: { current: boolean }
  readonly actions: GridActions
  readonly act: Act
}

/** The properties of a part of a sheet. */
export interface SheetPartInput {
  readonly input: ComponentInput
  readonly model: SheetModel
}

function createActions(input: ComponentInput, session: SheetSession, openMenu: (anchor: HTMLElement) => void): GridActions {
  const { around, sheetIndex } = input
  const pickHere = (): void => {
    const picker = around.picker.peek()
    if (picker !== undefined && sheetIndex.peek() >= 0) picker.sheet.value = sheetIndex.peek()
  }
  /** Returns the formula that is being edited and can refer to cells of this sheet. It may belong to another sheet. */
  const writer = (): Writer | undefined => (sheetIndex.peek() < 0 ? undefined : around.writer.peek())
  return {
    field: session.field,
    heads: createHeads({ input, session, writer, openMenu }),
    press(place, isRange, isTouch) {
      pickHere()
      const now = writer()
      if (now === undefined) session.dispatch({ kind: 'press', place, isRange, isTouch })
      else if (!now.takes()) queueMicrotask(() => session.go(place))
    },
    point: (place, isRange) => writer()?.point(sheetIndex.peek(), place, isRange) ?? false,
    over(place) {
      const now = writer()
      if (now === undefined) session.dispatch({ kind: 'over', place })
      else if (now.goesOn(sheetIndex.peek())) now.point(sheetIndex.peek(), place, true)
    },
    focused(place, isCell) {
      pickHere()
      session.dispatch({ kind: 'focused', place })
      // The field that accepts text may not exist before the cell is drawn.
      if (isCell) session.focus()
    },
    edit: (place) => void session.dispatch({ kind: 'edit', place })
  }
}

export function createSheetModel(input: ComponentInput, tableOf: TableOf): SheetModel {
  let last: Table | undefined
  const table = computed((): Table => {
    last = tableOf(input.fence.value) ?? last
    if (last === undefined) throw new Error('a grid needs a table')
    return last
  })
  const menu = signal<HTMLElement | undefined>(undefined)
  const isDrawing = { current: false }
  const act: Act = (edits) =>
    input.act((now: Fence, all) => {
      const fresh = tableOf(now)
      return fresh === undefined ? [] : edits(fresh, all).toSorted((one, other) => one.from - other.from)
    })
  const openMenu = (anchor: HTMLElement): void => void (menu.value = anchor)
  const session = createSession({ input, table, act, isDrawing, openMenu })
  const cells = createCells(input, table, session.size)
  const shownAt = ({ row, column }: CellPosition): string => {
    const cell = cells.grid.peek()[row]?.[column]
    return cell === undefined ? '' : shownText(cell)
  }
  const area = computed(() => {
    const pointed = input.around.pointed.value
    const isHere = pointed !== undefined && pointed.sheet === input.sheetIndex.value
    return isHere ? areaBetween(pointed.one, pointed.other) : session.area.value
  })
  return {
    table,
    cells,
    proposed: proposedCells(input, tableOf),
    session,
    area,
    menu,
    isDrawing,
    actions: createActions(input, session, openMenu),
    act,
    ...createClipboard({ table, area, session, shownAt })
  }
}
