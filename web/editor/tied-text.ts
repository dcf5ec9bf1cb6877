/** Counts everything that is anchored to a range of the text, such as comments. It would be lost if the range were deleted and inserted again. */
import { Facet, type EditorState } from '@codemirror/state'

export type CountTied = (state: EditorState, from: number, to: number) => number

export const tiedText = Facet.define<CountTied, CountTied>({ combine: ([count]) => count ?? (() => 0) })
