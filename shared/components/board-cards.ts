/** Handles events on a board's cards and on a card's draft: keys, typing and decisions. */
import type { Board, Card, CardPosition } from '../fences/board.ts'
import { findCard, wordsOf } from './board.ts'
import { type BoardEvent, type BoardOutcome, type BoardState, noParts } from './board-state.ts'
import { beginDraft, type CardDraft, type CardParts, cardSource, contestedParts, mergedParts, partsOf, plainParts } from './card-draft.ts'

/** Returns the text of the card that a draft edits; undefined if there is none. */
export const heldBy = (draft: CardDraft | undefined): string | undefined =>
  draft === undefined || draft.isGone ? undefined : wordsOf(draft.card)

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
  const next = column + (key === 'ArrowLeft' ? -1 : 1)
  const to = key === 'ArrowLeft' || key === 'ArrowRight' ? columns[next] : undefined
  return to && { column: next, card: Math.min(card, to.cards.length) }
}

export function editCard(state: BoardState, card: Card): BoardOutcome {
  // The open form belongs to another card, and a new draft would replace it.
  if (state.draft?.isTouched === true) return { state, announcement: { kind: 'still open' } }
  const position = findCard(state.board, card)
  if (position === undefined) return { state }
  const draft = beginDraft(card, position)
  return { state: { ...state, draft, parts: partsOf(card) }, focus: { kind: 'form' }, hold: wordsOf(card) }
}

export function stepCard(state: BoardState, { card, position, key }: { card: Card; position: CardPosition; key: string }): BoardOutcome {
  const { board: drawn } = state
  const to = neighborOf(drawn, position, key)
  return to === undefined ? { state } : { state, change: { kind: 'move card', drawn, card, to } }
}

export function cardKey(state: BoardState, event: Extract<BoardEvent, { kind: 'card key' }>): BoardOutcome {
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
  if (isArrow && altKey) return { ...stepCard(state, { card, position, key }), isTaken: true }
  if (!isOnCard) return { state }
  if (key === 'Enter' || key === 'F2') return { ...editCard(state, card), isTaken: true }
  if (key === ' ') return { state, change: { kind: 'cycle state', drawn, card }, isTaken: true }
  if (key === 'Delete') return { state, change: { kind: 'delete card', drawn, card }, isTaken: true }
  return { state }
}

// ——— a card's draft ———

/** Closes the draft. If its card still exists, the card receives focus. */
export function closeDraft(state: BoardState): BoardOutcome {
  const { draft } = state
  if (draft === undefined) return { state }
  return {
    state: { ...state, draft: undefined, parts: noParts },
    hold: null,
    ...(!draft.isGone && { focus: { kind: 'closed form', position: draft.position } })
  }
}

export function saveDraft(state: BoardState): BoardOutcome {
  const { draft, board: drawn } = state
  if (draft === undefined) return { state }
  const mine = plainParts(state.parts)
  if (draft.isGone) {
    const column = Math.min(draft.position.column, drawn.columns.length - 1)
    return { state, change: { kind: 'add card', drawn, column, text: cardSource(mine), source: 'draft' } }
  }
  // Whenever the person tries to save, the question receives focus, even if it was shown before.
  if (contestedParts(draft, mine).length > 0)
    return { state: { ...state, draft: { ...draft, isAsked: true } }, focus: { kind: 'question' } }
  return { state, change: { kind: 'save card', drawn, card: draft.card, parts: mergedParts(draft, mine, []) } }
}

export function keepParts(state: BoardState, whose: 'mine' | 'theirs'): BoardOutcome {
  const { draft, board: drawn } = state
  if (draft === undefined) return { state }
  const mine = plainParts(state.parts)
  const parts = mergedParts(draft, mine, whose === 'mine' ? [] : contestedParts(draft, mine))
  return { state, change: { kind: 'save card', drawn, card: draft.card, parts } }
}

export function typeDraft(state: BoardState, parts: CardParts): BoardOutcome {
  const { draft } = state
  if (draft === undefined) return { state }
  const isKnown = draft.isTouched && !draft.isAsked
  const held = heldBy(draft)
  return {
    state: { ...state, parts, draft: isKnown ? draft : { ...draft, isTouched: true, isAsked: false } },
    ...(held !== undefined && { hold: held })
  }
}
