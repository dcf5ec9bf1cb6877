/** Libraries that a text may need besides the pipeline. They are fetched after the first text that needs them was painted. */
import type { FormulaSetter } from '../../shared/markdown/math.ts'
import type { Highlighter, PageLibraries } from '../../shared/markdown/page.ts'
import { whenIdle } from '../base/idle.ts'
import { turn } from '../base/steps.ts'

/** Calls `onLoaded` once for all requests that arrived meanwhile: each call renders the text again. */
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
      // If a library could not be fetched, the next text requests it again.
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

/** The trace that each of them leaves in a rendered text. */
const traces: Readonly<Record<keyof typeof loads, string>> = {
  highlighter: '[class^="hljs-"]',
  formulaSetter: 'math',
  components: 'figure.component'
}

/** Fetched ahead, for text that the server rendered. */
const present: Partial<{ [Name in keyof typeof loads]: Awaited<ReturnType<(typeof loads)[Name]>> }> = {}

/** Fetches, one by one, the libraries that a server-rendered text needs, so that the next rendering looks the same at once. */
export async function fetchLibraries(shown: ParentNode): Promise<void> {
  const fetchOne = async <Name extends keyof typeof loads>(name: Name): Promise<void> => {
    if (shown.querySelector(traces[name]) === null) return
    Object.assign(present, { [name]: await loads[name]() })
    await turn()
  }
  // If one is missing, the text shows its source, and the library is requested again.
  await Promise.allSettled([fetchOne('highlighter'), fetchOne('formulaSetter'), fetchOne('components')])
}

/** `onLoaded` is called when the text should be rendered again. */
export function lazyLibraries(onLoaded: () => void): PageLibraries {
  const ask = fetcher(onLoaded)
  return {
    highlighter: lazy<Highlighter>(loads.highlighter, ask, present.highlighter),
    formulaSetter: lazy<FormulaSetter>(loads.formulaSetter, ask, present.formulaSetter),
    components: lazy(loads.components, ask, present.components)
  }
}
