/** The complete state of a sheet on the page: its values, its session, its pointer and its clipboard. */
import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals'
import { type Area, areaBetween } from '../../shared/components/cell-range.ts'
import { parseChart } from '../../shared/fences/chart.ts'
import { followData } from '../../shared/fences/chart-pick.ts'
import type { Fence } from '../../shared/fences/fences.ts'
import type { Change } from '../../shared/fences/formula/rewrite.ts'
import { parseSheet } from '../../shared/fences/sheet.ts'
import { followChange } from '../../shared/fences/sheet-edits.ts'
import type { Table } from '../../shared/fences/table.ts'
import type { Edit } from '../../shared/text/diff.ts'
import type { ComponentInput } from './input.ts'
import { type Cells, createCells } from './sheet-cells.ts'
import { type Clipboard, createClipboard } from './sheet-clipboard.ts'
import type { GridActions } from './sheet-grid.tsx'
import { type Act, createSession, type SheetSession } from './sheet-session.ts'
import type { Writer } from './sheets-around.ts'

export interface SheetModel extends Clipboard {
  readonly table: ReadonlySignal<Table>
  readonly cells: Cells
  readonly session: SheetSession
  /** The selected cells, or the cells selected for a formula. */
  readonly area: ReadonlySignal<Area>
  /** The cell that the menu belongs to, or undefined while the menu is closed. */
  readonly menu: Signal<HTMLElement | undefined>
  readonly isDrawing: { current: boolean }
  readonly actions: GridActions
  readonly act: Act
  /** Inserts or deletes rows or columns. It also adjusts charts and the formulas of other sheets. */
  reshape(edits: (now: Table) => readonly Edit[], change: Change): void
}

function createActions({ around, sheetIndex }: ComponentInput, session: SheetSession): GridActions {
  const pickHere = (): void => {
    const picker = around.picker.peek()
    if (picker !== undefined && sheetIndex.peek() >= 0) picker.sheet.value = sheetIndex.peek()
  }
  /** Returns the formula that is being edited and can refer to cells of this sheet. It may belong to another sheet. */
  const writer = (): Writer | undefined => (sheetIndex.peek() < 0 ? undefined : around.writer.peek())
  return {
    field: session.field,
    press(place, isRange, isTouch) {
      pickHere()
      const now = writer()
      if (now === undefined) session.dispatch({ kind: 'press', place, isRange, isTouch })
      else if (!now.takes()) queueMicrotask(() => session.go(place))
    },
    point: (place, isRange) => writer()?.point(sheetIndex.peek(), place, isRange) ?? false,
    over(place) {
      const now = writer()
      if (now === undefined) session.go(place, true)
      else if (now.goesOn(sheetIndex.peek())) now.point(sheetIndex.peek(), place, true)
    },
    focused(place) {
      pickHere()
      session.dispatch({ kind: 'focused', place })
    },
    edit: (place) => void session.dispatch({ kind: 'edit', place })
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
  const menu = signal<HTMLElement | undefined>(undefined)
  const isDrawing = { current: false }
  const act: Act = (edits) =>
    input.act((now: Fence, all) => {
      const others = all.filter(({ kind, from }) => kind === 'sheet' && from !== now.from).map(parseSheet)
      const fresh = tableOf(now)
      return fresh === undefined ? [] : edits(fresh, others, all).toSorted((one, other) => one.from - other.from)
    })
  const session = createSession({ input, table, act, isDrawing, openMenu: (anchor) => (menu.value = anchor) })
  const cells = createCells(input, table, session.size)
  const area = computed(() => {
    const pointed = input.around.pointed.value
    const isHere = pointed !== undefined && pointed.sheet === input.sheetIndex.value
    return isHere ? areaBetween(pointed.one, pointed.other) : areaBetween(session.at.value, session.to.value)
  })
  return {
    table,
    cells,
    session,
    area,
    menu,
    isDrawing,
    actions: createActions(input, session),
    act,
    ...createClipboard({ table, area, session, shownAt: ({ row, column }) => cells.texts.peek()[row]?.[column] ?? '' }),
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
      session.focus()
    }
  }
}
