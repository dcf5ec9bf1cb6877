/** Libraries that a text may need next to the pipeline: fetched once the first text that asks for them was painted. */
import type { FormulaSetter } from '../../shared/markdown/math.ts'
import type { Highlighter, PageLibraries } from '../../shared/markdown/page.ts'
import { whenIdle } from '../base/idle.ts'
import { turn } from '../base/steps.ts'

/** Calls `onLoaded` once for all that was asked for meanwhile: a text is rendered again with each call. */
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
      // A library that could not be fetched is asked for again by the next text.
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

/** The mark that each of them leaves in a rendered text. */
const traces: Readonly<Record<keyof typeof loads, string>> = {
  highlighter: '[class^="hljs-"]',
  formulaSetter: 'math',
  components: 'figure.component'
}

/** Fetched ahead, for a text that was rendered by the server. */
const present: Partial<{ [Name in keyof typeof loads]: Awaited<ReturnType<(typeof loads)[Name]>> }> = {}

/** Fetches, one by one, what a text needs that came rendered with the page: shown again it looks the same at once. */
export async function fetchLibraries(shown: ParentNode): Promise<void> {
  const fetchOne = async <Name extends keyof typeof loads>(name: Name): Promise<void> => {
    if (shown.querySelector(traces[name]) === null) return
    Object.assign(present, { [name]: await loads[name]() })
    await turn()
  }
  // Without one of them the text is shown as it is written, and it is asked for again.
  await Promise.allSettled([fetchOne('highlighter'), fetchOne('formulaSetter'), fetchOne('components')])
}

/** `onLoaded` is called when a text should be rendered again. */
export function lazyLibraries(onLoaded: () => void): PageLibraries {
  const ask = fetcher(onLoaded)
  return {
    highlighter: lazy<Highlighter>(loads.highlighter, ask, present.highlighter),
    formulaSetter: lazy<FormulaSetter>(loads.formulaSetter, ask, present.formulaSetter),
    components: lazy(loads.components, ask, present.components)
  }
}
