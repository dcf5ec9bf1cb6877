/** The state, the focus and the announcement after this person's change was written, suggested or refused. */
import type { Board } from '../fences/board.ts'
import { cardsOn, columnIn, columnMove, findCard, titlesOf, wordsOf } from './board.ts'
import { closeDraft } from './board-cards.ts'
import type { BoardChange } from './board-changes.ts'
import { discardGone } from './board-fields.ts'
import type { BoardEvent, BoardOutcome, BoardState } from './board-state.ts'
import type { Result } from './result.ts'

/** Returns the text of cards that are in `now` but not in `before`. */
function newWords(before: Board, now: Board): string[] {
  const known = new Set(cardsOn(before).map(wordsOf))
  return cardsOn(now)
    .map(wordsOf)
    .filter((words) => !known.has(words))
}

/** Adds the cards that appeared since `before` to those that are shown despite the filter. */
export const withFresh = (state: BoardState, before: Board): BoardState =>
  state.filter === '' ? state : { ...state, fresh: new Set([...state.fresh, ...newWords(before, state.board)]) }

type Change<Kind extends BoardChange['kind']> = Extract<BoardChange, { kind: Kind }>

/**
 * Returns the new state after a card is moved. The state still holds the old positions, because the reading view shows the move slightly later.
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
  if (typeof source === 'number') return discardGone(state, source)
  if (change.kind === 'add column') return { state, ...(!isSuggested && { focus: { kind: 'new column', column: drawn.columns.length } }) }
  return {
    state: source === 'field' ? { ...state, typed: '' } : state,
    announcement: { kind: 'added', column: drawn.columns[change.column]?.title.text ?? '' },
    ...(source === 'field' && { empties: true })
  }
}

export function written(given: BoardState, { change, result, now, isSuggested }: Extract<BoardEvent, { kind: 'written' }>): BoardOutcome {
  if (result === 'gone') return { state: given, announcement: { kind: 'changed by others' } }
  // If the person may no longer edit, the text stays in its field, where they can copy it.
  if (result === 'refused') return { state: given, announcement: { kind: 'refused' } }
  if (change.kind === 'save card') return result === 'closed' ? { state: given } : closeDraft(ownChange(given, change, result, isSuggested))
  if (result !== 'done') return { state: given }
  const state = ownChange(given, change, result, isSuggested)
  if (change.kind === 'add card' || change.kind === 'add column') return added(state, change, isSuggested)
  if (change.kind === 'keep only') return { state, announcement: { kind: 'copies removed', name: change.card.title.text } }
  if (isSuggested) return { state }
  if (change.kind === 'move card') return cardMoved(state, change)
  if (change.kind === 'delete card') return cardDeleted(state, change)
  // The heading is drawn again under its new name, which would take focus away from its button.
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
