/** Reads the decided suggestions in pages. The first load of the page does not need them. */
import { signal, type ReadonlySignal } from '@preact/signals'
import type { Access } from '../../client/operation.ts'
import type { Suggestion } from './records.ts'
import { listDecided } from './requests.ts'

export interface DecidedPages {
  /** `unread` before the first page was requested. `more` means that the service has older suggestions. */
  readonly state: ReadonlySignal<'unread' | 'reading' | 'more' | 'all' | 'failed'>
  /** Reads the next page, unless one is being read. */
  more(): void
  /** Reads the first page again if one was read, because others may have decided suggestions while this page had no connection. */
  again(): void
}

const statuses = ['accepted', 'rejected'] as const
/** For each status, the number before which the next page begins. Null after the last page. */
type Next = readonly (number | null | undefined)[]

/** `add` takes the suggestions of a page. */
export function openDecided(access: Access, add: (suggestions: readonly Suggestion[]) => void): DecidedPages {
  const state = signal<'unread' | 'reading' | 'more' | 'all' | 'failed'>('unread')
  let next: Next | undefined

  const read = async (from: Next): Promise<void> => {
    state.value = 'reading'
    try {
      const pages = await Promise.all(
        statuses.map(async (status, index) => (from[index] === null ? undefined : await listDecided(access, status, from[index])))
      )
      add(pages.flatMap((page) => page?.suggestions ?? []))
      if (from === next || next === undefined) next = pages.map((page) => page?.nextBefore ?? null)
      state.value = next.some((before) => before !== null) ? 'more' : 'all'
    } catch {
      state.value = 'failed'
    }
  }

  return {
    state,
    more() {
      if (state.peek() !== 'reading') void read(next ?? [])
    },
    again() {
      if (state.peek() !== 'reading' && state.peek() !== 'unread') void read([])
    }
  }
}
