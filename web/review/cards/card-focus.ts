/** Moves the keyboard focus between cards when a card closes or its buttons disappear. */
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { sheets } from '../annotations/above-sheet.ts'
import { isOpen, type Item } from '../annotations/items.ts'
import type { Review } from '../annotations/review.ts'

export interface CardInput {
  readonly review: Review
  readonly item: Item
  /** Whether the card is in a list rather than next to its text. */
  readonly isListed?: boolean
}

export const cardIdPrefix = 'annotation-'

/** Whether an item still waits for a decision, as far as this page knows. A decision made on this page counts before the service confirms it. */
const isDue = (item: Item): boolean => isOpen(item) && (item.kind !== 'proposal' || item.proposal.deciding === undefined)

/** Whether this person has just closed an item. If somebody else has, the keys that the person types must not go to the text. */
const isClosedHere = ({ store, isDecidedHere }: Review, id: string): boolean =>
  isDecidedHere(id) ||
  store.outbox.list
    .peek()
    .some(({ action }) => ('comment' in action && action.comment === id) || ('suggestion' in action && action.suggestion === id))

/**
 * Moves the focus to the next open card, or to the previous one. If there is none, another card of the list takes the focus. Otherwise the text takes it,
 * but only if this person closed the item. With `skipsCards`, the list itself takes the focus.
 */
function passFocusOn(own: HTMLElement, { review, item, isListed = false }: CardInput, options?: FocusOptions, skipsCards = false): void {
  const due = new Set(review.items.peek().flatMap((item) => (isDue(item) ? [cardIdPrefix + item.id] : [])))
  const cards = [...(own.closest('.margin, .side-panel')?.querySelectorAll<HTMLElement>('.card') ?? [])]
  const at = cards.indexOf(own)
  const isNext = (card: HTMLElement): boolean => card !== own && due.has(card.id)
  const open = cards.slice(at + 1).find(isNext) ?? cards.slice(0, at).findLast(isNext)
  // A list of resolved comments has no open comments.
  const next = skipsCards ? undefined : (open ?? (isListed ? (cards[at + 1] ?? cards[at - 1]) : undefined))
  if (next !== undefined) next.focus(options)
  else if (isListed) own.closest('.side-panel')?.querySelector<HTMLElement>('.side-panel-body')?.focus()
  else if (isClosedHere(review, item.id)) review.editor.focus()
  else {
    const margin = own.closest<HTMLElement>('.margin')
    margin?.setAttribute('tabindex', '-1')
    margin?.focus(options)
  }
}

/**
 * Keeps the focus when the focused element disappears. The card takes the focus from its buttons. Once the item is closed, or immediately after a
 * decision with the keyboard, another card takes it. After a decision with the pointer the focus stays, because otherwise the cards would move under the pointer.
 */
export function useKeptFocus(card: RefObject<HTMLElement | null>, byPointer: RefObject<boolean>, input: CardInput): void {
  const { review, item } = input
  const latest = useRef(item)
  latest.current = item
  const hadFocus = card.current?.contains(document.activeElement) === true
  const wasDue = useRef(true)
  useLayoutEffect(() => {
    const hasDecided = wasDue.current && !isDue(item)
    wasDue.current = isDue(item)
    if (!hadFocus || document.activeElement !== document.body) return
    if (hasDecided && byPointer.current !== true && card.current !== null) passFocusOn(card.current, input)
    else card.current?.focus({ preventScroll: true })
  })
  useLayoutEffect(
    () => () => {
      const own = card.current
      const item = latest.current
      if (own?.contains(document.activeElement) !== true || (item.kind !== 'comment' && item.kind !== 'proposal')) return
      // The item is only scrolled out of view and has not been closed.
      if (review.items.peek().some((each) => each.id === item.id && isOpen(each))) return
      // On a phone, the text would scroll from the accepted words to those of the next card.
      passFocusOn(own, input, { preventScroll: true }, byPointer.current === true && sheets.matches)
    },
    []
  )
}
