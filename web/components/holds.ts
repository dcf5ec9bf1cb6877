/**
 * Soft locks: which person edits which part of which fence. They only warn, and the text still accepts every edit. The page also shares which cell of
 * a sheet a person has selected. Both are part of the presence of the page.
 */
import { signal, type ReadonlySignal } from '@preact/signals'
import type { Awareness } from 'y-protocols/awareness'
import { people, type Person } from '../presence/people.ts'

/** Time after the last edit until a part is released, in milliseconds. */
const holdMs = 10_000

/** For each fence name, the parts of the fence where others are, and one of these people for each part. */
type Parts = ReadonlyMap<string, ReadonlyMap<string, Person>>

export interface Holds {
  /** The parts that other people are editing. */
  readonly all: ReadonlySignal<Parts>
  /** The cells that other people have selected. */
  readonly selected: ReadonlySignal<Parts>
  take(fence: string, item: string | undefined): void
  /** Tells others which cell this person has selected. Undefined means none. */
  select(fence: string, cell: string | undefined): void
}

/** Reads parts from the presence of others. `field` is the field of their presence, and `item` the field of the part in it. */
function partsIn(awareness: Awareness, field: 'holds' | 'selected', item: 'item' | 'cell'): Parts {
  const found = new Map<string, Map<string, Person>>()
  for (const person of people(awareness)) {
    const at = awareness.getStates().get(person.id)?.[field] as Record<string, unknown> | null | undefined
    const [fence, part] = [at?.['fence'], at?.[item]]
    if (person.self || typeof fence !== 'string' || typeof part !== 'string') continue
    const parts = found.get(fence) ?? new Map<string, Person>()
    found.set(fence, parts.set(part, person))
  }
  return found
}

function openHolds(awareness: Awareness): Holds {
  const [all, selected] = [signal<Parts>(new Map()), signal<Parts>(new Map())]
  let timer: ReturnType<typeof setTimeout> | undefined
  let mine = ''

  const read = (): void => {
    const [held, chosen] = [partsIn(awareness, 'holds', 'item'), partsIn(awareness, 'selected', 'cell')]
    // Cursors move often, so the signals stay unchanged if nobody is at a part.
    if (held.size > 0 || all.peek().size > 0) all.value = held
    if (chosen.size > 0 || selected.peek().size > 0) selected.value = chosen
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
    selected,
    select: (fence, cell) => awareness.setLocalStateField('selected', cell === undefined ? null : { fence, cell }),
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
