/**
 * Lines that somebody inserted directly above or below a line while another person moved it away. A move removes the line break on one side of the line.
 * The new line would then be joined with the text on that side.
 */
import * as Y from 'yjs'
import { isSameId, itemAt } from '../../shared/text/items.ts'
import { moveOf } from '../../shared/text/moved-lines.ts'
import { isInSpans, isLive, spanOf, textOf } from './line-parts.ts'

/** The most items that are examined on each side of a line. */
const neighborsMax = 50

/** Inserted text that is joined with other text: with the text above, or else with the text below. */
export interface Inserted {
  readonly first: Y.ID
  readonly last: Y.ID
  readonly above: boolean
}

type Side = 'left' | 'right'

/** Returns the marks before and behind a line that was moved away, or undefined. */
export const marksOf = (store: Y.Doc['store'], from: Y.ID): Record<Side, Y.Item> | undefined => {
  let left = itemAt(store, from)?.left
  for (let step = 0; left && step < neighborsMax; left = left.left, step++) {
    if (!left.deleted || !isSameId(left.rightOrigin, from)) continue
    const { client, clock } = left.id
    const second = itemAt(store, Y.createID(client, clock + 1))
    const right = itemAt(store, Y.createID(client, clock + 4))
    if (second === undefined || right?.deleted !== true || !isSameId(moveOf(store, second)?.from ?? null, from)) continue
    // If undo restored a deleted line, no mark ends it. The mark of the next line may follow.
    const next = itemAt(store, Y.createID(client, clock + 5))
    const other = next && moveOf(store, next)?.from
    if (other === undefined || !isSameId(other, right.rightOrigin)) return { left, right }
  }
  return undefined
}

/** Returns the visible items from an item to a character, the nearest first. Undefined if that is far. */
const liveUntil = (item: Y.Item | null, end: Y.ID | null, side: Side): Y.Item[] | undefined => {
  const found: Y.Item[] = []
  for (let step = 0; step < neighborsMax; item = item[side], step++) {
    if (item === null) return end === null ? found : undefined
    if (end !== null && isInSpans([spanOf(item, 0, item.length)], end)) return found
    if (isLive(item)) found.push(item)
  }
  return undefined
}

const liveFrom = (item: Y.Item | null, side: Side): Y.Item | undefined => {
  for (let step = 0; item !== null && step < neighborsMax; item = item[side], step++) if (isLive(item)) return item
  return undefined
}

const areJoined = (one: Y.Item | undefined, other: Y.Item | undefined): boolean =>
  one !== undefined && other !== undefined && !textOf(one).endsWith('\n') && !textOf(other).startsWith('\n')

/**
 * Returns the inserted lines that are joined with other text. The person who moved the line did not know them: they are between the line and the
 * characters that were next to it for this person.
 */
export const joinedInserts = (store: Y.Doc['store'], from: Y.ID): Inserted[] => {
  const marks = marksOf(store, from)
  if (marks === undefined) return []
  const begin = itemAt(store, from)?.left ?? null
  const end = itemAt(store, marks.right.origin ?? from)?.right ?? null
  const found = [
    liveUntil(begin, marks.left.origin, 'left')?.toReversed(),
    // People who know of the move write at the end of the text above. They write behind the last mark.
    liveUntil(end, marks.right.rightOrigin, 'right')?.filter(({ origin }) => !isSameId(origin, marks.right.id))
  ]
  return found.flatMap((items = []) => {
    const [first, last] = [items[0], items.at(-1)]
    // The person who moved the line knew what they inserted themselves.
    if (items.every(({ id }) => id.client === marks.left.id.client)) return []
    if (first === undefined || last === undefined || !items.some((item) => textOf(item).includes('\n'))) return []
    const above = items === found[0] && areJoined(liveFrom(first.left, 'left'), first)
    const below = areJoined(last, liveFrom(last.right, 'right'))
    return above || below ? [{ first: first.id, last: last.lastId, above }] : []
  })
}

/** Returns the first line break that somebody wrote directly before a line without knowing that it was moved. */
export const breakBefore = (store: Y.Doc['store'], first: Y.ID): Y.ID | undefined => {
  const item = liveFrom(itemAt(store, first)?.left ?? null, 'left')
  return item !== undefined && isSameId(item.rightOrigin, first) && textOf(item).trim() === '' && textOf(item).startsWith('\n')
    ? item.id
    : undefined
}
