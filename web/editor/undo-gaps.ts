/** Runs of deleted items in the text, and the steps of undo that deleted them. */
import * as Y from 'yjs'

/** A step of undo or redo. */
export type Step = Y.UndoManager['undoStack'][number]

/** A run of deleted items, and the two neighbors that are not deleted. */
export interface Gap {
  readonly left: Y.Item | null
  readonly items: readonly Y.Item[]
  readonly right: Y.Item | null
}

/** Whether an item has no text, or its text was deleted. */
export const isGone = (item: Y.Item): boolean => item.deleted || !item.countable

export const textOf = ({ content }: Y.Item): string => (content instanceof Y.ContentString ? content.str : '')

/** Returns the deleted items around one of them. */
export function gapAround(item: Y.Item): Gap {
  let first = item
  while (first.left !== null && isGone(first.left)) first = first.left
  const items: Y.Item[] = []
  let right: Y.Item | null = first
  for (; right !== null && isGone(right); right = right.right) items.push(right)
  return { left: first.left, items, right }
}

/** Returns a set without the characters of a range. */
export function without(set: Step['insertions'], { client, clock }: Y.ID, length = 1): Step['insertions'] {
  const rest = Y.createDeleteSet()
  for (const [each, ranges] of set.clients) {
    rest.clients.set(
      each,
      each !== client
        ? ranges
        : ranges.flatMap((range) => {
            const end = range.clock + range.len
            if (clock >= end || clock + length <= range.clock) return [range]
            const parts = [
              { clock: range.clock, len: clock - range.clock },
              { clock: clock + length, len: end - clock - length }
            ]
            return parts.filter(({ len }) => len > 0)
          })
    )
  }
  return rest
}
