/**
 * A person's session on a board, as pure functions: web/components/board-session.ts connects them to the page. board-state.ts has the types. The
 * session contains a card's draft, the open field, the filter, the card that the Tab key reaches, and the target of the focus. Other people may
 * change the board at any time, so a change finds its card or column again before it is written (board-changes.ts).
 */
import type { Board, Card, CardPosition } from '../fences/board.ts'
import { cardsOn, findCard, wordsOf } from './board.ts'
import { cardKey, closeDraft, editCard, heldBy, keepParts, saveDraft, stepCard, typeDraft } from './board-cards.ts'
import { followField } from './board-field.ts'
import { closeField, columnKey, discardGone, enterField, leaveField, openNow, useGone } from './board-fields.ts'
import { withFresh, written } from './board-results.ts'
import { type BoardEvent, type BoardOutcome, type BoardState, filterCardsMin } from './board-state.ts'
import { cardSource, followDraft } from './card-draft.ts'

const isSamePosition = (one: CardPosition, other: CardPosition): boolean => one.column === other.column && one.card === other.card

/** Follows a change that somebody made to the board. */
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

function settle(state: BoardState): BoardOutcome {
  const { draft, field, parts, typed } = state
  if (field !== undefined) return leaveField({ ...state, settled: field.number }, field, typed)
  // The form also refuses a card without a title.
  return draft?.isTouched === true && parts.title.trim() !== '' ? saveDraft(state) : { state }
}

/** Returns text that the person typed and that is not on the board. */
export const unsavedText = ({ draft, parts, field, typed, gone }: BoardState): string =>
  [draft?.isTouched === true ? cardSource(parts) : '', field === undefined ? '' : typed, ...gone.map(({ text }) => text)]
    .filter((text) => text.trim() !== '')
    .join('\n')

/** Returns an event's outcome: the next state, and the page's actions. */
export function boardStep(state: BoardState, event: BoardEvent): BoardOutcome {
  const { board: drawn } = state
  switch (event.kind) {
    case 'changed':
      return changed(state, event.board)
    case 'begin': {
      const card = cardsOn(drawn)[0]
      if (card !== undefined) return editCard(state, card)
      return boardStep(state, { kind: 'open', opening: drawn.columns.length > 0 ? { kind: 'card', column: 0 } : { kind: 'column' } })
    }
    case 'card key':
      return cardKey(state, event)
    case 'focused':
      return { state: isSamePosition(event.position, state.current) ? state : { ...state, current: event.position } }
    case 'step':
      return stepCard(state, event)
    case 'move':
      return { state, change: { kind: 'move card', drawn, card: event.card, to: event.to } }
    case 'cycle':
      return { state, change: { kind: 'cycle state', drawn, card: event.card } }
    case 'delete':
      return { state, change: { kind: 'delete card', drawn, card: event.card } }
    case 'edit':
      return editCard(state, event.card)
    case 'keep only':
      return { state, change: { kind: 'keep only', drawn, card: event.card, position: event.position } }
    case 'drag':
      return { state, hold: event.card === undefined ? null : wordsOf(event.card) }
    case 'typed':
      return typeDraft(state, event.parts)
    case 'save':
      return saveDraft(state)
    case 'cancel':
      return closeDraft(state)
    case 'keep':
      return keepParts(state, event.whose)
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
      return enterField(state, openNow(state, event.field), event.text)
    case 'settle':
      return settle(state)
    case 'leave':
      return event.field.number <= state.settled ? { state } : leaveField(state, openNow(state, event.field), event.text)
    case 'close':
      return state.field === undefined ? { state } : closeField(state, state.field)
    case 'use':
      return useGone(state, event.gone)
    case 'discard':
      return discardGone(state, event.gone.number)
    case 'filter':
      return { state: { ...state, filter: event.text, fresh: new Set() } }
    case 'written':
      return written(state, event)
  }
}

/**
 * Returns the position that receives focus when other people have changed the board around a focused card. It is the position of the card, or the
 * position next to it. `isLost`: no element has focus.
 */
export function positionAfter(board: Board, card: Card, position: CardPosition, isLost: boolean): CardPosition {
  const now = findCard(board, card)
  if (now !== undefined || !isLost) return now ?? position
  const last = (board.columns[position.column]?.cards.length ?? 0) - 1
  return { column: position.column, card: Math.max(0, Math.min(position.card, last)) }
}
