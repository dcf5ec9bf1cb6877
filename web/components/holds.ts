/**
 * Soft locks: which person edits which part of which fence. The page shares them through its presence. They only warn, and the text still accepts
 * every edit.
 */
import { signal, type ReadonlySignal } from '@preact/signals'
import type { Awareness } from 'y-protocols/awareness'
import type { Fence } from '../../shared/fences/fences.ts'
import { people, type Person } from '../presence/people.ts'

/** Time after the last edit until a part is released, in milliseconds. */
const holdMs = 10_000

export interface Holds {
  /** For each fence name, the parts that other people are editing, and the person who edits each part. */
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
    // Cursors move often, so the signal stays unchanged if nobody holds a part.
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

/** Returns the soft locks of a page. All its components share one instance. */
export function holdsOf(awareness: Awareness): Holds {
  const found = known.get(awareness) ?? openHolds(awareness)
  known.set(awareness, found)
  return found
}

/** Returns the names by which other pages know the fences. A name has the kind, the id, and a number that distinguishes equal names. */
export function namesOf(fences: readonly Fence[]): string[] {
  const seen = new Map<string, number>()
  return fences.map(({ kind, id }) => {
    const name = id === undefined ? kind : `${kind}#${id}`
    seen.set(name, (seen.get(name) ?? 0) + 1)
    return `${name}:${seen.get(name)}`
  })
}
