/** The changes that open suggestions make to a board: in words on the cards that they change, and as cards in the columns that get them. */
import { computed, type ReadonlySignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { wordsOf } from '../../shared/components/board.ts'
import { type Board, type Card, parseBoard } from '../../shared/fences/board.ts'
import { t } from '../text/t.ts'
import { cardWords, placeName, type SuggestedChange } from './board-card.tsx'
import type { ComponentInput } from './input.ts'
import { Proposed } from './proposed.tsx'
import { type SuggestedFence, useSuggestions } from './suggestions.ts'

interface ProposedCard {
  readonly id: string
  readonly column: number
  readonly card: Card
}

export interface ProposedChanges {
  /** The changes of a card, by its place. */
  readonly changes: ReadonlyMap<string, readonly SuggestedChange[]>
  readonly added: readonly ProposedCard[]
}

/** Returns the cards that a column has only after a suggestion. */
function addedBy({ id, before, after }: SuggestedFence): readonly ProposedCard[] {
  const [were, are] = [parseBoard(before), parseBoard(after)]
  if (were.columns.length !== are.columns.length) return []
  return are.columns.flatMap(({ cards }, column) => {
    const there = were.columns[column]?.cards.map(wordsOf) ?? []
    return cards.flatMap((card) => {
      const at = there.indexOf(wordsOf(card))
      if (at === -1) return [{ id, column, card }]
      there.splice(at, 1)
      return []
    })
  })
}

export function useProposed(input: ComponentInput, board: ReadonlySignal<Board>): ReadonlySignal<ProposedChanges> {
  const { all, changed } = useSuggestions(input)
  return useMemo(
    () =>
      computed(() => {
        const found = new Map<string, SuggestedChange[]>()
        const changedHere = new Set<string>()
        const review = input.page.review.value
        const added = changed.value.flatMap(addedBy)
        // The drawn board may be older than the text above it.
        const ahead = board.value.fence.from - input.fence.value.from
        for (const item of review === undefined ? [] : all.value) {
          const [change, words] = [review?.changeOf(item), review?.effectOf(item)]
          if (change === undefined || words === undefined || item.span === undefined) continue
          if (!change.kind.startsWith('card.') || change.kind === 'card.add') continue
          const isChange = change.kind === 'card.change'
          if (isChange) changedHere.add(item.id)
          const young = isChange ? added.find(({ id }) => id === item.id)?.card : undefined
          const isLeaving = change.kind === 'card.delete' || change.kind === 'card.move'
          const [from, to] = [item.span.from + ahead, item.span.to + ahead]
          for (const [column, { cards }] of board.value.columns.entries())
            for (const [index, { title, line, details }] of cards.entries()) {
              const isIn = line.from <= to && (details.at(-1) ?? line).to >= from
              if (!isIn || !('name' in change) || change.name !== title.text) continue
              const place = placeName({ column, card: index })
              found.set(place, [...(found.get(place) ?? []), { id: item.id, words, isLeaving, young }])
            }
        }
        return { changes: found, added: added.filter(({ id }) => !changedHere.has(id)) }
      }),
    [all, changed]
  )
}

/** Draws a card that a suggestion adds to a column. */
export const drawProposed = ({ id, card }: ProposedCard, onPress: () => void): JSX.Element => (
  <li key={`${id} ${card.index}`} class='card-proposed' title={t('Suggested')} onClick={onPress}>
    <Proposed old='' young={cardWords(card)} />
  </li>
)
