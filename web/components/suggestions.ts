/** Finds the suggestions that change a component's text. The drawn component hides their marks in the text, and shows the changed parts itself. */
import { computed, type ReadonlySignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import type { Fence } from '../../shared/fences/fences.ts'
import { isOpen, type Item } from '../review/annotations/items.ts'
import type { ComponentInput } from './input.ts'

export interface SuggestedFence {
  readonly id: string
  readonly before: Fence
  readonly after: Fence
}

export interface Suggestions {
  readonly all: ReadonlySignal<readonly Item[]>
  /** The component before and after each suggestion, as far as that is known. The offsets of both begin at its first line. */
  readonly changed: ReadonlySignal<readonly SuggestedFence[]>
  readonly count: ReadonlySignal<number>
  /** Scrolls to the first suggestion and shows its card. */
  show(): void
}

export function suggestionsFor({ page, fence }: ComponentInput): Suggestions {
  const found = computed((): readonly Item[] => {
    const { from, to } = fence.value
    const items = page.review.value?.items.value ?? []
    return items.filter(
      (item) =>
        (item.kind === 'proposal' || item.kind === 'new') &&
        isOpen(item) &&
        item.span !== undefined &&
        item.span.from <= to &&
        item.span.to >= from
    )
  })
  return {
    all: found,
    changed: computed(() =>
      found.value.flatMap((item) => {
        const [before, after] = page.review.value?.fencesOf(item) ?? []
        return before === undefined || after === undefined ? [] : [{ id: item.id, before, after }]
      })
    ),
    count: computed(() => found.value.length),
    show() {
      const [first] = found.value
      if (first !== undefined) page.review.peek()?.show(first.id, 'card')
    }
  }
}

export const useSuggestions = (input: ComponentInput): Suggestions => useMemo(() => suggestionsFor(input), [input])
