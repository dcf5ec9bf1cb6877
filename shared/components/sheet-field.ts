/** Handles events on the cell that a person edits: keys, typing, selected references, and changes by others. */
import type { Fence } from '../fences/fences.ts'
import { closedFormula } from '../fences/formula/parse.ts'
import type { Table } from '../fences/table.ts'
import type { Edit } from '../text/diff.ts'
import { nameOf, type CellPosition, textAt } from './cell-range.ts'
import { type Begun, followDraft, isRemoved, placeOf, readingOf, readingsOf } from './sheet-draft.ts'
import { type FieldCommand, fieldKey } from './sheet-keys.ts'
import {
  goesOn,
  type Inserted,
  noPointing,
  pointAt,
  pointBy,
  type Pointing,
  referenceIn,
  sheetsFrom,
  type Typed,
  withIds
} from './sheet-pointing.ts'
import { put } from './sheet-selection.ts'
import {
  type SheetState,
  noStep,
  type SheetWorld,
  type SheetEvent,
  type SheetAnnouncement,
  type SheetOutcome,
  shownOn,
  isElsewhere
} from './sheet-state.ts'
import { canonicalFormula, withEnglishNames } from './typed-formula.ts'
import { pastedNumber, typedNumber, withDecimalComma } from './typed-number.ts'

/** Opens a cell for editing. `text` replaces its content. */
export function editCell(
  state: SheetState,
  { table, sheets, index, mayChange, hasDecimalComma, held }: SheetWorld,
  place: CellPosition,
  text?: string
): SheetOutcome {
  // A double click, or a second click while selecting cells for a formula, finds a field that is already open.
  if (!mayChange || state.begun !== undefined) return { state }
  const holder = held.get(nameOf(place))
  if (holder !== undefined) return { state, announcement: { kind: 'held', name: holder.name } }
  if (!table.mayChange(place.row, place.column)) return { state, announcement: { kind: 'nested' } }
  const before = textAt(table, place)
  const written = text ?? (hasDecimalComma ? withDecimalComma(before) : before)
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

export const ended = (state: SheetState): SheetState => ({ ...state, begun: undefined, pointing: noPointing })

/** Returns the edits that store text in its cell. Each sheet that its formula names gets an id. */
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

/**
 * Returns typed text as its cell stores it. In chart data, every value is plain text. `isReplaced`: the person typed over the cell, so the same number
 * with a comma is meant as a number. A cell that was only opened keeps its text.
 */
function storedText(text: string, before: string, { index, hasDecimalComma, hasGermanNames }: SheetWorld, isReplaced = false): string {
  if (text === before) return isReplaced && hasDecimalComma ? pastedNumber(text) : text
  const typed = hasDecimalComma ? typedNumber(text, before) : text
  if (index < 0) return typed
  const formula = hasDecimalComma ? canonicalFormula(typed) : typed
  return closedFormula(hasGermanNames ? withEnglishNames(formula) : formula)
}

/** Returns the texts that the person typed into cells and that are not in the sheet, oldest first. */
export function unsavedText(state: SheetState, world: SheetWorld): string {
  const { begun, draft, pointsSideways, gone } = state
  const text = begun === undefined ? '' : storedText(draft.text.trim(), begun.before, world, pointsSideways)
  return [...gone, text === begun?.before ? '' : text].filter((each) => each !== '').join('\n')
}

/** Ends editing and stores the draft. If others have since changed the cell, the page asks which text to keep. */
function commit(state: SheetState, world: SheetWorld, step: CellPosition): SheetOutcome {
  const { begun, draft, pointing } = state
  if (begun === undefined) return { state }
  const place = placeOf(readingOf(world.table), begun)
  const text = draft.text.trim()
  const [mine, theirs] = [storedText(text, begun.before, world, state.pointsSideways), textAt(world.table, place)]
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
  // A chart's table has no formulas.
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

/** Adjusts the draft to changes by others: its position and its formula's references. */
function changed(state: SheetState, world: SheetWorld): SheetOutcome {
  const { table, sheets, index } = world
  const { begun, draft, pointing } = state
  if (begun === undefined) return { state }
  const own = readingOf(table)
  if (isRemoved(own, begun)) {
    const isTyped = storedText(draft.text.trim(), begun.before, world) !== begun.before
    return {
      state: { ...ended(state), ...(isTyped && { gone: [...state.gone, draft.text] }) },
      hold: null,
      ...(!isTyped && { focus: true })
    }
  }
  const { text, from, to } = draft
  const { pointed } = pointing
  const offsets = [from, to, pointed?.from ?? 0, pointed?.to ?? 0]
  const now = followDraft(begun, { text, offsets }, { own, others: readingsOf(sheets, index) }, table.fence.id)
  const isMoved = now.begun.row !== begun.row || now.begun.column !== begun.column
  const followed = { ...state, begun: now.begun, ...(isMoved && { selection: put(state.selection, now.begun) }) }
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

export function keepText(state: SheetState, whose: 'mine' | 'theirs'): SheetOutcome {
  const { conflict } = state
  if (conflict === undefined) return { state }
  const { row, column, mine: text } = conflict
  return {
    state: { ...state, conflict: undefined },
    ...(whose === 'mine' && { edits: (now: Table) => now.setCells([{ row, column, text }]) })
  }
}

export function fieldStep(state: SheetState, event: Extract<SheetEvent, { draft: Typed }>, world: SheetWorld): SheetOutcome {
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
