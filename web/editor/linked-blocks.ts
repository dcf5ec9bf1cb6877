/** Finds the parts of a selection that one link command makes links. */
import { EditorSelection, type EditorState, type SelectionRange } from '@codemirror/state'
import { codeNode } from './in-code.ts'
import { linkWords } from './link-words.ts'

/** Maximum number of blocks that one command links. */
const linksMax = 100

/** Returns the parts of a selection that can become links: the text of each block, without code, table rows, and blocks that have links. */
export function linkableParts(state: EditorState, range: SelectionRange): SelectionRange[] {
  const parts: SelectionRange[] = []
  let rest = range
  for (let count = 0; count < linksMax; count++) {
    const part = state.facet(linkWords)[0]?.(state, rest)
    if (part === undefined) break
    const text = state.sliceDoc(part.from, part.to)
    const isCode = !['InlineCode', undefined].includes(codeNode(state, part.to)?.name)
    const mayLink = parts.length === 0 || (/[\p{L}\p{N}]/u.test(text) && !/[[\]|]/.test(text) && !isCode)
    if (mayLink) parts.push(part)
    rest = EditorSelection.range(part.to, range.to)
  }
  return parts
}
