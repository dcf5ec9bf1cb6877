/** Renders documents in a separate thread, one at a time, so that a large or hostile one does not delay the others. */
import { isOwnLink } from '../../../shared/markdown/links.ts'
import type { Rendered } from '../../../shared/markdown/render.ts'
import { limits } from '../../../shared/limits.ts'
import { serve } from '../../threads/serve.ts'
import { createPageRenderer, type Drawings } from './renderer.ts'

export interface Job {
  readonly source: string
  /** Links that begin with this address stay on the service. */
  readonly baseUrl: string
  readonly drawings: Drawings
}

/** The rendered page. Undefined if it became too large. */
export type Page = Rendered | undefined

serve(({ source, baseUrl, drawings }: Job): Page => {
  const rendered = createPageRenderer((href) => isOwnLink(href, baseUrl), drawings).render(source)
  return rendered.html.length > limits.renderedUnitsMax ? undefined : rendered
})
