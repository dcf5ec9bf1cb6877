/** Boards: a person moves cards and columns with the pointer, the keyboard or a menu, and edits them in place. */
import { useComputed, useSignal, useSignalEffect, type ReadonlySignal, type Signal } from '@preact/signals'
import type { JSX, RefObject } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { cardsLeft, cardsOn, columnKeys, filterWords, wordsOf } from '../../shared/components/board.ts'
import {
  type Board as BoardShape,
  type Card,
  type CardPlace,
  cardsShown,
  type Column,
  parseBoard,
  repeatedCards
} from '../../shared/fences/board.ts'
import { limits } from '../../shared/limits.ts'
import { t } from '../text/t.ts'
import { type DrawnCard, drawCard, placeName, sameCard } from './board-card.tsx'
import { BoardColumn } from './board-column.tsx'
import { type Columns, createColumns } from './board-columns.ts'
import { createDeeds, type Deeds } from './board-deeds.ts'
import { type Fields, newColumn, useFields } from './board-fields.ts'
import { CardForm } from './board-form.tsx'
import { CardMenu, ColumnMenu, columnName } from './board-menus.tsx'
import { GoneWords, useKeptFocus } from './drafts.tsx'
import { inline } from './inline.tsx'
import type { ComponentInput } from './input.ts'
import { LineField } from './line-field.tsx'

/** Visible cards are drawn at once: as many per column as fit a window, and the same number more with every frame. */
const cardHeightMin = 36
const moreCards = 30

/** Boards with fewer cards have no filter. */
const filterCardsMin = 5

/** Returns the input of the component, and whether the next change of the board was made here. */
function useOwnChanges(given: ComponentInput): { readonly input: ComponentInput; readonly isMine: { current: boolean } } {
  const isMine = useRef(false)
  const input = useMemo(
    (): ComponentInput => ({
      ...given,
      act(edits, by) {
        const isDone = given.act(edits, by)
        isMine.current ||= isDone && !given.suggests()
        return isDone
      }
    }),
    []
  )
  return { input, isMine }
}

interface FilterInput {
  readonly filter: Signal<string>
  readonly onChange: () => void
  /** How many cards match the filter, and how many there are; undefined if the filter is empty. */
  readonly left: { readonly some: number; readonly count: number } | undefined
}

const Filter = ({ filter, onChange, left }: FilterInput): JSX.Element => (
  <div class='board-filter'>
    <input
      type='search'
      class='field'
      aria-label={t('Filter cards')}
      placeholder={t('Filter by @name, #tag or text')}
      value={filter.value}
      onInput={({ currentTarget }) => {
        onChange()
        filter.value = currentTarget.value
      }}
    />
    {left !== undefined && <span class='board-count'>{t('{some} of {count} cards', left)}</span>}
  </div>
)

interface PartInput {
  readonly fields: Fields
  readonly mayChange: boolean
}

/** Text for columns that others removed. */
const LeftWords = ({ fields, columns, mayChange }: PartInput & { readonly columns: readonly Column[] }): JSX.Element => (
  <>
    {fields.gone.value.map((each) => (
      <GoneWords key={each.field} words={each.words} onClose={() => fields.discard(each)}>
        {(each.kind === 'rename' || columns.length > 0) && (
          <>
            <button type='button' class='link' disabled={!mayChange} onClick={() => fields.putIn(each)}>
              {each.kind === 'rename'
                ? t('Add a column')
                : t('Add a card to {column}', { column: columnName(columns[fields.nearestTo(each)] as Column) })}
            </button>{' '}
          </>
        )}
      </GoneWords>
    ))}
  </>
)

function NewColumn({ fields, mayChange, columns }: PartInput & { readonly columns: Columns }): JSX.Element {
  const opened = fields.open.value
  return (
    <div class='board-new'>
      {opened?.kind === 'column' ? (
        <LineField
          typed={fields.typed}
          label={t('Column name')}
          onCancel={() => fields.close(newColumn)}
          onLeave={(text) => fields.leave(opened, text, () => columns.add(text))}
          onDone={(text) => {
            fields.close(newColumn)
            columns.add(text)
            return false
          }}
        />
      ) : (
        <button type='button' class='board-add' disabled={!mayChange} onClick={() => fields.write({ kind: 'column' })}>
          + {t('Add a column')}
        </button>
      )}
    </div>
  )
}

interface CardsInput {
  readonly input: ComponentInput
  readonly board: ReadonlySignal<BoardShape>
  readonly deeds: Deeds
}

/** Draws cards, reusing the previous drawing of those that have not changed. */
function useCards({ input, board, deeds }: CardsInput): (card: Card, place: CardPlace) => JSX.Element {
  const repeated = useComputed(() => new Set(repeatedCards(board.value).flatMap((places) => places.map(placeName))))
  const drawnCards = useRef(new Map<string, { readonly drawn: DrawnCard; readonly element: JSX.Element }>())
  const { columns } = board.value
  const first = columns.findIndex(({ cards }) => cards.length > 0)
  const wanted = deeds.current.value
  const current = columns[wanted.column]?.cards[wanted.card] === undefined ? { column: first, card: 0 } : wanted
  return (card, place) => {
    const now: DrawnCard = {
      card,
      place,
      mayChange: input.refusal.value === undefined,
      isCurrent: current.column === place.column && current.card === place.card,
      holder: input.held.value.size === 0 ? undefined : input.held.value.get(wordsOf(card)),
      isRepeated: repeated.value.has(placeName(place))
    }
    const before = drawnCards.current.get(placeName(place))
    if (before !== undefined && sameCard(before.drawn, now)) return before.element
    const made = drawCard(now)
    drawnCards.current.set(placeName(place), { drawn: now, element: made })
    return made
  }
}

interface ShownInput {
  readonly board: ReadonlySignal<BoardShape>
  readonly drawnBoard: RefObject<BoardShape> & { current: BoardShape }
  readonly isMine: { current: boolean }
}

/** Returns the cards that match the filter, and how many of them are drawn so far. */
function useShown({ board, drawnBoard, isMine }: ShownInput) {
  const filter = useSignal('')
  /** Cards that were added or edited here since the filter changed: they show even if they do not match it. */
  const fresh = useRef(new Set<string>())
  const drawn = useSignal(Math.ceil(innerHeight / cardHeightMin))
  if (drawnBoard.current !== board.value) {
    if (isMine.current && filter.peek() !== '') {
      const before = new Set(cardsOn(drawnBoard.current).map(wordsOf))
      for (const words of cardsOn(board.value).map(wordsOf)) if (!before.has(words)) fresh.current.add(words)
    }
    isMine.current = false
    drawnBoard.current = board.value
  }
  const words = filterWords(filter.value)
  const left = cardsLeft(board.value, words, fresh.current)
  const counts = cardsShown({ columns: left }, limits.boardCardsMax)
  const most = Math.max(0, ...counts)
  useEffect(() => {
    if (drawn.value >= most) return undefined
    const frame = requestAnimationFrame(() => (drawn.value += moreCards))
    return () => cancelAnimationFrame(frame)
  }, [drawn.value, most])
  return {
    filter,
    isFiltered: words.length > 0,
    forget: () => fresh.current.clear(),
    hits: left.reduce((sum, { cards }) => sum + cards.length, 0),
    /** Returns the drawn cards of a column. */
    cards: (column: number) => left[column]?.cards.slice(0, Math.min(drawn.value, counts[column] ?? 0)) ?? [],
    /** Returns how many cards of a column are never drawn. */
    rest: (column: number): number => (left[column]?.cards.length ?? 0) - (counts[column] ?? 0)
  }
}

export function Board({ input: given }: { input: ComponentInput }): JSX.Element {
  const { input, isMine } = useOwnChanges(given)
  const element = useRef<HTMLDivElement>(null)
  const board = useComputed(() => parseBoard(input.fence.value))
  const drawnBoard = useRef(board.value)
  const deeds = useMemo(() => createDeeds({ input, board, drawn: drawnBoard, element }), [])
  const focused = deeds.focused()
  const shown = useShown({ board, drawnBoard, isMine })
  const fields = useFields({ input, board, element })
  const fieldsNow = useRef(fields)
  fieldsNow.current = fields
  const moves = useMemo(() => createColumns({ input, board, element, fields: () => fieldsNow.current }), [])
  const columnMenu = useSignal<{ readonly column: number; readonly anchor: HTMLElement } | undefined>(undefined)
  /** Once shown, the filter stays, with its text. */
  const hasFilter = useRef(false)
  const cardOf = useCards({ input, board, deeds })
  const mayChange = input.refusal.value === undefined

  useSignalEffect(deeds.follow)
  useSignalEffect(() => {
    if (!input.begins.value) return
    input.begins.value = false
    const card = cardsOn(board.peek())[0]
    if (input.refusal.peek() !== undefined) return
    if (card !== undefined) deeds.edit(card)
    else fields.write(board.peek().columns.length > 0 ? { kind: 'card', column: 0 } : { kind: 'column' })
  })
  useKeptFocus(element, '.card-form')
  useLayoutEffect(() => {
    deeds.refocus(focused)
    moves.show()
  }, [board.value])

  const { columns, notes } = board.value
  const count = cardsOn(board.value).length
  if (count >= filterCardsMin) hasFilter.current = true
  const draft = deeds.draft.value
  const form =
    draft === undefined ? undefined : (
      <li class='card' key='draft' data-place={draft.isGone ? undefined : placeName(draft.place)}>
        <CardForm draft={draft} input={input} deeds={deeds} />
      </li>
    )
  /** The column with the form. The form of a removed card stays where the card was. */
  const draftColumn = draft === undefined ? -1 : Math.min(draft.place.column, columns.length - 1)

  const cardsOf = (index: number): (JSX.Element | undefined)[] => {
    const mine = draftColumn === index ? draft : undefined
    let isPlaced = mine === undefined
    const items = shown.cards(index).flatMap(({ card, at }) => {
      if (isPlaced || at !== mine?.place.card) return [cardOf(card, { column: index, card: at })]
      isPlaced = true
      return mine.isGone ? [form, cardOf(card, { column: index, card: at })] : [form]
    })
    // Neither a filter nor the limit of drawn cards hides the form.
    return isPlaced ? items : [...items, form]
  }
  const keys = columnKeys(board.value)
  const opened = fields.open.value
  const keyOf = (index: number): string | undefined =>
    opened !== undefined && opened.kind !== 'column' && opened.column === index ? `writing ${opened.field}` : keys[index]
  const ofColumn = columnMenu.value
  return (
    <div class='board-live' ref={element}>
      {notes.length > 0 && (
        <div class='component-note'>
          {notes.map(({ line }) => (
            <div key={line.from}>{inline(line.text.trim())}</div>
          ))}
        </div>
      )}
      {hasFilter.current && (
        <Filter filter={shown.filter} onChange={shown.forget} left={shown.isFiltered ? { some: shown.hits, count } : undefined} />
      )}
      <div
        class='board'
        role='group'
        aria-label={t('Board')}
        tabIndex={columns.length > 2 ? 0 : -1}
        onKeyDown={(event) => {
          moves.listeners.onKeyDown(event)
          deeds.listeners.onKeyDown(event)
        }}
        onPointerDown={(event) => {
          moves.listeners.onPointerDown(event)
          deeds.listeners.onPointerDown(event)
        }}
        onDblClick={moves.listeners.onDblClick}
        onFocusIn={deeds.listeners.onFocusIn}
        onClick={deeds.listeners.onClick}
      >
        {columns.map((column, index) => (
          <BoardColumn
            key={keyOf(index)}
            input={input}
            fields={fields}
            column={column}
            index={index}
            rest={shown.rest(index)}
            onMenu={(anchor) => (columnMenu.value = { column: index, anchor })}
          >
            {cardsOf(index)}
          </BoardColumn>
        ))}
        {columns.length === 0 && form !== undefined && <ul class='board-cards board-column'>{form}</ul>}
      </div>
      <LeftWords fields={fields} columns={columns} mayChange={mayChange} />
      <NewColumn fields={fields} columns={moves} mayChange={mayChange} />
      <CardMenu deeds={deeds} columns={columns} />
      {ofColumn !== undefined && (
        <ColumnMenu
          columns={columns}
          index={ofColumn.column}
          anchor={ofColumn.anchor}
          onMove={(to) => moves.move(ofColumn.column, to)}
          onDelete={() => moves.remove(ofColumn.column)}
          onRename={() => fields.write({ kind: 'rename', column: ofColumn.column })}
          onClose={() => (columnMenu.value = undefined)}
        />
      )}
    </div>
  )
}
