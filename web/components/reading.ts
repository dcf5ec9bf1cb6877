/** Draws the components of the reading view in the same way as the live view does. If a person may not change a component, it shows the reason. */
import { signal, type Signal } from '@preact/signals'
import { type Fence, fenceAt, fencesOf } from '../../shared/fences/fences.ts'
import type { Rendered } from '../../shared/markdown/render.ts'
import type { ReviewedView } from '../review/annotations/review.ts'
import { textMap } from '../editor/binding.ts'
import type { FenceContext } from './connect.ts'
import { namesOf } from './fence-names.ts'
import { mount, type Mounted } from './mount.tsx'

export interface ReadingComponents {
  /** Updates the components of an article and draws new ones. */
  show(text: string, rendered: Rendered): void
  close(): void
}

interface Shown {
  readonly fence: Signal<Fence>
  readonly name: Signal<string>
  readonly mounted: Mounted
}

export function readingComponents(page: ReviewedView, article: HTMLElement): ReadingComponents {
  const shown = new Map<Element, Shown>()
  const all = signal<readonly Fence[]>([])

  const open = (figure: Element, first: Fence, called: string): void => {
    const [fence, name] = [signal(first), signal(called)]
    const host = document.createElement('div')
    const place: FenceContext = {
      page,
      fence,
      fences: all,
      name,
      begins: signal(false),
      fresh() {
        const state = page.editor.value?.view.state
        if (state === undefined) return undefined
        const now = fencesOf(state.doc.toString())
        const found = fenceAt(now, state.facet(textMap).shown(fence.peek().from))
        return found && { fence: found, all: now }
      },
      // All components are drawn here. Focusing one scrolls it into view.
      show: ({ from }) => [...shown.values()].some((each) => each.fence.peek().from === from),
      // The scroll container takes the focus.
      leave: () => article.getRootNode() instanceof ShadowRoot && ((article.getRootNode() as ShadowRoot).host as HTMLElement).focus()
    }
    figure.replaceChildren(host)
    shown.set(figure, { fence, name, mounted: mount(host, place) })
  }

  const end = (figure: Element): void => {
    shown.get(figure)?.mounted.unmount()
    shown.delete(figure)
  }

  return {
    show(text, { components }) {
      const figures = [...article.querySelectorAll('figure.component')]
      for (const figure of shown.keys()) if (!figures.includes(figure)) end(figure)
      const fences = fencesOf(text)
      const names = namesOf(fences)
      all.value = fences
      figures.forEach((figure, index) => {
        const at = fences.findIndex(({ line }) => line === components[index])
        const fence = fences[at]
        // A component inside a list or a quote stays a static rendering.
        if (fence === undefined || figure.parentElement !== article) return
        const known = shown.get(figure)
        if (known === undefined) open(figure, fence, names[at] ?? '')
        else {
          known.fence.value = fence
          known.name.value = names[at] ?? ''
        }
      })
    },
    close() {
      for (const figure of shown.keys()) end(figure)
    }
  }
}
