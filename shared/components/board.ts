/**
 * Actions on a displayed board, and the parts that it shows. Other people may have changed the board since it was drawn. The code therefore finds
 * columns again by name before it writes.
 */
import { type Board, type Card, type CardPosition, detailsOf } from '../fences/board.ts'
import { deleteColumn, moveColumn } from '../fences/board-edits.ts'
import type { Edit } from '../text/diff.ts'
import { followPart } from './follow-part.ts'

/** Returns the text of a card without its marker. The text identifies the card if positions have changed. */
export const wordsOf = (card: Card): string =>
  JSON.stringify([card.line.text.slice(card.text.from - card.line.from).trimEnd(), detailsOf(card)])

export const cardsOn = ({ columns }: Board): Card[] => columns.flatMap(({ cards }) => cards)
export const titlesOf = ({ columns }: Board): string[] => columns.map(({ title }) => title.text)

/** Finds a card that was seen earlier. Returns the position of the nearest card with the same content. */
export function findCard({ columns }: Board, card: Card): CardPosition | undefined {
  const words = wordsOf(card)
  let best: (CardPosition & { readonly away: number }) | undefined
  columns.forEach(({ cards }, column) =>
    cards.forEach((each, index) => {
      if (wordsOf(each) !== words) return
      const away = Math.abs(each.index - card.index)
      if (best === undefined || away < best.away) best = { column, card: index, away }
    })
  )
  return best && { column: best.column, card: best.card }
}

/** Returns the current index of a column of the displayed board; -1 if the column no longer exists. */
export const columnIn = (drawn: Board, index: number, now: Board): number => followPart(titlesOf(drawn), index, titlesOf(now)) ?? -1

/** Returns a unique rendering key for each column, so that the drawn elements move with their column. */
export function columnKeys(board: Board): string[] {
  const seen = new Map<string, number>()
  return titlesOf(board).map((title) => {
    const count = (seen.get(title) ?? 0) + 1
    seen.set(title, count)
    return `${count} ${title}`
  })
}

// ——— the filter ———

export const filterWords = (filter: string): string[] =>
  filter
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')

const matches = (card: Card, words: readonly string[]): boolean => {
  const text = `${card.line.text}\n${detailsOf(card)}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

interface ColumnShown {
  readonly cards: readonly { readonly card: Card; readonly at: number }[]
}

/**
 * Returns the cards of each column that match a filter, with their positions. A card whose text is in `always` is included even if it does not match.
 */
export const cardsLeft = ({ columns }: Board, words: readonly string[], always: ReadonlySet<string>): ColumnShown[] =>
  columns.map(({ cards }) => ({
    cards: cards.flatMap((card, at) => (words.length === 0 || matches(card, words) || always.has(wordsOf(card)) ? [{ card, at }] : []))
  }))

// ——— moving columns ———

export interface ColumnMove {
  readonly edits: readonly Edit[]
  /** Index of the column after the move. */
  readonly column: number
  readonly count: number
}

/**
 * Puts a displayed column in front of another one. `to` is the index of that column, or the number of columns. Returns undefined if the column is
 * already there or no longer exists.
 */
export function columnMove(drawn: Board, now: Board, column: number, to: number): ColumnMove | undefined {
  const from = columnIn(drawn, column, now)
  const behind = drawn.columns.map((_each, index) => index).slice(to)
  const before = behind.map((index) => columnIn(drawn, index, now)).find((at) => at >= 0) ?? now.columns.length
  const edits = from < 0 ? [] : moveColumn(now, from, before)
  if (edits.length === 0) return undefined
  return { edits, column: before > from ? before - 1 : before, count: now.columns.length }
}

/** Returns the edits that remove a displayed column. Returns no edits if somebody has added a card to the column since it was drawn. */
export function columnRemoval(drawn: Board, now: Board, column: number): readonly Edit[] {
  const at = columnIn(drawn, column, now)
  return now.columns[at]?.cards.length === 0 ? deleteColumn(now, at) : []
}

/** Returns the index of the column before which a column is inserted when it moves by one position; undefined if it is already at the end. */
export function columnStep({ columns }: Board, column: number, key: string): number | undefined {
  if (key === 'ArrowLeft' && column > 0) return column - 1
  return key === 'ArrowRight' && column + 1 < columns.length ? column + 2 : undefined
}

/**
 * Returns the index of the column before which a column dropped at `x` is inserted, based on the edges of the displayed columns. The number of
 * columns means the end of the board.
 */
export const columnAt = (boxes: readonly { readonly left: number; readonly right: number }[], x: number): number =>
  boxes.filter(({ left, right }) => (left + right) / 2 < x).length
