/**
 * Replaces the links in exported text with links that work outside the service: those from the imported file, or links relative to the exported file.
 */
import type { Imported } from '../domain/records/keys.ts'
import { type Link, linksIn, type Rewrite, rewritten } from '../../shared/markdown/links-in-text.ts'

const wholeOf = (text: string, { whole }: Link): string => text.slice(whole.from, whole.to)

/** Groups values by key, in order. */
const grouped = <T>(pairs: readonly (readonly [string, T])[]): Map<string, T[]> => {
  const groups = new Map<string, T[]>()
  for (const [key, value] of pairs) {
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [value])
    else group.push(value)
  }
  return groups
}

/**
 * Returns replacements that restore the links of the imported file. Several identical links are restored only if the text still has as many of them
 * as the file had. Otherwise, it is unknown which of them is which.
 */
const restoring = (text: string, links: readonly Link[], imported: Imported): Map<Link, Rewrite> => {
  const formers = grouped(imported.links)
  const found = new Map<Link, Rewrite>()
  for (const [keyOf, rangeOf] of [
    [(link: Link) => wholeOf(text, link), (link: Link) => link.whole],
    [(link: Link) => text.slice(link.from, link.to), (link: Link) => link]
  ] as const) {
    const left = links.filter((link) => !found.has(link))
    for (const [now, alike] of grouped(left.map((link) => [keyOf(link), link] as const))) {
      const were = formers.get(now)
      if (were === undefined || were.length !== alike.length) continue
      alike.forEach((link, index) => found.set(link, { from: rangeOf(link).from, to: rangeOf(link).to, insert: were[index] as string }))
    }
  }
  return found
}

/**
 * Returns the text with its links restored. `addressOf` returns the relative address of a document or asset that the export contains; undefined for
 * every other address.
 */
export const withOutsideLinks = (
  text: string,
  imported: Imported | undefined,
  addressOf: (address: string) => string | undefined
): string => {
  const links = linksIn(text, false)
  const restored = imported === undefined ? new Map<Link, Rewrite>() : restoring(text, links, imported)
  const rewrites = links.flatMap((link) => {
    const former = restored.get(link)
    if (former !== undefined) return [former]
    const insert = addressOf(link.target)
    return insert === undefined ? [] : [{ from: link.from, to: link.to, insert }]
  })
  return rewritten(text, withoutOverlaps(rewrites))
}

/** Removes replacements that begin before the end of an earlier one, such as those within a restored wikilink. */
const withoutOverlaps = (rewrites: readonly Rewrite[]): Rewrite[] => {
  const kept: Rewrite[] = []
  for (const rewrite of rewrites.toSorted((one, other) => one.from - other.from))
    if (rewrite.from >= (kept.at(-1)?.to ?? 0)) kept.push(rewrite)
  return kept
}
