/** The menus of a card and of a column. */
import type { JSX } from 'preact'
import type { Column } from '../../shared/fences/board.ts'
import { t } from '../text/t.ts'
import type { Deeds } from './board-deeds.ts'
import { Pop, PopItem } from '../ui/pop.tsx'

export const columnName = ({ title }: Column): string => title.text || t('Untitled column')

export function CardMenu({ deeds, columns }: { deeds: Deeds; columns: readonly Column[] }): JSX.Element | null {
  const menu = deeds.menu.value
  if (menu === undefined) return null
  const { card, place, anchor } = menu
  return (
    <Pop label={t('Actions for {name}', { name: card.title.text })} anchor={anchor} onClose={() => (deeds.menu.value = undefined)}>
      <PopItem onChoose={() => deeds.edit(card)}>{t('Edit…')}</PopItem>
      {columns.map(
        (each, column) =>
          column !== place.column && (
            <PopItem key={column} onChoose={() => deeds.move(card, { column, card: each.cards.length })}>
              {t('Move to {column}', { column: columnName(each) })}
            </PopItem>
          )
      )}
      <PopItem disabled={place.card === 0} onChoose={() => deeds.step(card, place, 'ArrowUp')}>
        {t('Move up')}
      </PopItem>
      <PopItem
        disabled={place.card + 1 >= (columns[place.column]?.cards.length ?? 0)}
        onChoose={() => deeds.step(card, place, 'ArrowDown')}
      >
        {t('Move down')}
      </PopItem>
      <PopItem onChoose={() => deeds.remove(card)}>{t('Delete')}</PopItem>
    </Pop>
  )
}

interface ColumnMenuInput {
  readonly columns: readonly Column[]
  readonly index: number
  readonly anchor: HTMLElement
  readonly onRename: () => void
  /** Moves it before another column, by its index. */
  readonly onMove: (to: number) => void
  readonly onDelete: () => void
  readonly onClose: () => void
}

export const ColumnMenu = ({ columns, index, anchor, onRename, onMove, onDelete, onClose }: ColumnMenuInput): JSX.Element => (
  <Pop label={t('Actions for {name}', { name: columns[index]?.title.text ?? '' })} anchor={anchor} onClose={onClose}>
    <PopItem onChoose={onRename}>{t('Rename')}</PopItem>
    <PopItem disabled={index === 0} onChoose={() => onMove(index - 1)}>
      {t('Move left')}
    </PopItem>
    <PopItem disabled={index + 1 >= columns.length} onChoose={() => onMove(index + 2)}>
      {t('Move right')}
    </PopItem>
    {/* With cards in it, it would be a lot to lose at a key. */}
    <PopItem why={(columns[index]?.cards.length ?? 0) > 0 ? t('Move or delete its cards first.') : undefined} onChoose={onDelete}>
      {t('Delete')}
    </PopItem>
  </Pop>
)
