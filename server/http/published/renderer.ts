/** The renderer of published pages. It is the shared renderer, with its libraries loaded. */
import highlighter from 'highlight.js/lib/common'
import temml from 'temml'
import { createPageRenderer as createShared, type Picture } from '../../../shared/markdown/page-renderer.ts'
import { renderComponent } from '../../../shared/markdown/components.ts'
import { typography } from '../../../shared/markdown/typography.ts'
import type { Renderer } from '../../../shared/markdown/render.ts'
import { hashOfDiagram } from '../../domain/media/drawings.ts'

/** Pictures of diagrams, by the hash of the diagram's source. */
export type Drawings = Readonly<Record<string, Picture>>

/**
 * Creates a renderer. With `typeset`, it uses typographic characters, as on published pages. The reading view shows characters as they were
 * written.
 */
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
