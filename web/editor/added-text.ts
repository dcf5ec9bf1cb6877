/** Text that is drawn in a range of the editor although it is not part of its text, such as text that somebody suggests to insert. */
import { Facet, type EditorState } from '@codemirror/state'

/** Returns the text that is drawn in a range, or ''. */
export type AddedText = (from: number, to: number) => string

/** The text that is drawn in addition. The value changes whenever that text may have changed. */
export const addedText = Facet.define<AddedText, AddedText>({
  combine: (all) => (from, to) => all.map((added) => added(from, to)).join('')
})

/** Returns the rows of the table that begins at an offset, together with the rows and columns that are drawn in addition. */
export type AddedCells = (table: number, rows: readonly (readonly string[])[]) => readonly (readonly string[])[]

/** The rows and columns that are drawn in addition. They change only together with `addedText`. */
export const addedCells = Facet.define<AddedCells, AddedCells>({ combine: ([first = (_table, rows) => rows]) => first })

/** Whether the text that is drawn in addition may differ between two states. */
export const isAddedTextNew = (before: EditorState, after: EditorState): boolean => before.facet(addedText) !== after.facet(addedText)
