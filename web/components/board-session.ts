/**
 * Connects the session of a board to the page: carries out its effects (changes to the text, announcements and focus). The pure part, which decides
 * the next state and its effects, is shared/components/board-session.ts.
 */
import { type ReadonlySignal, useComputed, useSignal, useSignalEffect } from '@preact/signals'
import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { type BoardChange, boardEdits } from '../../shared/components/board-changes.ts'
import type { Opening } from '../../shared/components/board-field.ts'
import { boardStep, positionAfter, unsavedText } from '../../shared/components/board-session.ts'
import {
  beginBoard,
  type BoardAnnouncement,
  type BoardEvent,
  type BoardFocus,
  type BoardOutcome,
  type BoardState
} from '../../shared/components/board-state.ts'
import { type Board, type Card, type CardPosition, parseBoard } from '../../shared/fences/board.ts'
import { t } from '../text/t.ts'
import { toast } from '../ui/toast.tsx'
import { applyChange } from './act.ts'
import { placeName } from './board-card.tsx'
import { offerLost, useKeptFocus } from './drafts.tsx'
import type { ComponentInput } from './input.ts'
import { offerUndo } from './notices.ts'

/** The session of one board. The object stays the same as long as the board exists. */
export interface BoardSession {
  readonly state: ReadonlySignal<BoardState>
  /** The board as drawn, which may be slightly older than the text. */
  readonly drawn: { current: Board }
  readonly element: RefObject<HTMLDivElement | null>
  dispatch(event: BoardEvent): BoardOutcome
}

const untitled = (title: string): string => title || t('Untitled column')

const announced = (announcement: BoardAnnouncement): string => {
  switch (announcement.kind) {
    case 'moved':
      return t('{name} moved to {column}, position {place} of {count}', announcement)
    case 'column moved':
      return t('{name} moved, position {place} of {count}', { ...announcement, name: untitled(announcement.name) })
    case 'added':
      return t('Card added to {column}', { column: untitled(announcement.column) })
    case 'copies removed':
      return t('Copies of {name} removed', announcement)
    case 'deleted':
      return t('Card deleted')
    case 'changed by others':
      return t('Someone changed this card first. Check it, then try again.')
    case 'still open':
      return t('Save or cancel the open card first.')
    case 'refused':
      return t('This can no longer be changed.')
  }
}

/** Announcements that appear as a notice. A deletion is announced to screen readers as well. */
const shown: ReadonlySet<BoardAnnouncement['kind']> = new Set(['deleted', 'changed by others', 'still open', 'refused'])

/** Returns the element that gets the focus after a field. It is the column of a new card: on “Add a card”, Space would open the field again. */
const opener = (opening: Opening): string =>
  opening.kind === 'column'
    ? '.board-new .board-add'
    : `[data-column="${opening.column}"]${opening.kind === 'card' ? '' : ' .board-head .card-more'}`

const cardAt = (position: CardPosition): string => `[data-place="${placeName(position)}"]`

/** Whether the focus is on an element outside this one, and should stay there. */
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

/** Brings a column into view. */
function showColumn(root: HTMLElement | null, column: number): void {
  const shownColumn = root?.querySelector<HTMLElement>(`[data-column="${column}"]`)
  const scroller = shownColumn?.closest('.board')
  if (shownColumn == null || scroller == null) return
  const [box, area] = [shownColumn.getBoundingClientRect(), scroller.getBoundingClientRect()]
  scroller.scrollLeft += Math.max(0, box.right - area.right) || Math.min(0, box.left - area.left)
}

/** Returns the focused card as it was drawn. Undefined if another element has the focus, or if the card's form does. */
function focusedCard({ element, drawn }: BoardSession): { readonly card: Card; readonly position: CardPosition } | undefined {
  const item = activeIn(element.current)?.closest<HTMLElement>('[data-place]')
  return item == null ? undefined : cardOf(item, drawn.current)
}

/** Returns the card that an element shows, as it was drawn. */
export function cardOf(item: HTMLElement, drawn: Board): { readonly card: Card; readonly position: CardPosition } | undefined {
  if (item.querySelector('form') !== null) return undefined
  const [column = 0, index = 0] = item.dataset['place']?.split(':').map(Number) ?? []
  const card = drawn.columns[column]?.cards[index]
  return card && { card, position: { column, card: index } }
}

/**
 * The parts that should get the focus: one when the state is drawn, and one when the change is drawn. In the reading view a change appears slightly
 * later.
 */
interface Wanted {
  drawn?: BoardFocus | undefined
  changed?: BoardFocus | undefined
}

const needsChange = ({ kind }: BoardFocus): boolean => kind === 'moved card' || kind === 'moved column' || kind === 'new column'

/** Moves the focus to the part that the session has chosen. Call this before the board is drawn. */
function useFocus(session: BoardSession, wanted: Wanted, board: Board): void {
  const { element, state } = session
  const focus = (selector: string, options: FocusOptions = {}): void =>
    element.current?.querySelector<HTMLElement>(selector)?.focus(options)
  const focused = focusedCard(session)
  // A form that moves to another position keeps its focus, unless the session focuses another part.
  useKeptFocus(element, '.card-form')
  useLayoutEffect(() => {
    const { drawn: to } = wanted
    wanted.drawn = undefined
    if (to?.kind === 'form') {
      const title = element.current?.querySelector<HTMLInputElement>('.card-form input')
      title?.focus()
      title?.select()
    } else if (to?.kind === 'question') focus('.draft-question')
    else if (to?.kind === 'closed form') {
      // The person may already write a comment on the card.
      if (!hasLeft(element.current)) focus(cardAt(to.position))
    } else if (to?.kind === 'opener') focus(opener(to.opening), { preventScroll: to.opening.kind === 'card' })
  })
  useLayoutEffect(() => {
    const { changed: to } = wanted
    wanted.changed = undefined
    if (to?.kind === 'moved card') {
      if (!hasLeft(element.current)) focus(cardAt(to.position))
      return
    }
    if (to?.kind === 'moved column' || to?.kind === 'new column') showColumn(element.current, to.column)
    if (to?.kind === 'moved column') focus(opener({ kind: 'rename', column: to.column }), { preventScroll: true })
    if (focused === undefined || hasLeft(element.current)) return
    const active = activeIn(element.current)
    const position = positionAfter(state.peek().board, focused.card, focused.position, active === null)
    if (active?.closest<HTMLElement>('[data-place]')?.dataset['place'] !== placeName(position))
      focus(cardAt(position), { preventScroll: true })
  }, [board])
}

export function useBoardSession(input: ComponentInput): BoardSession {
  const element = useRef<HTMLDivElement>(null)
  const parsed = useComputed(() => parseBoard(input.fence.value))
  const state = useSignal(beginBoard(parsed.peek()))
  const drawn = useRef(state.peek().board)
  const { current: wanted } = useRef<Wanted>({})

  const show = ({ announcement, focus, hold }: BoardOutcome): void => {
    if (hold !== undefined) input.hold(hold ?? undefined)
    if (announcement !== undefined) {
      const words = announced(announcement)
      const view = announcement.kind === 'deleted' && !input.suggests() ? input.page.editor.value?.view : undefined
      if (view !== undefined) offerUndo(view, words)
      else if (shown.has(announcement.kind)) toast(words)
      if (!shown.has(announcement.kind) || announcement.kind === 'deleted') input.said.value = words
    }
    if (focus?.kind === 'card') element.current?.querySelector<HTMLElement>(cardAt(focus.position))?.focus()
    else if (focus !== undefined) wanted[needsChange(focus) ? 'changed' : 'drawn'] = focus
  }
  const write = (change: BoardChange): BoardOutcome => {
    let now = change.drawn
    const result = applyChange(input, (fence) => {
      now = parseBoard(fence)
      return boardEdits(now, change)
    })
    const isSuggested = input.suggests()
    // A suggester who repeats a suggestion changes nothing.
    return dispatch({ kind: 'written', change, result: isSuggested && result === 'refused' ? 'unchanged' : result, now, isSuggested })
  }
  const dispatch = (event: BoardEvent): BoardOutcome => {
    const outcome = boardStep(state.peek(), event)
    state.value = outcome.state
    show(outcome)
    return outcome.change === undefined ? outcome : { ...write(outcome.change), isTaken: outcome.isTaken === true }
  }
  const session = useMemo((): BoardSession => ({ state, drawn, element, dispatch }), [])
  useSignalEffect(() => void dispatch({ kind: 'changed', board: parsed.value }))
  useSignalEffect(() => {
    if (!input.begins.value) return
    input.begins.value = false
    if (input.refusal.peek() === undefined) dispatch({ kind: 'begin' })
  })
  useEffect(() => {
    // The first event may be for a field, and the second one for a card.
    const settle = (): void => {
      dispatch({ kind: 'settle' })
      dispatch({ kind: 'settle' })
      const { draft } = state.peek()
      if (draft?.isTouched === false && !draft.isGone) dispatch({ kind: 'cancel' })
    }
    input.page.unfinished.set(input.fence, settle)
    return () => {
      input.page.unfinished.delete(input.fence)
      input.hold(undefined)
      offerLost(unsavedText(state.peek()))
    }
  }, [])
  useFocus(session, wanted, useComputed(() => state.value.board).value)
  return session
}
