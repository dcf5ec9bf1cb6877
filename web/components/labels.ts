/** What the components of a text are called, on their frames and to who listens to the page: each differently. No user interface. */
import { parseChart, valueOf } from '../../shared/fences/chart.ts'
import type { Fence } from '../../shared/fences/fences.ts'
import { t } from '../text/t.ts'
import { kindOf } from './kinds.ts'

/** What is written on it; charts have it on a line of their own. */
const captionOf = (fence: Fence): string =>
  fence.attributes.get('title') ?? (fence.kind === 'chart' ? valueOf(parseChart(fence), 'title') : undefined) ?? fence.id ?? ''

const known = new WeakMap<readonly Fence[], ReadonlyMap<number, string>>()

function labelsOf(fences: readonly Fence[]): ReadonlyMap<number, string> {
  const found = known.get(fences)
  if (found !== undefined) return found
  const counts = new Map<string, number>()
  const labels = new Map<number, string>()
  for (const fence of fences) {
    const [kind, caption] = [t(kindOf(fence.kind)?.name ?? ''), captionOf(fence)]
    const label = caption === '' ? kind : `${kind}: ${caption}`
    const count = (counts.get(label) ?? 0) + 1
    counts.set(label, count)
    labels.set(fence.from, count === 1 ? label : `${label} ${count}`)
  }
  known.set(fences, labels)
  return labels
}

/** Its title or its id behind what it is, and a number when one before it is called the same. */
export const labelOf = (fence: Fence, all: readonly Fence[]): string =>
  labelsOf(all).get(fence.from) ?? labelsOf([fence]).get(fence.from) ?? ''
