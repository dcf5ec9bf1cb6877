/** How much is tied to a part of the text, such as comments: it would be lost if that part were taken out and put in again. */
import { Facet, type EditorState } from '@codemirror/state'

export type CountTied = (state: EditorState, from: number, to: number) => number

export const tiedText = Facet.define<CountTied, CountTied>({ combine: ([count]) => count ?? (() => 0) })
