/** What a text may need beside the pipeline: fetched when the first text asks for it. */
import type { FormulaSetter } from '../../shared/markdown/math.ts'
import type { Highlighter, PageLibraries } from '../../shared/markdown/page.ts'

function lazy<Library>(load: () => Promise<Library>, onLoaded: () => void): () => Library | undefined {
  let loaded: Library | undefined
  let loading: Promise<void> | undefined
  const fetched = (library: Library): void => {
    loaded = library
    onLoaded()
  }
  return () => {
    // What could not be fetched is asked for again by the next text.
    loading ??= load().then(fetched, () => void (loading = undefined))
    return loaded
  }
}

/** `onLoaded` is called when a text should be rendered again. */
export const lazyLibraries = (onLoaded: () => void): PageLibraries => ({
  highlighter: lazy<Highlighter>(async () => (await import('./highlight.ts')).highlighter, onLoaded),
  formulaSetter: lazy<FormulaSetter>(async () => (await import('./formulas.ts')).formulaSetter, onLoaded),
  components: lazy(async () => (await import('../../shared/markdown/components.ts')).renderComponent, onLoaded)
})
