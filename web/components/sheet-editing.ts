/** Manages the sheet cell that is being edited: its position, the content of its field, and saving. */
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

/** Changes the text of a sheet. `all` contains the fences of the document. */
export type Act = (edits: (now: Table, others: readonly Sheet[], all: readonly Fence[]) => readonly Edit[]) => boolean

/** A draft in a cell that somebody else has changed in the meantime. */
export interface Conflict extends Place {
  readonly mine: string
  readonly theirs: string
}

export interface CellEditing extends FieldActions {
  readonly editing: ReadonlySignal<Begun | undefined>
  /** The content and the selection of the field. */
  readonly draft: ReadonlySignal<Typed>
  readonly conflict: Signal<Conflict | undefined>
  /** The draft of a cell whose column others removed. */
  readonly gone: Signal<string | undefined>
  /** Opens a cell for editing. `text` replaces its content. */
  edit(place: Place, text?: string): void
  /** Opens the first cell for editing, so that typing replaces its content. */
  begin(): void
  keepMine(): void
  /** Ends the editing when the grid is removed. */
  leave(): void
  /** Adjusts the draft to changes by others: its position and the references of its formula. */
  follow(): void
}

interface EditingInput {
  readonly input: ComponentInput
  readonly table: ReadonlySignal<Table>
  readonly selection: Selection
  readonly pointing: Pointing
  readonly act: Act
  /** Whether the grid is being drawn. A field that loses the focus during this time was moved with its row, and the person did not leave it. */
  readonly isDrawing: { readonly current: boolean }
}

/** State that the functions of this module share. */
interface Parts extends EditingInput {
  readonly editing: Signal<Begun | undefined>
  readonly draft: Signal<Typed>
  readonly conflict: Signal<Conflict | undefined>
  readonly gone: Signal<string | undefined>
  readonly field: { current: HTMLInputElement | undefined }
  /** Whether the field appears on another sheet, because the person is selecting cells there. */
  isElsewhere(): boolean
  stop(): void
  keep(field: HTMLInputElement): void
}

const noStep: Place = { row: 0, column: 0 }

/** Returns the index of the sheet that shows the field. */
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

/** Returns to the sheet of the formula from the sheet that showed its field. */
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
  // Editing ends before the text is stored, so that the grid draws the stored text immediately.
  editing.value = undefined
  if (text.trim() !== begun.before) store(parts, begun, text)
  stop()
  if (step.row === 0 && step.column === 0) return
  selection.dispatch({ kind: 'go on', place, step, isWritten: text.trim() !== '' })
  if (wasElsewhere) goBack(parts)
}

function createField(parts: Parts): FieldActions & { begin(isTyped: boolean): void } {
  const { input, editing, draft, field, selection, pointing, isDrawing, keep, stop, isElsewhere } = parts
  /** Whether the left and right arrows select cells, as they do after a person has begun to type, or move within the text. */
  let pointsSideways = false
  const typing = (shown: HTMLInputElement): void => {
    keep(shown)
    const begun = editing.peek()
    if (begun !== undefined) input.hold(nameOf(begun))
  }
  /** Returns the formula that is being edited. The table of a chart has no formulas. */
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
      // The field has moved to another sheet, so the person did not leave it.
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

/** Lets the cells of all sheets insert references into the formula. */
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
    // A double click, or a second click while selecting cells for a formula, finds a field that is already open.
    if (input.refusal.peek() !== undefined || editing.peek() !== undefined) return
    const holder = input.held.peek().get(nameOf(place))
    if (holder !== undefined) return toast(t('{name} is editing this', { name: holder.name }))
    if (!table.peek().mayChange(place.row, place.column))
      return toast(t('This cell contains a list or an object. Change it in the source.'))
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
