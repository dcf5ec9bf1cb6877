/** A sheet on the page, put together: what it shows, what is selected, what is being written, and what pointer, keys and clipboard do. */
import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals'
import type { Fence } from '../../shared/fences/fences.ts'
import type { Change } from '../../shared/fences/formula/rewrite.ts'
import { parseSheet, type Sheet } from '../../shared/fences/sheet.ts'
import { followChange, setCells } from '../../shared/fences/sheet-edits.ts'
import type { Edit } from '../../shared/text/diff.ts'
import { toast } from '../ui/toast.tsx'
import type { ComponentInput } from './input.ts'
import { type Cells, createCells } from './sheet-cells.ts'
import { type Clipboard, createClipboard } from './sheet-clipboard.ts'
import { type Act, type CellEditing, createEditing } from './sheet-editing.ts'
import type { Deeds, Place } from './sheet-grid.tsx'
import { sheetKeys } from './sheet-keys.ts'
import { createPointing, type Pointing } from './sheet-pointing.ts'
import { type Area, areaBetween, createSelection, rowsIn, type Selection } from './sheet-selection.ts'

export interface SheetModel extends Clipboard {
  readonly sheet: ReadonlySignal<Sheet>
  readonly cells: Cells
  readonly selection: Selection
  readonly editing: CellEditing
  /** What is selected, or pointed at for a formula. */
  readonly area: ReadonlySignal<Area>
  /** What the menu stands beside; undefined: it is closed. */
  readonly menu: Signal<HTMLElement | undefined>
  readonly isDrawing: { current: boolean }
  readonly deeds: Deeds
  readonly act: Act
  /** Rows or columns come or go: formulas of other sheets follow. */
  reshape(edits: (now: Sheet) => readonly Edit[], change: Change): void
  keyDown(event: KeyboardEvent): void
}

interface DeedsInput {
  readonly selection: Selection
  readonly editing: CellEditing
  readonly pointing: Pointing
  readonly fieldOf: () => HTMLInputElement | null
}

function createDeeds({ selection, editing, pointing, fieldOf }: DeedsInput): Deeds {
  const point = (place: Place, isRange: boolean): boolean => {
    const field = fieldOf()
    if (field === null || !pointing.point(field, place, isRange)) return false
    editing.typing(field)
    return true
  }
  return {
    press(place, isRange) {
      const field = fieldOf()
      if (field === null) selection.go(place, isRange)
      else if (!pointing.takes(field)) queueMicrotask(() => selection.go(place))
    },
    over(place) {
      const field = fieldOf()
      if (field === null) selection.go(place, true)
      else if (pointing.goesOn(field)) point(place, true)
    },
    point,
    pointed: () => pointing.keep(),
    focused: (place) => selection.focused(place),
    edit: (place, text) => editing.edit(place, text),
    commit: (text, step) => editing.commit(text, step),
    typed: () => editing.typed(),
    typing: (field) => editing.typing(field),
    left: (field) => editing.left(field),
    cancel: () => editing.cancel()
  }
}

/** `fieldOf`: the field of the cell that is being written. */
export function createSheetModel(input: ComponentInput, fieldOf: () => HTMLInputElement | null): SheetModel {
  const sheet = computed(() => parseSheet(input.fence.value))
  const selection = createSelection(sheet)
  const cells = createCells(input, sheet, selection.size)
  const pointing = createPointing()
  const menu = signal<HTMLElement | undefined>(undefined)
  const isDrawing = { current: false }
  const area = computed(() => {
    const { one, other } = pointing.pointed.value ?? { one: selection.at.value, other: selection.to.value }
    return areaBetween(one, other)
  })
  const act: Act = (edits) =>
    input.act((now: Fence, all) => {
      const others = all.filter(({ kind, from }) => kind === 'sheet' && from !== now.from).map(parseSheet)
      return edits(parseSheet(now), others).toSorted((one, other) => one.from - other.from)
    })
  const editing = createEditing({ input, sheet, selection, act, isDrawing, onStop: () => pointing.keep() })
  const mayChange = (): boolean => input.refusal.peek() === undefined
  const clear = (): void => {
    const places = rowsIn(area.peek(), (place) => ({ ...place, text: '' })).flat()
    if (mayChange()) act((now) => setCells(now, places))
    selection.focus()
  }
  const tell = (words: string): void => {
    input.said.value = words
    toast(words)
  }
  const clipboard = createClipboard({
    input,
    sheet,
    area: () => area.peek(),
    shownAt: ({ row, column }) => cells.texts.peek()[row]?.[column] ?? '',
    isEditing: () => editing.editing.peek() !== undefined,
    act,
    clear,
    focus: () => selection.focus(),
    tell
  })
  return {
    sheet,
    cells,
    selection,
    editing,
    area,
    menu,
    isDrawing,
    deeds: createDeeds({ selection, editing, pointing, fieldOf }),
    act,
    ...clipboard,
    reshape(edits, change) {
      act((now, others) => {
        const own = edits(now)
        const { id } = now.fence
        return own.length === 0 || id === undefined ? own : [...own, ...others.flatMap((other) => followChange(other, id, change))]
      })
      selection.focus()
    },
    keyDown: sheetKeys({ selection, editing, mayChange, clear, openMenu: (anchor) => (menu.value = anchor), tell })
  }
}
