/** Draws a column: its head, its cards, and the field for a new card. */
import type { ComponentChildren, JSX } from 'preact'
import type { Column } from '../../shared/fences/board.ts'
import { addCard, renameColumn } from '../../shared/fences/board-edits.ts'
import { t, tn } from '../text/t.ts'
import { type Fields, menuOf } from './board-fields.ts'
import { columnName } from './board-menus.tsx'
import { inline } from './inline.tsx'
import type { ComponentInput } from './input.ts'
import { LineField } from './line-field.tsx'

interface ColumnInput {
  readonly input: ComponentInput
  readonly fields: Fields
  readonly column: Column
  readonly index: number
  /** How many cards are not drawn. */
  readonly rest: number
  readonly onMenu: (anchor: HTMLElement) => void
  /** The cards. */
  readonly children: ComponentChildren
}

function Head({ input, fields, column, index, onMenu }: ColumnInput): JSX.Element {
  const { open, typed, act, close, leave } = fields
  const opened = open.value
  const mayChange = input.refusal.value === undefined
  const title = columnName(column)
  const rename =
    (text: string): Parameters<Fields['act']>[0] =>
    (now) =>
      renameColumn(now, fields.columnIn(now, index), text)
  return (
    <div class={`board-head${mayChange ? ' free' : ''}`}>
      {opened?.kind === 'rename' && opened.column === index ? (
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
          onLeave={(text) => leave(opened, text, () => act(rename(text)))}
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
        onClick={({ currentTarget }) => onMenu(currentTarget)}
      />
    </div>
  )
}

function NewCard({ input, fields, column, index }: ColumnInput): JSX.Element {
  const { open, typed, act, close, leave } = fields
  const opened = open.value
  const title = columnName(column)
  const add =
    (text: string): Parameters<Fields['act']>[0] =>
    (now) =>
      addCard(now, fields.columnIn(now, index), text)
  const tellAdded = (): void => {
    input.said.value = t('Card added to {column}', { column: title })
  }
  if (opened?.kind !== 'card' || opened.column !== index)
    return (
      <button
        type='button'
        class='board-add'
        disabled={input.refusal.value !== undefined}
        aria-label={t('Add a card to {column}', { column: title })}
        onClick={() => fields.write({ kind: 'card', column: index })}
      >
        + {t('Add a card')}
      </button>
    )
  return (
    <LineField
      typed={typed}
      label={t('New card in {column}', { column: title })}
      onCancel={() => close(`[data-column="${index}"] .board-add`)}
      onDone={(text) => {
        // Enter adds a card and opens the field for the next one.
        const isAdded = act(add(text))
        if (isAdded) tellAdded()
        else if (text.trim() === '') open.value = undefined
        return isAdded
      }}
      onLeave={(text) => leave(opened, text, () => act(add(text))) && tellAdded()}
    />
  )
}

export function BoardColumn(given: ColumnInput): JSX.Element {
  const { column, index, rest, children } = given
  return (
    <div class='board-column' data-column={index} role='group' aria-label={columnName(column)}>
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
