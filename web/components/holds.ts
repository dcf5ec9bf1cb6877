/** Soft locks: which person edits which part of which fence, shared through the presence of the page. They only warn; the text accepts every edit. */
import { signal, type ReadonlySignal } from '@preact/signals'
import type { Awareness } from 'y-protocols/awareness'
import type { Fence } from '../../shared/fences/fences.ts'
import { people, type Person } from '../presence/people.ts'

/** A part is released when nobody has edited it for this long, in milliseconds. */
const holdMs = 10_000

export interface Holds {
  /** Person and part for each fence, by the name of the fence. */
  readonly all: ReadonlySignal<ReadonlyMap<string, ReadonlyMap<string, Person>>>
  take(fence: string, item: string | undefined): void
}

function openHolds(awareness: Awareness): Holds {
  const all = signal<ReadonlyMap<string, ReadonlyMap<string, Person>>>(new Map())
  let timer: ReturnType<typeof setTimeout> | undefined
  let mine = ''

  const read = (): void => {
    const found = new Map<string, Map<string, Person>>()
    for (const person of people(awareness)) {
      const holds = awareness.getStates().get(person.id)?.['holds'] as { fence?: unknown; item?: unknown } | null | undefined
      if (person.self || typeof holds?.fence !== 'string' || typeof holds.item !== 'string') continue
      const items = found.get(holds.fence) ?? new Map<string, Person>()
      found.set(holds.fence, items.set(holds.item, person))
    }
    // Cursors move often, so nothing is drawn again for them.
    if (found.size > 0 || all.peek().size > 0) all.value = found
  }
  awareness.on('change', read)
  read()

  const release = (): void => {
    clearTimeout(timer)
    if (mine !== '') awareness.setLocalStateField('holds', null)
    mine = ''
  }
  return {
    all,
    take(fence, item) {
      if (item === undefined) return release()
      clearTimeout(timer)
      timer = setTimeout(release, holdMs)
      const next = JSON.stringify([fence, item])
      if (next === mine) return undefined
      mine = next
      return awareness.setLocalStateField('holds', { fence, item })
    }
  }
}

const known = new WeakMap<Awareness, Holds>()

/** Returns one instance for all components of a page. */
export function holdsOf(awareness: Awareness): Holds {
  const found = known.get(awareness) ?? openHolds(awareness)
  known.set(awareness, found)
  return found
}

/** Returns names of fences for other pages: fences of one kind are distinguished by their ids and their order. */
export function namesOf(fences: readonly Fence[]): string[] {
  const seen = new Map<string, number>()
  return fences.map(({ kind, id }) => {
    const name = id === undefined ? kind : `${kind}#${id}`
    seen.set(name, (seen.get(name) ?? 0) + 1)
    return `${name}:${seen.get(name)}`
  })
}
