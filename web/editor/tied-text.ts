/**
 * Counts the annotations and other items that are anchored to a range of the text. They would be lost if the range were deleted and inserted again.
 */
import { Facet, type EditorState } from '@codemirror/state'

export type CountTied = (state: EditorState, from: number, to: number) => number

export const tiedText = Facet.define<CountTied, CountTied>({ combine: ([count]) => count ?? (() => 0) })
