/** The colour of a name on every surface of a page: that of the person who is here under it, else the one that always goes with it. */
import { signal } from '@preact/signals'
import { hueOfName } from '../../shared/hues.ts'
import { t } from '../text/t.ts'
import { type Person, plainNameOf } from './people.ts'

const here = signal<ReadonlyMap<string, number>>(new Map())

/** The service keeps what guests without a name write under "guest". */
const keyOf = (name: string): string => (name === 'guest' || name === t('Guest') ? 'Guest' : name)

/** Notes who is here. */
export function noteColours(people: readonly Person[]): void {
  const found = new Map<string, number>()
  for (const person of people) {
    const key = keyOf(plainNameOf(person))
    // Oneself comes first; which of two guests without a name wrote something nobody knows.
    if (!found.has(key)) found.set(key, person.hue)
  }
  const now = here.peek()
  if (found.size !== now.size || [...found].some(([name, hue]) => now.get(name) !== hue)) here.value = found
}

/** 0–9, into the presence colours; follows who is here. */
export const hueOf = (name: string): number => here.value.get(keyOf(name)) ?? hueOfName(keyOf(name))
