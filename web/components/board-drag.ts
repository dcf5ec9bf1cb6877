/** Finds the position for a dragged card or column of a board. */
import type { CardPosition } from '../../shared/fences/board.ts'
import { columnAt } from '../../shared/components/board.ts'
import { lineSize, type Target } from './drag.ts'

/** Returns the position for a card dropped at a point: before another card, or at the end of a column. */
export function cardTarget(root: HTMLElement, x: number, y: number): Target<CardPosition> | undefined {
  const [found] = (root.getRootNode() as ShadowRoot | Document).elementsFromPoint(x, y).filter((each) => root.contains(each))
  const column = found?.closest<HTMLElement>('[data-column]')
  if (column == null) return undefined
  const index = Number(column.dataset['column'])
  const card = found?.closest<HTMLElement>('[data-place]') ?? null
  const last = column.querySelector<HTMLElement>('[data-place]:last-of-type')
  const over = card ?? last
  if (over === null) {
    const { left, top, width } = (column.querySelector('.board-cards') ?? column).getBoundingClientRect()
    return { to: { column: index, card: 0 }, line: { left, top: top - 4, width, height: lineSize } }
  }
  const { left, top, bottom, width, height } = over.getBoundingClientRect()
  const isBelow = card === null || y > top + height / 2
  const at = Number(over.dataset['place']?.split(':')[1])
  return {
    to: { column: index, card: isBelow ? at + 1 : at },
    line: { left, top: isBelow ? bottom + 2 : top - 4, width, height: lineSize }
  }
}

/** Returns the index at which a column dropped at a point would be inserted. */
export function columnTarget(root: HTMLElement, x: number): Target<number> | undefined {
  const boxes = [...root.querySelectorAll('[data-column]')].map((column) => column.getBoundingClientRect())
  const to = columnAt(boxes, x)
  const [before, behind] = [boxes[to - 1], boxes[to]]
  const nearest = behind ?? before
  if (nearest === undefined) return undefined
  const left = before === undefined || behind === undefined ? (behind?.left ?? nearest.right) : (before.right + behind.left) / 2
  return {
    to,
    line: { left: left - lineSize / 2, top: nearest.top, width: lineSize, height: Math.max(...boxes.map(({ height }) => height)) }
  }
}
