/** Renders the component fences of a page. It is separate from page.ts because a browser fetches it only when a text needs it. */
import { documentSheets, type DocumentSheets } from '../fences/document-sheets.ts'
import { fencesOf, findFence } from '../fences/fences.ts'
import { componentHtml } from '../fences/kinds.ts'
import type { FenceToRender } from './render.ts'

// The sheets of a text are computed once for all its components, keyed by the object of one rendering.
const known = new WeakMap<object, DocumentSheets>()

const sheetsOf = ({ rendering, text }: FenceToRender): DocumentSheets => {
  const found = known.get(rendering) ?? documentSheets(fencesOf(text), Date.now())
  known.set(rendering, found)
  return found
}

/** Undefined for a fence that is not a component. */
export const renderComponent = (fence: FenceToRender): string | undefined => {
  const found = findFence(fence.info, fence.source)
  return found && componentHtml(found, { inline: fence.inline, line: fence.line, sheets: sheetsOf(fence) })
}
