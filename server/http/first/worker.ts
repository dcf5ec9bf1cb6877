/** Draws the beginnings of texts in a thread of its own, one by one. */
import { createRequire } from 'node:module'
import { isOwnLink } from '../../../shared/markdown/links.ts'
import { limits } from '../../../shared/limits.ts'
import { serve } from '../../threads/serve.ts'
import type * as Reading from '../published/renderer.ts'

export interface Job {
  readonly kind: 'live' | 'read'
  readonly source: string
  /** Links that begin with it stay on the service. */
  readonly baseUrl: string
  /** The build's output of the rules of the editor (web/first/live-text.ts). */
  readonly liveModule: string
}

export interface Drawn {
  readonly html: string
  /** Rules that it needs besides the style sheets; '' for none. */
  readonly css: string
}

// A thread starts with the modules for its first text, and answers at once: so each module is loaded at once, and no sooner.
const load = createRequire(import.meta.url)
const live = (module: string): { liveText(source: string): Drawn } => load(module) as { liveText(source: string): Drawn }
const reading = (): typeof Reading => load('../published/renderer.ts') as typeof Reading

const draw = ({ kind, source, baseUrl, liveModule }: Job): Drawn =>
  kind === 'live'
    ? live(liveModule).liveText(source)
    : reading()
        .createPageRenderer((href) => isOwnLink(href, baseUrl), {}, false)
        .render(source)

serve((job: Job): Drawn | undefined => {
  const { html, css } = draw(job)
  return html.length + css.length > limits.firstTextUnitsMax * limits.firstTextGrowthMax ? undefined : { html, css }
})
