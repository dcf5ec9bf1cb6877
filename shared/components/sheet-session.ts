/**
 * A person's session in a sheet, as pure functions: the selected cells, the cell that is being edited, and the cells that are selected for its
 * formula. web/components/sheet-session.ts connects the session to the page. Other people may change the sheets at any time. The meaning of each key
 * is in sheet-keys.ts.
 */
import { closedFormula } from '../fences/formula/parse.ts'
import type { Fence } from '../fences/fences.ts'
import type { Change } from '../fences/formula/rewrite.ts'
import type { Table } from '../fences/table.ts'
import type { Edit } from '../text/diff.ts'
import { type Area, type Axis, isSame, nameOf, type Place, rowsIn, textAt } from './cell-range.ts'
import type { Key } from './key.ts'
import { type Begun, followDraft, isRemoved, placeOf, readingOf, readingsOf } from './sheet-draft.ts'
import { filling, type Pasted, type PasteSize, pasting } from './sheet-copies.ts'
import { type FieldCommand, fieldKey, type GridCommand, pickingKey, selectingKey } from './sheet-keys.ts'
import {
  goesOn,
  type Inserted,
  keepReference,
  noPointing,
  pointAt,
  pointBy,
  type Pointing,
  referenceIn,
  sheetsFrom,
  type SheetsOfText,
  takesReference,
  type Typed,
  withIds
} from './sheet-pointing.ts'
import { canonicalFormula } from './typed-formula.ts'
import { typedNumber } from './typed-number.ts'
import { areaOf, beginSelection, extend, focusedAt, go, goOn, goWhole, inside, move, put, type Selection } from './sheet-selection.ts'
import { refusalOf, selectionAfter, shapeEdits, spanOf, stepOf } from './sheet-shape.ts'

/** A draft in a cell that somebody else has changed in the meantime. */
export interface Conflict extends Place {
  readonly mine: string
  readonly theirs: string
}

/** The state of a session. Typed text is stored in `draft`, apart from `begun`, which stays the same while a person types. */
export interface SheetState {
  readonly selection: Selection
  /** The cell that is being edited. */
  readonly begun: Begun | undefined
  readonly draft: Typed
  readonly pointing: Pointing
  /**
   * Whether the left and right arrows select cells, which they do after a person has begun to type. Otherwise, they move within the text.
   */
  readonly pointsSideways: boolean
  readonly conflict: Conflict | undefined
  /** The draft of a cell whose column others removed. */
  readonly gone: string | undefined
}

const noDraft: Typed = { text: '', from: 0, to: 0 }
const noStep: Place = { row: 0, column: 0 }

export const beginSheet: SheetState = {
  selection: beginSelection,
  begun: undefined,
  draft: noDraft,
  pointing: noPointing,
  pointsSideways: false,
  conflict: undefined,
  gone: undefined
}

/** The sheet at the time of an event. The table of a chart has the `index` -1. */
export interface SheetWorld extends SheetsOfText {
  readonly table: Table
  readonly mayChange: boolean
  /** Whether the person is picking cells for use elsewhere. */
  readonly isPicking: boolean
  /** Whether changes become suggestions, which do not change the sheet. */
  readonly isSuggesting: boolean
  /** Whether a formula is being edited in this sheet or another one. Its field may appear above this sheet. */
  readonly isWriting: boolean
  /** Whether the person's language writes numbers with a decimal comma. */
  readonly hasDecimalComma: boolean
  /** The cells that others are editing, each with the person's name. */
  readonly held: ReadonlyMap<string, { readonly name: string }>
}

export type SheetEvent =
  /** Selects a cell, or a range up to that cell, and gives it the focus. */
  | { readonly kind: 'go'; readonly place: Place; readonly isRange: boolean }
  /** A cell was pressed while no formula can take a reference to it. */
  | { readonly kind: 'press'; readonly place: Place; readonly isRange: boolean; readonly isTouch: boolean }
  /** A column letter or a row number was pressed. */
  | { readonly kind: 'head'; readonly axis: Axis; readonly index: number; readonly isRange: boolean }
  /** The pointer moved to a cell while a button was pressed. */
  | { readonly kind: 'over'; readonly place: Place }
  /** A cell received the focus without a request by the session. */
  | { readonly kind: 'focused'; readonly place: Place }
  /** A key was pressed while no cell is being edited. */
  | { readonly kind: 'key'; readonly key: Key }
  | { readonly kind: 'clear'; readonly area: Area }
  /** Inserts, deletes or moves rows or columns. */
  | { readonly kind: 'shape'; readonly change: Change }
  | ({ readonly kind: 'paste'; readonly area: Area } & Pasted)
  /** Opens a cell for editing. */
  | { readonly kind: 'edit'; readonly place: Place }
  /** Opens the first cell for editing, so that typing replaces its content. */
  | { readonly kind: 'begin' }
  | { readonly kind: 'typed'; readonly draft: Typed }
  /** A key was pressed in the field. */
  | { readonly kind: 'field key'; readonly key: Key; readonly draft: Typed }
  /** The field lost the focus. `on` is the sheet that showed it. With `isMoved`, the field moved with its row, and the person did not leave it. */
  | { readonly kind: 'left'; readonly draft: Typed; readonly on: number; readonly isMoved: boolean }
  /** Inserts a reference to a cell of a sheet into the formula. */
  | { readonly kind: 'point'; readonly draft: Typed; readonly sheet: number; readonly place: Place; readonly isRange: boolean }
  /** The sheet that the action `show` brought into view. */
  | { readonly kind: 'sheet shown'; readonly draft: Typed; readonly sheet: number }
  /** Keeps the last inserted reference, so that the next one does not replace it. */
  | { readonly kind: 'keep reference' }
  /** The sheets have changed, because of this person or somebody else. */
  | { readonly kind: 'changed'; readonly draft: Typed }
  /** Moves on from a cell that has been written. `isElsewhere`: another sheet showed the field. */
  | { readonly kind: 'go on'; readonly place: Place; readonly step: Place; readonly isWritten: boolean; readonly isElsewhere: boolean }
  | { readonly kind: 'keep'; readonly whose: 'mine' | 'theirs' }
  | { readonly kind: 'close gone' }
  /** The grid is removed from the page. */
  | { readonly kind: 'leave' }

/**
 * An effect outside the sheet. `menu` opens the menu. `pick` passes on the selected cells, and `cancel` ends picking without a result. `sheet` moves
 * to the next or the previous sheet.
 */
export type SheetAction =
  | { readonly kind: 'menu' | 'pick' | 'cancel' }
  | { readonly kind: 'sheet'; readonly direction: 1 | -1 }
  /** Returns to the sheet of the formula from the sheet that showed its field. */
  | { readonly kind: 'go back' }
  /** Brings into view the first of these sheets that is drawn. The event `sheet shown` reports that sheet. */
  | { readonly kind: 'show'; readonly sheets: readonly number[] }

export type SheetAnnouncement =
  | { readonly kind: 'full' | 'nested' | 'filled' }
  | { readonly kind: 'held'; readonly name: string }
  | { readonly kind: 'shared id'; readonly id: string }
  /** The reference that a key has inserted. */
  | { readonly kind: 'pointed'; readonly text: string }
  | ({ readonly kind: 'pasted' } & PasteSize)
  /** Entire rows or columns are selected. */
  | { readonly kind: 'whole'; readonly axis: Axis; readonly from: number; readonly count: number }
  | { readonly kind: 'shaped'; readonly change: Change }

export interface SheetOutcome {
  readonly state: SheetState
  /** Whether the selected cell gets the focus when it has been drawn. */
  readonly focus?: boolean
  /** Returns the edits of the event in the current table. `all` contains the fences of the text. */
  readonly edits?: (now: Table, all: readonly Fence[]) => readonly Edit[]
  readonly announcement?: SheetAnnouncement
  readonly action?: SheetAction
  /** The cell that presence shows as being edited; null if there is none. */
  readonly hold?: string | null
  /** An event that follows once the edits have been made. */
  readonly next?: SheetEvent
  /** Whether the sheet has handled the event. */
  readonly isTaken?: boolean
}

/** Returns the index of the sheet that shows the field. */
const shownOn = ({ pointing }: SheetState, { index }: SheetWorld): number => pointing.pointed?.sheet ?? index

/** Whether the field appears on another sheet, because the person is selecting cells there. */
const isElsewhere = (state: SheetState, world: SheetWorld): boolean => shownOn(state, world) !== world.index

/** Whether clicked cells can be inserted into the formula. */
export const takesCells = ({ begun, draft, pointing }: SheetState): boolean => begun !== undefined && takesReference(draft, pointing)

/** Whether the last reference is to cells of this sheet, and the range of that reference can still grow. */
export const growsOn = ({ begun, draft, pointing }: SheetState, sheet: number): boolean =>
  begun !== undefined && goesOn(draft, pointing, sheet)

/** Whether the clipboard acts on cells. Otherwise, it acts on the text of a field. */
export const clipsCells = ({ begun }: SheetState, { isPicking, isWriting }: SheetWorld): boolean =>
  begun === undefined && !isPicking && !isWriting

// ——— the selected cells ———

const selected = (state: SheetState, selection: Selection): SheetOutcome => ({ state: { ...state, selection }, focus: true, isTaken: true })

/** Returns a selection as an outcome. Entire rows and columns are announced, because the focus stays on one cell. */
function selectedWhole(state: SheetState, { table }: SheetWorld, selection: Selection): SheetOutcome {
  const { whole } = selection
  const outcome = selected(state, selection)
  if (whole === undefined) return outcome
  return { ...outcome, announcement: { kind: 'whole', axis: whole, ...spanOf(areaOf(selection, table), whole) } }
}

/** Inserts, deletes or moves rows or columns. */
function shape(state: SheetState, { table, mayChange, isSuggesting }: SheetWorld, change: Change): SheetOutcome {
  if (!mayChange || state.begun !== undefined) return { state }
  if (refusalOf(table, change) !== undefined) return { state, isTaken: true }
  return {
    state: isSuggesting ? state : { ...state, selection: selectionAfter(state.selection, change) },
    focus: true,
    isTaken: true,
    announcement: { kind: 'shaped', change },
    edits: (now, all) => shapeEdits(now, all, change)
  }
}

/** Empties cells that contain something. Empty cells need not exist in the source. */
const cleared =
  (area: Area) =>
  (now: Table): readonly Edit[] =>
    now.setCells(
      rowsIn(area, (place) => ({ ...place, text: '' }))
        .flat()
        .filter((place) => textAt(now, place) !== '')
    )

const clear = (state: SheetState, { mayChange }: SheetWorld, area: Area): SheetOutcome => ({
  state,
  focus: true,
  isTaken: true,
  ...(mayChange && { edits: cleared(area) })
})

function paste(state: SheetState, world: SheetWorld, { area, ...pasted }: Extract<SheetEvent, { kind: 'paste' }>): SheetOutcome {
  if (!clipsCells(state, world) || !world.mayChange) return { state }
  if (pasted.text === '') return { state, focus: true, isTaken: true }
  const { size, cells } = pasting(area, pasted, world)
  return { state, focus: true, isTaken: true, announcement: { kind: 'pasted', ...size }, edits: (now) => now.setCells(cells) }
}

/** Fills the selection from its first row or column. The page keeps the key if there is nothing to fill. */
function fill(state: SheetState, { table, index }: SheetWorld, axis: Axis): SheetOutcome {
  const area = areaOf(state.selection, table)
  if (filling(table, area, axis, index >= 0) === undefined) return { state }
  const edits = (now: Table): readonly Edit[] => now.setCells(filling(now, area, axis, index >= 0) ?? [])
  return { state, focus: true, isTaken: true, announcement: { kind: 'filled' }, edits }
}

/** On a touch screen dragging scrolls, so a person who picks cells taps the two corners of the range one after the other. */
function press(state: SheetState, world: SheetWorld, { place, isRange, isTouch }: Extract<SheetEvent, { kind: 'press' }>): SheetOutcome {
  const { selection } = state
  const [at, to] = [selection.from, selection.end].map((each) => inside(selection, world.table, each))
  const isSecond = isTouch && world.isPicking && selection.whole === undefined && at !== undefined && isSame(at, to)
  return selected(state, go(selection, world.table, place, isRange || isSecond))
}

function carryOut(state: SheetState, world: SheetWorld, command: GridCommand): SheetOutcome {
  const { selection } = state
  const { table, mayChange, isPicking } = world
  const at = inside(selection, table, selection.from)
  switch (command.kind) {
    case 'edit':
      if (command.text !== undefined && isSame(at, selection.fullAt)) return { state, announcement: { kind: 'full' }, isTaken: true }
      return { ...edit(state, world, at, command.text), isTaken: true }
    case 'clear':
      return clear(state, world, areaOf(selection, table))
    case 'fill':
      return fill(state, world, command.axis)
    case 'carry':
      // Elsewhere, the key belongs to the page.
      return selection.whole === command.axis ? shape(state, world, stepOf(areaOf(selection, table), command.axis, command.by)) : { state }
    case 'menu':
    case 'pick':
    case 'cancel':
    case 'sheet':
      return { state, action: command, isTaken: true }
    case 'none':
      return { state, isTaken: true }
    default:
      return selectedWhole(state, world, move(selection, table, command, mayChange && !isPicking))
  }
}

// ——— the cell that is being edited ———

/** Opens a cell for editing. `text` replaces its content. */
function edit(state: SheetState, { table, sheets, index, mayChange, held }: SheetWorld, place: Place, text?: string): SheetOutcome {
  // A double click, or a second click while selecting cells for a formula, finds a field that is already open.
  if (!mayChange || state.begun !== undefined) return { state }
  const holder = held.get(nameOf(place))
  if (holder !== undefined) return { state, announcement: { kind: 'held', name: holder.name } }
  if (!table.mayChange(place.row, place.column)) return { state, announcement: { kind: 'nested' } }
  const before = textAt(table, place)
  const written = text ?? before
  return {
    state: {
      ...state,
      selection: put(state.selection, place),
      begun: { ...place, before, own: readingOf(table), others: readingsOf(sheets, index) },
      draft: { text: written, from: written.length, to: written.length },
      pointsSideways: text !== undefined
    },
    hold: nameOf(place)
  }
}

const ended = (state: SheetState): SheetState => ({ ...state, begun: undefined, pointing: noPointing })

/** Returns the edits that store a text in its cell. Each sheet that its formula names gets an id. */
const storing =
  (begun: Begun, text: string, ids: Pointing['ids']) =>
  (now: Table, all: readonly Fence[]): readonly Edit[] => {
    const named = withIds(
      text,
      ids,
      all.filter(({ kind }) => kind === 'sheet')
    )
    return [...now.setCells([{ ...placeOf(readingOf(now), begun), text: named.text }]), ...named.edits]
  }

/** Returns a typed text as its cell stores it. In the data of a chart every value is plain text. */
function storedText(text: string, before: string, { index, hasDecimalComma }: SheetWorld): string {
  if (text === before) return text
  const typed = hasDecimalComma ? typedNumber(text, before) : text
  if (index < 0) return typed
  return closedFormula(hasDecimalComma ? canonicalFormula(typed) : typed)
}

/** Ends the editing and stores the draft. If others have changed the cell in the meantime, the page asks which text to keep. */
function commit(state: SheetState, world: SheetWorld, step: Place): SheetOutcome {
  const { begun, draft, pointing } = state
  if (begun === undefined) return { state }
  const place = placeOf(readingOf(world.table), begun)
  const text = draft.text.trim()
  const [mine, theirs] = [storedText(text, begun.before, world), textAt(world.table, place)]
  const isChanged = mine !== begun.before
  const isContested = isChanged && theirs !== begun.before && theirs !== mine
  const isStep = step.row !== 0 || step.column !== 0
  return {
    state: { ...ended(state), ...(isContested && { conflict: { ...place, mine, theirs } }) },
    hold: null,
    isTaken: true,
    ...(isChanged && !isContested && { edits: storing(begun, mine, pointing.ids) }),
    ...(isStep && { next: { kind: 'go on', place, step, isWritten: mine !== '', isElsewhere: isElsewhere(state, world) } })
  }
}

/** Returns the outcome of an insertion. `isTold`: the reference is announced, because a key has inserted it. */
function inserted(state: SheetState, begun: Begun, result: Inserted | undefined, isTold: boolean): SheetOutcome {
  if (result === undefined) return { state }
  const { draft, pointing, sharedId } = result
  const { pointed } = pointing
  const announcement: SheetAnnouncement | undefined =
    sharedId !== undefined
      ? { kind: 'shared id', id: sharedId }
      : isTold && pointed !== undefined
        ? { kind: 'pointed', text: pointed.text.slice(pointed.from, pointed.to) }
        : undefined
  return { state: { ...state, draft, pointing }, hold: nameOf(begun), isTaken: true, ...(announcement && { announcement }) }
}

function carryOutInField(state: SheetState, world: SheetWorld, command: FieldCommand): SheetOutcome {
  const { begun, draft, pointing, pointsSideways } = state
  // The table of a chart has no formulas.
  const isFormula = begun !== undefined && world.index >= 0
  switch (command.kind) {
    case 'commit':
      return commit(state, world, command.step)
    case 'cancel':
      return {
        state: ended(state),
        hold: null,
        focus: true,
        isTaken: true,
        ...(isElsewhere(state, world) && { action: { kind: 'go back' } })
      }
    case 'turn':
      return { state: { ...state, pointsSideways: !pointsSideways }, isTaken: true }
    case 'sheet': {
      const sheets = isFormula ? sheetsFrom(draft, pointing, command.direction, world) : []
      return sheets.length === 0 ? { state } : { state, action: { kind: 'show', sheets }, isTaken: true }
    }
    case 'step': {
      const isInText = command.step.row === 0 && !pointsSideways && !goesOn(draft, pointing, shownOn(state, world))
      if (!isFormula || isInText) return { state }
      return inserted(state, begun, pointBy(draft, pointing, { ...command, origin: begun }, world), true)
    }
  }
}

/** Adjusts the draft to changes by others: its position and the references of its formula. */
function changed(state: SheetState, { table, sheets, index }: SheetWorld): SheetOutcome {
  const { begun, draft, pointing } = state
  if (begun === undefined) return { state }
  const own = readingOf(table)
  if (isRemoved(own, begun)) {
    const isTyped = draft.text.trim() !== begun.before
    return { state: { ...ended(state), ...(isTyped && { gone: draft.text }) }, hold: null, ...(!isTyped && { focus: true }) }
  }
  const { text, from, to } = draft
  const { pointed } = pointing
  const offsets = [from, to, pointed?.from ?? 0, pointed?.to ?? 0]
  const now = followDraft(begun, { text, offsets }, { own, others: readingsOf(sheets, index) }, table.fence.id)
  const followed = { ...state, begun: now.begun }
  if (now.draft.text === text) return { state: followed }
  const [start = 0, end = 0, pointedFrom = 0, pointedTo = 0] = now.draft.offsets
  return {
    state: {
      ...followed,
      draft: { text: now.draft.text, from: start, to: end },
      pointing: referenceIn(now.draft.text, pointing, pointedFrom, pointedTo)
    }
  }
}

function keep(state: SheetState, whose: 'mine' | 'theirs'): SheetOutcome {
  const { conflict } = state
  if (conflict === undefined) return { state }
  const { row, column, mine: text } = conflict
  return {
    state: { ...state, conflict: undefined },
    ...(whose === 'mine' && { edits: (now: Table) => now.setCells([{ row, column, text }]) })
  }
}

function fieldStep(state: SheetState, event: Extract<SheetEvent, { draft: Typed }>, world: SheetWorld): SheetOutcome {
  const { begun, draft, pointing } = state
  switch (event.kind) {
    case 'typed':
      return { state, ...(begun && { hold: nameOf(begun) }) }
    case 'field key': {
      const command = fieldKey(event.key)
      return command === undefined ? { state } : carryOutInField(state, world, command)
    }
    case 'left':
      return event.isMoved ? { state } : commit(state, world, noStep)
    case 'point':
      return begun === undefined ? { state } : inserted(state, begun, pointAt(draft, pointing, event, world), false)
    case 'sheet shown': {
      if (begun === undefined) return { state }
      const place = event.sheet === world.index ? begun : noStep
      return inserted(state, begun, pointAt(draft, pointing, { sheet: event.sheet, place, isRange: false }, world), true)
    }
    case 'changed':
      return changed(state, world)
  }
}

export function sheetStep(state: SheetState, event: SheetEvent, world: SheetWorld): SheetOutcome {
  const { selection, pointing } = state
  const { table, mayChange, isPicking } = world
  switch (event.kind) {
    case 'go':
      return selected(state, go(selection, table, event.place, event.isRange))
    case 'press':
      return press(state, world, event)
    case 'head':
      return selectedWhole(state, world, goWhole(selection, table, event.axis, event.index, event.isRange))
    case 'over':
      return selectedWhole(state, world, extend(selection, table, event.place))
    case 'focused':
      return { state: { ...state, selection: focusedAt(selection, event.place) } }
    case 'key': {
      const command = state.begun !== undefined ? undefined : isPicking ? pickingKey(event.key) : selectingKey(event.key, mayChange)
      return command === undefined ? { state } : carryOut(state, world, command)
    }
    case 'clear':
      return clear(state, world, event.area)
    case 'shape':
      return shape(state, world, event.change)
    case 'paste':
      return paste(state, world, event)
    case 'edit':
      return isPicking ? { state } : edit(state, world, event.place)
    case 'begin': {
      const opened = edit(state, world, noStep)
      return opened.hold === undefined ? opened : { ...opened, state: { ...opened.state, draft: { ...opened.state.draft, from: 0 } } }
    }
    case 'keep reference':
      return { state: { ...state, pointing: keepReference(pointing, world.index) } }
    case 'go on': {
      const { place, step, isWritten } = event
      return {
        ...selected(state, goOn(selection, table, place, step, isWritten)),
        ...(event.isElsewhere && { action: { kind: 'go back' } })
      }
    }
    case 'keep':
      return keep(state, event.whose)
    case 'close gone':
      return { state: { ...state, gone: undefined }, focus: true }
    case 'leave':
      return state.begun === undefined ? { state } : { state: ended(state), hold: null }
    default: {
      // If another sheet shows the field now, the person has not left the field.
      const isUnknown = state.begun === undefined || (event.kind === 'left' && event.on !== shownOn(state, world))
      return isUnknown ? { state } : fieldStep({ ...state, draft: event.draft }, event, world)
    }
  }
}
