/** The renderer of published pages: the shared one, with its libraries at hand. */
import highlighter from 'highlight.js/lib/common'
import temml from 'temml'
import { createPageRenderer as createShared } from '../../../shared/markdown/page.ts'
import { renderComponent } from '../../../shared/markdown/components.ts'
import type { Renderer } from '../../../shared/markdown/render.ts'

export const createPageRenderer = (isOwnLink: (href: string) => boolean): Renderer =>
  createShared({ highlighter: () => highlighter, formulaSetter: () => temml, components: () => renderComponent }, isOwnLink)
