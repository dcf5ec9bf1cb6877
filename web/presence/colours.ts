/** The colour of a name throughout a page: that of the person present under this name, otherwise the one derived from the name. */
import { signal } from '@preact/signals'
import { hueOfName } from '../../shared/hues.ts'
import { t } from '../text/t.ts'
import type { Person } from './people.ts'

const here = signal<ReadonlyMap<string, number>>(new Map())

/** The service stores text by unnamed guests under "guest": it may be by any of them, so it has the colour of nobody. */
const isNobody = (name: string): boolean => ['guest', 'Guest', t('Guest')].includes(name)

/** Records who is present. */
export function noteColours(people: readonly Person[]): void {
  const found = new Map<string, number>()
  for (const person of people) {
    // The person's own page comes first.
    if (!found.has(person.name)) found.set(person.name, person.hue)
  }
  const now = here.peek()
  if (found.size !== now.size || [...found].some(([name, hue]) => now.get(name) !== hue)) here.value = found
}

/** 0–9, an index into the presence colours, or none; it changes with the people present. */
export const hueOf = (name: string): number | 'none' => (isNobody(name) ? 'none' : (here.value.get(name) ?? hueOfName(name)))
