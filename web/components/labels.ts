/** Unique names for the components of the text, used for their frames and for screen readers. This module has no user interface code. */
import { parseChart, valueOf } from '../../shared/fences/chart.ts'
import { captionOf } from '../../shared/fences/captions.ts'
import type { Fence } from '../../shared/fences/fences.ts'
import { t } from '../text/t.ts'
import { kinds } from '../ui/component-kinds.ts'

/** Returns the caption of a component. A chart has its title on a separate line. */
const captionOfFence = (fence: Fence, all: readonly Fence[]): string =>
  captionOf(fence, all, fence.attributes.get('title') ?? (fence.kind === 'chart' ? valueOf(parseChart(fence), 'title') : undefined))

const known = new WeakMap<readonly Fence[], ReadonlyMap<number, string>>()

function labelsOf(fences: readonly Fence[]): ReadonlyMap<number, string> {
  const found = known.get(fences)
  if (found !== undefined) return found
  const counts = new Map<string, number>()
  const labels = new Map<number, string>()
  for (const fence of fences) {
    const [kind, caption] = [t(kinds[fence.kind].name), captionOfFence(fence, fences)]
    const label = caption === '' ? kind : `${kind}: ${caption}`
    const count = (counts.get(label) ?? 0) + 1
    counts.set(label, count)
    labels.set(fence.from, count === 1 ? label : `${label} ${count}`)
  }
  known.set(fences, labels)
  return labels
}

/** Returns a component's name: its kind with its title or id, and a number if an earlier component has the same name. */
export const labelOf = (fence: Fence, all: readonly Fence[]): string =>
  labelsOf(all).get(fence.from) ?? labelsOf([fence]).get(fence.from) ?? ''
