/** The address of an annotation. Opening the address shows the annotation, even if the annotation loads after the page. */
import { effect, signal, untracked } from '@preact/signals'
import { t } from '../../text/t.ts'
import { toast } from '../../ui/toast.tsx'
import type { Item } from './items.ts'
import type { Navigation } from './navigation.ts'
import type { State } from './state.ts'

export interface Address {
  /** Returns the address of an annotation, without the share key. */
  addressOf(item: Item): string
  close(): void
}

/** Longest wait for an annotation that the address names, in milliseconds. */
const missingMs = 4000

export function openAddress({ page: { session }, store, items, active }: State, { show }: Navigation): Address {
  const shareable = (item: Item): string => (item.kind === 'proposal' ? 'suggestion' : 'comment')
  const addressOf = (item: Item): string => `${location.origin}/d/${session.id}#${shareable(item)}-${item.id}`
  const fromAddress = (): string | undefined =>
    /^#(?:comment|suggestion)-([\w-]+)$/.exec(location.hash)?.[1] ?? new URL(location.href).searchParams.get('comment') ?? undefined
  /** Id of the annotation in the page's address, until it has loaded. */
  const asks = signal<string | undefined>(undefined)
  let missing: ReturnType<typeof setTimeout> | undefined
  /** Id of the annotation that was opened last. */
  let last: string | undefined
  const open = (): void => {
    asks.value = fromAddress()
    clearTimeout(missing)
    if (asks.value === undefined || store.state.peek() === 'reading') return
    // The annotation may have been created a moment ago.
    store.read()
    if (!items.peek().some(({ id }) => id === asks.peek())) store.decided.more()
    missing = setTimeout(() => {
      if (asks.value !== undefined) toast(t('This comment no longer exists.'))
      asks.value = undefined
    }, missingMs)
  }
  addEventListener('hashchange', open)
  const stops = [
    effect(() => {
      // A person may have opened another annotation while an earlier copy of the lists was shown.
      if (store.state.value === 'ready') queueMicrotask(() => active.peek() === undefined && open())
    }),
    effect(() => {
      const id = active.value
      // A sent comment gets another id when the service has stored it. Nobody has opened it then.
      const isSame = last !== undefined && store.recordIds.peek().get(last) === id
      last = id
      // A person who opens another annotation meanwhile stays there.
      if (id !== undefined && !isSame) asks.value = undefined
    }),
    effect(() => {
      const id = asks.value
      if (id === undefined || !items.value.some((item) => item.id === id)) return
      untracked(() => {
        asks.value = undefined
        show(id, 'card')
      })
    })
  ]
  return {
    addressOf,
    close() {
      for (const stop of stops) stop()
      clearTimeout(missing)
      removeEventListener('hashchange', open)
    }
  }
}
