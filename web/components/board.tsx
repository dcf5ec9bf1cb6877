/** Boards: cards are moved with the pointer, the keyboard or a menu, and written where they stand. */
import { useComputed, useSignal, useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import {
  type Board as BoardShape,
  type Card,
  type CardPlace,
  cardsShown,
  type Column,
  detailsOf,
  parseBoard,
  repeatedCards
} from '../../shared/fences/board.ts'
import { addCard, addColumn, renameColumn } from '../../shared/fences/board-edits.ts'
import type { Edit } from '../../shared/text/diff.ts'
import { limits } from '../../shared/limits.ts'
import { t, tn } from '../text/t.ts'
import { type DrawnCard, drawCard, placeName, sameCard } from './board-card.tsx'
import { createDeeds, wordsOf } from './board-deeds.ts'
import { CardForm } from './board-form.tsx'
import { CardMenu, ColumnMenu, columnName } from './board-menus.tsx'
import { followPart, GoneWords, useKeptFocus } from './drafts.tsx'
import { inline } from './inline.tsx'
import type { ComponentInput } from './input.ts'
import { LineField } from './line-field.tsx'

const matches = (card: Card, words: readonly string[]): boolean => {
  const text = `${card.line.text}\n${detailsOf(card)}`.toLowerCase()
  return words.every((word) => text.includes(word))
}

const cardsOn = ({ columns }: BoardShape): Card[] => columns.flatMap(({ cards }) => cards)
const titlesOf = ({ columns }: BoardShape): string[] => columns.map(({ title }) => title.text)

interface OfColumn {
  readonly kind: 'card' | 'rename'
  readonly column: number
}
type Opening = OfColumn | { readonly kind: 'column' }
/** The field of a line; each has a number of its own. */
type Open = Opening & { readonly field: number }

/** What was typed for a column that others removed. */
interface Gone extends OfColumn {
  readonly field: number
  readonly words: string
}

/** What is seen comes at once: as many cards of each column as a window has room for, and so many more with every frame. */
const cardHeightMin = 36
const moreCards = 30

/** Fewer cards than this need no filter. */
const filterCardsMin = 5

const newColumn = '.board-new .board-add'
const menuOf = (column: number): string => `[data-column="${column}"] .board-head .card-more`

export function Board({ input: given }: { input: ComponentInput }): JSX.Element {
  /** Whether the next change of the board is one that was made here. */
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
  const { fence, held, refusal, said } = input
  const element = useRef<HTMLDivElement>(null)
  const board = useComputed(() => parseBoard(fence.value))
  const repeated = useComputed(() => new Set(repeatedCards(board.value).flatMap((places) => places.map(placeName))))
  const filter = useSignal('')
  /** Cards that were added or written here since the filter was changed: they are shown whatever it says. */
  const fresh = useRef(new Set<string>())
  /** Once the filter is there it stays, with what is typed in it. */
  const hasFilter = useRef(false)
  const open = useSignal<Open | undefined>(undefined)
  /** What is in the field that is open. */
  const typed = useRef('')
  const gone = useSignal<readonly Gone[]>([])
  /** What has the focus once the field of a line is gone, by its selector. */
  const back = useRef<string | undefined>(undefined)
  const columnMenu = useSignal<{ readonly column: number; readonly anchor: HTMLElement } | undefined>(undefined)
  const drawn = useSignal(Math.ceil(innerHeight / cardHeightMin))
  const drawnBoard = useRef(board.value)
  const deeds = useMemo(() => createDeeds({ input, board, drawn: drawnBoard, element }), [])
  const focused = deeds.focused()
  if (drawnBoard.current !== board.value) {
    if (isMine.current && filter.peek() !== '') {
      const before = new Set(cardsOn(drawnBoard.current).map(wordsOf))
      for (const words of cardsOn(board.value).map(wordsOf)) if (!before.has(words)) fresh.current.add(words)
    }
    isMine.current = false
    drawnBoard.current = board.value
  }
  const drawnCards = useRef(new Map<string, { readonly drawn: DrawnCard; readonly element: JSX.Element }>())
  const followed = useRef(titlesOf(board.peek()))
  const mayChange = refusal.value === undefined
  const fields = useRef(0)
  const write = (what: Opening): void => {
    open.value = { ...what, field: (fields.current += 1) }
  }
  const close = (to: string): void => {
    open.value = undefined
    back.current = to
  }
  /** Writes what is in a field that was left. Another one may be open by then. */
  const leave = (was: Open | undefined, text: string, edits: (now: BoardShape) => readonly Edit[]): boolean => {
    if (open.peek() === was) open.value = undefined
    return text.trim() !== '' && act(edits)
  }
  useLayoutEffect(() => {
    if (open.value !== undefined || back.current === undefined) return
    element.current?.querySelector<HTMLElement>(back.current)?.focus()
    back.current = undefined
  })
  useSignalEffect(deeds.follow)
  useSignalEffect(() => {
    if (!input.begins.value) return
    input.begins.value = false
    const card = cardsOn(board.peek())[0]
    if (!mayChange) return
    if (card !== undefined) deeds.edit(card)
    else write(board.peek().columns.length > 0 ? { kind: 'card', column: 0 } : { kind: 'column' })
  })
  useKeptFocus(element, '.card-form')
  // What is written for a column stays with it, wherever it goes.
  useSignalEffect(() => {
    const [before, now] = [followed.current, titlesOf(board.value)]
    followed.current = now
    const writing = open.peek()
    if (writing === undefined || writing.kind === 'column') return
    const column = followPart(before, writing.column, now)
    if (column === writing.column) return
    open.value = column === undefined ? undefined : { ...writing, column }
    const words = typed.current.trim()
    const isNew = words !== '' && (writing.kind === 'card' || words !== before[writing.column])
    if (column === undefined && isNew) gone.value = [...gone.peek(), { ...writing, words }]
  })
  const act = (edits: (now: BoardShape) => readonly Edit[]): boolean => input.act((now) => edits(parseBoard(now)))
  /** Where a column that is drawn is in the board as it is now; -1: nowhere. */
  const columnIn = (now: BoardShape, index: number): number => followPart(titlesOf(board.peek()), index, titlesOf(now)) ?? -1
  useLayoutEffect(() => deeds.refocus(focused), [board.value])

  const { columns, notes } = board.value
  const words = filter.value
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  /** What the filter leaves of each column, and how much of that is drawn. */
  const matching = columns.map(({ cards }) => ({
    cards: cards.flatMap((card, at) =>
      words.length === 0 || matches(card, words) || fresh.current.has(wordsOf(card)) ? [{ card, at }] : []
    )
  }))
  const hits = matching.reduce((sum, { cards }) => sum + cards.length, 0)
  const counts = cardsShown({ columns: matching }, limits.boardCardsMax)
  const most = Math.max(0, ...counts)
  useEffect(() => {
    if (drawn.value >= most) return undefined
    const frame = requestAnimationFrame(() => (drawn.value += moreCards))
    return () => cancelAnimationFrame(frame)
  }, [drawn.value, most])
  const draft = deeds.draft.value
  const form =
    draft === undefined ? undefined : (
      <li class='card' key='draft' data-place={draft.isGone ? undefined : placeName(draft.place)}>
        <CardForm draft={draft} input={input} deeds={deeds} />
      </li>
    )
  /** The column with the form. Of a card that was removed it stays where the card was. */
  const draftColumn = draft === undefined ? -1 : Math.min(draft.place.column, columns.length - 1)
  const first = columns.findIndex(({ cards }) => cards.length > 0)
  const wanted = deeds.current.value
  const current = columns[wanted.column]?.cards[wanted.card] === undefined ? { column: first, card: 0 } : wanted
  const count = columns.reduce((sum, { cards }) => sum + cards.length, 0)
  if (count >= filterCardsMin) hasFilter.current = true

  const cardOf = (card: Card, place: CardPlace): JSX.Element => {
    const now: DrawnCard = {
      card,
      place,
      mayChange,
      isCurrent: current.column === place.column && current.card === place.card,
      holder: held.value.size === 0 ? undefined : held.value.get(wordsOf(card)),
      isRepeated: repeated.value.has(placeName(place))
    }
    const before = drawnCards.current.get(placeName(place))
    if (before !== undefined && sameCard(before.drawn, now)) return before.element
    const made = drawCard(now)
    drawnCards.current.set(placeName(place), { drawn: now, element: made })
    return made
  }

  const cardsOf = (index: number): (JSX.Element | undefined)[] => {
    const mine = draftColumn === index ? draft : undefined
    let isPlaced = mine === undefined
    const shown = matching[index]?.cards.slice(0, Math.min(drawn.value, counts[index] ?? 0)) ?? []
    const items = shown.flatMap(({ card, at }) => {
      if (isPlaced || at !== mine?.place.card) return [cardOf(card, { column: index, card: at })]
      isPlaced = true
      return mine.isGone ? [form, cardOf(card, { column: index, card: at })] : [form]
    })
    // Neither a filter nor the end of what is drawn takes it away.
    return isPlaced ? items : [...items, form]
  }

  // Parts of the page go along with their column.
  const seen = new Map<string, number>()
  const columnKeys = titlesOf(board.value).map((title) => {
    const count = (seen.get(title) ?? 0) + 1
    seen.set(title, count)
    return `${count} ${title}`
  })

  const columnOf = (column: Column, index: number): JSX.Element => {
    const rest = (matching[index]?.cards.length ?? 0) - (counts[index] ?? 0)
    const title = columnName(column)
    const opened = open.value
    const rename =
      (text: string) =>
      (now: BoardShape): readonly Edit[] =>
        renameColumn(now, columnIn(now, index), text)
    const add =
      (text: string) =>
      (now: BoardShape): readonly Edit[] =>
        addCard(now, columnIn(now, index), text)
    const tellAdded = (): void => {
      said.value = t('Card added to {column}', { column: title })
    }
    const isOpen = open.value?.kind !== 'column' && open.value?.column === index ? open.value.kind : undefined
    return (
      <div
        class='board-column'
        key={isOpen === undefined ? columnKeys[index] : `writing ${opened?.field}`}
        data-column={index}
        role='group'
        aria-label={title}
      >
        <div class='board-head'>
          {isOpen === 'rename' ? (
            <LineField
              typed={typed}
              label={t('Column name')}
              value={column.title.text}
              onCancel={() => close(menuOf(index))}
              onDone={(text) => {
                close(menuOf(index))
                act(rename(text))
                return false
              }}
              onLeave={(text) => leave(opened, text, rename(text))}
            />
          ) : (
            <p class='board-title'>
              {inline(title)} <span class='board-count'>{column.cards.length}</span>
            </p>
          )}
          <button
            type='button'
            class='card-more'
            disabled={!mayChange}
            aria-label={t('Actions for {name}', { name: title })}
            aria-haspopup='menu'
            onClick={({ currentTarget }) => (columnMenu.value = { column: index, anchor: currentTarget })}
          />
        </div>
        <ul class='board-cards'>{cardsOf(index)}</ul>
        {rest > 0 && (
          <p class='component-rest'>
            {tn(
              rest,
              '1 more card: find it with the filter, or in the source.',
              '{count} more cards: find them with the filter, or in the source.'
            )}
          </p>
        )}
        {column.notes.map(({ line }) => (
          <p class='component-note' key={line.from}>
            {inline(line.text.trim())}
          </p>
        ))}
        {isOpen === 'card' ? (
          <LineField
            typed={typed}
            label={t('New card in {column}', { column: title })}
            onCancel={() => close(`[data-column="${index}"] .board-add`)}
            onDone={(text) => {
              // Enter adds one, and asks for the next.
              const isAdded = act(add(text))
              if (isAdded) tellAdded()
              else if (text.trim() === '') open.value = undefined
              return isAdded
            }}
            onLeave={(text) => leave(opened, text, add(text)) && tellAdded()}
          />
        ) : (
          <button
            type='button'
            class='board-add'
            disabled={!mayChange}
            aria-label={t('Add a card to {column}', { column: title })}
            onClick={() => write({ kind: 'card', column: index })}
          >
            + {t('Add a card')}
          </button>
        )}
      </div>
    )
  }
  const shownColumns = columns.map(columnOf)
  const nearestTo = ({ column }: Gone): number => Math.min(column, columns.length - 1)
  const discard = (each: Gone): void => {
    gone.value = gone.peek().filter((other) => other !== each)
    back.current = newColumn
  }
  const putIn = (each: Gone): void => {
    const isDone = act((now) =>
      each.kind === 'rename' ? addColumn(now, each.words) : addCard(now, columnIn(now, nearestTo(each)), each.words)
    )
    if (isDone) discard(each)
  }
  const writing = open.value
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
        <div class='board-filter'>
          <input
            type='search'
            class='field'
            aria-label={t('Filter cards')}
            placeholder={t('Filter by @name, #tag or text')}
            value={filter.value}
            onInput={({ currentTarget }) => {
              fresh.current.clear()
              filter.value = currentTarget.value
            }}
          />
          {words.length > 0 && <span class='board-count'>{t('{some} of {count} cards', { some: hits, count })}</span>}
        </div>
      )}
      <div class='board' role='group' aria-label={t('Board')} tabIndex={columns.length > 2 ? 0 : -1} {...deeds.listeners}>
        {shownColumns}
        {columns.length === 0 && form !== undefined && <ul class='board-cards board-column'>{form}</ul>}
      </div>
      {gone.value.map((each) => (
        <GoneWords key={each.field} words={each.words} onClose={() => discard(each)}>
          {(each.kind === 'rename' || columns.length > 0) && (
            <>
              <button type='button' class='link' disabled={!mayChange} onClick={() => putIn(each)}>
                {each.kind === 'rename'
                  ? t('Add a column')
                  : t('Add a card to {column}', { column: columnName(columns[nearestTo(each)] as Column) })}
              </button>{' '}
            </>
          )}
        </GoneWords>
      ))}
      <div class='board-new'>
        {writing?.kind === 'column' ? (
          <LineField
            typed={typed}
            label={t('Column name')}
            onCancel={() => close(newColumn)}
            onLeave={(text) => leave(writing, text, (now) => addColumn(now, text))}
            onDone={(text) => {
              close(newColumn)
              act((now) => addColumn(now, text))
              return false
            }}
          />
        ) : (
          <button type='button' class='board-add' disabled={!mayChange} onClick={() => write({ kind: 'column' })}>
            + {t('Add a column')}
          </button>
        )}
      </div>
      <CardMenu deeds={deeds} columns={columns} />
      {ofColumn !== undefined && (
        <ColumnMenu
          input={input}
          columns={columns}
          index={ofColumn.column}
          anchor={ofColumn.anchor}
          onRename={() => write({ kind: 'rename', column: ofColumn.column })}
          onClose={() => (columnMenu.value = undefined)}
        />
      )}
    </div>
  )
}
