/** The renderer of published pages: the shared one, with its libraries loaded. */
import highlighter from 'highlight.js/lib/common'
import temml from 'temml'
import { createPageRenderer as createShared, type Picture } from '../../../shared/markdown/page.ts'
import { renderComponent } from '../../../shared/markdown/components.ts'
import { typography } from '../../../shared/markdown/typography.ts'
import type { Renderer } from '../../../shared/markdown/render.ts'
import { hashOfDiagram } from '../../domain/media/drawings.ts'

/** Pictures of diagrams, by the hashes of their sources. */
export type Drawings = Readonly<Record<string, Picture>>

/** `typeset`: with typographic characters, as on published pages. The reading view shows characters as written. */
export const createPageRenderer = (isOwnLink: (href: string) => boolean, drawings: Drawings, typeset = true): Renderer =>
  createShared(
    {
      highlighter: () => highlighter,
      formulaSetter: () => temml,
      components: () => renderComponent,
      pictureOf: (source) => drawings[hashOfDiagram(source)]
    },
    isOwnLink,
    typeset ? typography : undefined
  )
