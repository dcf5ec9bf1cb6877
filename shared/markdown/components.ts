/** Renders the component fences on a page. This code is not in page.ts, because a browser loads it only for documents that need it. */
import { documentSheets, type DocumentSheets } from '../fences/document-sheets.ts'
import { fencesOf, findFence } from '../fences/fences.ts'
import { componentHtml } from '../fences/kinds.ts'
import type { FenceToRender } from './render.ts'

// The sheets of a document are computed once for all its components. The key is the object that identifies one rendering.
const known = new WeakMap<object, DocumentSheets>()

const sheetsOf = ({ rendering, text }: FenceToRender): DocumentSheets => {
  const found = known.get(rendering) ?? documentSheets(fencesOf(text), Date.now())
  known.set(rendering, found)
  return found
}

/** Renders a component. Returns undefined if the fence is not a component. */
export const renderComponent = (fence: FenceToRender): string | undefined => {
  const found = findFence(fence.info, fence.source)
  return found && componentHtml(found, { inline: fence.inline, line: fence.line, sheets: sheetsOf(fence) })
}
