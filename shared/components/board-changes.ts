/** The changes that a board session requests. Other people may change the board meanwhile, so each change finds its card or column again. */
import { type Board, type Card, type CardPosition, repeatedCards } from '../fences/board.ts'
import { addCard, addColumn, cycleState, deleteCard, moveCard, renameColumn } from '../fences/board-edits.ts'
import type { Edit } from '../text/diff.ts'
import { columnIn, columnMove, columnRemoval, findCard } from './board.ts'
import { type CardParts, partEdits } from './card-draft.ts'

/** A change to one card. It is refused if the card no longer exists. */
type CardChange = { readonly card: Card } & (
  | { readonly kind: 'cycle state' }
  | { readonly kind: 'delete card' }
  | { readonly kind: 'move card'; readonly to: CardPosition }
  | { readonly kind: 'save card'; readonly parts: CardParts }
)

/**
 * The field or form that a new card or column comes from. `field`: the person pressed Enter in a one-line field. `left field`: such a field lost
 * focus. `draft`: the form of a card that other people removed. A number: text that was typed for a column that other people removed.
 */
type Source = 'field' | 'left field' | 'draft' | number

type ColumnChange =
  | { readonly kind: 'add card'; readonly column: number; readonly text: string; readonly source: Source }
  | { readonly kind: 'add column'; readonly text: string; readonly source: Source }
  | { readonly kind: 'rename column'; readonly column: number; readonly text: string; readonly source: Source }
  /** `to` is the index of the column before which the moved column is inserted, or the number of columns. */
  | { readonly kind: 'move column'; readonly column: number; readonly to: number }
  | { readonly kind: 'delete column'; readonly column: number }
  /** Removes all copies of a card except the one at `position`. */
  | { readonly kind: 'keep only'; readonly card: Card; readonly position: CardPosition }

/** A change to the current board. Its positions refer to `drawn`, the board that the person saw. */
export type BoardChange = { readonly drawn: Board } & (CardChange | ColumnChange)

function withoutCopies(now: Board, { column, card }: CardPosition): Edit[] {
  const isIt = (position: CardPosition): boolean => position.column === column && position.card === card
  return (repeatedCards(now).find((positions) => positions.some(isIt)) ?? [])
    .filter((position) => !isIt(position))
    .flatMap((position) => deleteCard(now, position))
    .toSorted((one, other) => one.from - other.from)
}

function cardEdits(now: Board, change: CardChange): readonly Edit[] | undefined {
  const position = findCard(now, change.card)
  if (position === undefined) return undefined
  switch (change.kind) {
    case 'cycle state':
      return cycleState(now, position)
    case 'delete card':
      return deleteCard(now, position)
    case 'move card':
      return moveCard(now, position, change.to)
    case 'save card':
      return partEdits(now, position, change.parts)
  }
}

/** Returns the edits for a change in the current board; undefined if the card no longer exists. */
export function boardEdits(now: Board, change: BoardChange): readonly Edit[] | undefined {
  switch (change.kind) {
    case 'add card':
      return addCard(now, columnIn(change.drawn, change.column, now), change.text)
    case 'add column':
      return addColumn(now, change.text)
    case 'rename column':
      return renameColumn(now, columnIn(change.drawn, change.column, now), change.text)
    case 'move column':
      return columnMove(change.drawn, now, change.column, change.to)?.edits ?? []
    case 'delete column':
      return columnRemoval(change.drawn, now, change.column)
    case 'keep only':
      return withoutCopies(now, change.position)
    default:
      return cardEdits(now, change)
  }
}
