/** Counts what is anchored to a part of the text, such as comments, and would be lost if that part were deleted and inserted again. */
import { Facet, type EditorState } from '@codemirror/state'

export type CountTied = (state: EditorState, from: number, to: number) => number

export const tiedText = Facet.define<CountTied, CountTied>({ combine: ([count]) => count ?? (() => 0) })
