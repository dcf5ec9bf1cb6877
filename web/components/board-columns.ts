/** Moves and renames the columns of a board by pointer and keys: a person drags or moves them by their heads and renames them in place. */
import type { ReadonlySignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { columnMove, columnRemoval, columnStep, titlesOf } from '../../shared/components/board.ts'
import { type Board, parseBoard } from '../../shared/fences/board.ts'
import { addColumn } from '../../shared/fences/board-edits.ts'
import { t } from '../text/t.ts'
import { columnTarget, startDrag } from './board-drag.ts'
import { type Fields, menuOf } from './board-fields.ts'
import type { ComponentInput } from './input.ts'

/** Stays the same object as long as the board exists. */
export interface Columns {
  /** Adds a column at the end and brings it into view. */
  add(name: string): boolean
  /** Moves a column before another one, by its index in the drawn board. */
  move(column: number, to: number): void
  /** Removes an empty column. */
  remove(column: number): void
  /** Runs once the board is drawn: shows the column that was added or moved, and returns the focus to a moved one. */
  show(): void
  readonly listeners: {
    readonly onKeyDown: (event: KeyboardEvent) => void
    readonly onPointerDown: (event: PointerEvent) => void
    readonly onDblClick: (event: MouseEvent) => void
  }
}

interface ColumnsInput {
  readonly input: ComponentInput
  readonly board: ReadonlySignal<Board>
  readonly element: RefObject<HTMLElement | null>
  readonly fields: () => Fields
}

/** Returns the column whose head received an event. */
const headOf = ({ target }: Event): { readonly head: HTMLElement; readonly column: HTMLElement; readonly index: number } | undefined => {
  const head = target instanceof Element ? target.closest<HTMLElement>('.board-head') : null
  const column = head?.closest<HTMLElement>('[data-column]') ?? null
  if (head === null || column === null || head.querySelector('input') !== null) return undefined
  return { head, column, index: Number(column.dataset['column']) }
}

export function createColumns({ input, board, element, fields }: ColumnsInput): Columns {
  let next: { readonly column: number; readonly hasFocus: boolean } | undefined
  const mayChange = (): boolean => input.refusal.peek() === undefined

  const move: Columns['move'] = (column, to) => {
    const drawn = board.peek()
    let done: ReturnType<typeof columnMove>
    const isDone = input.act((now) => {
      done = columnMove(drawn, parseBoard(now), column, to)
      return done?.edits ?? []
    })
    if (!isDone || done === undefined || input.suggests()) return
    next = { column: done.column, hasFocus: true }
    input.said.value = t('{name} moved, position {place} of {count}', {
      name: titlesOf(drawn)[column] || t('Untitled column'),
      place: done.column + 1,
      count: done.count
    })
  }
  return {
    add(name) {
      const column = board.peek().columns.length
      const isDone = fields().act((now) => addColumn(now, name))
      if (isDone && !input.suggests()) next = { column, hasFocus: false }
      return isDone
    },
    move,
    remove(column) {
      const drawn = board.peek()
      input.act((now) => columnRemoval(drawn, parseBoard(now), column))
    },
    show() {
      if (next === undefined) return
      const { column, hasFocus } = next
      next = undefined
      const shown = element.current?.querySelector<HTMLElement>(`[data-column="${column}"]`)
      const scroller = shown?.closest('.board')
      if (shown == null || scroller == null) return
      const [box, area] = [shown.getBoundingClientRect(), scroller.getBoundingClientRect()]
      scroller.scrollLeft += Math.max(0, box.right - area.right) || Math.min(0, box.left - area.left)
      if (hasFocus) element.current?.querySelector<HTMLElement>(menuOf(column))?.focus({ preventScroll: true })
    },
    listeners: {
      onKeyDown(event) {
        const at = headOf(event)
        if (at === undefined || !event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || !mayChange()) return
        if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return
        // At the end of the board the key must not leave the page.
        event.preventDefault()
        event.stopPropagation()
        const to = columnStep(board.peek(), at.index, event.key)
        if (to !== undefined) move(at.index, to)
      },
      onPointerDown(event) {
        const at = headOf(event)
        if (at === undefined || !mayChange()) return
        const none = (): void => undefined
        const drop = (to: number): void => move(at.index, to)
        startDrag({ event, item: at.column, root: element.current, target: columnTarget, start: none, end: none, drop })
      },
      onDblClick(event) {
        const at = headOf(event)
        const isOnButton = event.target instanceof Element && event.target.closest('button, a') !== null
        if (at !== undefined && !isOnButton && mayChange()) fields().write({ kind: 'rename', column: at.index })
      }
    }
  }
}
