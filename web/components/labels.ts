/** The names of the components of a text, on their frames and for those who listen to the page: each differently. No user interface. */
import { parseChart, valueOf } from '../../shared/fences/chart.ts'
import { type Fence, freeId } from '../../shared/fences/fences.ts'
import { t } from '../text/t.ts'
import { titleOfFence } from './headings-above.ts'
import { kinds } from '../ui/component-kinds.ts'

/** Its written title; charts have it on a line of their own. */
const captionOf = (fence: Fence, all: readonly Fence[]): string => {
  const { kind, id = '' } = fence
  const title = fence.attributes.get('title') ?? (kind === 'chart' ? valueOf(parseChart(fence), 'title') : undefined)
  if (title !== undefined) return title
  const heading = kind === 'sheet' ? titleOfFence(fence, all) : ''
  // An id that a formula or a chart gave says no more than the heading, or what it is.
  return isMade(id, kind) || isMade(id, freeId([], fence, heading)) ? heading : id || heading
}

const isMade = (id: string, from: string): boolean => id === from || (id.startsWith(`${from}-`) && /^\d+$/.test(id.slice(from.length + 1)))

const known = new WeakMap<readonly Fence[], ReadonlyMap<number, string>>()

function labelsOf(fences: readonly Fence[]): ReadonlyMap<number, string> {
  const found = known.get(fences)
  if (found !== undefined) return found
  const counts = new Map<string, number>()
  const labels = new Map<number, string>()
  for (const fence of fences) {
    const [kind, caption] = [t(kinds[fence.kind].name), captionOf(fence, fences)]
    const label = caption === '' ? kind : `${kind}: ${caption}`
    const count = (counts.get(label) ?? 0) + 1
    counts.set(label, count)
    labels.set(fence.from, count === 1 ? label : `${label} ${count}`)
  }
  known.set(fences, labels)
  return labels
}

/** Its title, its id, or of a sheet the heading above it behind what it is, and a number when one before it is called the same. */
export const labelOf = (fence: Fence, all: readonly Fence[]): string =>
  labelsOf(all).get(fence.from) ?? labelsOf([fence]).get(fence.from) ?? ''
