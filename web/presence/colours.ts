/**
 * Chooses one color for a name on the entire page. It is the color of the person who is present under this name, or else it is derived from the name.
 */
import { signal } from '@preact/signals'
import { hueOfName } from '../../shared/hues.ts'
import { t } from '../text/t.ts'
import { displayName, type Person } from './people.ts'

const here = signal<ReadonlyMap<string, number>>(new Map())

/** Records the people who are present. */
export function noteColours(people: readonly Person[]): void {
  const found = new Map<string, number>()
  for (const person of people) {
    // The list begins with this person, whose color takes precedence.
    if (!found.has(person.name)) found.set(person.name, person.hue)
  }
  const now = here.peek()
  if (found.size !== now.size || [...found].some(([name, hue]) => now.get(name) !== hue)) here.value = found
}

/** Returns the color of a name as an index into the presence colors, 0–9, or `none`. It changes with the people present. */
export const hueOf = (name: string): number | 'none' => {
  const shown = displayName(name)
  // Text stored under "guest" could be by any unnamed guest, so it gets no person's color.
  return shown === t('Guest') ? 'none' : (here.value.get(shown) ?? hueOfName(name))
}
