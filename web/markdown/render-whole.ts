/**
 * Renders a text completely, as on its published page, with all libraries that it needs. For text that is rendered once and not while somebody types.
 */
import type { FormulaSetter } from '../../shared/markdown/math.ts'
import { createPageRenderer, type Highlighter } from '../../shared/markdown/page.ts'
import type { FenceToRender, Rendered } from '../../shared/markdown/render.ts'

const isOwn = (href: string): boolean => href.startsWith('/') || href.startsWith(`${location.origin}/`)

/** Renders a text twice: once to find out which libraries it needs, and then with them. Throws if a library cannot be loaded. */
export async function renderWhole(text: string): Promise<Rendered> {
  let highlighter: Highlighter | undefined
  let formulaSetter: FormulaSetter | undefined
  let components: ((fence: FenceToRender) => string | undefined) | undefined
  const wanted = { highlighter: false, formulaSetter: false, components: false }
  const renderer = createPageRenderer(
    {
      highlighter() {
        wanted.highlighter = true
        return highlighter
      },
      formulaSetter() {
        wanted.formulaSetter = true
        return formulaSetter
      },
      components() {
        wanted.components = true
        return components
      }
    },
    isOwn
  )
  const first = renderer.render(text)
  if (wanted.highlighter) highlighter = (await import('./highlight.ts')).highlighter
  if (wanted.formulaSetter) formulaSetter = (await import('./formulas.ts')).formulaSetter
  if (wanted.components) components = (await import('../../shared/markdown/components.ts')).renderComponent
  return Object.values(wanted).includes(true) ? renderer.render(text) : first
}
