/** The state of a person's session in a sheet, the events that the session receives, and the outcomes of these events. */
import type { Fence } from '../fences/fences.ts'
import type { Change } from '../fences/formula/rewrite.ts'
import type { Table } from '../fences/table.ts'
import type { Edit } from '../text/diff.ts'
import type { Area, Axis, CellPosition } from './cell-range.ts'
import type { Key } from './key.ts'
import type { Pasted, PasteSize } from './sheet-copies.ts'
import type { Begun } from './sheet-draft.ts'
import { goesOn, noPointing, type Pointing, type SheetsOfText, takesReference, type Typed } from './sheet-pointing.ts'
import { beginSelection, type Selection } from './sheet-selection.ts'

/** A draft in a cell that somebody else has since changed. */
export interface Conflict extends CellPosition {
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
  /** The drafts of cells whose row or column others removed, oldest first. */
  readonly gone: readonly string[]
}

const noDraft: Typed = { text: '', from: 0, to: 0 }
export const noStep: CellPosition = { row: 0, column: 0 }

export const beginSheet: SheetState = {
  selection: beginSelection,
  begun: undefined,
  draft: noDraft,
  pointing: noPointing,
  pointsSideways: false,
  conflict: undefined,
  gone: []
}

/** The sheet at the time of an event. For a chart's table, `index` is -1. */
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
  /** Whether the person may type the German names of functions. */
  readonly hasGermanNames: boolean
  /** The cells that others are editing, each with the person's name. */
  readonly held: ReadonlyMap<string, { readonly name: string }>
}

export type SheetEvent =
  /** Selects a cell, or a range up to that cell, and gives it focus. */
  | { readonly kind: 'go'; readonly place: CellPosition; readonly isRange: boolean }
  /** A cell was pressed while no formula can take a reference to it. */
  | { readonly kind: 'press'; readonly place: CellPosition; readonly isRange: boolean; readonly isTouch: boolean }
  /** A column letter or a row number was pressed. */
  | { readonly kind: 'head'; readonly axis: Axis; readonly index: number; readonly isRange: boolean }
  /** The pointer moved to a cell while a button was pressed. */
  | { readonly kind: 'over'; readonly place: CellPosition }
  /** A cell received focus without a request by the session. */
  | { readonly kind: 'focused'; readonly place: CellPosition }
  /** A key was pressed while no cell is being edited. */
  | { readonly kind: 'key'; readonly key: Key }
  | { readonly kind: 'clear'; readonly area: Area }
  /** Copies the first selected row down, or the first selected column to the right. */
  | { readonly kind: 'fill'; readonly axis: Axis }
  /** Inserts, deletes or moves rows or columns. */
  | { readonly kind: 'shape'; readonly change: Change }
  | ({ readonly kind: 'paste'; readonly area: Area } & Pasted)
  /** Opens a cell for editing. */
  | { readonly kind: 'edit'; readonly place: CellPosition }
  /** Opens the first cell for editing, so that typing replaces its content. */
  | { readonly kind: 'begin' }
  /** The selected cell received text, for example from an input method (IME). The text opens the cell and replaces its content. */
  | { readonly kind: 'entered'; readonly typed: Typed }
  | { readonly kind: 'typed'; readonly draft: Typed }
  /** A key was pressed in the field. */
  | { readonly kind: 'field key'; readonly key: Key; readonly draft: Typed }
  /** The field lost focus. `on` is the sheet that showed it. With `isMoved`, the field moved with its row, and the person did not leave it. */
  | { readonly kind: 'left'; readonly draft: Typed; readonly on: number; readonly isMoved: boolean }
  /** Inserts a reference to a cell of a sheet into the formula. */
  | { readonly kind: 'point'; readonly draft: Typed; readonly sheet: number; readonly place: CellPosition; readonly isRange: boolean }
  /** The sheet that the action `show` brought into view. */
  | { readonly kind: 'sheet shown'; readonly draft: Typed; readonly sheet: number }
  /** Keeps the last inserted reference, so that the next one does not replace it. */
  | { readonly kind: 'keep reference' }
  /** The sheets have changed, because of this person or somebody else. */
  | { readonly kind: 'changed'; readonly draft: Typed }
  /** Moves on from a cell that has been written. `isElsewhere`: another sheet showed the field. */
  | {
      readonly kind: 'go on'
      readonly place: CellPosition
      readonly step: CellPosition
      readonly isWritten: boolean
      readonly isElsewhere: boolean
    }
  | { readonly kind: 'keep'; readonly whose: 'mine' | 'theirs' }
  /** Discards a draft of `gone`. */
  | { readonly kind: 'close gone'; readonly index: number }
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
  /** `all`: all cells are selected. */
  | { readonly kind: 'full' | 'nested' | 'filled' | 'all' }
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
  /** Whether the selected cell gets focus when it has been drawn. */
  readonly focus?: boolean
  /** Returns the edits for the event in the current table. `all` contains the fences in the text. */
  readonly edits?: (now: Table, all: readonly Fence[]) => readonly Edit[]
  readonly announcement?: SheetAnnouncement
  readonly action?: SheetAction
  /** The cell that presence shows as being edited; null if there is none. */
  readonly hold?: string | null
  /** Text of a cell that cannot be saved, because the grid is removed. */
  readonly lost?: string | undefined
  /** An event that follows once the edits have been made. */
  readonly next?: SheetEvent
  /** Whether the sheet has handled the event. */
  readonly isTaken?: boolean
}

/** Returns the index of the sheet that shows the field. */
export const shownOn = ({ pointing }: SheetState, { index }: SheetWorld): number => pointing.pointed?.sheet ?? index

/** Whether the field appears on another sheet, because the person is selecting cells there. */
export const isElsewhere = (state: SheetState, world: SheetWorld): boolean => shownOn(state, world) !== world.index

/** Whether clicked cells can be inserted into the formula. */
export const takesCells = ({ begun, draft, pointing }: SheetState): boolean => begun !== undefined && takesReference(draft, pointing)

/** Whether the last reference is to cells of this sheet, and the range of that reference can still grow. */
export const growsOn = ({ begun, draft, pointing }: SheetState, sheet: number): boolean =>
  begun !== undefined && goesOn(draft, pointing, sheet)

/** Whether the clipboard acts on cells. Otherwise, it acts on the text of a field. */
export const clipsCells = ({ begun }: SheetState, { isPicking, isWriting }: SheetWorld): boolean =>
  begun === undefined && !isPicking && !isWriting
