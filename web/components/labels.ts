/** Unique names for the components of the text, used for their frames and for screen readers. This module has no user interface code. */
import { parseChart, valueOf } from '../../shared/fences/chart.ts'
import { captionOf } from '../../shared/fences/captions.ts'
import type { Fence } from '../../shared/fences/fences.ts'
import { t } from '../text/t.ts'
import { kinds } from '../ui/component-kinds.ts'

/** Returns the caption of a component. A chart has its title on a separate line. Formulas name a sheet by its id, so the id is its caption. */
function captionOfFence(fence: Fence, all: readonly Fence[]): string {
  const title = fence.attributes.get('title') ?? (fence.kind === 'chart' ? valueOf(parseChart(fence), 'title') : undefined)
  return captionOf(fence, all, title ?? (fence.kind === 'sheet' ? fence.id : undefined))
}

/** Matches the ids that are generated for sheets without a heading. They are no more informative than a number. */
const generatedId = /^sheet(?:-\d+)?$/

const known = new WeakMap<readonly Fence[], ReadonlyMap<number, string>>()

function labelsOf(fences: readonly Fence[]): ReadonlyMap<number, string> {
  const found = known.get(fences)
  if (found !== undefined) return found
  const counts = new Map<string, number>()
  const labels = new Map<number, string>()
  for (const fence of fences) {
    const [kind, name] = [t(kinds[fence.kind].name), captionOfFence(fence, fences)]
    const isGenerated = fence.kind === 'sheet' && name === fence.id && generatedId.test(name)
    const caption = isGenerated ? '' : name
    const label = caption === '' ? kind : `${kind}: ${caption}`
    const count = (counts.get(label) ?? 0) + 1
    counts.set(label, count)
    // A reference that gives the sheet an id does not change its number.
    labels.set(fence.from, `${label}${count === 1 ? '' : ` ${count}`}${isGenerated ? ` (#${name})` : ''}`)
  }
  known.set(fences, labels)
  return labels
}

/** Returns a component's name: its kind with its title or id, and a number if an earlier component has the same name. */
export const labelOf = (fence: Fence, all: readonly Fence[]): string =>
  labelsOf(all).get(fence.from) ?? labelsOf([fence]).get(fence.from) ?? ''
