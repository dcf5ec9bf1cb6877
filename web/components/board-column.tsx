/** Draws a column of a board: its heading, its cards, and the field for a new card. */
import type { ComponentChildren, JSX } from 'preact'
import type { Field } from '../../shared/components/board-field.ts'
import type { BoardEvent, BoardOutcome } from '../../shared/components/board-state.ts'
import type { Column } from '../../shared/fences/board.ts'
import { t, tn } from '../text/t.ts'
import { columnName } from './board-menus.tsx'
import { inline } from './inline.tsx'
import { LineField } from './line-field.tsx'

interface ColumnInput {
  readonly mayChange: boolean
  readonly field: Field | undefined
  readonly dispatch: (event: BoardEvent) => BoardOutcome
  readonly column: Column
  readonly index: number
  /** Number of cards that are not drawn. */
  readonly rest: number
  readonly onMenu: (anchor: HTMLElement) => void
  /** The drawn cards. */
  readonly children: ComponentChildren
}

interface FieldInput {
  readonly field: Field
  readonly label: string
  readonly value?: string
  readonly dispatch: (event: BoardEvent) => BoardOutcome
}

/** The text field that is open in a board, in any column. */
export const BoardField = ({ field, label, value = '', dispatch }: FieldInput): JSX.Element => (
  <LineField
    label={label}
    value={value}
    onInput={(text) => dispatch({ kind: 'typed line', text })}
    onCancel={() => dispatch({ kind: 'close' })}
    onDone={(text) => dispatch({ kind: 'enter', field, text }).empties === true}
    onLeave={(text) => dispatch({ kind: 'leave', field, text })}
  />
)

function Head({ mayChange, field, dispatch, column, index, onMenu }: ColumnInput): JSX.Element {
  const title = columnName(column)
  return (
    <div class={`board-head${mayChange ? ' free' : ''}`}>
      {field?.kind === 'rename' && field.column === index ? (
        <BoardField field={field} label={t('Column name')} value={column.title.text} dispatch={dispatch} />
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
        onClick={({ currentTarget }) => onMenu(currentTarget)}
      />
    </div>
  )
}

function NewCard({ mayChange, field, dispatch, column, index }: ColumnInput): JSX.Element {
  const title = columnName(column)
  return field?.kind === 'card' && field.column === index ? (
    <BoardField field={field} label={t('New card in {column}', { column: title })} dispatch={dispatch} />
  ) : (
    <button
      type='button'
      class='board-add'
      disabled={!mayChange}
      aria-label={t('Add a card to {column}', { column: title })}
      onClick={() => dispatch({ kind: 'open', opening: { kind: 'card', column: index } })}
    >
      + {t('Add a card')}
    </button>
  )
}

export function BoardColumn(given: ColumnInput): JSX.Element {
  const { column, index, rest, children } = given
  return (
    <div class='board-column' data-column={index} role='group' tabIndex={-1} aria-label={columnName(column)}>
      <Head {...given} />
      <ul class='board-cards'>{children}</ul>
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
      <NewCard {...given} />
    </div>
  )
}
