/** Moves and changes the cards of a board by pointer and keys. Cards are found by their content, because others may change the board meanwhile. */
import { signal, type ReadonlySignal, type Signal } from '@preact/signals'
import type { RefObject } from 'preact'
import { wordsOf } from '../../shared/components/board.ts'
import { followPart } from '../../shared/components/follow-part.ts'
import { type Board, type Card, type CardPlace, parseBoard, repeatedCards } from '../../shared/fences/board.ts'
import { cycleState, deleteCard, moveCard } from '../../shared/fences/board-edits.ts'
import type { Edit } from '../../shared/text/diff.ts'
import { t } from '../text/t.ts'
import { toast } from '../ui/toast.tsx'
import { placeName } from './board-card.tsx'
import { cardTarget, startDrag } from './board-drag.ts'
import type { ComponentInput } from './input.ts'

/** Finds a card that was seen at a place: the nearest one with the same content. */
export function findCard({ columns }: Board, card: Card): CardPlace | undefined {
  const words = wordsOf(card)
  let best: (CardPlace & { readonly away: number }) | undefined
  columns.forEach(({ cards }, column) =>
    cards.forEach((each, index) => {
      if (wordsOf(each) !== words) return
      const away = Math.abs(each.index - card.index)
      if (best === undefined || away < best.away) best = { column, card: index, away }
    })
  )
  return best
}

/** A card that is being edited. Its draft stays with it, whatever others change meanwhile. */
export interface Draft {
  /** The card when editing began. */
  readonly begun: Card
  /** The current card, or its last known state if it was removed. */
  readonly card: Card
  readonly place: CardPlace
  readonly isGone: boolean
  /** The content of the fields; undefined if nothing was typed yet. */
  readonly written: { said: Said | undefined; isTouched: boolean }
}

export type Said = Readonly<Record<'title' | 'person' | 'tags' | 'details', string>>

interface Placed {
  readonly card: Card
  readonly place: CardPlace
}

const placed = ({ columns }: Board): Placed[] =>
  columns.flatMap(({ cards }, column) => cards.map((card, index) => ({ card, place: { column, card: index } })))

type Change = (board: Board, place: CardPlace) => readonly Edit[]

/** Stays the same object as long as the board exists. */
export interface Deeds {
  /** Changes one card, wherever it is now. */
  change(card: Card, edits: Change): boolean
  move(card: Card, to: CardPlace): void
  /** Moves a card to the next column, or by one place. */
  step(card: Card, place: CardPlace, key: string): void
  remove(card: Card): void
  hold(card: Card | undefined): void
  readonly draft: Signal<Draft | undefined>
  edit(card: Card): void
  /** Follows the card that is being edited after others changed the board. */
  follow(): void
  readonly menu: Signal<{ readonly card: Card; readonly place: CardPlace; readonly anchor: HTMLElement } | undefined>
  /** The card that the Tab key reaches. */
  readonly current: Signal<CardPlace>
  /** Returns the focused card, as drawn. */
  focused(): Focused | undefined
  /** Runs once the board is drawn: focuses the card that was moved, or else the one that had the focus before, wherever it is now. */
  refocus(before: Focused | undefined): void
  /** One listener of each kind for all cards, because boards have many. */
  readonly listeners: {
    readonly onKeyDown: (event: KeyboardEvent) => void
    readonly onFocusIn: (event: FocusEvent) => void
    readonly onPointerDown: (event: PointerEvent) => void
    readonly onClick: (event: MouseEvent) => void
  }
}

interface Focused {
  readonly card: Card
  readonly place: CardPlace
}

interface DeedsInput {
  readonly input: ComponentInput
  readonly board: ReadonlySignal<Board>
  /** The drawn board, which may be slightly out of date. */
  readonly drawn: RefObject<Board>
  readonly element: RefObject<HTMLElement | null>
}

interface Hit {
  readonly item: HTMLElement
  readonly card: Card
  readonly place: CardPlace
  /** Whether the person may change it at the moment. */
  readonly isFree: boolean
}

/** Whether the focus has moved to something outside of an element: it then stays there. */
function hasLeft(element: Node | null): boolean {
  const { activeElement } = document
  for (let node = element; node !== null; node = node instanceof ShadowRoot ? node.host : node.parentNode)
    if (node === activeElement) return false
  return activeElement !== null
}

/** Returns the focused element of the component. */
function activeIn(element: Node | null): Element | null {
  const root = element?.getRootNode()
  return root instanceof ShadowRoot ? root.activeElement : null
}

export function createDeeds({ input, board, drawn, element }: DeedsInput): Deeds {
  const current = signal<CardPlace>({ column: 0, card: 0 })
  const draft: Deeds['draft'] = signal(undefined)
  const menu: Deeds['menu'] = signal(undefined)
  let next: CardPlace | undefined
  let followed = board.peek()

  const focus = (place: CardPlace, options: FocusOptions = {}): void =>
    element.current?.querySelector<HTMLElement>(`[data-place="${placeName(place)}"]`)?.focus(options)

  /** Returns the nearest place that has a card. */
  const nearest = ({ column, card }: CardPlace): CardPlace => ({
    column,
    card: Math.max(0, Math.min(card, (board.peek().columns[column]?.cards.length ?? 0) - 1))
  })

  const change: Deeds['change'] = (card, edits) =>
    input.act((now) => {
      const there = parseBoard(now)
      const place = findCard(there, card)
      if (place === undefined) toast(t('Someone changed this card first. Check it, then try again.'))
      return place === undefined ? [] : edits(there, place)
    })

  const move: Deeds['move'] = (card, to) => {
    // The reading view shows the change a moment later.
    const before = findCard(board.peek(), card)
    const column = board.peek().columns[to.column]
    const count = (column?.cards.length ?? 0) + Number(before?.column !== to.column)
    if (!change(card, (now, place) => moveCard(now, place, to))) return
    if (input.suggests()) return
    const index = before?.column === to.column && before.card < to.card ? to.card - 1 : to.card
    next = { column: to.column, card: Math.min(index, count - 1) }
    current.value = next
    input.said.value = t('{name} moved to {column}, position {place} of {count}', {
      name: card.title.text,
      column: column?.title.text ?? '',
      place: next.card + 1,
      count
    })
  }

  const step: Deeds['step'] = (card, { column, card: index }, key) => {
    const { columns } = board.peek()
    const last = columns[column]?.cards.length ?? 0
    const beside = column + (key === 'ArrowLeft' ? -1 : 1)
    if (key === 'ArrowUp' && index > 0) move(card, { column, card: index - 1 })
    else if (key === 'ArrowDown' && index < last - 1) move(card, { column, card: index + 2 })
    else if ((key === 'ArrowLeft' || key === 'ArrowRight') && columns[beside] !== undefined)
      move(card, { column: beside, card: Math.min(index, columns[beside].cards.length) })
  }

  const remove = (card: Card): void => {
    const place = findCard(board.peek(), card)
    if (!change(card, deleteCard) || place === undefined || input.suggests()) return
    next = { column: place.column, card: Math.max(0, place.card - 1) }
    const words = t('Card deleted')
    input.said.value = words
    toast(words)
  }

  /** Moves to another card. */
  const go = ({ column, card }: CardPlace, key: string): void => {
    const { columns } = board.peek()
    if (key === 'ArrowUp' || key === 'ArrowDown') return focus({ column, card: card + (key === 'ArrowUp' ? -1 : 1) })
    const by = key === 'ArrowLeft' ? -1 : 1
    for (let other = column + by; other >= 0 && other < columns.length; other += by) {
      const { length } = columns[other]?.cards ?? []
      if (length > 0) return focus({ column: other, card: Math.min(card, length - 1) })
    }
  }

  const keepOnly = (card: Card, { column, card: index }: CardPlace): void => {
    input.act((now) => {
      const there = parseBoard(now)
      const places = repeatedCards(there).find((each) => each.some((place) => place.column === column && place.card === index)) ?? []
      return places
        .filter((place) => place.column !== column || place.card !== index)
        .flatMap((place) => deleteCard(there, place))
        .toSorted((one, other) => one.from - other.from)
    })
    input.said.value = t('Copies of {name} removed', { name: card.title.text })
  }

  const edit: Deeds['edit'] = (card) => {
    if (draft.peek()?.written.isTouched === true) return toast(t('Save or cancel the open card first.'))
    const place = findCard(board.peek(), card)
    if (place !== undefined) draft.value = { begun: card, card, place, isGone: false, written: { said: undefined, isTouched: false } }
  }
  const follow = (): void => {
    const [before, now] = [followed, board.value]
    const open = draft.peek()
    followed = now
    if (open === undefined || before === now) return
    const there = placed(now)
    const found = ((): Placed | undefined => {
      const same = findCard(now, open.card)
      if (same !== undefined || open.isGone) return there.find(({ place }) => place.column === same?.column && place.card === same.card)
      const were = placed(before)
      const index = were.findIndex(({ place }) => place.column === open.place.column && place.card === open.place.card)
      const words = (all: readonly Placed[]): string[] => all.map(({ card }) => wordsOf(card))
      return there[followPart(words(were), index, words(there)) ?? -1]
    })()
    draft.value = found === undefined ? { ...open, isGone: true } : { ...open, ...found, isGone: false }
  }

  const hold = (card: Card | undefined): void => input.hold(card && wordsOf(card))

  /** Returns the card of an event; undefined if there is none or it is being edited. */
  const hitOf = ({ target }: Pick<Event, 'target'>): Hit | undefined => {
    const item = target instanceof Element ? target.closest<HTMLElement>('[data-place]') : null
    if (item === null || item.querySelector('form') !== null) return undefined
    const [column = 0, index = 0] = item.dataset['place']?.split(':').map(Number) ?? []
    const card = drawn.current?.columns[column]?.cards[index]
    if (card === undefined) return undefined
    const isHeld = input.held.peek().has(wordsOf(card))
    return { item, card, place: { column, card: index }, isFree: input.refusal.peek() === undefined && !isHeld }
  }

  const keyDown = (event: KeyboardEvent): void => {
    const hit = hitOf(event)
    if (hit === undefined || event.ctrlKey || event.metaKey || event.shiftKey) return
    const { item, card, place, isFree } = hit
    const onCard = event.target === item
    const isArrow = event.key.startsWith('Arrow')
    if (isArrow && !event.altKey && onCard) go(place, event.key)
    else if (!isFree) return
    else if (isArrow && event.altKey) step(card, place, event.key)
    else if (!onCard) return
    else if (event.key === 'Enter' || event.key === 'F2') edit(card)
    else if (event.key === ' ') change(card, cycleState)
    else if (event.key === 'Delete') remove(card)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  const click = (event: MouseEvent): void => {
    const hit = hitOf(event)
    if (hit === undefined || !(event.target instanceof Element)) return
    const { card, place, isFree } = hit
    const button = event.target.closest<HTMLElement>('button')
    // A link keeps its usual effect.
    if (button === null) {
      if (isFree && event.target.closest('a') === null) edit(card)
    } else if (button.classList.contains('card-mark')) change(card, cycleState)
    else if (button.classList.contains('card-more')) menu.value = { card, place, anchor: button }
    else keepOnly(card, place)
  }
  return {
    change,
    move,
    step,
    remove,
    hold,
    draft,
    edit,
    follow,
    menu,
    current,
    focused() {
      const target = activeIn(element.current)
      return target === null ? undefined : hitOf({ target })
    },
    refocus(before) {
      const place = next
      next = undefined
      if (place !== undefined) {
        if (!hasLeft(element.current)) focus(place)
        return
      }
      if (before === undefined || hasLeft(element.current)) return
      const active = activeIn(element.current)
      const now = findCard(board.peek(), before.card) ?? (active === null ? nearest(before.place) : before.place)
      if (active?.closest<HTMLElement>('[data-place]')?.dataset['place'] !== placeName(now)) focus(now, { preventScroll: true })
    },
    listeners: {
      onKeyDown: keyDown,
      onFocusIn(event) {
        const place = hitOf(event)?.place
        const { column, card } = current.peek()
        if (place !== undefined && (place.column !== column || place.card !== card)) current.value = place
      },
      onPointerDown(event) {
        const hit = hitOf(event)
        if (hit === undefined || !hit.isFree) return
        const { item, card } = hit
        startDrag({
          event,
          item,
          root: element.current,
          target: cardTarget,
          start: () => hold(card),
          end: () => hold(undefined),
          drop: (to) => move(card, to)
        })
      },
      onClick: click
    }
  }
}
