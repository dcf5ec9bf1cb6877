/** The open one-line field of a board, for a new card, a new column or the name of a column. The text in the field stays with its column. */
import type { Board } from '../fences/board.ts'
import { titlesOf } from './board.ts'
import { followPart } from './follow-part.ts'

interface OfColumn {
  readonly kind: 'card' | 'rename'
  readonly column: number
}
export type Opening = OfColumn | { readonly kind: 'column' }
/** An open field. Its number is unique within the session. */
export type Field = Opening & { readonly number: number }

/** Text that was typed for a column that other people removed. */
export interface GoneText extends OfColumn {
  readonly number: number
  readonly text: string
}

/**
 * Returns the field after other people have changed the board, and the text of a field whose column was removed. A column name that was not edited
 * is dropped.
 */
export function followField(
  field: Field | undefined,
  typed: string,
  before: Board,
  now: Board
): { readonly field: Field | undefined; readonly gone?: GoneText } {
  if (field === undefined || field.kind === 'column') return { field }
  const titles = titlesOf(before)
  const column = followPart(titles, field.column, titlesOf(now))
  if (column !== undefined) return { field: column === field.column ? field : { ...field, column } }
  const text = typed.trim()
  const isNew = text !== '' && (field.kind === 'card' || text !== titles[field.column])
  return { field: undefined, ...(isNew && { gone: { ...field, text } }) }
}

/** Returns the column to which a card is added if its own column was removed. */
export const nearestColumn = ({ columns }: Board, { column }: GoneText): number => Math.min(column, columns.length - 1)
