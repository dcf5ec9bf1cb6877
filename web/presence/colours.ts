/** The colour of a name throughout a page: that of the person present under this name, otherwise the one derived from the name. */
import { signal } from '@preact/signals'
import { hueOfName } from '../../shared/hues.ts'
import { t } from '../text/t.ts'
import { type Person, plainNameOf } from './people.ts'

const here = signal<ReadonlyMap<string, number>>(new Map())

/** The service stores text by unnamed guests under "guest". */
const keyOf = (name: string): string => (name === 'guest' || name === t('Guest') ? 'Guest' : name)

/** Records who is present. */
export function noteColours(people: readonly Person[]): void {
  const found = new Map<string, number>()
  for (const person of people) {
    const key = keyOf(plainNameOf(person))
    // The person's own page comes first. If two unnamed guests are present, nobody knows which of them wrote something.
    if (!found.has(key)) found.set(key, person.hue)
  }
  const now = here.peek()
  if (found.size !== now.size || [...found].some(([name, hue]) => now.get(name) !== hue)) here.value = found
}

/** 0–9, an index into the presence colours; it changes with the people present. */
export const hueOf = (name: string): number => here.value.get(keyOf(name)) ?? hueOfName(keyOf(name))
