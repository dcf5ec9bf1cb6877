/** Renders texts in a thread of its own, one by one, so that a large or hostile one holds nobody else up. */
import { isOwnLink } from '../../../shared/markdown/links.ts'
import type { Rendered } from '../../../shared/markdown/render.ts'
import { limits } from '../../../shared/limits.ts'
import { serve } from '../../threads/serve.ts'
import { createPageRenderer } from './renderer.ts'

export interface Job {
  readonly source: string
  /** Links that begin with it stay on the service. */
  readonly baseUrl: string
}

/** The page; undefined when it became too large. */
export type Page = Rendered | undefined

serve(({ source, baseUrl }: Job): Page => {
  const rendered = createPageRenderer((href) => isOwnLink(href, baseUrl)).render(source)
  return rendered.html.length > limits.renderedUnitsMax ? undefined : rendered
})
