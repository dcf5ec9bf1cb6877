/** What a text may need beside the pipeline: fetched once the first text that asks for it was painted. */
import type { FormulaSetter } from '../../shared/markdown/math.ts'
import type { Highlighter, PageLibraries } from '../../shared/markdown/page.ts'
import { whenIdle } from '../idle.ts'

/** Calls `onLoaded` once for all that was asked for meanwhile: a text is rendered anew with each call. */
function fetcher(onLoaded: () => void): (load: () => Promise<void>) => void {
  let asked: (() => Promise<void>)[] = []
  const fetchAll = async (): Promise<void> => {
    const loads = asked
    asked = []
    const ended = await Promise.allSettled(loads.map((load) => load()))
    if (ended.some(({ status }) => status === 'fulfilled')) onLoaded()
  }
  return (load) => {
    asked.push(load)
    if (asked.length === 1) whenIdle(() => void fetchAll())
  }
}

function lazy<Library>(load: () => Promise<Library>, ask: (load: () => Promise<void>) => void): () => Library | undefined {
  let loaded: Library | undefined
  let isAsked = false
  const fetched = async (): Promise<void> => {
    try {
      loaded = await load()
    } catch (error) {
      // What could not be fetched is asked for again by the next text.
      isAsked = false
      throw error
    }
  }
  return () => {
    if (!isAsked) ask(fetched)
    isAsked = true
    return loaded
  }
}

/** `onLoaded` is called when a text should be rendered again. */
export function lazyLibraries(onLoaded: () => void): PageLibraries {
  const ask = fetcher(onLoaded)
  return {
    highlighter: lazy<Highlighter>(async () => (await import('./highlight.ts')).highlighter, ask),
    formulaSetter: lazy<FormulaSetter>(async () => (await import('./formulas.ts')).formulaSetter, ask),
    components: lazy(async () => (await import('../../shared/markdown/components.ts')).renderComponent, ask)
  }
}
