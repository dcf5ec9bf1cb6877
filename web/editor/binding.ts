/**
 * Maps positions between the text of the document and the text in the editor. The two differ while edits are only suggested
 * (web/review/suggestions/suggesting.ts).
 */
import { Annotation, Facet } from '@codemirror/state'
import type { Command, EditorView } from '@codemirror/view'

export interface OwnUndo {
  /** Each command returns false if it has nothing to do. */
  readonly undo: Command
  readonly redo: Command
  /** Returns the number of steps that undo can take back. */
  steps(view: EditorView): number
}

export interface TextMap {
  /** Maps an offset in the document's text to an offset in the editor's text. */
  shown(at: number): number
  /** Maps an offset in the editor's text to an offset in the document's text. */
  stored(at: number): number
}

const same: TextMap = { shown: (at) => at, stored: (at) => at }

/** The map in use. Offsets are equal unless an extension provides another map. */
export const textMap = Facet.define<TextMap, TextMap>({ combine: ([map]) => map ?? same })

/** Undo and redo commands for an editor whose text differs from that of the document. */
export const ownUndo = Facet.define<OwnUndo, OwnUndo | undefined>({ combine: ([own]) => own })

/**
 * Ticks or unticks the task whose character is at an offset of the editor's text, in another way than by a change of that text. Returns false if it
 * does not.
 */
export const taskTick = Facet.define<(view: EditorView, letter: number) => boolean, (view: EditorView, letter: number) => boolean>({
  combine: ([tick]) => tick ?? (() => false)
})

/** Ends the current undo step, so that the next change begins a new one. */
export const endStep = Facet.define<(view: EditorView) => void, (view: EditorView) => void>({
  combine: ([end]) => end ?? (() => undefined)
})

/** Marks a change that becomes part of the last undo step, such as the removal of everything that this step inserted. */
export const inLastStep = Annotation.define<true>()

/** Makes the changes of `run` one undo step, separate from text typed just before or after it. */
export function asOneStep<Made>(view: EditorView, run: () => Made): Made {
  view.state.facet(endStep)(view)
  const made = run()
  view.state.facet(endStep)(view)
  return made
}

/** Returns the number of steps that undo can take back. */
export const undoSteps = Facet.define<() => number, () => number>({ combine: ([count]) => count ?? (() => 0) })
