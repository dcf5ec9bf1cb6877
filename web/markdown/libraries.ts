/** Libraries that the text may need in addition to the rendering pipeline. They load after the first text that needs them has been painted. */
import type { FormulaSetter } from '../../shared/markdown/math.ts'
import type { Highlighter, PageLibraries } from '../../shared/markdown/page-renderer.ts'
import { whenIdle } from '../base/idle.ts'
import { turn } from '../base/steps.ts'

/** Calls `onLoaded` once for all requests that have arrived since, because each call renders the text again. */
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

function lazy<Library>(
  load: () => Promise<Library>,
  ask: (load: () => Promise<void>) => void,
  loaded: Library | undefined
): () => Library | undefined {
  let isAsked = loaded !== undefined
  const fetched = async (): Promise<void> => {
    try {
      loaded = await load()
    } catch (error) {
      // If a library could not be loaded, the next text requests it again.
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

const loads = {
  highlighter: async () => (await import('./highlight.ts')).highlighter,
  formulaSetter: async () => (await import('./formulas.ts')).formulaSetter,
  components: async () => (await import('../../shared/markdown/components.ts')).renderComponent
}

/** For each library, the elements that it leaves in a rendered document, as a CSS selector. */
const traces: Readonly<Record<keyof typeof loads, string>> = {
  highlighter: '[class^="hljs-"]',
  formulaSetter: 'math',
  components: 'figure.component'
}

/** Libraries that were loaded in advance, for text that the server rendered. */
const present: Partial<{ [Name in keyof typeof loads]: Awaited<ReturnType<(typeof loads)[Name]>> }> = {}

/** Loads the libraries that a server-rendered document needs, one by one, so that the page's own rendering looks the same immediately. */
export async function fetchLibraries(shown: ParentNode): Promise<void> {
  const fetchOne = async <Name extends keyof typeof loads>(name: Name): Promise<void> => {
    if (shown.querySelector(traces[name]) === null) return
    Object.assign(present, { [name]: await loads[name]() })
    await turn()
  }
  // If a library is missing, the text shows the source, and the next rendering requests the library again.
  await Promise.allSettled([fetchOne('highlighter'), fetchOne('formulaSetter'), fetchOne('components')])
}

/** Returns libraries that load on first use. `onLoaded` is called when the text should be rendered again. */
export function lazyLibraries(onLoaded: () => void): PageLibraries {
  const ask = fetcher(onLoaded)
  return {
    highlighter: lazy<Highlighter>(loads.highlighter, ask, present.highlighter),
    formulaSetter: lazy<FormulaSetter>(loads.formulaSetter, ask, present.formulaSetter),
    components: lazy(loads.components, ask, present.components)
  }
}
