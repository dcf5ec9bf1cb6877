/** Handles events on a board's fields and columns. */
import type { BoardChange } from './board-changes.ts'
import { columnStep } from './board.ts'
import { type Field, type GoneText, nearestColumn, type Opening } from './board-field.ts'
import type { BoardEvent, BoardOutcome, BoardState } from './board-state.ts'

export const closeField = (state: BoardState, opening: Opening): BoardOutcome => ({
  state: { ...state, field: undefined, typed: '' },
  focus: { kind: 'opener', opening }
})

/** Returns the open field with the current state of its column. */
export const openNow = ({ field }: BoardState, drawn: Field): Field => (field?.number === drawn.number ? field : drawn)

function fieldChange({ board: drawn }: BoardState, field: Field, text: string, source: 'field' | 'left field'): BoardChange {
  if (field.kind === 'column') return { kind: 'add column', drawn, text, source }
  const { column } = field
  return field.kind === 'card' ? { kind: 'add card', drawn, column, text, source } : { kind: 'rename column', drawn, column, text, source }
}

export function enterField(state: BoardState, field: Field, text: string): BoardOutcome {
  if (text.trim() === '') return closeField(state, field)
  const change = fieldChange(state, field, text, 'field')
  // The field for a new card stays open for the next card.
  return field.kind === 'card' ? { state, change } : { ...closeField(state, field), change }
}

export function leaveField(state: BoardState, field: Field, text: string): BoardOutcome {
  const left = state.field?.number === field.number ? { ...state, field: undefined, typed: '' } : state
  return text.trim() === '' ? { state: left } : { state: left, change: fieldChange(state, field, text, 'left field') }
}

export function discardGone(state: BoardState, number: number): BoardOutcome {
  return {
    state: { ...state, gone: state.gone.filter((each) => each.number !== number) },
    ...(state.field === undefined && { focus: { kind: 'opener', opening: { kind: 'column' } } })
  }
}

export function useGone({ board: drawn, ...state }: BoardState, gone: GoneText): BoardOutcome {
  const { text, number: source } = gone
  return {
    state: { ...state, board: drawn },
    change:
      gone.kind === 'rename'
        ? { kind: 'add column', drawn, text, source }
        : { kind: 'add card', drawn, column: nearestColumn(drawn, gone), text, source }
  }
}

export function columnKey(state: BoardState, { key: pressed, column }: Extract<BoardEvent, { kind: 'column key' }>): BoardOutcome {
  const { key, altKey, ctrlKey, metaKey, shiftKey } = pressed
  if (!altKey || ctrlKey || metaKey || shiftKey || (key !== 'ArrowLeft' && key !== 'ArrowRight')) return { state }
  const to = columnStep(state.board, column, key)
  // The key must not move the focus away from the board, even if the column is already at the end.
  return { state, isTaken: true, ...(to !== undefined && { change: { kind: 'move column', drawn: state.board, column, to } }) }
}
