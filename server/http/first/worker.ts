/** Renders the beginnings of texts in a separate thread, one by one. */
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
  /** The built CSS rules of the editor (web/first/live-text.ts). */
  readonly liveModule: string
}

export interface Drawn {
  readonly html: string
  /** CSS rules that the text needs besides the style sheets; '' for none. */
  readonly css: string
}

// A new thread loads the modules of its first text one after the other, and answers before it loads others.
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
