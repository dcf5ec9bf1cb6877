/**
 * Renders text completely, as on its published page, with all libraries that it needs. Used for text that is rendered once, and not for text that
 * somebody is typing.
 */
import type { FormulaSetter } from '../../shared/markdown/math.ts'
import { t } from '../text/t.ts'
import { createPageRenderer, type Highlighter } from '../../shared/markdown/page-renderer.ts'
import type { FenceToRender, Rendered } from '../../shared/markdown/render.ts'

const isOwn = (href: string): boolean => href.startsWith('/') || href.startsWith(`${location.origin}/`)

interface Libraries {
  highlighter?: Highlighter
  formulaSetter?: FormulaSetter
  components?: (fence: FenceToRender) => string | undefined
}

const loaded: Libraries = {}

/** Renders text with the libraries that have loaded. `onWanted` is called with the name of each library that it needs. */
export const renderLoaded = (text: string, onWanted: (name: keyof Libraries) => void = () => undefined): Rendered => {
  const get =
    <Name extends keyof Libraries>(name: Name) =>
    (): Libraries[Name] => {
      onWanted(name)
      return loaded[name]
    }
  return createPageRenderer(
    { highlighter: get('highlighter'), formulaSetter: get('formulaSetter'), components: get('components'), words: t },
    isOwn
  ).render(text)
}

/** Renders text twice: once to find out which libraries it needs, and then with them. Throws if a library cannot be loaded. */
export async function renderWhole(text: string): Promise<Rendered> {
  const wanted = new Set<keyof Libraries>()
  const first = renderLoaded(text, (name) => wanted.add(name))
  if ([...wanted].every((name) => loaded[name] !== undefined)) return first
  if (wanted.has('highlighter')) loaded.highlighter = (await import('./highlight.ts')).highlighter
  if (wanted.has('formulaSetter')) loaded.formulaSetter = (await import('./formulas.ts')).formulaSetter
  if (wanted.has('components')) loaded.components = (await import('../../shared/markdown/components.ts')).renderComponent
  return renderLoaded(text)
}
