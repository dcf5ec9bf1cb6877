/** Finds the words of a selection that become a link, without markers of blocks and line breaks (line-words.ts, which loads later). */
import { Facet, type EditorState, type SelectionRange } from '@codemirror/state'

export const linkWords = Facet.define<(state: EditorState, range: SelectionRange) => SelectionRange | undefined>()
