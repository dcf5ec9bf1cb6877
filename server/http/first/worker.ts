/** Renders the beginnings of documents in a separate thread, one at a time. */
import { createRequire } from 'node:module'
import { isOwnLink } from '../../../shared/markdown/links.ts'
import { limits } from '../../../shared/limits.ts'
import { serve } from '../../threads/serve.ts'
import type * as Reading from '../published/renderer.ts'

export interface Job {
  readonly kind: 'live' | 'read'
  readonly source: string
  /** Links that begin with this address stay on the service. */
  readonly baseUrl: string
  /** Path of the built module that renders text as the editor shows it (web/first/live-text.ts). */
  readonly liveModule: string
}

export interface Drawn {
  readonly html: string
  /** CSS rules that the text needs in addition to the style sheets; '' if it needs none. */
  readonly css: string
}

// A new thread loads only the modules that its first text needs, one after another, and responds before it loads the rest.
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
