/** The sheet cell that is being edited: its place, the content of its field, and how it is written. */
import { signal, type ReadonlySignal, type Signal } from '@preact/signals'
import type { Fence } from '../../shared/fences/fences.ts'
import type { Sheet } from '../../shared/fences/sheet.ts'
import type { Table } from '../../shared/fences/table.ts'
import type { Edit } from '../../shared/text/diff.ts'
import { t } from '../text/t.ts'
import { toast } from '../ui/toast.tsx'
import type { ComponentInput } from './input.ts'
import { type Begun, followDraft, isRemoved, placeOf, readingOf, readingsOf } from './sheet-draft.ts'
import { type FieldActions, nameOf, type Place, textAt, type Typed } from './sheet-grid.tsx'
import type { Pointing } from './sheet-pointing.ts'
import type { Selection } from './sheet-selection.ts'
import type { Writer } from './sheets-around.ts'

/** `all`: the fences of the text. */
export type Act = (edits: (now: Table, others: readonly Sheet[], all: readonly Fence[]) => readonly Edit[]) => boolean

/** A draft in a cell that somebody else changed meanwhile. */
export interface Conflict extends Place {
  readonly mine: string
  readonly theirs: string
}

export interface CellEditing extends FieldActions {
  readonly editing: ReadonlySignal<Begun | undefined>
  /** The content of the field. */
  readonly draft: ReadonlySignal<Typed>
  readonly conflict: Signal<Conflict | undefined>
  /** A draft in a cell whose column others removed. */
  readonly gone: Signal<string | undefined>
  /** Opens a cell; `text` replaces its content. */
  edit(place: Place, text?: string): void
  /** Opens the first cell, so that typing replaces its content. */
  begin(): void
  keepMine(): void
  /** The grid is removed, which ends the editing in it. */
  leave(): void
  /** Follows changes by others: moves the cell, and the references of its formula. */
  follow(): void
}

interface EditingInput {
  readonly input: ComponentInput
  readonly table: ReadonlySignal<Table>
  readonly selection: Selection
  readonly pointing: Pointing
  readonly act: Act
  /** While the grid is drawn a field loses the focus because its row moves, and not because the person left it. */
  readonly isDrawing: { readonly current: boolean }
}

/** State that the functions below share. */
interface Parts extends EditingInput {
  readonly editing: Signal<Begun | undefined>
  readonly draft: Signal<Typed>
  readonly conflict: Signal<Conflict | undefined>
  readonly gone: Signal<string | undefined>
  readonly field: { current: HTMLInputElement | undefined }
  /** Whether the field is shown on another sheet, whose cells the person points at. */
  isElsewhere(): boolean
  stop(): void
  keep(field: HTMLInputElement): void
}

const noStep: Place = { row: 0, column: 0 }

/** Returns the sheet on which the field is shown. */
const shownOn = ({ around, sheetIndex }: ComponentInput): number => around.pointed.peek()?.sheet ?? sheetIndex.peek()

function createParts(given: EditingInput): Parts {
  const { input, pointing } = given
  const editing = signal<Begun | undefined>(undefined)
  const draft = signal<Typed>({ text: '', from: 0, to: 0 })
  const field: Parts['field'] = { current: undefined }
  return {
    ...given,
    editing,
    draft,
    conflict: signal(undefined),
    gone: signal(undefined),
    field,
    isElsewhere: () => shownOn(input) !== input.sheetIndex.peek(),
    stop() {
      const { writer } = input.around
      editing.value = undefined
      field.current = undefined
      if (writer.peek()?.sheet === input.sheetIndex) writer.value = undefined
      pointing.end()
      input.hold(undefined)
    },
    keep({ value, selectionStart, selectionEnd }) {
      draft.value = { text: value, from: selectionStart ?? value.length, to: selectionEnd ?? value.length }
    }
  }
}

/** Returns from another sheet, on which the field was shown, to the sheet of the formula. */
function goBack({ input, selection }: Parts): void {
  const { around, sheets, sheetIndex } = input
  const fence = sheets.peek().sheets[sheetIndex.peek()]?.fence
  around.wanted.value = { sheet: sheetIndex.peek(), one: selection.at.peek(), other: selection.to.peek() }
  if (fence !== undefined) input.show(fence)
}

function store({ table, conflict, act, pointing }: Parts, begun: Begun, text: string): void {
  const place = placeOf(readingOf(table.peek()), begun)
  const theirs = textAt(table.peek(), place)
  if (theirs !== begun.before && theirs !== text.trim()) {
    conflict.value = { ...place, mine: text.trim(), theirs }
    return
  }
  act((now, _others, all) => {
    const { row, column } = placeOf(readingOf(now), begun)
    const named = pointing.named(
      text,
      all.filter(({ kind }) => kind === 'sheet')
    )
    return [...now.setCells([{ row, column, text: named.text }]), ...named.edits]
  })
}

function commit(parts: Parts, text: string, step: Place): void {
  const { editing, table, selection, stop, isElsewhere } = parts
  const begun = editing.peek()
  if (begun === undefined) return
  const wasElsewhere = isElsewhere()
  const place = placeOf(readingOf(table.peek()), begun)
  // Nothing is being edited from here on, so the stored state is drawn at once.
  editing.value = undefined
  if (text.trim() !== begun.before) store(parts, begun, text)
  stop()
  if (step.row === 0 && step.column === 0) return
  selection.dispatch({ kind: 'go on', place, step, isWritten: text.trim() !== '' })
  if (wasElsewhere) goBack(parts)
}

function createField(parts: Parts): FieldActions & { begin(isTyped: boolean): void } {
  const { input, editing, draft, field, selection, pointing, isDrawing, keep, stop, isElsewhere } = parts
  /** Whether the left and right arrows point at cells, as they do after a person has begun to type, or move within the text. */
  let pointsSideways = false
  const typing = (shown: HTMLInputElement): void => {
    keep(shown)
    const begun = editing.peek()
    if (begun !== undefined) input.hold(nameOf(begun))
  }
  /** A chart's table has no formulas. */
  const formula = (): Begun | undefined => (input.sheetIndex.peek() < 0 ? undefined : editing.peek())
  return {
    begin(isTyped) {
      pointsSideways = isTyped
    },
    typed: () => draft.peek(),
    drawn(shown) {
      field.current = shown
    },
    typing,
    left(shown, on) {
      // It is now shown on another sheet.
      if (editing.peek() === undefined || on !== shownOn(input)) return
      keep(shown)
      if (!isDrawing.current) commit(parts, shown.value, noStep)
    },
    pointed: () => pointing.keep(),
    commit: (text, step) => commit(parts, text, step),
    cancel() {
      const wasElsewhere = isElsewhere()
      stop()
      selection.focus()
      if (wasElsewhere) goBack(parts)
    },
    step(shown, step, isRange) {
      const begun = formula()
      const isWords = step.row === 0 && !pointsSideways && !pointing.goesOn(shown, shownOn(input))
      if (begun === undefined || isWords || !pointing.step(shown, begun, step, isRange)) return false
      typing(shown)
      return true
    },
    change(shown, direction) {
      const begun = formula()
      if (begun === undefined || !pointing.change(shown, begun, direction)) return false
      typing(shown)
      return true
    },
    turn() {
      pointsSideways = !pointsSideways
    }
  }
}

function follow({ input, table, selection, pointing, editing, draft, gone, field, keep, stop }: Parts): void {
  const { sheets, sheetIndex } = input
  const [own, others] = [readingOf(table.value), readingsOf(sheets.value, sheetIndex.value)]
  const begun = editing.peek()
  if (begun === undefined) return
  if (field.current !== undefined) keep(field.current)
  const { text, from, to } = draft.peek()
  if (isRemoved(own, begun)) {
    stop()
    if (text.trim() === begun.before) selection.focus()
    else gone.value = text
    return
  }
  const now = followDraft(begun, { text, offsets: [from, to, ...pointing.offsets()] }, { own, others }, table.value.fence.id)
  editing.value = now.begun
  if (now.draft.text === text) return
  const [start = 0, end = 0, pointedFrom = 0, pointedTo = 0] = now.draft.offsets
  draft.value = { text: now.draft.text, from: start, to: end }
  if (field.current !== undefined) {
    field.current.value = now.draft.text
    field.current.setSelectionRange(start, end)
  }
  pointing.moved(now.draft.text, pointedFrom, pointedTo)
}

/** Returns the formula, for the cells of all sheets that it can refer to. */
const writerOf = ({ input, editing, field, pointing }: Parts, actions: FieldActions): Writer => ({
  sheet: input.sheetIndex,
  name: () => `${input.label.peek()} ${nameOf(editing.peek() ?? noStep)}`,
  actions,
  takes: () => field.current !== undefined && pointing.takes(field.current),
  goesOn: (on) => field.current !== undefined && pointing.goesOn(field.current, on),
  point(on, at, isRange) {
    if (field.current === undefined || !pointing.point(field.current, on, at, isRange)) return false
    actions.typing(field.current)
    return true
  }
})

export function createEditing(given: EditingInput): CellEditing {
  const parts = createParts(given)
  const { input, table, selection, act, editing, draft, conflict, gone } = parts
  const { around, sheetIndex, sheets } = input
  const { begin, ...actions } = createField(parts)

  const edit = (place: Place, text?: string): void => {
    // A double press, or a second one while pointing, finds a field already open.
    if (input.refusal.peek() !== undefined || editing.peek() !== undefined) return
    const holder = input.held.peek().get(nameOf(place))
    if (holder !== undefined) return toast(t('{name} is editing this', { name: holder.name }))
    if (!table.peek().mayChange(place.row, place.column)) return toast(t('This cell holds a list or an object. Change it in the source.'))
    const before = textAt(table.peek(), place)
    const written = text ?? before
    selection.put(place)
    draft.value = { text: written, from: written.length, to: written.length }
    begin(text !== undefined)
    editing.value = { ...place, before, own: readingOf(table.peek()), others: readingsOf(sheets.peek(), sheetIndex.peek()) }
    if (sheetIndex.peek() >= 0) around.writer.value = writerOf(parts, actions)
    input.hold(nameOf(place))
  }
  return {
    ...actions,
    editing,
    draft,
    conflict,
    gone,
    edit,
    begin() {
      edit({ row: 0, column: 0 })
      draft.value = { ...draft.peek(), from: 0 }
    },
    keepMine() {
      const asked = conflict.peek()
      if (asked !== undefined) act((now) => now.setCells([{ row: asked.row, column: asked.column, text: asked.mine }]))
      conflict.value = undefined
    },
    leave() {
      if (editing.peek() !== undefined) parts.stop()
    },
    follow: () => follow(parts)
  }
}
