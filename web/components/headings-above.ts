/** The headings that the components of a text stand below. No user interface. */
import type { Fence } from '../../shared/fences/fences.ts'
import { plainHeading } from '../../shared/names.ts'
import { atxOf } from '../../shared/text/scan.ts'

const known = new WeakMap<readonly Fence[], ReadonlyMap<number, string>>()

const isCodeMark = (line: string): string | undefined => /^ {0,3}(```|~~~)/.exec(line)?.[1]

/** By where the fence begins; reads the text once, and no further than the last fence. */
export function headingsAbove(fences: readonly Fence[]): ReadonlyMap<number, string> {
  const found = known.get(fences)
  if (found !== undefined) return found
  const headings = new Map<number, string>()
  const source = fences[0]?.source ?? ''
  let [at, heading] = [0, '']
  let code: string | undefined
  for (const { from } of fences) {
    while (at < from) {
      const found = source.indexOf('\n', at)
      const end = found === -1 ? source.length : found
      const line = source.slice(at, end)
      const mark = isCodeMark(line)
      if (mark !== undefined) code = code === undefined ? mark : mark === code ? undefined : code
      else if (code === undefined) heading = atxOf(line)?.title || heading
      at = end + 1
    }
    headings.set(from, heading === '' ? '' : plainHeading(heading))
  }
  known.set(fences, headings)
  return headings
}

/** The name of a fence for people: its title, or the heading above it; '' for neither. */
export const titleOfFence = (fence: Fence, all: readonly Fence[]): string =>
  fence.attributes.get('title') ?? headingsAbove(all).get(fence.from) ?? ''
