/**
 * A person's session on a board, as pure functions: web/components/board-session.ts connects them to the page. The session contains the draft of a
 * card, the open field, the filter, the card that the Tab key reaches, and the target of the focus. Other people may change the board at any time, so
 * a change finds its card or column again before it is written (board-changes.ts).
 */
import type { Board, Card, CardPosition } from '../fences/board.ts'
import { cardsOn, columnIn, columnMove, columnStep, findCard, titlesOf, wordsOf } from './board.ts'
import type { BoardChange } from './board-changes.ts'
import { type Field, followField, type GoneText, nearestColumn, type Opening } from './board-field.ts'
import {
  beginDraft,
  type CardDraft,
  type CardParts,
  cardSource,
  contestedParts,
  followDraft,
  mergedParts,
  partsOf,
  plainParts
} from './card-draft.ts'
import type { Key } from './key.ts'
import type { Result } from './result.ts'

/** Minimum number of cards for which a board shows a filter. */
const filterCardsMin = 5

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

const noParts: CardParts = { title: '', person: '', tags: '', details: '' }

export const beginBoard = (board: Board): BoardState => ({
  board,
  draft: undefined,
  parts: noParts,
  field: undefined,
  typed: '',
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
  /** A card received the focus. */
  | { readonly kind: 'focused'; readonly position: CardPosition }
  /** Moves a card in the direction of an arrow key: to the next column, or by one position. */
  | { readonly kind: 'step'; readonly card: Card; readonly position: CardPosition; readonly key: string }
  | { readonly kind: 'move'; readonly card: Card; readonly to: CardPosition }
  | { readonly kind: 'cycle' | 'delete' | 'edit'; readonly card: Card }
  | { readonly kind: 'keep only'; readonly card: Card; readonly position: CardPosition }
  /** A card is being dragged. `card` is undefined when the drag ends. */
  | { readonly kind: 'drag'; readonly card: Card | undefined }
  /** The person typed in the form of the draft. */
  | { readonly kind: 'typed'; readonly parts: CardParts }
  | { readonly kind: 'save' | 'cancel' }
  | { readonly kind: 'keep'; readonly whose: 'mine' | 'theirs' }
  /** A key was pressed on a column. */
  | { readonly kind: 'column key'; readonly key: Key; readonly column: number }
  | { readonly kind: 'move column'; readonly column: number; readonly to: number }
  | { readonly kind: 'delete column'; readonly column: number }
  /** Opens a field. Later events name the `field` that was drawn, because a different field may have been opened in the meantime. */
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
  | { readonly kind: 'deleted' | 'changed by others' | 'still open' }

export type BoardFocus =
  /** The focus moves immediately. */
  | { readonly kind: 'card'; readonly position: CardPosition }
  /** The focus moves when the state has been drawn. `opener` is the control that opened a field. */
  | { readonly kind: 'form' | 'question' }
  | { readonly kind: 'closed form'; readonly position: CardPosition }
  | { readonly kind: 'opener'; readonly opening: Opening }
  /** The focus moves when the change has been drawn. A new column does not get the focus; it is only scrolled into view. */
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

const isSamePosition = (one: CardPosition, other: CardPosition): boolean => one.column === other.column && one.card === other.card

// ——— changes by other people ———

const heldBy = (draft: CardDraft | undefined): string | undefined => (draft === undefined || draft.isGone ? undefined : wordsOf(draft.card))

/** Returns the text of cards that are in `now` but not in `before`. */
function newWords(before: Board, now: Board): string[] {
  const known = new Set(cardsOn(before).map(wordsOf))
  return cardsOn(now)
    .map(wordsOf)
    .filter((words) => !known.has(words))
}

const withFresh = (state: BoardState, before: Board): BoardState =>
  state.filter === '' ? state : { ...state, fresh: new Set([...state.fresh, ...newWords(before, state.board)]) }

function changed(state: BoardState, board: Board): BoardOutcome {
  if (board === state.board) return { state }
  const draft = state.draft && followDraft(state.draft, state.board, board)
  const { field, gone } = followField(state.field, state.typed, state.board, board)
  const now: BoardState = {
    ...state,
    board,
    draft,
    field,
    gone: gone === undefined ? state.gone : [...state.gone, gone],
    hasFilter: state.hasFilter || cardsOn(board).length >= filterCardsMin,
    changing: undefined
  }
  const [held, before] = [heldBy(draft), heldBy(state.draft)]
  return {
    state: state.changing === undefined ? now : withFresh(now, state.changing),
    ...(held !== before && { hold: held ?? null })
  }
}

// ——— cards ———

/** Returns the next card in the direction of an arrow key. */
function nextCard({ columns }: Board, { column, card }: CardPosition, key: string): CardPosition | undefined {
  if (key === 'ArrowUp' || key === 'ArrowDown') return { column, card: card + (key === 'ArrowUp' ? -1 : 1) }
  const by = key === 'ArrowLeft' ? -1 : 1
  for (let other = column + by; other >= 0 && other < columns.length; other += by) {
    const { length } = columns[other]?.cards ?? []
    if (length > 0) return { column: other, card: Math.min(card, length - 1) }
  }
  return undefined
}

/** Returns the position to which an arrow key moves a card; undefined if there is no position in that direction. */
function neighborOf({ columns }: Board, { column, card }: CardPosition, key: string): CardPosition | undefined {
  const last = columns[column]?.cards.length ?? 0
  if (key === 'ArrowUp') return card > 0 ? { column, card: card - 1 } : undefined
  if (key === 'ArrowDown') return card < last - 1 ? { column, card: card + 2 } : undefined
  const beside = column + (key === 'ArrowLeft' ? -1 : 1)
  const to = key === 'ArrowLeft' || key === 'ArrowRight' ? columns[beside] : undefined
  return to && { column: beside, card: Math.min(card, to.cards.length) }
}

function edit(state: BoardState, card: Card): BoardOutcome {
  // The open form belongs to another card, and a new draft would replace it.
  if (state.draft?.isTouched === true) return { state, announcement: { kind: 'still open' } }
  const position = findCard(state.board, card)
  if (position === undefined) return { state }
  const draft = beginDraft(card, position)
  return { state: { ...state, draft, parts: partsOf(card) }, focus: { kind: 'form' }, hold: wordsOf(card) }
}

function step(state: BoardState, { card, position, key }: { card: Card; position: CardPosition; key: string }): BoardOutcome {
  const { board: drawn } = state
  const to = neighborOf(drawn, position, key)
  return to === undefined ? { state } : { state, change: { kind: 'move card', drawn, card, to } }
}

function cardKey(state: BoardState, event: Extract<BoardEvent, { kind: 'card key' }>): BoardOutcome {
  const { key: pressed, card, position, isOnCard, isFree } = event
  const { key, altKey, ctrlKey, metaKey, shiftKey } = pressed
  const { board: drawn } = state
  if (ctrlKey || metaKey || shiftKey) return { state }
  const isArrow = key.startsWith('Arrow')
  if (isArrow && !altKey && isOnCard) {
    const to = nextCard(drawn, position, key)
    return { state, isTaken: true, ...(to && { focus: { kind: 'card', position: to } }) }
  }
  if (!isFree) return { state }
  if (isArrow && altKey) return { ...step(state, { card, position, key }), isTaken: true }
  if (!isOnCard) return { state }
  if (key === 'Enter' || key === 'F2') return { ...edit(state, card), isTaken: true }
  if (key === ' ') return { state, change: { kind: 'cycle state', drawn, card }, isTaken: true }
  if (key === 'Delete') return { state, change: { kind: 'delete card', drawn, card }, isTaken: true }
  return { state }
}

// ——— the draft of a card ———

/** Closes the draft. If its card still exists, the card receives the focus. */
function closeDraft(state: BoardState): BoardOutcome {
  const { draft } = state
  if (draft === undefined) return { state }
  return {
    state: { ...state, draft: undefined, parts: noParts },
    hold: null,
    ...(!draft.isGone && { focus: { kind: 'closed form', position: draft.position } })
  }
}

function save(state: BoardState): BoardOutcome {
  const { draft, board: drawn } = state
  if (draft === undefined) return { state }
  const mine = plainParts(state.parts)
  if (draft.isGone) {
    const column = Math.min(draft.position.column, drawn.columns.length - 1)
    return { state, change: { kind: 'add card', drawn, column, text: cardSource(mine), source: 'draft' } }
  }
  // Whenever the person tries to save, the question receives the focus, even if it was shown before.
  if (contestedParts(draft, mine).length > 0)
    return { state: { ...state, draft: { ...draft, isAsked: true } }, focus: { kind: 'question' } }
  return { state, change: { kind: 'save card', drawn, card: draft.card, parts: mergedParts(draft, mine, []) } }
}

function keep(state: BoardState, whose: 'mine' | 'theirs'): BoardOutcome {
  const { draft, board: drawn } = state
  if (draft === undefined) return { state }
  const mine = plainParts(state.parts)
  const parts = mergedParts(draft, mine, whose === 'mine' ? [] : contestedParts(draft, mine))
  return { state, change: { kind: 'save card', drawn, card: draft.card, parts } }
}

function typed(state: BoardState, parts: CardParts): BoardOutcome {
  const { draft } = state
  if (draft === undefined) return { state }
  const isKnown = draft.isTouched && !draft.isAsked
  const held = heldBy(draft)
  return {
    state: { ...state, parts, draft: isKnown ? draft : { ...draft, isTouched: true, isAsked: false } },
    ...(held !== undefined && { hold: held })
  }
}

// ——— fields and columns ———

const closeField = (state: BoardState, opening: Opening): BoardOutcome => ({
  state: { ...state, field: undefined, typed: '' },
  focus: { kind: 'opener', opening }
})

/** Returns the open field with the current state of its column. */
const openNow = ({ field }: BoardState, drawn: Field): Field => (field?.number === drawn.number ? field : drawn)

function fieldChange({ board: drawn }: BoardState, field: Field, text: string, source: 'field' | 'left field'): BoardChange {
  if (field.kind === 'column') return { kind: 'add column', drawn, text, source }
  const { column } = field
  return field.kind === 'card' ? { kind: 'add card', drawn, column, text, source } : { kind: 'rename column', drawn, column, text, source }
}

function enter(state: BoardState, field: Field, text: string): BoardOutcome {
  if (text.trim() === '') return closeField(state, field)
  const change = fieldChange(state, field, text, 'field')
  // The field for a new card stays open for the next card.
  return field.kind === 'card' ? { state, change } : { ...closeField(state, field), change }
}

function leave(state: BoardState, field: Field, text: string): BoardOutcome {
  const left = state.field?.number === field.number ? { ...state, field: undefined, typed: '' } : state
  return text.trim() === '' ? { state: left } : { state: left, change: fieldChange(state, field, text, 'left field') }
}

function discard(state: BoardState, number: number): BoardOutcome {
  return {
    state: { ...state, gone: state.gone.filter((each) => each.number !== number) },
    ...(state.field === undefined && { focus: { kind: 'opener', opening: { kind: 'column' } } })
  }
}

function use({ board: drawn, ...state }: BoardState, gone: GoneText): BoardOutcome {
  const { text, number: source } = gone
  return {
    state: { ...state, board: drawn },
    change:
      gone.kind === 'rename'
        ? { kind: 'add column', drawn, text, source }
        : { kind: 'add card', drawn, column: nearestColumn(drawn, gone), text, source }
  }
}

function columnKey(state: BoardState, { key: pressed, column }: Extract<BoardEvent, { kind: 'column key' }>): BoardOutcome {
  const { key, altKey, ctrlKey, metaKey, shiftKey } = pressed
  if (!altKey || ctrlKey || metaKey || shiftKey || (key !== 'ArrowLeft' && key !== 'ArrowRight')) return { state }
  const to = columnStep(state.board, column, key)
  // The key must not move the focus away from the board, even if the column is already at the end.
  return { state, isTaken: true, ...(to !== undefined && { change: { kind: 'move column', drawn: state.board, column, to } }) }
}

// ——— results of changes ———

type Change<Kind extends BoardChange['kind']> = Extract<BoardChange, { kind: Kind }>

/**
 * Returns the state after a card has been moved. It contains the positions before the move, because the reading view shows the move slightly later.
 */
function cardMoved(state: BoardState, { drawn, card, to }: Change<'move card'>): BoardOutcome {
  const before = findCard(drawn, card)
  const column = drawn.columns[to.column]
  const stays = before?.column === to.column
  const count = (column?.cards.length ?? 0) + Number(!stays)
  const index = stays && before.card < to.card ? to.card - 1 : to.card
  const position = { column: to.column, card: Math.min(index, count - 1) }
  return {
    state: { ...state, current: position },
    focus: { kind: 'moved card', position },
    announcement: { kind: 'moved', name: card.title.text, column: column?.title.text ?? '', place: position.card + 1, count }
  }
}

function cardDeleted(state: BoardState, { drawn, card }: Change<'delete card'>): BoardOutcome {
  const position = findCard(drawn, card)
  if (position === undefined) return { state }
  return {
    state,
    focus: { kind: 'moved card', position: { column: position.column, card: Math.max(0, position.card - 1) } },
    announcement: { kind: 'deleted' }
  }
}

function columnMoved(state: BoardState, { drawn, column, to }: Change<'move column'>, now: Board): BoardOutcome {
  const move = columnMove(drawn, now, column, to)
  if (move === undefined) return { state }
  const { column: at, count } = move
  return {
    state,
    focus: { kind: 'moved column', column: at },
    announcement: { kind: 'column moved', name: titlesOf(drawn)[column] ?? '', place: at + 1, count }
  }
}

function added(state: BoardState, { drawn, source, ...change }: Change<'add card' | 'add column'>, isSuggested: boolean): BoardOutcome {
  if (source === 'draft') return closeDraft(state)
  if (typeof source === 'number') return discard(state, source)
  if (change.kind === 'add column') return { state, ...(!isSuggested && { focus: { kind: 'new column', column: drawn.columns.length } }) }
  return {
    state: source === 'field' ? { ...state, typed: '' } : state,
    announcement: { kind: 'added', column: drawn.columns[change.column]?.title.text ?? '' },
    ...(source === 'field' && { empties: true })
  }
}

function written(given: BoardState, { change, result, now, isSuggested }: Extract<BoardEvent, { kind: 'written' }>): BoardOutcome {
  if (result === 'gone') return { state: given, announcement: { kind: 'changed by others' } }
  if (change.kind === 'save card') return result === 'closed' ? { state: given } : closeDraft(ownChange(given, change, result, isSuggested))
  if (result !== 'done') return { state: given }
  const state = ownChange(given, change, result, isSuggested)
  if (change.kind === 'add card' || change.kind === 'add column') return added(state, change, isSuggested)
  if (change.kind === 'keep only') return { state, announcement: { kind: 'copies removed', name: change.card.title.text } }
  if (isSuggested) return { state }
  if (change.kind === 'move card') return cardMoved(state, change)
  if (change.kind === 'delete card') return cardDeleted(state, change)
  // The heading is drawn again under its new name, which would take the focus away from its button.
  if (change.kind === 'rename column' && change.source === 'field')
    return { state, focus: { kind: 'moved column', column: columnIn(change.drawn, change.column, now) } }
  return change.kind === 'move column' ? columnMoved(state, change, now) : { state }
}

/**
 * Shows the cards that this page changed even if they do not match the filter. The editor shows a change before its result arrives; the reading view
 * shows it slightly later.
 */
function ownChange(state: BoardState, { drawn }: BoardChange, result: Result, isSuggested: boolean): BoardState {
  if (result !== 'done' || isSuggested) return state
  return state.board === drawn ? { ...state, changing: drawn } : withFresh(state, drawn)
}

export function boardStep(state: BoardState, event: BoardEvent): BoardOutcome {
  const { board: drawn } = state
  switch (event.kind) {
    case 'changed':
      return changed(state, event.board)
    case 'begin': {
      const card = cardsOn(drawn)[0]
      if (card !== undefined) return edit(state, card)
      return boardStep(state, { kind: 'open', opening: drawn.columns.length > 0 ? { kind: 'card', column: 0 } : { kind: 'column' } })
    }
    case 'card key':
      return cardKey(state, event)
    case 'focused':
      return { state: isSamePosition(event.position, state.current) ? state : { ...state, current: event.position } }
    case 'step':
      return step(state, event)
    case 'move':
      return { state, change: { kind: 'move card', drawn, card: event.card, to: event.to } }
    case 'cycle':
      return { state, change: { kind: 'cycle state', drawn, card: event.card } }
    case 'delete':
      return { state, change: { kind: 'delete card', drawn, card: event.card } }
    case 'edit':
      return edit(state, event.card)
    case 'keep only':
      return { state, change: { kind: 'keep only', drawn, card: event.card, position: event.position } }
    case 'drag':
      return { state, hold: event.card === undefined ? null : wordsOf(event.card) }
    case 'typed':
      return typed(state, event.parts)
    case 'save':
      return save(state)
    case 'cancel':
      return closeDraft(state)
    case 'keep':
      return keep(state, event.whose)
    case 'column key':
      return columnKey(state, event)
    case 'move column':
      return { state, change: { kind: 'move column', drawn, column: event.column, to: event.to } }
    case 'delete column':
      return { state, change: { kind: 'delete column', drawn, column: event.column } }
    case 'open':
      return { state: { ...state, field: { ...event.opening, number: state.fields + 1 }, fields: state.fields + 1, typed: '' } }
    case 'typed line':
      return { state: { ...state, typed: event.text } }
    case 'enter':
      return enter(state, openNow(state, event.field), event.text)
    case 'leave':
      return leave(state, openNow(state, event.field), event.text)
    case 'close':
      return state.field === undefined ? { state } : closeField(state, state.field)
    case 'use':
      return use(state, event.gone)
    case 'discard':
      return discard(state, event.gone.number)
    case 'filter':
      return { state: { ...state, filter: event.text, fresh: new Set() } }
    case 'written':
      return written(state, event)
  }
}

/**
 * Returns the position that receives the focus when other people have changed the board around a focused card. It is the position of the card, or the position
 * next to it. `isLost`: no element has the focus.
 */
export function positionAfter(board: Board, card: Card, position: CardPosition, isLost: boolean): CardPosition {
  const now = findCard(board, card)
  if (now !== undefined || !isLost) return now ?? position
  const last = (board.columns[position.column]?.cards.length ?? 0) - 1
  return { column: position.column, card: Math.max(0, Math.min(position.card, last)) }
}
