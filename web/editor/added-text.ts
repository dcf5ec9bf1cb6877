/** Text that is drawn in a range of the editor although it is not part of its text, such as text that somebody suggests to insert. */
import { Facet, type EditorState } from '@codemirror/state'

/** Returns the text that is drawn in a range, or ''. */
export type AddedText = (from: number, to: number) => string

/** The text that is drawn in addition. The value changes whenever that text may have changed. */
export const addedText = Facet.define<AddedText, AddedText>({
  combine: (all) => (from, to) => all.map((added) => added(from, to)).join('')
})

/** Whether the text that is drawn in addition may differ between two states. */
export const isAddedTextNew = (before: EditorState, after: EditorState): boolean => before.facet(addedText) !== after.facet(addedText)
