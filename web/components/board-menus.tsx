/** The menus of a card and of a column. */
import type { JSX } from 'preact'
import type { BoardEvent } from '../../shared/components/board-state.ts'
import type { Card, CardPosition, Column } from '../../shared/fences/board.ts'
import { t } from '../text/t.ts'
import { Pop, PopItem } from '../ui/pop.tsx'

export const columnName = ({ title }: Column): string => title.text || t('Untitled column')

interface CardMenuInput {
  readonly card: Card
  readonly position: CardPosition
  readonly anchor: HTMLElement
  readonly columns: readonly Column[]
  readonly dispatch: (event: BoardEvent) => void
  /** Begins a comment on the card. Undefined if the person may not comment. */
  readonly onComment: (() => void) | undefined
  readonly onClose: () => void
}

export const CardMenu = ({ card, position, anchor, columns, dispatch, onComment, onClose }: CardMenuInput): JSX.Element => (
  <Pop label={t('Actions for {name}', { name: card.title.text })} anchor={anchor} onClose={onClose}>
    <PopItem onChoose={() => dispatch({ kind: 'edit', card })}>{t('Edit…')}</PopItem>
    {columns.map(
      (each, column) =>
        column !== position.column && (
          <PopItem key={column} onChoose={() => dispatch({ kind: 'move', card, to: { column, card: each.cards.length } })}>
            {t('Move to {column}', { column: columnName(each) })}
          </PopItem>
        )
    )}
    <PopItem disabled={position.card === 0} onChoose={() => dispatch({ kind: 'step', card, position, key: 'ArrowUp' })}>
      {t('Move up')}
    </PopItem>
    <PopItem
      disabled={position.card + 1 >= (columns[position.column]?.cards.length ?? 0)}
      onChoose={() => dispatch({ kind: 'step', card, position, key: 'ArrowDown' })}
    >
      {t('Move down')}
    </PopItem>
    {onComment !== undefined && <PopItem onChoose={onComment}>{t('Comment')}</PopItem>}
    <PopItem onChoose={() => dispatch({ kind: 'delete', card })}>{t('Delete')}</PopItem>
  </Pop>
)

interface ColumnMenuInput {
  readonly columns: readonly Column[]
  readonly index: number
  readonly anchor: HTMLElement
  readonly dispatch: (event: BoardEvent) => void
  readonly onClose: () => void
}

export const ColumnMenu = ({ columns, index, anchor, dispatch, onClose }: ColumnMenuInput): JSX.Element => (
  <Pop label={t('Actions for {name}', { name: columns[index]?.title.text ?? '' })} anchor={anchor} onClose={onClose}>
    <PopItem onChoose={() => dispatch({ kind: 'open', opening: { kind: 'rename', column: index } })}>{t('Rename')}</PopItem>
    <PopItem disabled={index === 0} onChoose={() => dispatch({ kind: 'move column', column: index, to: index - 1 })}>
      {t('Move left')}
    </PopItem>
    <PopItem disabled={index + 1 >= columns.length} onChoose={() => dispatch({ kind: 'move column', column: index, to: index + 2 })}>
      {t('Move right')}
    </PopItem>
    {/* A single key press must not delete a column that has cards. */}
    <PopItem
      why={(columns[index]?.cards.length ?? 0) > 0 ? t('Move or delete its cards first.') : undefined}
      onChoose={() => dispatch({ kind: 'delete column', column: index })}
    >
      {t('Delete')}
    </PopItem>
  </Pop>
)
