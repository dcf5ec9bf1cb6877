/** Begins a comment on the selection. The page provides it. It returns undefined while the person may not comment. */
import { Facet } from '@codemirror/state'

export const beginComment = Facet.define<() => (() => void) | undefined>()
