/** Returns the part of a selection that becomes a link, without block markers and line breaks (line-words.ts, which loads later). */
import { Facet, type EditorState, type SelectionRange } from '@codemirror/state'

export const linkWords = Facet.define<(state: EditorState, range: SelectionRange) => SelectionRange | undefined>()
