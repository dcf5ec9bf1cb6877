/** The numbers of footnotes by their names, in the order of the first references (live/note-numbers.ts, which loads later). */
import { Facet } from '@codemirror/state'

type Numbers = ReadonlyMap<string, number>

/** Undefined until the footnotes have been numbered. */
export const noteNumbers = Facet.define<Numbers, Numbers | undefined>({ combine: ([numbers]) => numbers })
