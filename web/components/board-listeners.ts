/**
 * The listeners of a board, which turn input into session events. One listener of each kind serves all cards and columns, because boards have many.
 */
import type { BoardEvent } from '../../shared/components/board-state.ts'
import type { Card, CardPosition } from '../../shared/fences/board.ts'
import { wordsOf } from '../../shared/components/board.ts'
import { cardTarget, columnTarget } from './board-drag.ts'
import { type BoardSession, cardOf } from './board-session.ts'
import { startDrag } from './drag.ts'
import type { ComponentInput } from './input.ts'

export interface BoardListeners {
  readonly onKeyDown: (event: KeyboardEvent) => void
  readonly onFocusIn: (event: FocusEvent) => void
  readonly onPointerDown: (event: PointerEvent) => void
  readonly onClick: (event: MouseEvent) => void
  readonly onDblClick: (event: MouseEvent) => void
}

interface ListenersInput {
  readonly input: ComponentInput
  readonly session: BoardSession
  readonly openMenu: (card: Card, position: CardPosition, anchor: HTMLElement) => void
}

interface CardHit {
  readonly item: HTMLElement
  readonly card: Card
  readonly position: CardPosition
  /** Whether the person may change the board now. */
  readonly isFree: boolean
}

/** Returns the column whose heading received an event. */
const headOf = ({ target }: Event): { readonly column: HTMLElement; readonly index: number } | undefined => {
  const head = target instanceof Element ? target.closest<HTMLElement>('.board-head') : null
  const column = head?.closest<HTMLElement>('[data-column]') ?? null
  if (head === null || column === null || head.querySelector('input') !== null) return undefined
  return { column, index: Number(column.dataset['column']) }
}

export function createListeners({ input, session, openMenu }: ListenersInput): BoardListeners {
  const { dispatch, drawn, element } = session
  const mayChange = (): boolean => input.refusal.peek() === undefined

  /** Returns the card that received an event. Undefined if there is none, or if the card is being edited. */
  const hitOf = ({ target }: Event): CardHit | undefined => {
    const item = target instanceof Element ? target.closest<HTMLElement>('[data-place]') : null
    const hit = item === null ? undefined : cardOf(item, drawn.current)
    if (item === null || hit === undefined) return undefined
    return { item, ...hit, isFree: mayChange() && !input.held.peek().has(wordsOf(hit.card)) }
  }
  const press = (event: KeyboardEvent, wanted: BoardEvent): void => {
    if (dispatch(wanted).isTaken !== true) return
    event.preventDefault()
    event.stopPropagation()
  }
  return {
    onKeyDown(event) {
      const head = headOf(event)
      if (head !== undefined && mayChange()) return press(event, { kind: 'column key', key: event, column: head.index })
      const hit = hitOf(event)
      if (hit === undefined) return
      const { item, card, position, isFree } = hit
      press(event, { kind: 'card key', key: event, card, position, isOnCard: event.target === item, isFree })
    },
    onFocusIn(event) {
      const position = hitOf(event)?.position
      if (position !== undefined) dispatch({ kind: 'focused', position })
    },
    onPointerDown(event) {
      const [head, hit] = [headOf(event), hitOf(event)]
      const root = element.current
      if (head !== undefined && mayChange())
        startDrag({
          event,
          item: head.column,
          root,
          target: columnTarget,
          start: () => undefined,
          end: () => undefined,
          drop: (to) => void dispatch({ kind: 'move column', column: head.index, to })
        })
      if (hit === undefined || !hit.isFree) return
      const { item, card } = hit
      startDrag({
        event,
        item,
        root,
        target: cardTarget,
        start: () => void dispatch({ kind: 'drag', card }),
        end: () => void dispatch({ kind: 'drag', card: undefined }),
        drop: (to) => void dispatch({ kind: 'move', card, to })
      })
    },
    onClick(event) {
      const hit = hitOf(event)
      if (hit === undefined || !(event.target instanceof Element)) return
      const { card, position, isFree } = hit
      const button = event.target.closest<HTMLElement>('button')
      // Clicking a link opens it and does not select the card.
      if (button === null) {
        if (isFree && event.target.closest('a') === null) dispatch({ kind: 'edit', card })
      } else if (button.classList.contains('card-mark')) dispatch({ kind: 'cycle', card })
      else if (button.classList.contains('card-more')) openMenu(card, position, button)
      else if (button.dataset['suggestion'] !== undefined) input.page.review.peek()?.show(button.dataset['suggestion'], 'card')
      else dispatch({ kind: 'keep only', card, position })
    },
    onDblClick(event) {
      const head = headOf(event)
      const isOnButton = event.target instanceof Element && event.target.closest('button, a') !== null
      if (head !== undefined && !isOnButton && mayChange()) dispatch({ kind: 'open', opening: { kind: 'rename', column: head.index } })
    }
  }
}
