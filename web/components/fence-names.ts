/** The names by which pages know the fences of each other. */
import type { Fence } from '../../shared/fences/fences.ts'

/** Returns the names by which other pages know the fences. A name has the kind, the id, and a number that distinguishes equal names. */
export function namesOf(fences: readonly Fence[]): string[] {
  const seen = new Map<string, number>()
  return fences.map(({ kind, id }) => {
    const name = id === undefined ? kind : `${kind}#${id}`
    seen.set(name, (seen.get(name) ?? 0) + 1)
    return `${name}:${seen.get(name)}`
  })
}
