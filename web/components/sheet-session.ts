/**
 * Connects the session of a sheet to the page: exposes the state as signals, and carries out the effects (changes to the text, messages and focus).
 * The pure part, which decides the next state and its effects, is shared/components/sheet-session.ts.
 */
import { computed, signal, type ReadonlySignal } from '@preact/signals'
import { type Area, type Axis, cornersOf, nameOf, type CellPosition } from '../../shared/components/cell-range.ts'
import type { Begun } from '../../shared/components/sheet-draft.ts'
import type { Typed } from '../../shared/components/sheet-pointing.ts'
import { areaOf, inside, sizeOf } from '../../shared/components/sheet-selection.ts'
import { unsavedText } from '../../shared/components/sheet-field.ts'
import { sheetStep } from '../../shared/components/sheet-session.ts'
import {
  beginSheet,
  clipsCells,
  growsOn,
  type SheetAction,
  type SheetAnnouncement,
  type SheetEvent,
  type SheetOutcome,
  type SheetState,
  type SheetWorld,
  takesCells
} from '../../shared/components/sheet-state.ts'
import type { Fence } from '../../shared/fences/fences.ts'
import type { Table } from '../../shared/fences/table.ts'
import type { Edit } from '../../shared/text/diff.ts'
import { language, locale } from '../text/t.ts'
import { toast } from '../ui/toast.tsx'
import { offerLost } from './drafts.tsx'
import type { ComponentInput } from './input.ts'
import type { FieldActions } from './sheet-grid.tsx'
import { announced } from './sheet-words.ts'
import { signsOf } from './shown-number.ts'
import { goToSheet, type Writer } from './sheets-around.ts'

/** Changes the text of a sheet. `all` contains the fences of the document. */
export type Act = (edits: (now: Table, all: readonly Fence[]) => readonly Edit[]) => boolean

export interface SheetSession {
  /** Number of rows and columns, including one new, still empty row or column after the last one. */
  readonly size: ReadonlySignal<{ readonly height: number; readonly width: number }>
  /** The focused cell. */
  readonly at: ReadonlySignal<CellPosition>
  /** The corner of the selection opposite the focused cell. */
  readonly to: ReadonlySignal<CellPosition>
  /** The selected cells. */
  readonly area: ReadonlySignal<Area>
  /** `row` if entire rows are selected, `column` if entire columns are; undefined otherwise. */
  readonly whole: ReadonlySignal<Axis | undefined>
  /** The cell that is being edited. */
  readonly begun: ReadonlySignal<Begun | undefined>
  /** The content and the selection of the field. */
  readonly draft: ReadonlySignal<Typed>
  readonly conflict: ReadonlySignal<SheetState['conflict']>
  readonly gone: ReadonlySignal<readonly string[]>
  readonly field: FieldActions
  /** Whether the selected cell should take the focus once it is drawn. `asked` counts the requests. */
  readonly wantsFocus: { current: boolean }
  readonly asked: ReadonlySignal<number>
  focus(): void
  mayCopy(): boolean
  go(place: CellPosition, isRange?: boolean): void
  dispatch(event: SheetEvent): SheetOutcome
  /** Adjusts the draft to changes by other people. */
  follow(): void
  keyDown(event: KeyboardEvent): void
}

interface SessionInput {
  readonly input: ComponentInput
  readonly table: ReadonlySignal<Table>
  readonly act: Act
  readonly openMenu: (anchor: HTMLElement) => void
  /** Whether the grid is being drawn. A field that loses the focus during this time was moved with its row, and the person did not leave it. */
  readonly isDrawing: { readonly current: boolean }
}

const typedIn = ({ value, selectionStart, selectionEnd }: HTMLInputElement): Typed => ({
  text: value,
  from: selectionStart ?? value.length,
  to: selectionEnd ?? value.length
})

function write(field: HTMLInputElement, { text, from, to }: Typed): void {
  const shown = typedIn(field)
  if (shown.text !== text) field.value = text
  if (shown.text !== text || shown.from !== from || shown.to !== to) field.setSelectionRange(from, to)
}

/** Announces a message to screen readers, shows it as a notice, or both. */
function announce({ said, suggests }: ComponentInput, announcement: SheetAnnouncement): void {
  const { kind } = announcement
  // The notice about the suggestion already describes the change.
  if ((kind === 'shaped' || kind === 'filled') && suggests()) return
  const words = announced(announcement, suggests())
  const isQuiet = kind === 'pointed' || kind === 'whole' || kind === 'all' || kind === 'shaped' || kind === 'filled'
  const isShort = kind === 'pasted' && announcement.rowsFit === announcement.rows && announcement.columnsFit === announcement.columns
  const tell = (): void => {
    if (kind !== 'nested' && kind !== 'held' && kind !== 'shared id') said.value = words
    if (!isQuiet && !isShort) toast(words)
  }
  // The message about a truncated paste must follow the notice about the suggestion.
  if (kind === 'pasted' && !isShort && suggests()) queueMicrotask(tell)
  else tell()
}

export function createSession({ input, table, act, openMenu, isDrawing }: SessionInput): SheetSession {
  const { around, sheets, sheetIndex } = input
  const state = signal(beginSheet)
  const selection = computed(() => state.value.selection)
  const at = computed(() => inside(selection.value, table.value, selection.value.from))
  const to = computed(() => inside(selection.value, table.value, selection.value.end))
  const area = computed(() => areaOf(selection.value, table.value))
  const field: { current: HTMLInputElement | undefined } = { current: undefined }
  const wantsFocus = { current: false }
  const asked = signal(0)
  const focus = (): void => {
    wantsFocus.current = true
    asked.value = asked.peek() + 1
  }
  const world = (): SheetWorld => ({
    table: table.peek(),
    sheets: sheets.peek().sheets,
    index: sheetIndex.peek(),
    mayChange: input.refusal.peek() === undefined,
    isPicking: around.picker.peek() !== undefined && sheetIndex.peek() >= 0,
    isSuggesting: input.suggests(),
    isWriting: around.writer.peek() !== undefined,
    hasDecimalComma: signsOf(locale).decimal === ',',
    hasGermanNames: language() === 'de',
    held: input.held.peek()
  })
  const draftNow = (): Typed => (field.current === undefined ? state.peek().draft : typedIn(field.current))

  const carryOut = (action: SheetAction, target: EventTarget | null): void => {
    const range = { sheet: sheetIndex.peek(), ...cornersOf(area.peek()) }
    /** Brings a sheet into view. Returns false if it is not drawn. */
    const drawn = (sheet: number): boolean => {
      const fence = sheets.peek().sheets[sheet]?.fence
      return fence !== undefined && input.show(fence)
    }
    switch (action.kind) {
      case 'menu':
        return openMenu(target as HTMLElement)
      case 'pick':
        return around.picker.peek()?.take(range)
      case 'cancel':
        return around.picker.peek()?.cancel()
      case 'sheet':
        return goToSheet(input, range.sheet, action.direction)
      case 'go back':
        around.wanted.value = range
        return void drawn(range.sheet)
      case 'show': {
        const sheet = action.sheets.find(drawn) ?? action.sheets.at(-1)
        if (sheet !== undefined) dispatch({ kind: 'sheet shown', sheet, draft: draftNow() })
      }
    }
  }
  /** Shows the edited formula, and the cells that were selected for it, to all sheets. */
  const share = (before: SheetState, { begun, draft, pointing }: SheetState): void => {
    const isOpen = begun !== undefined
    if (!isOpen) field.current = undefined
    if (isOpen && before.begun === undefined && sheetIndex.peek() >= 0) around.writer.value = writer
    if (!isOpen && around.writer.peek() === writer) around.writer.value = undefined
    if (pointing.pointed !== before.pointing.pointed) around.pointed.value = pointing.pointed
    if (isOpen && field.current !== undefined) write(field.current, draft)
  }
  const dispatch = (event: SheetEvent, target: EventTarget | null = null): SheetOutcome => {
    const before = state.peek()
    const outcome = sheetStep(before, event, world())
    const { edits, announcement, action, hold, next } = outcome
    // The state changes before the text is stored, so that the grid draws the stored text immediately.
    state.value = outcome.state
    let isThere = edits === undefined
    const isDone =
      edits === undefined ||
      act((now, all) => {
        isThere = true
        return edits(now, all)
      })
    // In the reading view, a field loses the focus before its removed sheet is taken away.
    if (!isThere) offerLost(unsavedText(before, world()))
    share(before, state.peek())
    if (hold !== undefined) input.hold(hold ?? undefined)
    if (announcement !== undefined && isDone) announce(input, announcement)
    if (outcome.focus === true) focus()
    if (next !== undefined) dispatch(next)
    if (action !== undefined) carryOut(action, target)
    return outcome
  }
  const fieldActions: FieldActions = {
    drawn(shown) {
      field.current = shown
      write(shown, state.peek().draft)
    },
    typing(shown) {
      const draft = typedIn(shown)
      if (state.peek().begun !== undefined) return void dispatch({ kind: 'typed', draft })
      dispatch({ kind: 'entered', typed: draft })
      if (state.peek().begun === undefined) shown.value = ''
    },
    left: (shown, on) => void dispatch({ kind: 'left', draft: typedIn(shown), on, isMoved: isDrawing.current }),
    pointed: () => void dispatch({ kind: 'keep reference' }),
    key: (key, shown) => dispatch({ kind: 'field key', key, draft: typedIn(shown) }).isTaken === true
  }
  /** Lets the cells of all sheets insert references into the formula. */
  const writer: Writer = {
    sheet: sheetIndex,
    name: () => `${input.label.peek()} ${nameOf(state.peek().begun ?? { row: 0, column: 0 })}`,
    actions: fieldActions,
    takes: () => field.current !== undefined && takesCells({ ...state.peek(), draft: draftNow() }),
    goesOn: (sheet) => field.current !== undefined && growsOn({ ...state.peek(), draft: draftNow() }, sheet),
    leave: () => field.current?.blur(),
    point: (sheet, place, isRange) =>
      field.current !== undefined && dispatch({ kind: 'point', draft: draftNow(), sheet, place, isRange }).isTaken === true
  }
  return {
    size: computed(() => sizeOf(selection.value, table.value)),
    at,
    to,
    area,
    whole: computed(() => (selection.value.whole === 'all' ? undefined : selection.value.whole)),
    begun: computed(() => state.value.begun),
    draft: computed(() => state.value.draft),
    conflict: computed(() => state.value.conflict),
    gone: computed(() => state.value.gone),
    field: fieldActions,
    wantsFocus,
    asked,
    focus,
    mayCopy: () => clipsCells(state.peek(), world()),
    go: (place, isRange = false) => void dispatch({ kind: 'go', place, isRange }),
    dispatch,
    follow() {
      // The caller is an effect. Reading these signals here makes it run again when they change.
      void [table.value, sheets.value, sheetIndex.value]
      if (state.peek().begun !== undefined) dispatch({ kind: 'changed', draft: draftNow() })
    },
    keyDown(event) {
      if (event.isComposing || event.target instanceof HTMLButtonElement) return
      // The field of a cell handles its own keys, and leaves the others to the page.
      if (event.target instanceof Element && event.target.matches('.sheet-field')) return
      if (dispatch({ kind: 'key', key: event }, event.target).isTaken !== true) return
      event.preventDefault()
      event.stopPropagation()
    }
  }
}
