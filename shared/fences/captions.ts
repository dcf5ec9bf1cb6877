/** Names components for people, based on titles, ids and the headings above them. */
import { plainHeading } from '../names.ts'
import { atxOf } from '../text/scan.ts'
import { type Fence, freeId } from './fences.ts'

const known = new WeakMap<readonly Fence[], ReadonlyMap<number, string>>()

const isCodeMark = (line: string): string | undefined => /^ {0,3}(```|~~~)/.exec(line)?.[1]

/** Returns the heading above each fence, keyed by the fence's start. Reads the text once, up to the last fence. */
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

/** Returns the name of a fence for people: its title, or otherwise the heading above it; '' if it has neither. */
export const titleOfFence = (fence: Fence, all: readonly Fence[]): string =>
  fence.attributes.get('title') ?? headingsAbove(all).get(fence.from) ?? ''

const isMade = (id: string, from: string): boolean => id === from || (id.startsWith(`${from}-`) && /^\d+$/.test(id.slice(from.length + 1)))

/** Returns the name of a component: its title or the id that a person gave it; '' if it has neither. */
export function captionOf(fence: Fence, all: readonly Fence[], title = fence.attributes.get('title')): string {
  if (title !== undefined) return title
  const { kind, id = '' } = fence
  const heading = kind === 'sheet' ? titleOfFence(fence, all) : ''
  // An id that was generated for a formula or a chart is no more informative than the kind.
  return isMade(id, kind) || isMade(id, freeId([], fence, heading)) ? '' : id
}
