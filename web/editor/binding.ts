/** Where the text of the editor is not that of the document: with edits that are only proposed (review/suggestions/suggesting.ts). */
import { Facet } from '@codemirror/state'
import type { Command } from '@codemirror/view'

export interface TextMap {
  /** From an offset of the document's text to one of what the editor shows. */
  shown(at: number): number
  /** And back. */
  stored(at: number): number
}

const same: TextMap = { shown: (at) => at, stored: (at) => at }

/** The same offsets, unless somebody says otherwise. */
export const textMap = Facet.define<TextMap, TextMap>({ combine: ([map]) => map ?? same })

/** Undo and redo where the text of the editor is not that of the document. */
export const ownUndo = Facet.define<Readonly<Record<'undo' | 'redo', Command>>, Readonly<Record<'undo' | 'redo', Command>> | undefined>({
  combine: ([own]) => own
})

/** Ends a step of undo: what comes next is one by itself. */
export const endStep = Facet.define<() => void, () => void>({ combine: ([end]) => end ?? (() => undefined) })

/** How many steps undo would take back. */
export const undoSteps = Facet.define<() => number, () => number>({ combine: ([count]) => count ?? (() => 0) })
