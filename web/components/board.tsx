/** Boards. A person moves cards and columns with the pointer, the keyboard or a menu, and edits them in place. */
import { useComputed, useSignal, type ReadonlySignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { cardsLeft, cardsOn, columnKeys, filterWords, wordsOf } from '../../shared/components/board.ts'
import { type GoneText, nearestColumn } from '../../shared/components/board-field.ts'
import type { BoardEvent, BoardState } from '../../shared/components/board-state.ts'
import {
  type Board as BoardShape,
  type Card,
  type CardPosition,
  cardsShown,
  type Column,
  repeatedCards
} from '../../shared/fences/board.ts'
import { limits } from '../../shared/limits.ts'
import { t } from '../text/t.ts'
import { type DrawnCard, drawCard, placeName, sameCard, type SuggestedChange } from './board-card.tsx'
import { BoardColumn, BoardField } from './board-column.tsx'
import { CardForm } from './board-form.tsx'
import { createListeners } from './board-listeners.ts'
import { CardMenu, ColumnMenu, columnName } from './board-menus.tsx'
import { drawProposed, type ProposedChanges, useProposed } from './board-proposed.tsx'
import { type BoardSession, useBoardSession } from './board-session.ts'
import { GoneWords } from './drafts.tsx'
import { inline } from './inline.tsx'
import { commenting } from './commenting.ts'
import type { ComponentInput } from './input.ts'

/** Smallest height of a card, in pixels. Each column first draws as many cards as fit the window, and the same number again with every frame. */
const cardHeightMin = 36
const moreCards = 30

interface FilterInput {
  readonly filter: string
  readonly dispatch: BoardSession['dispatch']
  /** How many cards match the filter, and how many there are in total. Undefined if the filter is empty. */
  readonly left: { readonly some: number; readonly count: number } | undefined
}

const Filter = ({ filter, dispatch, left }: FilterInput): JSX.Element => (
  <div class='board-filter'>
    <input
      type='search'
      class='field'
      aria-label={t('Filter cards')}
      placeholder={t('Filter by @name, #tag or text')}
      value={filter}
      onInput={({ currentTarget }) => dispatch({ kind: 'filter', text: currentTarget.value })}
    />
    {left !== undefined && <span class='board-count'>{t('{some} of {count} cards', left)}</span>}
  </div>
)

interface GoneInput {
  readonly gone: readonly GoneText[]
  readonly board: BoardShape
  readonly mayChange: boolean
  readonly dispatch: (event: BoardEvent) => void
}

/** Draws the unsaved text of columns that others removed. */
const GoneTexts = ({ gone, board, mayChange, dispatch }: GoneInput): JSX.Element => (
  <>
    {gone.map((each) => (
      <GoneWords key={each.number} words={each.text} part='column' onClose={() => dispatch({ kind: 'discard', gone: each })}>
        {(each.kind === 'rename' || board.columns.length > 0) && (
          <>
            <button type='button' class='link' disabled={!mayChange} onClick={() => dispatch({ kind: 'use', gone: each })}>
              {each.kind === 'rename'
                ? t('Add a column')
                : t('Add a card to {column}', { column: columnName(board.columns[nearestColumn(board, each)] as Column) })}
            </button>{' '}
          </>
        )}
      </GoneWords>
    ))}
  </>
)

interface NewColumnInput {
  readonly field: BoardState['field']
  readonly mayChange: boolean
  readonly dispatch: BoardSession['dispatch']
}

const NewColumn = ({ field, mayChange, dispatch }: NewColumnInput): JSX.Element => (
  <div class='board-new'>
    {field?.kind === 'column' ? (
      <BoardField field={field} label={t('Column name')} dispatch={dispatch} />
    ) : (
      <button type='button' class='board-add' disabled={!mayChange} onClick={() => dispatch({ kind: 'open', opening: { kind: 'column' } })}>
        + {t('Add a column')}
      </button>
    )}
  </div>
)

const unsuggested: readonly SuggestedChange[] = []

interface CardsInput {
  readonly input: ComponentInput
  readonly board: ReadonlySignal<BoardShape>
  /** The card that the Tab key focuses. */
  readonly current: CardPosition
  readonly changes: ProposedChanges['changes']
}

/** Draws cards. A card that has not changed keeps its previous drawing. */
function useCards({ input, board, current: wanted, changes }: CardsInput): (card: Card, position: CardPosition) => JSX.Element {
  const repeated = useComputed(() => new Set(repeatedCards(board.value).flatMap((positions) => positions.map(placeName))))
  const drawnCards = useRef(new Map<string, { readonly drawn: DrawnCard; readonly element: JSX.Element }>())
  const { columns } = board.value
  const first = columns.findIndex(({ cards }) => cards.length > 0)
  const current = columns[wanted.column]?.cards[wanted.card] === undefined ? { column: first, card: 0 } : wanted
  return (card, position) => {
    const now: DrawnCard = {
      card,
      position,
      mayChange: input.refusal.value === undefined,
      isCurrent: current.column === position.column && current.card === position.card,
      holder: input.held.value.size === 0 ? undefined : input.held.value.get(wordsOf(card)),
      isRepeated: repeated.value.has(placeName(position)),
      suggested: changes.get(placeName(position)) ?? unsuggested
    }
    const before = drawnCards.current.get(placeName(position))
    if (before !== undefined && sameCard(before.drawn, now)) return before.element
    const made = drawCard(now)
    drawnCards.current.set(placeName(position), { drawn: now, element: made })
    return made
  }
}

interface ShownInput {
  readonly board: BoardShape
  readonly filter: string
  readonly fresh: ReadonlySet<string>
}

/** Returns the cards that match the filter, and how many of each column have been drawn so far. */
function useShown({ board, filter, fresh }: ShownInput) {
  const drawn = useSignal(Math.ceil(innerHeight / cardHeightMin))
  const words = filterWords(filter)
  const left = cardsLeft(board, words, fresh)
  const counts = cardsShown({ columns: left }, limits.boardCardsMax)
  const most = Math.max(0, ...counts)
  useEffect(() => {
    if (drawn.value >= most) return undefined
    const frame = requestAnimationFrame(() => (drawn.value += moreCards))
    return () => cancelAnimationFrame(frame)
  }, [drawn.value, most])
  return {
    isFiltered: words.length > 0,
    hits: left.reduce((sum, { cards }) => sum + cards.length, 0),
    /** Returns the drawn cards of a column. */
    cards: (column: number) => left[column]?.cards.slice(0, Math.min(drawn.value, counts[column] ?? 0)) ?? [],
    /** Returns how many cards of a column stay hidden. */
    rest: (column: number): number => (left[column]?.cards.length ?? 0) - (counts[column] ?? 0)
  }
}

/** The parts of the state that the board draws. Each is a separate signal, so that a typed letter does not redraw the other parts. */
const useParts = ({ state }: BoardSession) => ({
  board: useComputed(() => state.value.board),
  draft: useComputed(() => state.value.draft).value,
  field: useComputed(() => state.value.field).value,
  gone: useComputed(() => state.value.gone).value,
  current: useComputed(() => state.value.current).value,
  filter: useComputed(() => state.value.filter).value,
  hasFilter: useComputed(() => state.value.hasFilter).value,
  fresh: useComputed(() => state.value.fresh).value
})

interface Menus {
  readonly card?: { readonly card: Card; readonly position: CardPosition; readonly anchor: HTMLElement }
  readonly column?: { readonly index: number; readonly anchor: HTMLElement }
}

export function Board({ input }: { input: ComponentInput }): JSX.Element {
  const session = useBoardSession(input)
  const { dispatch, element, drawn } = session
  const { board, draft, field, gone, current, filter, hasFilter, fresh } = useParts(session)
  const menus = useSignal<Menus>({})
  const closeMenu = (): void => void (menus.value = {})
  const listeners = useMemo(
    () => createListeners({ input, session, openMenu: (card, position, anchor) => (menus.value = { card: { card, position, anchor } }) }),
    []
  )
  const shown = useShown({ board: board.value, filter, fresh })
  const { changes, added } = useProposed(input, board).value
  const cardOf = useCards({ input, board, current, changes })
  const mayChange = input.refusal.value === undefined
  drawn.current = board.value

  const { columns, notes } = board.value
  const count = cardsOn(board.value).length
  const form =
    draft === undefined ? undefined : (
      <li class='card' key='draft' data-place={draft.isGone ? undefined : placeName(draft.position)}>
        <CardForm state={session.state.peek()} draft={draft} input={input} dispatch={dispatch} />
      </li>
    )
  /** Index of the column that shows the form. If that column was removed, the form stays in the nearest position. */
  const draftColumn = draft === undefined ? -1 : Math.min(draft.position.column, columns.length - 1)

  const cardsOf = (index: number): (JSX.Element | undefined)[] => {
    const mine = draftColumn === index ? draft : undefined
    let isPlaced = mine === undefined
    const items = shown.cards(index).flatMap(({ card, at }) => {
      if (isPlaced || at !== mine?.position.card) return [cardOf(card, { column: index, card: at })]
      isPlaced = true
      return mine.isGone ? [form, cardOf(card, { column: index, card: at })] : [form]
    })
    // Neither the filter nor the limit of drawn cards may hide the form.
    return isPlaced ? items : [...items, form]
  }
  const keys = columnKeys(board.value)
  const keyOf = (index: number): string | undefined =>
    field !== undefined && field.kind !== 'column' && field.column === index ? `writing ${field.number}` : keys[index]
  // In the bar of the frame, a filter that appears with the fifth card moves nothing.
  useLayoutEffect(() => {
    const left = shown.isFiltered ? { some: shown.hits, count } : undefined
    input.control.value = hasFilter ? <Filter filter={filter} dispatch={dispatch} left={left} /> : undefined
  }, [hasFilter, filter, shown.isFiltered, shown.hits, count])
  const { card: ofCard, column: ofColumn } = menus.value
  const comment = commenting(input)
  return (
    <div class='board-live' ref={element}>
      {notes.length > 0 && (
        <div class='component-note'>
          {notes.map(({ line }) => (
            <div key={line.from}>{inline(line.text.trim())}</div>
          ))}
        </div>
      )}
      <div class='board' role='group' aria-label={t('Board')} tabIndex={columns.length > 2 ? 0 : -1} {...listeners}>
        {columns.map((column, index) => (
          <BoardColumn
            key={keyOf(index)}
            mayChange={mayChange}
            field={field}
            dispatch={dispatch}
            column={column}
            index={index}
            rest={shown.rest(index)}
            onMenu={(anchor) => (menus.value = { column: { index, anchor } })}
          >
            {cardsOf(index)}
            {added
              .filter((each) => each.column === index)
              .map((each) => drawProposed(each, () => input.page.review.peek()?.show(each.id, 'card')))}
          </BoardColumn>
        ))}
        {columns.length === 0 && form !== undefined && <ul class='board-cards board-column'>{form}</ul>}
      </div>
      <GoneTexts gone={gone} board={board.value} mayChange={mayChange} dispatch={dispatch} />
      <NewColumn field={field} mayChange={mayChange} dispatch={dispatch} />
      {ofCard !== undefined && (
        <CardMenu
          {...ofCard}
          columns={columns}
          dispatch={dispatch}
          onComment={comment && (() => comment(ofCard.anchor))}
          onClose={closeMenu}
        />
      )}
      {ofColumn !== undefined && <ColumnMenu {...ofColumn} columns={columns} dispatch={dispatch} onClose={closeMenu} />}
    </div>
  )
}
