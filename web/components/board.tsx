/** Boards: cards are moved with the pointer, the keyboard or a menu, and written where they stand. */
import { signal, useComputed, useSignal, type Signal } from '@preact/signals'
import { Component, type JSX } from 'preact'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import {
  type Board as BoardShape,
  type Card,
  type CardPlace,
  type CardState,
  type Column,
  detailsOf,
  parseBoard,
  repeatedCards
} from '../../shared/fences/board.ts'
import {
  addCard,
  addColumn,
  cycleState,
  deleteCard,
  deleteColumn,
  moveCard,
  moveColumn,
  renameColumn
} from '../../shared/fences/board-edits.ts'
import type { Fence } from '../../shared/fences/fences.ts'
import type { Edit } from '../../shared/text/diff.ts'
import { limits } from '../../shared/limits.ts'
import { t, tn } from '../text/t.ts'
import type { Person } from '../presence/people.ts'
import { toast } from '../ui/toast.tsx'
import { CardForm } from './board-form.tsx'
import { startDrag } from './board-drag.ts'
import { Inline } from './inline.tsx'
import type { ComponentInput } from './input.ts'
import { Icon } from '../ui/icons.tsx'
import { Pop, PopItem } from './pop.tsx'

const stateName = (state: CardState): string => (state === 'done' ? t('Done') : state === 'doing' ? t('In progress') : t('To do'))

/** What a card says, its marker aside: others and we ourselves find it by that when places have changed. */
const wordsOf = (card: Card): string => JSON.stringify([card.line.text.slice(card.text.from - card.line.from).trimEnd(), detailsOf(card)])

/** Where a card is that was seen somewhere: the nearest that says the same. */
function find({ columns }: BoardShape, card: Card): CardPlace | undefined {
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

type Change = (board: BoardShape, place: CardPlace) => readonly Edit[]

/** What can be done with the cards of a board; stays the same for as long as the board is there. */
export interface Deeds {
  /** A change of one card, wherever it is now. */
  change(card: Card, edits: Change): boolean
  move(card: Card, to: CardPlace): void
  /** To the column beside, or by one place. */
  step(card: Card, place: CardPlace, key: string): void
  remove(card: Card): void
  /** Goes to another card. */
  go(place: CardPlace, key: string): void
  keepOnly(card: Card, place: CardPlace): void
  readonly editing: Signal<Card | undefined>
  readonly menu: Signal<{ readonly card: Card; readonly place: CardPlace; readonly anchor: HTMLElement } | undefined>
  readonly current: Signal<CardPlace>
  hold(card: Card | undefined): void
  drag(event: PointerEvent, card: Card): void
}

interface CardInput {
  readonly card: Card
  readonly source: string
  readonly place: CardPlace
  readonly mayChange: boolean
  readonly isCurrent: boolean
  readonly isEditing: boolean
  readonly holder: Person | undefined
  readonly isRepeated: boolean
  readonly deeds: Deeds
  readonly input: ComponentInput
}

/** A class, because of many cards only those are drawn anew that have changed. */
class CardItem extends Component<CardInput> {
  override shouldComponentUpdate(next: CardInput): boolean {
    const { card, place, holder, ...rest } = this.props
    return (
      next.card.line.text !== card.line.text ||
      detailsOf(next.card) !== detailsOf(card) ||
      next.card.index !== card.index ||
      next.place.column !== place.column ||
      next.place.card !== place.card ||
      next.holder?.id !== holder?.id ||
      next.mayChange !== rest.mayChange ||
      next.isCurrent !== rest.isCurrent ||
      next.isEditing !== rest.isEditing ||
      next.isRepeated !== rest.isRepeated
    )
  }

  readonly #keyDown = (event: KeyboardEvent): void => {
    const { card, place, mayChange, holder, deeds } = this.props
    const onCard = event.target === event.currentTarget
    const isArrow = event.key.startsWith('Arrow')
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    if (isArrow && !event.altKey && onCard) deeds.go(place, event.key)
    else if (!mayChange || holder !== undefined) return
    else if (isArrow && event.altKey) deeds.step(card, place, event.key)
    else if (!onCard) return
    else if (event.key === 'Enter' || event.key === 'F2') deeds.editing.value = card
    else if (event.key === ' ') deeds.change(card, cycleState)
    else if (event.key === 'Delete') deeds.remove(card)
    else return
    event.preventDefault()
    event.stopPropagation()
  }

  override render({ card, source, place, mayChange, isCurrent, isEditing, holder, isRepeated, deeds, input }: CardInput): JSX.Element {
    const tab = isCurrent ? 0 : -1
    if (isEditing) {
      return (
        <li class='card' data-place={`${place.column}:${place.card}`}>
          <CardForm card={card} source={source} input={input} deeds={deeds} />
        </li>
      )
    }
    const free = mayChange && holder === undefined
    const labels = [...card.assignees, ...card.tags]
      .filter(({ from }) => from >= card.title.to)
      .toSorted((one, other) => one.from - other.from)
    const details = detailsOf(card)
    const name = card.title.text || t('Card without words')
    return (
      <li
        class={`card card-${card.state}${holder === undefined ? '' : ' held'}${free ? ' free' : ''}`}
        style={holder === undefined ? {} : { '--hue': `var(--hue-${holder.hue})` }}
        data-place={`${place.column}:${place.card}`}
        tabIndex={tab}
        onKeyDown={this.#keyDown}
        onFocusIn={() => {
          if (deeds.current.peek().column !== place.column || deeds.current.peek().card !== place.card) deeds.current.value = place
        }}
        onPointerDown={(event) => free && deeds.drag(event, card)}
        onDblClick={() => free && (deeds.editing.value = card)}
      >
        <button
          type='button'
          class='card-mark'
          tabIndex={tab}
          disabled={!free}
          aria-label={t('{state}: {name}', { state: stateName(card.state), name })}
          title={stateName(card.state)}
          onClick={() => deeds.change(card, cycleState)}
        >
          <span class='card-state' />
        </button>
        <div class='card-text'>
          <Inline text={card.title.text} />
          {labels.map(({ from, name: label }) => {
            const isPerson = source.charAt(from) === '@'
            return (
              <span key={from}>
                {' '}
                <span class={isPerson ? 'chip chip-person' : 'chip'}>
                  {isPerson ? '@' : '#'}
                  {label}
                </span>
              </span>
            )
          })}
          {details !== '' && (
            <div class='card-details'>
              {details.split('\n').map((line, index) => (
                <div key={index}>
                  <Inline text={line} />
                </div>
              ))}
            </div>
          )}
          {holder !== undefined && <div class='card-holder'>{t('{name} is working on this', { name: holder.name })}</div>}
          {isRepeated && (
            <div class='card-repeated'>
              {t('This card is here more than once.')}{' '}
              <button type='button' class='link' disabled={!free} onClick={() => deeds.keepOnly(card, place)}>
                {t('Keep only this one')}
              </button>
            </div>
          )}
        </div>
        <button
          type='button'
          class='card-more'
          tabIndex={tab}
          disabled={!free}
          aria-label={t('Actions for {name}', { name })}
          aria-haspopup='menu'
          onClick={({ currentTarget }) => (deeds.menu.value = { card, place, anchor: currentTarget })}
        >
          <Icon name='ellipsis' size={16} />
        </button>
      </li>
    )
  }
}

interface LineFieldInput {
  readonly label: string
  readonly value?: string
  readonly onDone: (text: string) => void
  readonly onCancel: () => void
}

/** A field of one line: Enter writes, Esc leaves. */
function LineField({ label, value = '', onDone, onCancel }: LineFieldInput): JSX.Element {
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    field.current?.focus()
    field.current?.select()
  }, [])
  return (
    <input
      class='field'
      type='text'
      dir='auto'
      aria-label={label}
      placeholder={label}
      defaultValue={value}
      ref={field}
      onKeyDown={(event) => {
        if (event.isComposing) return
        if (event.key === 'Enter') {
          const { value: written } = event.currentTarget
          // It may stay for the next one.
          event.currentTarget.value = ''
          onDone(written)
        } else if (event.key === 'Escape') onCancel()
        else return
        event.preventDefault()
        event.stopPropagation()
      }}
      onBlur={onCancel}
    />
  )
}

const matches = (card: Card, wanted: string): boolean => {
  const text = `${card.line.text}\n${detailsOf(card)}`.toLowerCase()
  return wanted
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

type Open = { readonly kind: 'card' | 'rename'; readonly column: number } | { readonly kind: 'column' }

/** Fewer cards than this need no filter. */
const filterCardsMin = 5

export function Board({ input }: { input: ComponentInput }): JSX.Element {
  const { fence, held, refusal, said } = input
  const element = useRef<HTMLDivElement>(null)
  const board = useComputed(() => parseBoard(fence.value))
  const repeated = useComputed(
    () => new Set(repeatedCards(board.value).flatMap((places) => places.map(({ column, card }) => `${column}:${card}`)))
  )
  const filter = useSignal('')
  const open = useSignal<Open | undefined>(undefined)
  const columnMenu = useSignal<{ readonly column: number; readonly anchor: HTMLElement } | undefined>(undefined)
  const next = useRef<CardPlace | undefined>(undefined)
  const mayChange = refusal.value === undefined

  const deeds = useMemo((): Deeds => {
    const change = (card: Card, edits: Change): boolean => {
      const done = input.act((now: Fence) => {
        const there = parseBoard(now)
        const place = find(there, card)
        if (place === undefined) toast(t('Somebody changed this card meanwhile.'))
        return place === undefined ? [] : edits(there, place)
      })
      return done
    }
    const focus = ({ column, card }: CardPlace): void =>
      element.current?.querySelector<HTMLElement>(`[data-place="${column}:${card}"]`)?.focus()
    const move = (card: Card, to: CardPlace): void => {
      const before = find(board.peek(), card)
      if (!change(card, (now, place) => moveCard(now, place, to))) return
      const index = before?.column === to.column && before.card < to.card ? to.card - 1 : to.card
      const title = board.peek().columns[to.column]?.title.text ?? ''
      const place = { column: to.column, card: Math.min(index, (board.peek().columns[to.column]?.cards.length ?? 1) - 1) }
      next.current = place
      current.value = place
      said.value = t('{name} is now in {column}, place {place} of {count}', {
        name: card.title.text,
        column: title,
        place: place.card + 1,
        count: board.peek().columns[to.column]?.cards.length ?? 1
      })
    }
    const current = signal<CardPlace>({ column: 0, card: 0 })
    const made: Deeds = {
      change,
      move,
      current,
      editing: signal(undefined),
      menu: signal(undefined),
      step(card, { column, card: index }, key) {
        const { columns } = board.peek()
        const last = columns[column]?.cards.length ?? 0
        if (key === 'ArrowUp' && index > 0) move(card, { column, card: index - 1 })
        else if (key === 'ArrowDown' && index < last - 1) move(card, { column, card: index + 2 })
        else if (key === 'ArrowLeft' && column > 0)
          move(card, { column: column - 1, card: Math.min(index, columns[column - 1]?.cards.length ?? 0) })
        else if (key === 'ArrowRight' && column < columns.length - 1)
          move(card, { column: column + 1, card: Math.min(index, columns[column + 1]?.cards.length ?? 0) })
      },
      remove(card) {
        const place = find(board.peek(), card)
        if (!change(card, deleteCard) || place === undefined) return
        next.current = { column: place.column, card: Math.max(0, place.card - 1) }
        said.value = t('Card deleted')
        toast(t('Card deleted'))
      },
      go({ column, card }, key) {
        const { columns } = board.peek()
        if (key === 'ArrowUp' || key === 'ArrowDown') return focus({ column, card: card + (key === 'ArrowUp' ? -1 : 1) })
        const step = key === 'ArrowLeft' ? -1 : 1
        for (let other = column + step; other >= 0 && other < columns.length; other += step) {
          const { length } = columns[other]?.cards ?? []
          if (length > 0) return focus({ column: other, card: Math.min(card, length - 1) })
        }
      },
      keepOnly(card, { column, card: index }) {
        input.act((now) => {
          const there = parseBoard(now)
          const places = repeatedCards(there).find((each) => each.some((place) => place.column === column && place.card === index)) ?? []
          return places
            .filter((place) => place.column !== column || place.card !== index)
            .flatMap((place) => deleteCard(there, place))
            .toSorted((one, other) => one.from - other.from)
        })
        said.value = t('{name} is now here once', { name: card.title.text })
      },
      hold: (card) => input.hold(card && wordsOf(card)),
      drag(event, card) {
        startDrag({
          event,
          root: element.current,
          start: () => input.hold(wordsOf(card)),
          end: () => input.hold(undefined),
          drop: (to) => move(card, to)
        })
      }
    }
    return made
  }, [])

  // A card that was moved keeps the focus.
  useLayoutEffect(() => {
    const place = next.current
    if (place === undefined) return
    next.current = undefined
    element.current?.querySelector<HTMLElement>(`[data-place="${place.column}:${place.card}"]`)?.focus()
  }, [board.value])

  const { columns, notes } = board.value
  const editing = deeds.editing.value
  const editedAt = editing && find(board.value, editing)
  const current = deeds.current.value
  const first = columns.findIndex(({ cards }) => cards.length > 0)
  const currentIs = columns[current.column]?.cards[current.card] === undefined ? { column: first, card: 0 } : current
  const words = filter.value.trim()
  const count = columns.reduce((sum, { cards }) => sum + cards.length, 0)
  let left = limits.boardCardsMax
  let hits = 0

  const columnOf = (column: Column, index: number): JSX.Element => {
    const shown = column.cards.slice(0, Math.max(0, left))
    left -= shown.length
    const title = column.title.text || t('Column without a name')
    const isOpen = open.value?.kind !== 'column' && open.value?.column === index ? open.value.kind : undefined
    return (
      <section class='board-column' key={index} data-column={index} aria-label={title}>
        <div class='board-head'>
          {isOpen === 'rename' ? (
            <LineField
              label={t('Name of the column')}
              value={column.title.text}
              onCancel={() => (open.value = undefined)}
              onDone={(text) => {
                open.value = undefined
                input.act((now) => renameColumn(parseBoard(now), index, text))
              }}
            />
          ) : (
            <p class='board-title'>
              <Inline text={title} /> <span class='board-count'>{column.cards.length}</span>
            </p>
          )}
          <button
            type='button'
            class='card-more'
            disabled={!mayChange}
            aria-label={t('Actions for {name}', { name: title })}
            aria-haspopup='menu'
            onClick={({ currentTarget }) => (columnMenu.value = { column: index, anchor: currentTarget })}
          >
            <Icon name='ellipsis' size={16} />
          </button>
        </div>
        <ul class='board-cards'>
          {shown.map((card, at) => {
            if (words !== '' && !matches(card, words)) return null
            hits += 1
            const isEditing = editedAt?.column === index && editedAt.card === at
            return (
              <CardItem
                key={`${at}`}
                card={card}
                source={fence.value.source}
                place={{ column: index, card: at }}
                mayChange={mayChange}
                isCurrent={currentIs.column === index && currentIs.card === at}
                isEditing={isEditing}
                holder={held.value.size === 0 ? undefined : held.value.get(wordsOf(card))}
                isRepeated={repeated.value.has(`${index}:${at}`)}
                deeds={deeds}
                input={input}
              />
            )
          })}
        </ul>
        {column.cards.length > shown.length && (
          <p class='component-rest'>{tn(column.cards.length - shown.length, '1 more card', '{count} more cards')}</p>
        )}
        {column.notes.map(({ line }) => (
          <p class='component-note' key={line.from}>
            <Inline text={line.text.trim()} />
          </p>
        ))}
        {isOpen === 'card' ? (
          <LineField
            label={t('New card in {column}', { column: title })}
            onCancel={() => (open.value = undefined)}
            onDone={(text) => {
              // Enter adds one, and asks for the next.
              if (input.act((now) => addCard(parseBoard(now), index, text))) said.value = t('Card added to {column}', { column: title })
              else open.value = undefined
            }}
          />
        ) : (
          <button
            type='button'
            class='board-add'
            disabled={!mayChange}
            aria-label={t('Add a card to {column}', { column: title })}
            onClick={() => (open.value = { kind: 'card', column: index })}
          >
            + {t('Add a card')}
          </button>
        )}
      </section>
    )
  }
  const shownColumns = columns.map(columnOf)
  const menu = deeds.menu.value
  const ofColumn = columnMenu.value
  return (
    <div class='board-live' ref={element}>
      {notes.length > 0 && (
        <p class='component-note'>
          {notes.map(({ line }) => (
            <div key={line.from}>
              <Inline text={line.text.trim()} />
            </div>
          ))}
        </p>
      )}
      {(count >= filterCardsMin || words !== '') && (
        <div class='board-filter'>
          <input
            type='search'
            class='field'
            aria-label={t('Show cards with')}
            placeholder={t('Show cards with @name, #tag or words')}
            value={filter.value}
            onInput={({ currentTarget }) => (filter.value = currentTarget.value)}
          />
          {words !== '' && <span class='board-count'>{t('{some} of {count} cards', { some: hits, count })}</span>}
        </div>
      )}
      <div class='board' role='region' aria-label={t('Board')} tabIndex={columns.length > 2 ? 0 : -1}>
        {shownColumns}
        <div class='board-new'>
          {open.value?.kind === 'column' ? (
            <LineField
              label={t('Name of the column')}
              onCancel={() => (open.value = undefined)}
              onDone={(text) => {
                open.value = undefined
                input.act((now) => addColumn(parseBoard(now), text))
              }}
            />
          ) : (
            <button type='button' class='board-add' disabled={!mayChange} onClick={() => (open.value = { kind: 'column' })}>
              + {t('Add a column')}
            </button>
          )}
        </div>
      </div>
      {menu !== undefined && (
        <Pop
          label={t('Actions for {name}', { name: menu.card.title.text })}
          anchor={menu.anchor}
          onClose={() => (deeds.menu.value = undefined)}
        >
          <PopItem onChoose={() => (deeds.editing.value = menu.card)}>{t('Edit…')}</PopItem>
          {columns.map(
            ({ title }, column) =>
              column !== menu.place.column && (
                <PopItem
                  key={column}
                  onChoose={() => deeds.move(menu.card, { column, card: board.peek().columns[column]?.cards.length ?? 0 })}
                >
                  {t('Move to {column}', { column: title.text || t('Column without a name') })}
                </PopItem>
              )
          )}
          <PopItem disabled={menu.place.card === 0} onChoose={() => deeds.step(menu.card, menu.place, 'ArrowUp')}>
            {t('Move up')}
          </PopItem>
          <PopItem
            disabled={menu.place.card + 1 >= (columns[menu.place.column]?.cards.length ?? 0)}
            onChoose={() => deeds.step(menu.card, menu.place, 'ArrowDown')}
          >
            {t('Move down')}
          </PopItem>
          <PopItem onChoose={() => deeds.remove(menu.card)}>{t('Delete')}</PopItem>
        </Pop>
      )}
      {ofColumn !== undefined && (
        <Pop
          label={t('Actions for {name}', { name: columns[ofColumn.column]?.title.text ?? '' })}
          anchor={ofColumn.anchor}
          onClose={() => (columnMenu.value = undefined)}
        >
          <PopItem onChoose={() => (open.value = { kind: 'rename', column: ofColumn.column })}>{t('Rename')}</PopItem>
          <PopItem
            disabled={ofColumn.column === 0}
            onChoose={() => input.act((now) => moveColumn(parseBoard(now), ofColumn.column, ofColumn.column - 1))}
          >
            {t('Move left')}
          </PopItem>
          <PopItem
            disabled={ofColumn.column + 1 >= columns.length}
            onChoose={() => input.act((now) => moveColumn(parseBoard(now), ofColumn.column, ofColumn.column + 2))}
          >
            {t('Move right')}
          </PopItem>
          {/* With cards in it, it would be a lot to lose at a key. */}
          <PopItem
            disabled={(columns[ofColumn.column]?.cards.length ?? 0) > 0}
            onChoose={() => input.act((now) => deleteColumn(parseBoard(now), ofColumn.column))}
          >
            {t('Delete')}
          </PopItem>
        </Pop>
      )}
    </div>
  )
}
