/** The actions of column letters and row numbers: they select entire columns and rows, open their menu, and move them by drag and drop. */
import type { Axis, CellPosition } from '../../shared/components/cell-range.ts'
import { spanOf } from '../../shared/components/sheet-shape.ts'
import { lineSize, startDrag, type Target } from './drag.ts'
import type { ComponentInput } from './input.ts'
import type { HeadActions, HeadOf } from './sheet-heads.tsx'
import type { SheetSession } from './sheet-session.ts'
import type { Writer } from './sheets-around.ts'

/** Returns the target of dragged rows or columns: the index before which they would be inserted, and the line that marks it. */
function dropTarget(root: HTMLElement, axis: Axis, at: number): Target<number> | undefined {
  const [scroller, table] = [root.querySelector('.sheet-scroll'), root.querySelector('.sheet')]
  if (scroller === null || table === null) return undefined
  const [view, box] = [scroller.getBoundingClientRect(), table.getBoundingClientRect()]
  const [start, end] = axis === 'row' ? (['top', 'bottom'] as const) : (['left', 'right'] as const)
  let found: { readonly index: number; readonly box: DOMRect; readonly distance: number } | undefined
  // The dragged image is not part of the table.
  for (const head of table.querySelectorAll<HTMLElement>(`[data-${axis}]`)) {
    const own = head.getBoundingClientRect()
    const distance = Math.abs((own[start] + own[end]) / 2 - at)
    if (found === undefined || distance < found.distance) found = { index: Number(head.dataset[axis]), box: own, distance }
  }
  if (found === undefined) return undefined
  // The row with the names of the columns stays first.
  const isBehind = at > (found.box[start] + found.box[end]) / 2 || (axis === 'row' && found.index === 0)
  const edge = Math.min(Math.max(found.box[isBehind ? end : start], view[start]), view[end]) - lineSize / 2
  const line =
    axis === 'row'
      ? {
          left: Math.max(box.left, view.left),
          top: edge,
          width: Math.min(box.right, view.right) - Math.max(box.left, view.left),
          height: lineSize
        }
      : {
          left: edge,
          top: Math.max(box.top, view.top),
          width: lineSize,
          height: Math.min(box.bottom, view.bottom) - Math.max(box.top, view.top)
        }
  return { to: found.index + Number(isBehind), line }
}

interface HeadsInput {
  readonly input: ComponentInput
  readonly session: SheetSession
  /** Returns the formula that is being edited and can refer to cells of this sheet. */
  readonly writer: () => Writer | undefined
  readonly openMenu: (anchor: HTMLElement) => void
}

export function createHeads({ input, session, writer, openMenu }: HeadsInput): HeadActions {
  const { around, sheetIndex, refusal } = input
  let isGrabbed = false
  const isSelected = ({ axis, index }: HeadOf): boolean => {
    const { from, count } = spanOf(session.area.peek(), axis)
    return session.whole.peek() === axis && index >= from && index < from + count
  }
  const isPicking = (): boolean => around.picker.peek() !== undefined && sheetIndex.peek() >= 0
  const mayShape = (): boolean => refusal.peek() === undefined && !isPicking() && writer() === undefined
  /** Returns the first or the last cell of a row or column. */
  const cellOf = ({ axis, index }: HeadOf, end: 'first' | 'last'): CellPosition => {
    const { height, width } = session.size.peek()
    if (axis === 'row') return { row: index, column: end === 'first' ? 0 : width - 1 }
    return { row: end === 'first' ? 0 : height - 1, column: index }
  }
  const select = (head: HeadOf, isRange: boolean): void => void session.dispatch({ kind: 'head', ...head, isRange })
  return {
    grab(head, event) {
      const { currentTarget: item, shiftKey, button } = event
      if (button !== 0 || shiftKey || !mayShape() || !isSelected(head) || !(item instanceof HTMLElement)) return
      const { axis } = head
      isGrabbed = true
      // The browser fires the click in the task in which the button is released.
      const release = (): void => void setTimeout(() => (isGrabbed = false))
      addEventListener('pointerup', release, { once: true, capture: true })
      startDrag({
        event,
        item,
        root: item.closest<HTMLElement>('.sheet-live'),
        target: (root, x, y) => dropTarget(root, axis, axis === 'row' ? y : x),
        start: () => undefined,
        end: () => undefined,
        drop: (to) => void session.dispatch({ kind: 'shape', change: { axis, kind: 'move', ...spanOf(session.area.peek(), axis), to } })
      })
    },
    release(head) {
      if (isGrabbed) select(head, false)
    },
    press(head, isRange) {
      if (isGrabbed) return
      const picker = around.picker.peek()
      if (picker !== undefined && isPicking()) picker.sheet.value = sheetIndex.peek()
      const now = writer()
      if (now?.takes() === true) {
        if (!isRange || !now.goesOn(sheetIndex.peek())) now.point(sheetIndex.peek(), cellOf(head, 'first'), false)
        now.point(sheetIndex.peek(), cellOf(head, 'last'), true)
        return
      }
      now?.leave()
      select(head, isRange)
    },
    over(head) {
      if (isGrabbed) return
      const now = writer()
      if (now === undefined) session.dispatch({ kind: 'over', place: cellOf(head, 'first') })
      else if (now.goesOn(sheetIndex.peek())) now.point(sheetIndex.peek(), cellOf(head, 'last'), true)
    },
    menu(head, anchor) {
      if (!mayShape()) return false
      if (!isSelected(head)) select(head, false)
      openMenu(anchor)
      return true
    },
    focus: () => session.focus()
  }
}
