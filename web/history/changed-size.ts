/** How many characters a version added and removed. */
import type { Revision } from './api.ts'

/**
 * Returns the numbers for the list of versions. The service counts everything that was typed and deleted, so text that somebody typed and deleted
 * again counts in both numbers. But a version cannot have removed more than there was before. `sizeBefore` is undefined if it is not known.
 */
export function changedSize(
  { size, added, removed }: Pick<Revision, 'size' | 'added' | 'removed'>,
  sizeBefore: number | undefined
): { readonly added: number; readonly removed: number } {
  if (sizeBefore === undefined) return { added, removed }
  const gone = Math.max(Math.min(removed, sizeBefore), sizeBefore - size)
  return { added: size - sizeBefore + gone, removed: gone }
}
