/** Finds the suggestions that change a component's text. The drawn component hides their marks in the text. */
import { useComputed, type ReadonlySignal } from '@preact/signals'
import { isOpen, type Item } from '../review/annotations/items.ts'
import type { ComponentInput } from './input.ts'

export interface Suggestions {
  readonly all: ReadonlySignal<readonly Item[]>
  readonly count: ReadonlySignal<number>
  /** Scrolls to the first suggestion and shows its card. */
  show(): void
}

export function useSuggestions({ page, fence }: ComponentInput): Suggestions {
  const found = useComputed((): readonly Item[] => {
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
    count: useComputed(() => found.value.length),
    show() {
      const [first] = found.value
      if (first !== undefined) page.review.peek()?.show(first.id, 'card')
    }
  }
}
