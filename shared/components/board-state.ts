/** The state of a person's session on a board, the events that the session receives, and the outcomes of these events. */
import type { Board, Card, CardPosition } from '../fences/board.ts'
import { cardsOn } from './board.ts'
import type { BoardChange } from './board-changes.ts'
import type { Field, GoneText, Opening } from './board-field.ts'
import type { CardDraft, CardParts } from './card-draft.ts'
import type { Key } from './key.ts'
import type { Result } from './result.ts'

/** Minimum number of cards for which a board shows a filter. */
export const filterCardsMin = 5

/**
 * The state of a session. Typed text is stored in `parts` and `typed`, apart from `draft` and `field`. These two objects stay the same while a person
 * types, so that nothing is drawn again for a keystroke.
 */
export interface BoardState {
  /** The board in the last event that the session received. */
  readonly board: Board
  readonly draft: CardDraft | undefined
  readonly parts: CardParts
  readonly field: Field | undefined
  readonly typed: string
  /** Number of the last field whose text the page has written by itself. When the field then loses the focus, nothing is left to write. */
  readonly settled: number
  /** Number of fields that have been opened so far. */
  readonly fields: number
  readonly gone: readonly GoneText[]
  /** The card that the Tab key reaches. */
  readonly current: CardPosition
  readonly filter: string
  /** Whether the board shows its filter. Once shown, the filter stays. */
  readonly hasFilter: boolean
  /** Text of the cards that this page has added or changed since the filter changed. These cards are shown even if they do not match the filter. */
  readonly fresh: ReadonlySet<string>
  /** The board before a change that this page requested and whose result the session has not received yet. */
  readonly changing: Board | undefined
}

export const noParts: CardParts = { title: '', person: '', tags: '', details: '' }

export const beginBoard = (board: Board): BoardState => ({
  board,
  draft: undefined,
  parts: noParts,
  field: undefined,
  typed: '',
  settled: 0,
  fields: 0,
  gone: [],
  current: { column: 0, card: 0 },
  filter: '',
  hasFilter: cardsOn(board).length >= filterCardsMin,
  fresh: new Set(),
  changing: undefined
})

export type BoardEvent =
  /** The board has changed, because of this person or somebody else. */
  | { readonly kind: 'changed'; readonly board: Board }
  /** Opens the first part of a new board for editing. */
  | { readonly kind: 'begin' }
  /** A key was pressed on a card. `isOnCard`: the event is not on a control inside the card. `isFree`: the person may currently change the card. */
  | {
      readonly kind: 'card key'
      readonly key: Key
      readonly card: Card
      readonly position: CardPosition
      readonly isOnCard: boolean
      readonly isFree: boolean
    }
  /** A card received focus. */
  | { readonly kind: 'focused'; readonly position: CardPosition }
  /** Moves a card in the direction of an arrow key: to the next column, or by one position. */
  | { readonly kind: 'step'; readonly card: Card; readonly position: CardPosition; readonly key: string }
  | { readonly kind: 'move'; readonly card: Card; readonly to: CardPosition }
  | { readonly kind: 'cycle' | 'delete' | 'edit'; readonly card: Card }
  | { readonly kind: 'keep only'; readonly card: Card; readonly position: CardPosition }
  /** A card is being dragged. `card` is undefined when the drag ends. */
  | { readonly kind: 'drag'; readonly card: Card | undefined }
  /** The person typed in the draft's form. */
  | { readonly kind: 'typed'; readonly parts: CardParts }
  | { readonly kind: 'save' | 'cancel' }
  /** The board is about to disappear, so the page writes the text in the open field, or else in the draft. */
  | { readonly kind: 'settle' }
  | { readonly kind: 'keep'; readonly whose: 'mine' | 'theirs' }
  /** A key was pressed on a column. */
  | { readonly kind: 'column key'; readonly key: Key; readonly column: number }
  | { readonly kind: 'move column'; readonly column: number; readonly to: number }
  | { readonly kind: 'delete column'; readonly column: number }
  /** Opens a field. Later events name the `field` that was drawn, because a different field may have been opened since. */
  | { readonly kind: 'open'; readonly opening: Opening }
  | { readonly kind: 'typed line'; readonly text: string }
  | { readonly kind: 'enter' | 'leave'; readonly field: Field; readonly text: string }
  | { readonly kind: 'close' }
  | { readonly kind: 'use' | 'discard'; readonly gone: GoneText }
  | { readonly kind: 'filter'; readonly text: string }
  /** The result of a change that an earlier event requested. `now` is the board in which the change was made. */
  | {
      readonly kind: 'written'
      readonly change: BoardChange
      readonly result: Result
      readonly now: Board
      readonly isSuggested: boolean
    }

export type BoardAnnouncement =
  | { readonly kind: 'moved'; readonly name: string; readonly column: string; readonly place: number; readonly count: number }
  | { readonly kind: 'column moved'; readonly name: string; readonly place: number; readonly count: number }
  | { readonly kind: 'added'; readonly column: string }
  | { readonly kind: 'copies removed'; readonly name: string }
  | { readonly kind: 'deleted' | 'changed by others' | 'still open' | 'refused' }

export type BoardFocus =
  /** The focus moves immediately. */
  | { readonly kind: 'card'; readonly position: CardPosition }
  /** The focus moves when the state has been drawn. `opener` is the control that opened a field, or the column of a new card. */
  | { readonly kind: 'form' | 'question' }
  | { readonly kind: 'closed form'; readonly position: CardPosition }
  | { readonly kind: 'opener'; readonly opening: Opening }
  /** The focus moves when the change has been drawn. A new column does not get focus; it is only scrolled into view. */
  | { readonly kind: 'moved card'; readonly position: CardPosition }
  | { readonly kind: 'moved column' | 'new column'; readonly column: number }

export interface BoardOutcome {
  readonly state: BoardState
  /** The change to apply. `boardEdits` creates its edits, and the event `written` reports the result. */
  readonly change?: BoardChange
  readonly announcement?: BoardAnnouncement
  readonly focus?: BoardFocus
  /** The card that presence shows as being edited; null if there is none. */
  readonly hold?: string | null
  /** Whether the open field is cleared for the next entry. */
  readonly empties?: boolean
  /** Whether the board has handled the key. */
  readonly isTaken?: boolean
}
